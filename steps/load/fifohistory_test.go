package load

import (
	"strings"
	"testing"
	"time"
)

// history plays a story of one group "g" with three messages. at is in
// milliseconds.
type story struct {
	FIFOHistory
	base time.Time
}

func newStory() *story {
	s := &story{base: time.Unix(1_800_000_000, 0)}
	s.Sent("g", 3)
	return s
}

func (s *story) at(ms int) time.Time { return s.base.Add(time.Duration(ms) * time.Millisecond) }

// receive is asked for at one moment and answered 10 ms later, for a second.
func (s *story) receive(ms int, numbers ...int) int {
	return s.Delivered("g", numbers, s.at(ms), s.at(ms+10), time.Second)
}

func (s *story) delete(delivery, number, ms int, outcome Outcome) {
	s.Deleted(delivery, number, s.at(ms), s.at(ms+10), outcome)
}

func TestFIFOHistory(t *testing.T) {
	for name, c := range map[string]struct {
		play func(s *story)
		want string // part of the only violation; empty for none
	}{
		"nothing": {func(*story) {}, ""},
		"in order, one by one": {func(s *story) {
			for n := 1; n <= 3; n++ {
				s.delete(s.receive(100*n, n), n, 100*n+20, Done)
			}
		}, ""},
		"a batch, deleted in any order": {func(s *story) {
			d := s.receive(0, 1, 2, 3)
			s.delete(d, 3, 20, Done)
			s.delete(d, 1, 40, Done)
			s.delete(d, 2, 60, Done)
		}, ""},
		"the rest of a batch after its timeout": {func(s *story) {
			d := s.receive(0, 1, 2, 3)
			s.delete(d, 2, 20, Done)
			s.receive(1001, 1, 3)
		}, ""},
		"a delete without an answer may have worked": {func(s *story) {
			d := s.receive(0, 1)
			s.delete(d, 1, 20, Unknown)
			s.receive(2000, 2)
		}, ""},
		"or not": {func(s *story) {
			d := s.receive(0, 1)
			s.delete(d, 1, 20, Unknown)
			s.receive(2000, 1, 2)
		}, ""},
		"a receive that overlaps the delete": {func(s *story) {
			d := s.receive(0, 1)
			s.receive(15, 2)
			s.delete(d, 1, 20, Done)
		}, ""},
		"given back": {func(s *story) {
			d := s.receive(0, 1, 2)
			s.Released(d, s.at(50))
			s.Released(d, s.at(60))
			s.receive(55, 1, 2)
		}, ""},
		"a receive that overlaps the timeout": {func(s *story) {
			s.receive(0, 1)
			s.receive(995, 1)
		}, ""},
		"two groups": {func(s *story) {
			s.Sent("h", 1)
			s.receive(0, 1)
			s.Delivered("h", []int{1}, s.at(20), s.at(30), time.Second)
		}, ""},

		"the order is wrong in an answer": {func(s *story) { s.receive(0, 2, 1) }, "2 was delivered before 1, which was not deleted"},
		"the first is left out":           {func(s *story) { s.receive(0, 2) }, "2 was delivered before 1"},
		"one in the middle is left out":   {func(s *story) { s.receive(0, 1, 3) }, "3 was delivered before 2"},
		"the second comes though the first did not go": {func(s *story) {
			s.receive(0, 1)
			s.receive(2000, 2)
		}, "2 was delivered before 1"},
		"the delete was refused": {func(s *story) {
			d := s.receive(0, 1)
			s.delete(d, 1, 1500, Refused)
			s.receive(2000, 2)
		}, "2 was delivered before 1"},
		"the delete comes later": {func(s *story) {
			s.receive(0, 1)
			s.receive(2000, 2)
			s.delete(s.receive(4000, 1), 1, 4020, Done)
		}, "2 was delivered before 1"},
		"the same while it is held": {func(s *story) {
			s.receive(0, 1)
			s.receive(500, 1)
		}, "[1] was delivered while [1] was held for another 490ms"},
		"the next while one is held": {func(s *story) {
			d := s.receive(0, 1, 2)
			s.delete(d, 1, 20, Done)
			s.receive(500, 2)
		}, "[2] was delivered while [1 2] was held"},
		"held until the last delete": {func(s *story) {
			d := s.receive(0, 1, 2)
			s.delete(d, 1, 20, Done)
			s.receive(500, 3)
			s.delete(d, 2, 600, Done)
		}, "3 was delivered before 2, which was not deleted"},
		"deleted and back": {func(s *story) {
			d := s.receive(0, 1, 2)
			s.delete(d, 1, 20, Done)
			s.receive(1100, 1, 2)
		}, "1 was delivered 1.07s after it was deleted"},
		"twice in one answer": {func(s *story) { s.receive(0, 1, 1) }, "1 was delivered twice in one answer"},
		"out of nowhere":      {func(s *story) { s.receive(0, 1, 2, 3, 4) }, "4 was delivered and never sent"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory()
			c.play(s)
			got := s.Violations(false)
			if c.want == "" {
				if len(got) != 0 {
					t.Errorf("violations: %q", got)
				}
				return
			}
			if !strings.Contains(strings.Join(got, "\n"), c.want) {
				t.Errorf("violations: %q, want %q", got, c.want)
			}
		})
	}
}

func TestFIFOHistoryOfWhatIsLeft(t *testing.T) {
	s := newStory()
	d := s.receive(0, 1, 2, 3)
	s.delete(d, 1, 20, Done)
	s.delete(d, 2, 20, Unknown)
	if got := s.Violations(true); s.Remaining() != 2 || len(got) != 1 || got[0] != "2 messages were never deleted: g/2, g/3" {
		t.Errorf("%d remain, %q", s.Remaining(), got)
	}
	if deliveries, messages := s.Counts(); deliveries != 1 || messages != 3 {
		t.Errorf("%d deliveries of %d messages", deliveries, messages)
	}
}
