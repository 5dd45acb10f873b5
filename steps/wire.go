package steps

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/cucumber/godog"

	"github.com/queen-mq/queen-sqs/steps/client"
)

// Steps that send requests of their own and look at the bytes that came back.
func (w *World) registerWire(sc *godog.ScenarioContext) {
	w.registerSigning(sc)
	sc.Step(`^I send the request:$`, w.sendRaw)
	sc.Step(`^I send the request with a body of (\d+) bytes:$`, func(ctx context.Context, n int, doc *godog.DocString) error {
		d := *doc
		d.Content = strings.TrimRight(d.Content, "\n") + "\n\n" + strings.Repeat("x", n)
		return w.sendRaw(ctx, &d)
	})

	sc.Step(`^the request went out as (AWS JSON|Query)$`, func(protocol string) error {
		if w.overJSON() != (protocol == "AWS JSON") {
			return fmt.Errorf("X-Amz-Target was %q", w.last.exchange.RequestHeader.Get("X-Amz-Target"))
		}
		return nil
	})
	sc.Step(`^the status is (\d+)$`, func(status int) error {
		w.last.looked = true
		if got := w.last.exchange.Status; got != status {
			return fmt.Errorf("the status is %d: %s", got, short(string(w.last.exchange.Body)))
		}
		return nil
	})
	sc.Step(`^the header "([^"]*)" is "(.*)"$`, func(name, want string) error {
		want, err := w.expand(want)
		if err != nil {
			return err
		}
		if got := w.last.exchange.Header.Get(name); !matches(got, want) {
			return fmt.Errorf("%s is %q", name, got)
		}
		return nil
	})
	sc.Step(`^there is no header "([^"]*)"$`, func(name string) error {
		if got, ok := w.last.exchange.Header[http.CanonicalHeaderKey(name)]; ok {
			return fmt.Errorf("%s is %q", name, got)
		}
		return nil
	})
	sc.Step(`^the (answer|request) on the wire contains '(.*)'$`, func(which, part string) error { return w.wireContains(which, part, true) })
	sc.Step(`^the (answer|request) on the wire does not contain '(.*)'$`, func(which, part string) error { return w.wireContains(which, part, false) })
	sc.Step(`^the answer on the wire contains '(.*)' (\d+) times?$`, func(part string, n int) error {
		w.last.looked = true
		part, err := w.expand(part)
		if err != nil {
			return err
		}
		if got := strings.Count(string(w.last.exchange.Body), part); got != n {
			return fmt.Errorf("%q is there %d times: %s", part, got, short(string(w.last.exchange.Body)))
		}
		return nil
	})
	sc.Step(`^the XML root is "([^"]*)" in the namespace "([^"]*)"$`, w.xmlRoot)
	sc.Step(`^the JSON on the wire has exactly the members (.+)$`, w.jsonMembers)
	sc.Step(`^the JSON on the wire has:$`, func(t *godog.Table) error {
		w.last.looked = true
		var v any
		if err := json.Unmarshal(w.last.exchange.Body, &v); err != nil {
			return fmt.Errorf("the answer is no JSON: %s", short(string(w.last.exchange.Body)))
		}
		object, _ := v.(map[string]any)
		return w.compare("the JSON", object, t, false)
	})
	sc.Step(`^the request id in the body is the one in the header$`, func() error {
		id := w.last.exchange.Header.Get("x-amzn-requestid")
		if !matches(id, "<uuid>") || !strings.Contains(string(w.last.exchange.Body), "<RequestId>"+id+"</RequestId>") {
			return fmt.Errorf("the header says %q, the body %s", id, short(string(w.last.exchange.Body)))
		}
		return nil
	})
	sc.Step(`^the request id is remembered as "([^"]*)"$`, func(name string) error {
		w.last.looked = true
		w.vars[name] = w.last.exchange.Header.Get("x-amzn-requestid")
		return nil
	})
	sc.Step(`^the request id is not "([^"]*)"$`, func(other string) error {
		other, err := w.expand(other)
		if err != nil {
			return err
		}
		if id := w.last.exchange.Header.Get("x-amzn-requestid"); id == other || !matches(id, "<uuid>") {
			return fmt.Errorf("the request id is %q", id)
		}
		return nil
	})
}

// Steps that say how the raw requests of this scenario are signed.
func (w *World) registerSigning(sc *godog.ScenarioContext) {
	creds := func() *client.Credentials {
		if w.signing.Credentials == nil {
			c := w.target.Config().Credentials
			w.signing.Credentials = &c
		}
		return w.signing.Credentials
	}
	sc.Step(`^requests are not signed$`, func() { w.signing.Unsigned = true })
	sc.Step(`^requests are signed with the secret "([^"]*)"$`, func(s string) { creds().Secret = s })
	sc.Step(`^requests are signed with the key id "([^"]*)"$`, func(s string) { creds().AccessKeyID = s })
	sc.Step(`^requests are signed for the service "([^"]*)"$`, func(s string) { w.signing.Service = s })
	sc.Step(`^requests are signed for the region "([^"]*)"$`, func(s string) { w.signing.Region = s })
	sc.Step(`^requests are signed (\d+) (seconds?|minutes?|hours?|days?) (ago|ahead)$`, func(n, unit, way string) {
		w.signing.Shift = duration(n, unit)
		if way == "ago" {
			w.signing.Shift = -w.signing.Shift
		}
	})
	sc.Step(`^requests are presigned for (\d+) seconds$`, func(n int) { w.signing.Presign = time.Duration(n) * time.Second })
	sc.Step(`^the header "([^"]*)" is changed to "([^"]*)" after signing$`, func(name, value string) {
		w.signing.Tamper = func(r *http.Request) { r.Header.Set(name, value) }
	})
	sc.Step(`^the header "([^"]*)" is removed after signing$`, func(name string) {
		w.signing.Tamper = func(r *http.Request) { r.Header.Del(name) }
	})
	sc.Step(`^"([^"]*)" is replaced by "([^"]*)" in the body after signing$`, func(from, to string) {
		w.signing.Tamper = func(r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err == nil {
				client.ReplaceBody(r, []byte(strings.Replace(string(body), from, to, 1)))
			}
		}
	})
	sc.Step(`^"([^"]*)" is replaced by "([^"]*)" in the query string after signing$`, func(from, to string) {
		w.signing.Tamper = func(r *http.Request) { r.URL.RawQuery = strings.Replace(r.URL.RawQuery, from, to, 1) }
	})
}

// sendRaw reads a request as HTTP writes it: method and target, headers, an
// empty line, the body. The lines of a form body are joined with "&".
func (w *World) sendRaw(ctx context.Context, doc *godog.DocString) error {
	if err := w.unlooked(); err != nil {
		return err
	}
	text, err := w.expand(doc.Content)
	if err != nil {
		return err
	}
	head, body, _ := strings.Cut(text, "\n\n")
	lines := strings.Split(head, "\n")
	method, path, ok := strings.Cut(lines[0], " ")
	if !ok {
		return fmt.Errorf("%q is no request line", lines[0])
	}
	r := client.Request{Service: client.SQS, Method: method, Target: path, Header: http.Header{}}
	if strings.Contains(text, "Version=2010-03-31") || strings.Contains(text, "AmazonSimpleNotificationService.") {
		r.Service = client.SNS
	}
	for _, line := range lines[1:] {
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			return fmt.Errorf("%q is no header", line)
		}
		r.Header.Set(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	if strings.HasPrefix(r.Header.Get("Content-Type"), "application/x-www-form-urlencoded") {
		body = strings.ReplaceAll(strings.TrimSpace(body), "\n", "&")
	}
	r.Body = []byte(body)
	w.raw.Signing = w.signing
	_, query, _ := strings.Cut(path, "?")
	x := &client.Exchange{URL: &url.URL{RawQuery: query}, RequestHeader: r.Header, RequestBody: r.Body}
	_, err = w.begun(ctx, actionOf(x), func(ctx context.Context) (client.Params, error) {
		x, err = w.raw.Send(ctx, r)
		return nil, err
	})
	if err != nil {
		return err
	}
	action := actionOf(x)
	w.suite.Report.called(action, w.suite.Protocol, w.scenario)
	w.last = outcome{action: action, exchange: x}
	w.received = nil
	if x.Status >= 300 {
		w.last.err = client.DecodeError(x)
		return nil
	}
	if answer, err := client.Decode(x, action); err == nil {
		w.last.answer = answer
		w.learn(client.Params{})
	}
	return nil
}

func actionOf(x *client.Exchange) string {
	if t := x.RequestHeader.Get("X-Amz-Target"); t != "" {
		return t[strings.LastIndex(t, ".")+1:]
	}
	if form, err := url.ParseQuery(string(x.RequestBody)); err == nil && form.Has("Action") {
		return form.Get("Action")
	}
	return x.URL.Query().Get("Action")
}

func (w *World) wireContains(which, part string, should bool) error {
	w.last.looked = true
	part, err := w.expand(part)
	if err != nil {
		return err
	}
	text := string(w.last.exchange.Body)
	if which == "request" {
		text = string(w.last.exchange.RequestBody)
	}
	if strings.Contains(text, part) != should {
		return fmt.Errorf("the %s is %s", which, short(text))
	}
	return nil
}

func (w *World) xmlRoot(name, space string) error {
	w.last.looked = true
	var root struct{ XMLName xml.Name }
	if err := xml.Unmarshal(w.last.exchange.Body, &root); err != nil {
		return fmt.Errorf("the answer is no XML: %w: %s", err, short(string(w.last.exchange.Body)))
	}
	if root.XMLName.Local != name || root.XMLName.Space != space {
		return fmt.Errorf("the root is %s in %s", root.XMLName.Local, root.XMLName.Space)
	}
	return nil
}

func (w *World) jsonMembers(names string) error {
	w.last.looked = true
	var got map[string]json.RawMessage
	if err := json.Unmarshal(w.last.exchange.Body, &got); err != nil {
		return fmt.Errorf("the answer is no JSON object: %s", short(string(w.last.exchange.Body)))
	}
	want := strings.Split(names, ", ")
	if len(got) != len(want) {
		return fmt.Errorf("the answer is %s", short(string(w.last.exchange.Body)))
	}
	for _, n := range want {
		if _, ok := got[n]; !ok {
			return fmt.Errorf("there is no %s: %s", n, short(string(w.last.exchange.Body)))
		}
	}
	return nil
}
