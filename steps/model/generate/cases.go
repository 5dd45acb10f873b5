// Package generate makes requests out of the models that Amazon publishes: each
// operation with each member missing, empty, of a wrong type, at and past its
// bounds, unknown and repeated. What has to come of each is in tables that name
// where it is known from; no verdict is taken from an answer.
package generate

import (
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/queen-mq/queen-sqs/steps/model"
)

//go:embed *.json
var tables embed.FS

func table[T any](name string) T {
	text, err := tables.ReadFile(name)
	if err != nil {
		panic(err)
	}
	var t T
	if err := json.Unmarshal(text, &t); err != nil {
		panic(fmt.Errorf("%s: %w", name, err))
	}
	return t
}

// Change is what a case does to a good request.
type Change string

// The changes.
const (
	Minimal     Change = "minimal"      // only what is needed
	Present     Change = "present"      // an optional member is there
	Missing     Change = "missing"      // a required member is not
	Null        Change = "null"         // a JSON null, of a member that is required
	NullOption  Change = "null option"  // the same, of an optional one
	Empty       Change = "empty"        // an empty text, list, map or structure, of a member that is required
	EmptyOption Change = "empty option" // the same, of an optional one
	Structure   Change = "structure"    // a structure where a scalar or a list is due
	List        Change = "list"         // a list where a scalar is due
	Text        Change = "text"         // a text where something else is due
	Number      Change = "number"       // a JSON number where a text is due
	Boolean     Change = "boolean"      // a JSON boolean where a text is due
	Fraction    Change = "fraction"     // 1.5 where a whole number is due
	Digits      Change = "digits"       // a text of digits where a number is due
	Huge        Change = "huge"         // a number that 64 bits cannot hold
	NotInEnum   Change = "not in enum"  // a value that the enumeration lacks
	AtLeast     Change = "at least"     // the least allowed
	AtMost      Change = "at most"      // the most allowed
	TooLittle   Change = "too little"   // one less
	TooMuch     Change = "too much"     // one more
	Unknown     Change = "unknown"      // one more member, which the model lacks
	Repeated    Change = "repeated"     // a member twice, the same
	LastGood    Change = "last good"    // a member twice, only the last can be used
	LastBad     Change = "last bad"     // a member twice, only the first can be used
)

// Case is one generated request.
type Case struct {
	Service, Operation, Protocol string
	// Member is a path such as Entries.Id, without the numbers of lists and the
	// keys of maps; empty for the whole request.
	Member string
	Change Change
	Params map[string]any
	// Before is sent before Params under the name Member, for a member that is
	// repeated.
	Before any
	twice  bool
}

func (c Case) String() string {
	return fmt.Sprintf("%s %s over %s, %s %s", c.Service, c.Operation, c.Protocol, c.Member, c.Change)
}

// seeds are good requests by operation, and good values of the other members by
// name. Texts such as ${queue} are put in when a case is run.
type seeds struct {
	Requests map[string]map[string]any
	Samples  map[string]any
	// Own are samples of one operation.
	Own map[string]map[string]any
}

// bound is the range of a member that the model gives no range.
type bound struct {
	Members     []string // Operation.Path, with * for any operation
	Least, Most int64
	// Of says what is measured: the number, the length of a text, the length of a
	// list.
	Of     string
	Source string
}

var (
	allSeeds = table[map[string]seeds]("seeds.json")
	bounds   = table[[]bound]("bounds.json")
)

// Cases are all cases of a service over a protocol, operation by operation.
func Cases(service, protocol string, operations []string) []Case {
	var out []Case
	for _, name := range operations {
		g := &generator{
			seeds: allSeeds[service],
			model: model.Of(service, model.JSON),
			about: Case{Service: service, Operation: name, Protocol: protocol},
		}
		g.operation()
		out = append(out, g.out...)
	}
	return out
}

type generator struct {
	seeds seeds
	model *model.Model
	about Case
	out   []Case
}

func (g *generator) add(member string, change Change, params map[string]any) {
	c := g.about
	c.Member, c.Change, c.Params = member, change, params
	g.out = append(g.out, c)
}

func (g *generator) operation() {
	base, ok := g.seeds.Requests[g.about.Operation]
	if !ok {
		panic("there is no good request of " + g.about.Operation)
	}
	g.add("", Minimal, base)
	input := g.model.Operations[g.about.Operation].Input
	if input == nil {
		return
	}
	g.structure(nil, "", g.model.Shapes[input.Shape], base)
}

// structure makes the cases of the structure at path of a good request.
func (g *generator) structure(path []any, member string, s *model.Shape, base map[string]any) {
	g.add(member, Unknown, with(base, append(slices.Clone(path), "Juggled"), "yes"))
	for _, name := range slices.Sorted(maps.Keys(s.Members)) {
		g.member(append(slices.Clone(path), name), join(member, name), s.Members[name], slices.Contains(s.Required, name), base)
	}
}

func (g *generator) member(path []any, member string, r model.Ref, required bool, base map[string]any) {
	good, there := at(base, path)
	if !there {
		sample, ok := g.sample(member)
		if !ok {
			panic(fmt.Sprintf("there is no sample of %s.%s", g.about.Operation, member))
		}
		good = sample
		base = with(base, path, good)
	}
	null, empty := NullOption, EmptyOption
	switch {
	case required:
		null, empty = Null, Empty
		g.add(member, Missing, without(base, path))
	default:
		g.add(member, Present, base)
	}
	set := func(change Change, v any) { g.add(member, change, with(base, path, v)) }
	inJSON := g.about.Protocol == model.JSON
	if inJSON {
		set(null, nil)
	}
	s := g.model.Shapes[r.Shape]
	switch s.Type {
	case "string", "blob":
		set(empty, "")
		set(Structure, map[string]any{"juggled": "yes"})
		set(List, []any{"one", "two"})
		if inJSON {
			set(Number, 7)
			set(Boolean, true)
		}
		if s.Type == "blob" {
			set(Text, "no base64!")
		}
		if len(s.Enum) > 0 {
			set(NotInEnum, "Juggled")
		}
	case "integer", "long":
		set(empty, "")
		set(Text, "seven")
		set(Fraction, json.Number("1.5"))
		set(Huge, json.Number("99999999999999999999"))
		set(Structure, map[string]any{"juggled": "yes"})
		set(List, []any{1, 2})
		if inJSON {
			set(Boolean, true)
			set(Digits, fmt.Sprint(good))
		}
	case "boolean":
		set(Text, "perhaps")
		set(Structure, map[string]any{"juggled": "yes"})
	case "list":
		g.list(set, path, member, s, good, empty, base)
	case "map":
		g.mapping(set, path, member, s, good, empty, base)
	case "structure":
		set(Text, "text")
		if inJSON {
			set(empty, map[string]any{})
			set(List, []any{"one"})
		}
		g.structure(path, member, s, base)
	}
	g.bounds(set, member, s, good)
	if len(path) == 1 && scalar(s) {
		g.repeated(path[0].(string), s, good, base)
	}
}

func (g *generator) list(set func(Change, any), path []any, member string, s *model.Shape, good any, empty Change, base map[string]any) {
	set(Structure, map[string]any{"juggled": "yes"})
	if g.about.Protocol == model.JSON {
		set(empty, []any{})
		set(Text, "text")
	}
	item := g.model.Shapes[s.Member.Shape]
	if len(item.Enum) > 0 {
		set(NotInEnum, []any{"Juggled"})
	}
	if item.Type == "structure" {
		set(List, []any{"one"})
		g.structure(append(slices.Clone(path), 0), member, item, base)
		return
	}
	g.bounds(func(c Change, v any) { set(c, []any{v}) }, join(member, "item"), item, good.([]any)[0])
}

func (g *generator) mapping(set func(Change, any), path []any, member string, s *model.Shape, good any, empty Change, base map[string]any) {
	set(Text, "text")
	if g.about.Protocol == model.JSON {
		set(empty, map[string]any{})
		set(List, []any{"one"})
	}
	key := slices.Sorted(maps.Keys(good.(map[string]any)))[0]
	value := good.(map[string]any)[key]
	if len(g.model.Shapes[s.Key.Shape].Enum) > 0 {
		set(NotInEnum, map[string]any{"Juggled": value})
	}
	if item := g.model.Shapes[s.Value.Shape]; item.Type == "structure" {
		g.structure(append(slices.Clone(path), key), member, item, base)
		return
	}
	set(Number, map[string]any{key: map[string]any{"juggled": "yes"}})
}

// bounds makes the cases of a range, of the model or of the table.
func (g *generator) bounds(set func(Change, any), member string, s *model.Shape, good any) {
	b, ok := g.bound(member, s)
	if !ok {
		return
	}
	of := func(n int64) any {
		switch b.Of {
		case "length":
			// A name that was deleted cannot be used again at once.
			return strings.Repeat(string(g.about.Protocol[0]), int(n))
		case "items":
			return repeatItem(good, int(n))
		}
		return n
	}
	set(AtLeast, of(b.Least))
	set(AtMost, of(b.Most))
	if b.Of == "number" {
		set(TooLittle, of(b.Least-1))
	}
	set(TooMuch, of(b.Most+1))
}

func (g *generator) bound(member string, s *model.Shape) (bound, bool) {
	for _, b := range bounds {
		for _, m := range b.Members {
			if m == g.about.Operation+"."+member || m == "*."+member {
				return b, true
			}
		}
	}
	if s.Max == nil {
		return bound{}, false
	}
	b := bound{Most: *s.Max, Of: "number", Source: "model"}
	if s.Min != nil {
		b.Least = *s.Min
	}
	if s.Type == "string" {
		b.Of = "length"
	}
	return b, true
}

// repeatItem makes a list of n items with ids of their own.
func repeatItem(good any, n int) any {
	item := good.([]any)[0]
	var out []any
	for i := range n {
		switch t := item.(type) {
		case map[string]any:
			next := maps.Clone(t)
			if _, ok := next["Id"]; ok {
				next["Id"] = fmt.Sprintf("e%d", i)
			}
			if _, ok := next["Key"]; ok {
				next["Key"] = fmt.Sprintf("k%d", i)
			}
			out = append(out, next)
		default:
			out = append(out, fmt.Sprintf("%v%d", t, i))
		}
	}
	return out
}

func (g *generator) repeated(name string, s *model.Shape, good any, base map[string]any) {
	twice := func(change Change, first, last any) {
		g.add(name, change, with(base, []any{name}, last))
		c := &g.out[len(g.out)-1]
		c.Before, c.twice = first, true
	}
	twice(Repeated, good, good)
	if b, ok := g.bound(name, s); ok && b.Of == "number" {
		twice(LastGood, b.Most+1, good)
		twice(LastBad, good, b.Most+1)
	}
}

func scalar(s *model.Shape) bool {
	switch s.Type {
	case "list", "map", "structure":
		return false
	}
	return true
}

func (g *generator) sample(member string) (any, bool) {
	if v, ok := g.seeds.Own[g.about.Operation][member]; ok {
		return v, true
	}
	v, ok := g.seeds.Samples[member[strings.LastIndex(member, ".")+1:]]
	return v, ok
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
