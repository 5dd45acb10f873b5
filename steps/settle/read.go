package settle

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/queen-mq/queen-sqs/divergences/rows"
	"github.com/queen-mq/queen-sqs/steps/client"
)

var reference = regexp.MustCompile(`\$\{[^}]*\}`)

// fill replaces the references in a call's parameters, and makes of their numbers
// what clients take.
func (s *session) fill(v any) any {
	switch t := v.(type) {
	case map[string]any:
		out := client.Params{}
		for k, item := range t {
			out[k] = s.fill(item)
		}
		return out
	case []any:
		out := make([]any, len(t))
		for i, item := range t {
			out[i] = s.fill(item)
		}
		return out
	case int:
		return int64(t)
	case string:
		// ARNs hold names that are references themselves.
		text := strings.ReplaceAll(t, "${run}", s.run)
		return reference.ReplaceAllStringFunc(text, func(ref string) string { return s.refer(ref[2 : len(ref)-1]) })
	}
	return v
}

func (s *session) refer(ref string) string {
	if name, ok := strings.CutPrefix(ref, "arn:sqs:"); ok {
		return "arn:aws:sqs:" + s.target.Config().Region + ":" + s.account + ":" + name
	}
	if n, ok := strings.CutPrefix(ref, "x*"); ok {
		count, _ := strconv.Atoi(n)
		return strings.Repeat("x", count)
	}
	name, path, _ := strings.Cut(ref, ".")
	return s.got[name][path]
}

// flatten spells a tree as paths. A list has a member count, its items are
// counted from 0.
func flatten(path string, v any, into map[string]string) {
	at := func(name string) string { return strings.TrimPrefix(path+"."+name, ".") }
	switch t := v.(type) {
	case client.Params:
		for k, item := range t {
			flatten(at(k), item, into)
		}
	case []any:
		if len(t) > 0 {
			into[at("count")] = strconv.Itoa(len(t))
		}
		for i, item := range t {
			flatten(at(strconv.Itoa(i)), item, into)
		}
	default:
		if text, ok := client.Text(v); ok {
			into[path] = text
		}
	}
}

// read is the answer of a question, empty where it is none of the expected ones.
func (s *session) read(q rows.Question) string {
	for _, a := range q.Answers {
		holds := true
		for what, want := range a.If {
			holds = holds && s.holds(what, want)
		}
		if holds {
			return a.Is
		}
	}
	return ""
}

func (s *session) holds(what, want string) bool {
	name, path, member := strings.Cut(what, ".")
	failure, failed := s.failed[name]
	if !member {
		exact, named := strings.CutPrefix(want, "error ")
		switch {
		case named:
			return failure == exact
		case want == "error":
			return failed
		}
		return !failed && want == "ok"
	}
	v, there := s.got[name][path]
	other := func(ref string) string {
		name, path, _ := strings.Cut(ref, ".")
		return s.got[name][path]
	}
	switch {
	case failed:
		return false
	case want == "absent":
		return !there
	case strings.HasPrefix(want, "!="):
		return there && v != other(want[2:])
	case strings.HasPrefix(want, "="):
		return there && v == other(want[1:])
	case strings.HasPrefix(want, "~"):
		var n int
		fmt.Sscanf(want, "~%d digits", &n)
		return len(v) == n && strings.Trim(v, "0123456789") == ""
	}
	return there && v == want
}

var (
	account = regexp.MustCompile(`\b\d{12}\b`)
	uuid    = regexp.MustCompile(`[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}`)
	address = regexp.MustCompile(`https?://[^\s"/]+`)
	region  = regexp.MustCompile(`(arn:aws:s[qn]s:)[a-z0-9-]*:`)
)

// redact takes names, accounts, ids and addresses out of a text.
func (s *session) redact(text string) string {
	text = strings.ReplaceAll(text, s.run, "<run>")
	text = address.ReplaceAllString(text, "<endpoint>")
	text = uuid.ReplaceAllString(text, "<id>")
	text = region.ReplaceAllString(text, "${1}<region>:")
	return account.ReplaceAllString(text, "<account>")
}

// hide is redact for a member of an answer, of which some are nothing but an id.
func (s *session) hide(path, value string) string {
	member := path[strings.LastIndex(path, ".")+1:]
	switch member {
	case "ReceiptHandle", "TaskHandle", "MessageId", "SenderId":
		return "<id>"
	case "StartedTimestamp":
		return fmt.Sprintf("<%d digits>", len(value))
	}
	if len(value) > 200 {
		return fmt.Sprintf("<%d characters>", len(value))
	}
	return s.redact(value)
}
