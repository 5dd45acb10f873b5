package steps

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"sort"
	"strconv"
	"strings"

	"github.com/cucumber/godog"

	"github.com/queen-mq/queen-sqs/steps/client"
)

// numeric are the parameters that are numbers in the JSON protocol.
var numeric = map[string]bool{
	"DelaySeconds": true, "VisibilityTimeout": true, "MaxNumberOfMessages": true, "WaitTimeSeconds": true,
	"MaxResults": true, "MaxNumberOfMessagesPerSecond": true,
}

// lists are the parameters that are lists of strings.
var lists = map[string]bool{
	"AttributeNames": true, "MessageAttributeNames": true, "MessageSystemAttributeNames": true,
	"TagKeys": true, "AWSAccountIds": true, "Actions": true,
}

// params reads a two-column table of paths and values as parameters:
//
//	MaxNumberOfMessages              a number, in double quotes a string
//	AttributeNames                   a list, separated by commas
//	Attributes.DelaySeconds          a member of a map
//	MessageAttributes.a.StringValue  an attribute a; BinaryValue is base64
//	Entries.2.Id                     the second entry
func (w *World) params(t *godog.Table) (client.Params, error) {
	p := client.Params{}
	for _, row := range t.Rows {
		if len(row.Cells) != 2 {
			return nil, fmt.Errorf("a table of parameters has two columns, not %d", len(row.Cells))
		}
		path, err := w.expand(row.Cells[0].Value)
		if err != nil {
			return nil, err
		}
		value, err := w.expand(row.Cells[1].Value)
		if err != nil {
			return nil, err
		}
		if err := set(p, path, value); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func set(p client.Params, path, value string) error {
	head, rest, deep := strings.Cut(path, ".")
	sub := func() client.Params {
		m, ok := p[head].(client.Params)
		if !ok {
			m = client.Params{}
			p[head] = m
		}
		return m
	}
	switch {
	case !deep && lists[head]:
		items := []any{}
		for item := range strings.SplitSeq(value, ",") {
			if item = strings.TrimSpace(item); item != "" || value != "" {
				items = append(items, item)
			}
		}
		p[head] = items
	case !deep:
		p[head] = typed(head, value)
	case head == "Entries":
		return setEntry(p, rest, value)
	case head == "MessageAttributes" || head == "MessageSystemAttributes":
		i := strings.LastIndex(rest, ".")
		if i < 0 {
			return fmt.Errorf("%s: say which member of the attribute", path)
		}
		name, member := rest[:i], rest[i+1:]
		m, ok := sub()[name].(client.Params)
		if !ok {
			m = client.Params{}
			sub()[name] = m
		}
		m[member] = typed(member, value)
	default:
		sub()[rest] = value
	}
	return nil
}

func setEntry(p client.Params, rest, value string) error {
	number, member, _ := strings.Cut(rest, ".")
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 {
		return fmt.Errorf("entries count from 1, not as in Entries.%s", rest)
	}
	entries, _ := p["Entries"].([]any)
	for len(entries) < n {
		entries = append(entries, client.Params{})
	}
	p["Entries"] = entries
	return set(entries[n-1].(client.Params), member, value)
}

func typed(name, value string) any {
	if len(value) > 1 && strings.HasPrefix(value, `"`) && strings.HasSuffix(value, `"`) {
		return value[1 : len(value)-1]
	}
	if numeric[name] {
		if n, err := strconv.ParseInt(value, 10, 64); err == nil {
			return n
		}
	}
	if name == "BinaryValue" {
		if b, err := base64.StdEncoding.DecodeString(value); err == nil {
			return b
		}
	}
	return value
}

// jsonParams reads a doc string as parameters.
func (w *World) jsonParams(doc string) (client.Params, error) {
	text, err := w.expand(doc)
	if err != nil {
		return nil, err
	}
	var v any
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return nil, fmt.Errorf("the parameters are no JSON: %w", err)
	}
	p, ok := client.Tree(v).(client.Params)
	if !ok {
		return nil, fmt.Errorf("the parameters are no JSON object")
	}
	return p, nil
}

// flatten lists the scalars of a tree by path. Lists count from 1; an empty list
// or map shows as itself.
func flatten(v any, path string, out map[string]string) {
	join := func(name string) string {
		if path == "" {
			return name
		}
		return path + "." + name
	}
	switch t := v.(type) {
	case client.Params:
		if len(t) == 0 && path != "" {
			out[path] = "{}"
		}
		for k, item := range t {
			flatten(item, join(k), out)
		}
	case []any:
		if len(t) == 0 {
			out[path] = "[]"
		}
		for i, item := range t {
			flatten(item, join(strconv.Itoa(i+1)), out)
		}
	default:
		out[path], _ = client.Text(v)
	}
}

// compare checks a tree against a table of paths and patterns. With exactly,
// the tree has no other members.
func (w *World) compare(what string, tree client.Params, t *godog.Table, exactly bool) error {
	got := map[string]string{}
	flatten(tree, "", got)
	var wrong []string
	wanted := map[string]bool{}
	for _, row := range t.Rows {
		path, err := w.expand(row.Cells[0].Value)
		if err != nil {
			return err
		}
		want, err := w.expand(row.Cells[1].Value)
		if err != nil {
			return err
		}
		wanted[path] = true
		value, ok := got[path]
		if want == absent {
			if ok || hasUnder(got, path) {
				wrong = append(wrong, fmt.Sprintf("%s is there: %q", path, short(value)))
			}
			continue
		}
		if !ok {
			wrong = append(wrong, path+" is missing")
		} else if !matches(value, want) {
			wrong = append(wrong, fmt.Sprintf("%s is %q, not %s", path, short(value), short(want)))
		}
	}
	if exactly {
		for path, value := range got {
			if !wanted[path] {
				wrong = append(wrong, fmt.Sprintf("%s is there too: %q", path, short(value)))
			}
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	sort.Strings(wrong)
	return fmt.Errorf("%s: %s", what, strings.Join(wrong, "; "))
}

func hasUnder(got map[string]string, path string) bool {
	for p := range got {
		if strings.HasPrefix(p, path+".") {
			return true
		}
	}
	return false
}
