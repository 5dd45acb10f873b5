package generate

import (
	"path"
	"slices"
	"strings"
)

// Rule says what has to come of some cases. Of several rules the first decides.
type Rule struct {
	Services   []string // empty for both
	Operations []string // empty for all
	Protocols  []string // empty for both
	// Members are patterns of paths, * for any run of characters; empty for all.
	Members []string
	Changes []Change
	// Want is accepted, refused for any error that is the sender's, or the code of
	// an error as Query spells it, with "entry " before it for an entry of a batch.
	Want string
	// Text is the message, where it is known; X in it stands for the last name of
	// the member.
	Text string
	// Source is where the rule is known from: model, recorded, contract, register
	// or documented, with what.
	Source string
}

var rules = table[[]Rule]("verdicts.json")

// Rules are all rules in their order.
func Rules() []Rule { return slices.Clone(rules) }

func (r Rule) covers(c Case) bool {
	in := func(list []string, s string) bool { return len(list) == 0 || slices.Contains(list, s) }
	return in(r.Services, c.Service) && in(r.Operations, c.Operation) && in(r.Protocols, c.Protocol) && slices.Contains(r.Changes, c.Change) &&
		(len(r.Members) == 0 || slices.ContainsFunc(r.Members, func(p string) bool {
			ok, _ := path.Match(p, c.Member)
			return ok
		}))
}

func verdict(c Case) (int, bool) {
	i := slices.IndexFunc(rules, func(r Rule) bool { return r.covers(c) })
	return i, i >= 0
}

func (r Rule) want() string {
	if r.Text == "" {
		return r.Want
	}
	return r.Want + " " + r.Text
}

func (r Rule) allows(c Case, got came) bool {
	if r.Want == "refused" {
		return got.status/100 == 4 || strings.HasPrefix(got.code, "entry ")
	}
	text := strings.ReplaceAll(r.Text, "${member}", c.Member[strings.LastIndex(c.Member, ".")+1:])
	return r.Want == got.code && (text == "" || text == got.message)
}
