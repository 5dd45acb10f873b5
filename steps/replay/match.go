package replay

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/queen-mq/queen-sqs/steps/client"
)

// Difference is one field that is not as recorded.
type Difference struct {
	// Path is the answer's name in the recording, a dot, and the field.
	Path string
	// Want is the recorded value and Got the gateway's, both as text; "(absent)"
	// for a field that only the other side has.
	Want, Got string
}

func (d Difference) String() string {
	return fmt.Sprintf("%s: recorded %s, answered %s", d.Path, d.Want, d.Got)
}

const absent = "(absent)"

// matcher compares the answers of one test. The recorder replaced a value by the
// same placeholder wherever it stood in a test, and another value by another, so
// that the matcher holds values against placeholders over all answers of a test.
type matcher struct {
	endpoint string            // of the gateway
	values   map[string]string // by placeholder
	holders  map[string]string // placeholder by kind and value
	found    []Difference
}

func newMatcher(endpoint string) *matcher {
	return &matcher{endpoint: endpoint, values: map[string]string{}, holders: map[string]string{}}
}

func (m *matcher) differs(path string, want, got any) {
	m.found = append(m.found, Difference{path, show(want), show(got)})
}

func show(v any) string {
	if s, ok := v.(string); ok && s == absent {
		return absent
	}
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	if len(text) > 300 {
		return string(text[:300]) + "..."
	}
	return string(text)
}

// match compares an answer with what was recorded. Untyped says that the
// protocol writes numbers and booleans as text and an empty list as nothing.
func (m *matcher) match(path string, want, got any, untyped bool) {
	switch w := want.(type) {
	case map[string]any:
		m.object(path, w, got, untyped)
		return
	case []any:
		m.list(path, w, got, untyped)
		return
	case string:
		m.text(path, w, got)
		return
	case nil:
		if got != nil {
			m.differs(path, want, got)
		}
		return
	}
	wanted := fmt.Sprint(want) // json.Number or bool
	if s, ok := got.(string); ok && untyped && s == wanted {
		return
	}
	if s, ok := got.(json.Number); ok && s.String() == wanted {
		return
	}
	if _, isText := got.(string); !isText {
		if s, ok := client.Text(got); ok && s == wanted {
			return
		}
	}
	m.differs(path, want, got)
}

func (m *matcher) object(path string, want map[string]any, got any, untyped bool) {
	got = decoded(got)
	g, ok := got.(map[string]any)
	if !ok {
		m.differs(path, want, got)
		return
	}
	names := make([]string, 0, len(want))
	for name := range want {
		names = append(names, name)
	}
	for name := range g {
		if _, known := want[name]; !known {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	for _, name := range names {
		w, recorded := want[name]
		v, answered := g[name]
		at := path + "." + name
		switch {
		case !recorded:
			m.differs(at, absent, v)
		case !answered && isEmptyList(w) && untyped:
		case !answered:
			m.differs(at, w, absent)
		default:
			m.match(at, w, v, untyped)
		}
	}
}

func isEmptyList(v any) bool {
	list, ok := v.([]any)
	return ok && len(list) == 0
}

func (m *matcher) list(path string, want []any, got any, untyped bool) {
	got = decoded(got)
	if s, ok := got.(string); ok && s == "" && untyped && len(want) == 0 {
		return
	}
	g, ok := got.([]any)
	if !ok {
		m.differs(path, want, got)
		return
	}
	for i := range max(len(want), len(g)) {
		at := path + "[" + strconv.Itoa(i) + "]"
		switch {
		case i >= len(want):
			m.differs(at, absent, g[i])
		case i >= len(g):
			m.differs(at, want[i], absent)
		default:
			m.match(at, want[i], g[i], untyped)
		}
	}
}

// decoded is a string of JSON as the recorder stored it.
func decoded(got any) any {
	s, ok := got.(string)
	if !ok {
		return got
	}
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return got
	}
	switch v.(type) {
	case map[string]any, []any:
		return v
	}
	return got
}

// text compares a string, which may be or contain placeholders.
func (m *matcher) text(path, want string, got any) {
	g, ok := textOf(want, got)
	if !ok {
		m.differs(path, want, got)
		return
	}
	if shape, masked := masks[want]; masked {
		if !shape.MatchString(g) {
			m.differs(path, want, got)
		}
		return
	}
	g = m.normal(g)
	pattern, holders := compile(want)
	parts := pattern.FindStringSubmatch(g)
	if parts == nil {
		m.differs(path, want, got)
		return
	}
	for i, holder := range holders {
		if !m.bind(holder, parts[i+1]) {
			m.differs(path, want, got)
			return
		}
	}
}

// textOf is a scalar as the recorder wrote it: bytes as Python shows them, and
// anything but text only where a mask stands for a number.
func textOf(want string, got any) (string, bool) {
	switch v := got.(type) {
	case string:
		return v, true
	case []byte:
		return pythonBytes(v), true
	}
	if _, masked := masks[want]; masked {
		return client.Text(got)
	}
	return "", false
}

func pythonBytes(b []byte) string {
	var out strings.Builder
	out.WriteString("b'")
	for _, c := range b {
		switch {
		case c == '\\' || c == '\'':
			out.WriteString("\\" + string(c))
		case c == '\n':
			out.WriteString(`\n`)
		case c == '\r':
			out.WriteString(`\r`)
		case c == '\t':
			out.WriteString(`\t`)
		case c < 0x20 || c > 0x7e:
			fmt.Fprintf(&out, `\x%02x`, c)
		default:
			out.WriteByte(c)
		}
	}
	return out.String() + "'"
}

// masks are recorded values that say only of what kind the value was.
var masks = map[string]*regexp.Regexp{
	"timestamp":  regexp.MustCompile(`^\d{10}(\d{3})?$`),
	"date":       regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$`),
	"<md5-hash>": regexp.MustCompile(`^[0-9a-f]{32}$`),
}

// kinds are the shapes of what placeholders stand for.
var kinds = map[string]string{
	"uuid":              `[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`,
	"receipt-handle":    `\S+`,
	"sequence-number":   `\d+`, // how many digits is not on record
	"sender-id":         `[A-Z0-9]+(?::\S+)?`,
	"task-handle":       `\S+`,
	"resource":          `[^:/\s]+`,
	"topic":             `[^:/\s]+`,
	"queue-name":        `\S+`,
	"next-token":        `\S+`,
	"signature":         `[A-Za-z0-9+/]+=*`,
	"signing-cert-file": `[0-9a-f]+\.pem`,
	"cert-domain":       `https?://[^/]+`,
	"subscribe-domain":  `https?://[^/]+`, "unsubscribe-domain": `https?://[^/]+`,
	"token": `[0-9a-f]+`,
}

var placeholder = regexp.MustCompile(`<([a-z-]+)(?::\d+)?>`)

// compile makes a pattern of a recorded string, and names the placeholders of
// its groups. What stands in angle brackets and is no kind is taken as it is.
func compile(want string) (*regexp.Regexp, []string) {
	var pattern strings.Builder
	var holders []string
	pattern.WriteString(`(?s)^`)
	last := 0
	for _, at := range placeholder.FindAllStringSubmatchIndex(want, -1) {
		shape, known := kinds[want[at[2]:at[3]]]
		if !known {
			continue
		}
		pattern.WriteString(regexp.QuoteMeta(want[last:at[0]]) + "(" + shape + ")")
		holders = append(holders, want[at[0]:at[1]])
		last = at[1]
	}
	pattern.WriteString(regexp.QuoteMeta(want[last:]) + "$")
	return regexp.MustCompile(pattern.String()), holders
}

// bind reports whether the placeholder stands for that value and for no other,
// and no other placeholder of its kind for the same.
func (m *matcher) bind(holder, value string) bool {
	kind, number, numbered := strings.Cut(strings.Trim(holder, "<>"), ":")
	if !numbered && !slices.Contains(single, kind) {
		return true
	}
	if bound, ok := m.values[holder]; ok {
		return bound == value
	}
	if other, ok := m.holders[kind+" "+value]; ok && other != number {
		return false
	}
	m.values[holder], m.holders[kind+" "+value] = value, number
	return true
}

// single are the kinds without a number of which a test has one value.
var single = []string{"sender-id", "queue-name", "cert-domain", "unsubscribe-domain"}

// normal is what the recorder made of a value: account, region and partition
// under names of their own, and the host of queue URLs as it calls its own.
func (m *matcher) normal(s string) string {
	s = strings.ReplaceAll(s, m.endpoint, "http://sqs.<region>.localhost.localstack.cloud:4566")
	s = strings.ReplaceAll(s, "arn:aws:", "arn:<partition>:")
	s = strings.ReplaceAll(s, account, "111111111111")
	return strings.ReplaceAll(s, region, "<region>")
}
