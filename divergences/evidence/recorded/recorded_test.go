package recorded

import (
	"slices"
	"testing"
)

func TestDaysAndStrings(t *testing.T) {
	days, err := Days()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"test_send_empty_message":                             "2025-09-22",
		"test_invalid_dead_letter_arn_rejected_before_lookup": "", // the file has no answer of it
		"test_nothing": "",
	} {
		if days[name] != want {
			t.Errorf("%s was recorded on %q, want %q", name, days[name], want)
		}
	}
	all, err := Strings()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(all, "The request must contain the parameter MessageBody.") {
		t.Errorf("%d texts, and one that is there is missing", len(all))
	}
}
