package steps

import (
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

var reference = regexp.MustCompile(`\$\{([^}]*)\}`)

// expand replaces every ${...} of a scenario's text:
//
//	${name:q} ${url:q} ${arn:q} ${path:q}  of the queue the scenario calls q
//	${handle:b} ${handle:b#1}  the latest (first, ...) receipt handle of body b
//	${id:b}                    MessageId that the send of body b answered
//	${md5:b} ${sha256:b}       digests in hex
//	${a*1024}                  1024 times a
//	${U+0001}                  that character
//	${endpoint} ${account} ${region}
//	${topic:t} ${sub:t/q}      ARNs of a topic and of a queue's subscription to it
//	${published:m}             MessageId that the publish of message m answered
//	${x}                       the value remembered as x
func (w *World) expand(s string) (string, error) {
	var failed error
	out := reference.ReplaceAllStringFunc(s, func(m string) string {
		v, err := w.refer(m[2 : len(m)-1])
		if err != nil {
			failed = err
		}
		return v
	})
	return out, failed
}

var repeated = regexp.MustCompile(`^(.+)\*(\d+)$`)

func (w *World) refer(ref string) (string, error) {
	if v, ok := w.vars[ref]; ok {
		return v, nil
	}
	if hex, ok := strings.CutPrefix(ref, "U+"); ok {
		r, err := strconv.ParseUint(hex, 16, 32)
		return string(rune(r)), err
	}
	if m := repeated.FindStringSubmatch(ref); m != nil {
		n, err := strconv.Atoi(m[2])
		return strings.Repeat(m[1], n), err
	}
	switch ref {
	case "endpoint":
		return w.target.Config().Endpoints[0], nil
	case "account":
		return w.target.Account(), nil
	case "region":
		return w.target.Config().Region, nil
	}
	kind, of, _ := strings.Cut(ref, ":")
	switch kind {
	case "name":
		return w.real(of), nil
	case "url":
		return w.url(of), nil
	case "arn":
		return w.arn(of), nil
	case "path":
		return "/" + w.accountOf(of) + "/" + w.real(of), nil
	case "md5":
		sum := md5.Sum([]byte(of))
		return hex.EncodeToString(sum[:]), nil
	case "sha256":
		sum := sha256.Sum256([]byte(of))
		return hex.EncodeToString(sum[:]), nil
	case "id":
		id, ok := w.sent[of]
		if !ok {
			return "", fmt.Errorf("no message %q was sent", of)
		}
		return id, nil
	case "handle":
		return w.handle(of)
	case "topic", "sub", "published":
		return w.referSNS(kind, of)
	}
	return "", fmt.Errorf("nothing is known as ${%s}", ref)
}

// handle is the latest receipt handle of a body, or with "#n" the nth.
func (w *World) handle(ref string) (string, error) {
	body, nth, _ := strings.Cut(ref, "#")
	if len(w.handles[body]) == 0 && w.ctx != nil {
		if _, err := w.find(w.ctx, withBody(body)); err != nil {
			return "", err
		}
	}
	handles := w.handles[body]
	n := len(handles)
	if nth != "" {
		var err error
		if n, err = strconv.Atoi(nth); err != nil {
			return "", err
		}
	}
	if n < 1 || n > len(handles) {
		return "", fmt.Errorf("%q was received %d times, there is no handle %d", body, len(handles), n)
	}
	return handles[n-1], nil
}

var shapes = map[string]*regexp.Regexp{
	"<any>":          regexp.MustCompile(`^(?s).*$`),
	"<text>":         regexp.MustCompile(`^(?s).+$`),
	"<uuid>":         regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`),
	"<integer>":      regexp.MustCompile(`^-?\d+$`),
	"<seconds>":      regexp.MustCompile(`^\d{10}$`),
	"<milliseconds>": regexp.MustCompile(`^\d{13}$`),
	"<md5>":          regexp.MustCompile(`^[0-9a-f]{32}$`),
}

// absent is the pattern of a member that must not be there.
const absent = "<absent>"

// matches compares a value with what a step wants: one of the shapes, a regular
// expression between slashes, JSON behind "json:" (where strings are such
// patterns again), or the text itself.
func matches(got, want string) bool {
	if re, ok := shapes[want]; ok {
		return re.MatchString(got)
	}
	if len(want) > 1 && strings.HasPrefix(want, "/") && strings.HasSuffix(want, "/") {
		re, err := regexp.Compile(want[1 : len(want)-1])
		return err == nil && re.MatchString(got)
	}
	if doc, ok := strings.CutPrefix(want, "json:"); ok {
		var a, b any
		if json.Unmarshal([]byte(got), &a) != nil || json.Unmarshal([]byte(doc), &b) != nil {
			return false
		}
		return sameJSON(a, b)
	}
	return got == want
}

// sameJSON compares documents; a string in want is a pattern of its own.
func sameJSON(got, want any) bool {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok || len(g) != len(w) {
			return false
		}
		for k := range w {
			if v, ok := g[k]; !ok || !sameJSON(v, w[k]) {
				return false
			}
		}
		return true
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return false
		}
		for i := range w {
			if !sameJSON(g[i], w[i]) {
				return false
			}
		}
		return true
	case string:
		g, ok := got.(string)
		return ok && matches(g, w)
	}
	return got == want
}

var quoted = regexp.MustCompile(`"([^"]*)"`)

// quotedList reads `"a", "b"`, expanded.
func (w *World) quotedList(s string) ([]string, error) {
	var out []string
	for _, m := range quoted.FindAllStringSubmatch(s, -1) {
		v, err := w.expand(m[1])
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// short keeps a long value readable in a failure.
func short(s string) string {
	if len(s) <= 300 {
		return s
	}
	return fmt.Sprintf("%s... (%d bytes)", s[:300], len(s))
}
