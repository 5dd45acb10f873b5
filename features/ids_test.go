package features

import (
	"fmt"
	"io/fs"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	gherkin "github.com/cucumber/gherkin/go/v42"
	messages "github.com/cucumber/messages/go/v34"
)

// idTag is the tag that names a scenario for good: the feature's file, with
// hyphens, and a number that no other scenario of the file ever had.
var idTag = regexp.MustCompile(`^@id:([a-z0-9-]+)\.([0-9]{2,})$`)

// idProblems reports what is wrong with the ids of a corpus, and how many
// scenarios it has.
func idProblems(corpus fs.FS) (problems []string, scenarios int, err error) {
	files, err := fs.Glob(corpus, "*.feature")
	if err != nil {
		return nil, 0, err
	}
	for _, name := range files {
		text, err := fs.ReadFile(corpus, name)
		if err != nil {
			return nil, 0, err
		}
		document, err := gherkin.ParseGherkinDocument(strings.NewReader(string(text)), (&messages.Incrementing{}).NewId)
		if err != nil {
			return nil, 0, fmt.Errorf("%s: %w", name, err)
		}
		slug := strings.ReplaceAll(strings.TrimSuffix(name, ".feature"), "_", "-")
		report := func(sc *messages.Scenario, format string, a ...any) {
			problems = append(problems, fmt.Sprintf("%s:%d: %q %s", name, sc.Location.Line, sc.Name, fmt.Sprintf(format, a...)))
		}
		var without []*messages.Scenario
		last, holder := 0, map[int]string{}
		for _, child := range document.Feature.Children {
			if child.Rule != nil {
				return nil, 0, fmt.Errorf("%s:%d: rules are not used in this corpus", name, child.Rule.Location.Line)
			}
			sc := child.Scenario
			if sc == nil {
				continue
			}
			scenarios++
			found := 0
			for _, tag := range sc.Tags {
				if !strings.HasPrefix(tag.Name, "@id:") {
					continue
				}
				found++
				m := idTag.FindStringSubmatch(tag.Name)
				if m == nil || m[1] != slug {
					report(sc, "is tagged %s; an id of this file is @id:%s.NN", tag.Name, slug)
					continue
				}
				n, err := strconv.Atoi(m[2])
				if err != nil || tag.Name != fmt.Sprintf("@id:%s.%02d", slug, n) {
					report(sc, "is tagged %s, which is not how that number is written", tag.Name)
					continue
				}
				if holder[n] != "" {
					report(sc, "has the id of %q, %s", holder[n], tag.Name)
				}
				holder[n], last = sc.Name, max(last, n)
			}
			switch {
			case found == 0:
				without = append(without, sc)
			case found > 1:
				report(sc, "has %d ids", found)
			}
		}
		for i, sc := range without {
			report(sc, "has no id; the next one of this file is @id:%s.%02d", slug, last+1+i)
		}
	}
	return problems, scenarios, nil
}

// Every scenario has one id, and no other scenario has the same.
func TestEveryScenarioHasAnID(t *testing.T) {
	problems, scenarios, err := idProblems(FS())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Error(p)
	}
	if scenarios < 600 {
		t.Errorf("%d scenarios: the features were not read", scenarios)
	}
}

func TestWrongIDsAreFound(t *testing.T) {
	for want, tags := range map[string]string{
		"has no id; the next one of this file is @id:send-message.05": "@json",
		"has the id of \"the fourth\"":                                "@id:send-message.04",
		"has 2 ids":                                                   "@id:send-message.05 @id:send-message.06",
		"is tagged @id:receive-message.05; an id of this file":        "@id:receive-message.05",
		"is tagged @id:send-message.5; an id of this file":            "@id:send-message.5",
		"is tagged @id:send-message.005, which is not how":            "@id:send-message.005",
	} {
		text := "Feature: f\n\n  @id:send-message.04\n  Scenario: the fourth\n    Given a queue \"q\"\n\n  " + tags + "\n  Scenario: another\n    Given a queue \"q\"\n"
		problems, scenarios, err := idProblems(fstest.MapFS{"send_message.feature": {Data: []byte(text)}})
		if err != nil || scenarios != 2 {
			t.Fatalf("%d scenarios, %v", scenarios, err)
		}
		if len(problems) != 1 || !strings.Contains(problems[0], want) {
			t.Errorf("%s: %q", tags, problems)
		}
	}
}
