package load

import (
	"slices"
	"testing"
)

func TestRedriveJudge(t *testing.T) {
	r := &Redrive{}
	for body, f := range map[string]fate{
		"good-1":   {sent: true, maybe: true, done: true},
		"good-2":   {sent: true, maybe: true},
		"good-3":   {sent: true, dead: 1},
		"good-4":   {sent: true, maybe: true, dead: 1},
		"good-5":   {maybe: true, done: true}, // the send was not answered and worked
		"good-6":   {},                        // it was not and did not
		"poison-1": {sent: true, dead: 1},

		"good-7":   {sent: true},
		"good-8":   {sent: true, maybe: true, done: true, dead: 1},
		"good-9":   {sent: true, dead: 2},
		"poison-2": {sent: true, done: true},
	} {
		r.note(body, func(to *fate) { *to = f })
	}
	out, wrong := r.Judge()
	if out != (RedriveOutcome{Consumed: 2, Dead: 3, Unsure: 1}) {
		t.Errorf("%+v", out)
	}
	want := []string{
		"good-7 was sent and is lost",
		"good-8 was consumed and is in the dead-letter queue",
		"good-9 is 2 times in the dead-letter queue",
		"poison-2 was consumed and is poison",
	}
	if !slices.Equal(wrong, want) {
		t.Errorf("%q", wrong)
	}
}
