package measured

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestMeasurements(t *testing.T) {
	m, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	want := 0
	for _, lanes := range []int{1, 8, 64, 256} {
		for _, sent := range []int{3, 10, 100, 1000} {
			want++
			at := slices.IndexFunc(m.Width.Rows, func(r WidthRow) bool { return r.Lanes == lanes && r.Sent == sent })
			if at < 0 {
				t.Errorf("%d messages in %d lanes were not measured", sent, lanes)
				continue
			}
			r := m.Width.Rows[at]
			if !r.Accounted() || r.Held < 1 || r.Held > lanes || r.Held > sent {
				t.Errorf("%+v", r)
			}
		}
	}
	if len(m.Width.Rows) != want {
		t.Errorf("%d widths were measured", len(m.Width.Rows))
	}
	if len(m.Purge.Rows) == 0 || len(m.Sequence.Rows) == 0 {
		t.Errorf("%d backlogs and %d message groups were measured", len(m.Purge.Rows), len(m.Sequence.Rows))
	}
	for _, r := range m.Sequence.Rows {
		for i, n := range r.Numbers {
			if n != strconv.Itoa(i) {
				t.Errorf("group %s: number %d is %s", r.Group, i, n)
			}
		}
	}
	for _, r := range []Run{m.Width.Run, m.Purge.Run, m.Sequence.Run} {
		if !strings.HasPrefix(r.Command, "sqs-conform register --measure ") || r.Date == "" || r.Machine == "" {
			t.Errorf("%+v", r)
		}
	}
}
