package httpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/queen-mq/queen-sqs/server/clock"
	"github.com/queen-mq/queen-sqs/server/queen/embedded"
)

// The recorded answers of Queen 1.3.0 are compared with this server's to the same
// questions: status, content type, members and their order where Queen writes
// them by hand, and values. Ids, versions and times differ between runs; what the
// recording calls one thing must be one thing here too. Every other difference is
// in differences_test.go with its reason.

type recording struct {
	Sections map[string][]recordedCase `json:"-"`
	order    []string
}

type recordedCase struct {
	Case  string         `json:"case"`
	Calls []recordedCall `json:"calls"`
}

type recordedCall struct {
	Do      string            `json:"do"`
	Send    *string           `json:"send"`
	Extra   map[string]string `json:"extra"`
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers"`
	Got     *string           `json:"got"`
}

// readRecording keeps the sections in the order they were recorded.
func readRecording(t *testing.T) recording {
	t.Helper()
	text, err := os.ReadFile("testdata/recorded-1.3.0.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Sections json.RawMessage }
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	d, err := parse(file.Sections)
	if err != nil {
		t.Fatal(err)
	}
	r := recording{Sections: map[string][]recordedCase{}}
	err = d.members(func(name string, value document) error {
		var cases []recordedCase
		r.order = append(r.order, name)
		err := json.Unmarshal(value, &cases)
		r.Sections[name] = cases
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRecorded(t *testing.T) {
	rec := readRecording(t)
	p := newReplay(t)
	asked, left := 0, 0
	for _, section := range rec.order {
		for _, c := range rec.Sections[section] {
			name := section + " " + c.Case
			if why := leftOut[name]; why != "" {
				left += len(c.Calls)
				continue
			}
			t.Run(name, func(t *testing.T) {
				p.t = t
				for i := range c.Calls {
					if leftOut[fmt.Sprintf("%s/%d", name, i)] != "" {
						left += len(c.Calls) - i
						return
					}
					if p.ask(name, i, &c.Calls[i]) {
						asked++
					} else {
						left++
					}
				}
			})
		}
	}
	p.t = t
	t.Logf("%d calls were asked again, %d were left out", asked, left)
	for name := range leftOut {
		name, _, _ := strings.Cut(name, "/")
		if !slices.ContainsFunc(rec.order, func(s string) bool {
			return slices.ContainsFunc(rec.Sections[s], func(c recordedCase) bool { return s+" "+c.Case == name })
		}) {
			t.Errorf("the recording has no case %q to leave out", name)
		}
	}
	for i := range differences {
		if !p.used[i] {
			t.Errorf("difference %d (%s) never occurred", i, differences[i].why)
		}
	}
}

type replay struct {
	t      *testing.T
	clk    *clock.Shifted
	url    string
	client *http.Client
	// begin and began are the same instant in the recording and here.
	begin, began time.Time
	// ours is what a recorded id or version is called here, theirs the reverse.
	ours, theirs map[string]string
	used         map[int]bool
	where        string
}

func newReplay(t *testing.T) *replay {
	clk := clock.NewShifted()
	engine, err := embedded.Open(embedded.Config{Clock: clk, KeepConsumed: true})
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(Config{Engine: engine, Clock: clk})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(s)
	t.Cleanup(func() {
		web.Close()
		if err := engine.Close(); err != nil {
			t.Error(err)
		}
	})
	return &replay{
		clk: clk, url: web.URL, client: web.Client(), ours: map[string]string{}, theirs: map[string]string{}, used: map[int]bool{},
	}
}

var (
	anID      = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	anExpect  = regexp.MustCompile(`"expect":(\d+)`)
	aTime     = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)$`)
	wasCut    = "...[cut, "
	newMinted = []string{"/api/v1/push", "/api/v1/pop/", "/api/v1/transaction", "/api/v1/timers"}
)

// ask replays one call; false when the recording does not have all of it.
func (p *replay) ask(name string, i int, c *recordedCall) bool {
	if c.Send != nil && strings.Contains(*c.Send, wasCut) {
		return false
	}
	p.where = fmt.Sprintf("%s, call %d: %s", name, i, c.Do)
	p.keepPace(name, i, c)
	method, path, _ := strings.Cut(c.Do, " ")
	var body io.Reader
	if c.Send != nil {
		body = strings.NewReader(p.translate(*c.Send))
	}
	req, err := http.NewRequest(method, p.url+p.translate(path), body)
	if err != nil {
		p.t.Fatalf("%s: %v", p.where, err)
	}
	for k, v := range c.Extra {
		req.Header.Set(k, v)
	}
	resp, err := p.client.Do(req)
	if err != nil {
		p.t.Fatalf("%s: %v", p.where, err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		p.t.Fatalf("%s: %v", p.where, err)
	}
	p.compare(c, resp, string(got))
	return true
}

// keepPace moves the clock to when the recorded call was made, as far as that
// shows: in the time of an id that was minted for it, or in the table of pauses.
func (p *replay) keepPace(name string, i int, c *recordedCall) {
	if d := pauses[fmt.Sprintf("%s/%d", name, i)]; d > 0 {
		p.clk.Advance(d)
	}
	if c.Got == nil || !slices.ContainsFunc(newMinted, func(route string) bool { return strings.Contains(c.Do, route) }) {
		return
	}
	for _, id := range anID.FindAllString(*c.Got, -1) {
		if _, known := p.ours[id]; known || id[14] != '7' {
			continue
		}
		ms, _ := strconv.ParseInt(strings.ReplaceAll(id[:13], "-", ""), 16, 64)
		at := time.UnixMilli(ms)
		if p.begin.IsZero() {
			p.begin, p.began = at, p.clk.Now()
		}
		if ahead := at.Sub(p.begin) - p.clk.Now().Sub(p.began); ahead > 0 {
			p.clk.Advance(ahead)
		}
	}
}

// translate puts this run's ids and versions in the place of the recorded ones.
func (p *replay) translate(text string) string {
	text = anID.ReplaceAllStringFunc(text, func(id string) string {
		if own, ok := p.ours[id]; ok {
			return own
		}
		return id
	})
	return anExpect.ReplaceAllStringFunc(text, func(expect string) string {
		n := strings.TrimPrefix(expect, `"expect":`)
		if own, ok := p.ours["version "+n]; ok {
			return `"expect":` + strings.TrimPrefix(own, "version ")
		}
		return expect
	})
}

// bind notes that a recorded name and one of this run mean the same thing.
func (p *replay) bind(theirs, ours string) bool {
	own, known := p.ours[theirs]
	their, taken := p.theirs[ours]
	if known || taken {
		return own == ours && their == theirs
	}
	p.ours[theirs], p.theirs[ours] = ours, theirs
	return true
}

func (p *replay) compare(c *recordedCall, resp *http.Response, got string) {
	if resp.StatusCode != c.Status {
		p.differ("", "status", fmt.Sprint(c.Status), fmt.Sprintf("%d %.200s", resp.StatusCode, got))
		return
	}
	if c.Got == nil {
		return
	}
	want := *c.Got
	p.compareHeaders(c, resp, want)
	if head, _, cut := strings.Cut(want, wasCut); cut {
		p.bindInOrder(c, head, got)
		return
	}
	if want == "" || !json.Valid([]byte(want)) {
		if got != want {
			p.differ("", "text", want, got)
		}
		return
	}
	theirs, err1 := parse([]byte(want))
	ours, err2 := parse([]byte(got))
	if err1 != nil || err2 != nil {
		p.differ("", "json", want, got)
		return
	}
	p.value("", theirs, ours)
	if byHand.MatchString(c.Do) {
		p.orderOf(theirs, ours)
	}
}

// bindInOrder learns what it can from an answer whose end the recording left out:
// its ids, where they come in the same order here.
func (p *replay) bindInOrder(c *recordedCall, want, got string) {
	if !byHand.MatchString(c.Do) {
		return
	}
	theirs, ours := anID.FindAllString(want, -1), anID.FindAllString(got, -1)
	if len(theirs) > len(ours) {
		p.differ("", "length", want, got)
		return
	}
	for i := range theirs {
		if !p.bind(theirs[i], ours[i]) {
			p.differ("", "identity", want, got)
			return
		}
	}
}

// byHand are the routes whose answers Queen writes member by member; the others
// come out of a map or of its database, in no order to rely on.
var byHand = regexp.MustCompile(`^POST /api/v1/(push|ack|ack/batch|lease/[^/]+/extend)$|^GET /api/v1/pop/`)

func (p *replay) compareHeaders(c *recordedCall, resp *http.Response, want string) {
	kind := c.Headers["content-type"]
	if kind == "" && want != "" {
		kind = "application/json"
	}
	if got := resp.Header.Get("Content-Type"); got != kind {
		p.differ("", "content type", kind, got)
	}
	for _, name := range []string{"allow", "retry-after"} {
		if got := resp.Header.Get(name); got != c.Headers[name] {
			p.differ("", name, c.Headers[name], got)
		}
	}
}

// orderOf compares the order of members, those that both have.
func (p *replay) orderOf(theirs, ours document) {
	switch {
	case theirs.isObject() && ours.isObject():
		var want, got []string
		inner := map[string]document{}
		theirs.members(func(name string, value document) error {
			want, inner[name] = append(want, name), value
			return nil
		})
		ours.members(func(name string, value document) error {
			if their, both := inner[name]; both {
				got = append(got, name)
				if name != "data" {
					p.orderOf(their, value)
				}
			}
			return nil
		})
		if len(got) == len(want) && !slices.Equal(got, want) {
			p.differ("", "order", strings.Join(want, " "), strings.Join(got, " "))
		}
	case theirs.isArray() && ours.isArray():
		a, b := theirs.list(), ours.list()
		for i := range min(len(a), len(b)) {
			p.orderOf(a[i], b[i])
		}
	}
}

// value compares two values at a path of member names.
func (p *replay) value(path string, theirs, ours document) {
	switch {
	case theirs.isObject() && ours.isObject():
		p.object(path, theirs, ours)
	case theirs.isArray() && ours.isArray():
		a, b := theirs.list(), ours.list()
		if len(a) != len(b) {
			p.differ(path, "length", string(theirs), string(ours))
			return
		}
		for i := range a {
			p.value(path+"[]", a[i], b[i])
		}
	case theirs.isString() && ours.isString():
		p.text(path, theirs, ours)
	case strings.HasSuffix(path, ".version") && theirs.isNumber() && ours.isNumber() && string(theirs) != "0" && string(ours) != "0":
		if !p.bind("version "+string(theirs), "version "+string(ours)) {
			p.differ(path, "identity", string(theirs), string(ours))
		}
	case !bytes.Equal(theirs, ours):
		p.differ(path, "value", string(theirs), string(ours))
	}
}

func (p *replay) object(path string, theirs, ours document) {
	a, _ := theirs.fields()
	b, _ := ours.fields()
	for name, value := range a {
		if own, both := b[name]; both {
			p.value(path+"."+name, value, own)
		} else {
			p.differ(path+"."+name, "missing", string(value), "")
		}
	}
	for name, value := range b {
		if a[name] == nil {
			p.differ(path+"."+name, "extra", "", string(value))
		}
	}
}

func (p *replay) text(path string, theirs, ours document) {
	want, err1 := theirs.text()
	got, err2 := ours.text()
	if err1 != nil || err2 != nil {
		if !bytes.Equal(theirs, ours) {
			p.differ(path, "value", string(theirs), string(ours))
		}
		return
	}
	if aTime.MatchString(want) && aTime.MatchString(got) {
		// The database drops trailing zeros; elsewhere the number of digits is fixed.
		if strings.HasSuffix(want, "Z") && len(want) != len(got) {
			p.differ(path, "format", want, got)
		}
		return
	}
	theirIDs, ourIDs := anID.FindAllString(want, -1), anID.FindAllString(got, -1)
	if len(theirIDs) > 0 && len(theirIDs) == len(ourIDs) {
		for i := range theirIDs {
			if !p.bind(theirIDs[i], ourIDs[i]) {
				p.differ(path, "identity", want, got)
				return
			}
		}
		want, got = anID.ReplaceAllString(want, "ID"), anID.ReplaceAllString(got, "ID")
	}
	if want != got {
		p.differ(path, "value", want, got)
	}
}

// differ reports a difference, unless the table expects it.
func (p *replay) differ(path, kind, want, got string) {
	for i := range differences {
		d := &differences[i]
		if d.where.MatchString(p.where) && d.path.MatchString(path) && d.kind.MatchString(kind) {
			p.used[i] = true
			return
		}
	}
	p.t.Errorf("%s\n%s %s: want %.300s, got %.300s", p.where, path, kind, want, got)
}
