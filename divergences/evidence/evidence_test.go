package evidence

import (
	"regexp"
	"testing"
)

// The answers name nobody: no account, no id, no key, no address.
func TestAnswersAreAnonymous(t *testing.T) {
	runs, err := Runs()
	if err != nil {
		t.Fatal(err)
	}
	if len(runs) == 0 {
		t.Error("there are no answers")
	}
	secret := regexp.MustCompile(`\b\d{12}\b|[0-9a-f]{8}-[0-9a-f]{4}|\bAKIA|\bASIA|https?://`)
	for name, run := range runs {
		text, err := files.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if found := secret.Find(text); found != nil {
			t.Errorf("%s holds %q", name, found)
		}
		if run.Target == "" || run.Date == "" || len(run.Answers) == 0 {
			t.Errorf("%s: %+v", name, run)
		}
	}
}

func TestTextsAreWhole(t *testing.T) {
	texts, err := SQSTexts()
	if err != nil {
		t.Fatal(err)
	}
	if len(texts) < 51 {
		t.Errorf("%d texts", len(texts))
	}
	for _, x := range texts {
		if x.Text == "" || x.Section == "" || x.Kind != Recorded && x.Kind != Asserted && x.Kind != Hint {
			t.Errorf("%+v", x)
		}
	}
}
