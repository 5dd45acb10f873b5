package divergences

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// Ids are numbered without gaps, in the order of the rows: a row is never taken
// away, and what is found next gets the next number.
func TestIDsAreNumbered(t *testing.T) {
	next := map[string]int{"QS": 1, "SN": 1}
	for _, r := range Rows() {
		prefix, _, _ := strings.Cut(string(r.ID), "-")
		if want := ID(fmt.Sprintf("%s-%02d", prefix, next[prefix])); r.ID != want {
			t.Errorf("%s stands where %s is due", r.ID, want)
		}
		next[prefix]++
		if want := map[string]Service{"QS": SQS, "SN": SNS}[prefix]; r.Service() != want {
			t.Errorf("%s is of the service %s", r.ID, r.Service())
		}
		if found, ok := Find(r.ID); !ok || found.Title != r.Title {
			t.Errorf("%s is not found", r.ID)
		}
	}
	// The published contract has 29 and 16.
	if len(sqsRows) != 29 || len(snsRows) != 16 {
		t.Errorf("%d and %d rows of the published contract", len(sqsRows), len(snsRows))
	}
	if _, ok := Find("QS-00"); ok {
		t.Error("a row that does not exist is found")
	}
}

func TestRowsAreWhole(t *testing.T) {
	sentences := map[string]ID{}
	for _, r := range Rows() {
		if !slices.Contains(Surfaces(), r.Surface) || !slices.Contains(Classes(), r.Class) {
			t.Errorf("%s: surface %q, class %q", r.ID, r.Surface, r.Class)
		}
		sns := strings.HasPrefix(string(r.Surface), "SNS")
		if sns != (r.Service() == SNS) {
			t.Errorf("%s is of the surface %q", r.ID, r.Surface)
		}
		for what, text := range map[string]string{"title": r.Title, "Amazon": r.Amazon, "here": r.Here, "sentence": r.Sentence} {
			if text == "" || text != strings.TrimSpace(text) || what != "title" && !strings.ContainsAny(text[len(text)-1:], ".\"") {
				t.Errorf("%s: %s is %q", r.ID, what, text)
			}
		}
		if other, taken := sentences[r.Sentence]; taken {
			t.Errorf("%s and %s have one sentence", r.ID, other)
		}
		sentences[r.Sentence] = r.ID
		if r.Closed != Open && r.Closed != ByAWS && r.Closed != Everywhere {
			t.Errorf("%s is closed by %q", r.ID, r.Closed)
		}
	}
}

var testName = regexp.MustCompile(`^(test|settle)_[a-z0-9_]+$`)

func TestEvidence(t *testing.T) {
	for _, r := range Rows() {
		if len(r.Evidence) == 0 {
			t.Errorf("%s has no evidence", r.ID)
		}
		strong := false
		for _, e := range r.Evidence {
			switch e.Source {
			case Recorded:
				strong = true
				if !testName.MatchString(e.What) {
					t.Errorf("%s: %q names no recording", r.ID, e.What)
				}
			case Documented, Claimed, Unknown:
				if e.Date != "" || e.What == "" {
					t.Errorf("%s: %+v", r.ID, e)
				}
			default:
				t.Errorf("%s: evidence of the source %q", r.ID, e.Source)
			}
			if e.Date != "" {
				if _, err := time.Parse(time.DateOnly, e.Date); err != nil {
					t.Errorf("%s: %v", r.ID, err)
				}
			}
		}
		if r.Class == Settled && !strong {
			t.Errorf("%s is settled without a recording", r.ID)
		}
		unsure := slices.ContainsFunc(r.Evidence, func(e Evidence) bool { return e.Source == Unknown || e.Source == Documented || e.Source == Claimed })
		if r.Class == Unsettled && !unsure {
			t.Errorf("%s is unsettled and its evidence leaves no question", r.ID)
		}
	}
}

func TestProfiles(t *testing.T) {
	for _, r := range Rows() {
		if Queen.Closes(r.ID) {
			t.Errorf("profile queen closes %s", r.ID)
		}
		if AWS.Closes(r.ID) != (r.Closed == ByAWS) {
			t.Errorf("profile aws and %s, which is closed by %q", r.ID, r.Closed)
		}
	}
	if AWS.Closes("QS-00") || Profile("gcp").Closes(QS09) {
		t.Error("what does not exist is closed")
	}
}

func TestThePageStandsAlone(t *testing.T) {
	page := string(Page())
	for _, r := range Rows() {
		if !strings.Contains(page, `id="`+string(r.ID)+`"`) {
			t.Errorf("the page has no %s", r.ID)
		}
	}
	if m := regexp.MustCompile(`(?i)(src|href)="(https?:)?//|url\(|@import`).FindString(page); m != "" {
		t.Errorf("the page loads something: %s", m)
	}
}
