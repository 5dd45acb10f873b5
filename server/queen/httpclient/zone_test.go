package httpclient

import (
	"log/slog"
	"testing"
	"time"
)

const wrote = "2006-01-02T15:04:05.000000Z"

// id makes a UUIDv7 of a time.
func id(t time.Time) string {
	const hex = "0123456789abcdef"
	ms := t.UnixMilli()
	out := []byte("00000000-0000-7000-8000-0000000000aa")
	for i, at := range []int{12, 11, 10, 9, 7, 6, 5, 4, 3, 2, 1, 0} {
		out[at] = hex[ms>>(4*i)&15]
	}
	return string(out)
}

func TestMintedAt(t *testing.T) {
	at := time.Date(2026, 11, 30, 17, 49, 45, 739e6, time.UTC)
	if got, ok := mintedAt(id(at)); !ok || !got.Equal(at) {
		t.Errorf("got %v, %v", got, ok)
	}
	for _, bad := range []string{"", "x", "265079f3-a662-4da3-b84f-72b390a65693", "zzzzzzzz-zzzz-7000-8000-0000000000aa"} {
		if _, ok := mintedAt(bad); ok {
			t.Errorf("%q has a time", bad)
		}
	}
}

func TestMessageTime(t *testing.T) {
	minted := time.Date(2026, 11, 30, 17, 49, 45, 739e6, time.UTC)
	commit := minted.Add(2345 * time.Microsecond)
	fired := commit.Add(10 * time.Minute)
	east, west := 5*time.Hour+30*time.Minute, -5*time.Hour
	const unknown = time.Duration(-1)
	for _, tt := range []struct {
		name   string
		offset time.Duration // what the key/value store taught
		wrote  time.Time     // what the database wrote
		want   time.Time
	}{
		{"UTC", 0, commit, commit},
		{"UTC, a timer", 0, fired, fired},
		{"UTC, the database's clock is late", 0, commit.Add(-10 * time.Second), commit.Add(-10 * time.Second)},
		{"nothing known, UTC", unknown, commit, commit},
		{"nothing known, a timer", unknown, fired, fired},
		{"nothing known, before its id", unknown, commit.Add(west), commit},
		{"nothing known, a quarter of an hour west", unknown, commit.Add(-15 * time.Minute), commit},
		{"nothing known, clocks apart", unknown, commit.Add(-3 * time.Minute), commit.Add(-3 * time.Minute)},
		{"west", west, commit.Add(west), commit},
		{"west, a timer", west, fired.Add(west), fired},
		{"east", east, commit.Add(east), commit},
		{"east, a timer", east, fired.Add(east), fired},
		{"west, the season changed", west, commit.Add(west + time.Hour), commit},
		{"east, the season changed", east, commit.Add(east - time.Hour), commit},
	} {
		z := zone{log: slog.New(slog.DiscardHandler)}
		if tt.offset != unknown {
			text := minted.In(time.FixedZone("", int(tt.offset.Seconds()))).Format("2006-01-02T15:04:05.999999-07:00")
			z.kv(&text, true)
		}
		if got := z.message(tt.wrote.Format(wrote), id(minted)); !got.Equal(tt.want.Truncate(time.Microsecond)) {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
	z := zone{log: slog.New(slog.DiscardHandler)}
	if got := z.message("yesterday", id(minted)); !got.Equal(minted) {
		t.Errorf("an unreadable time: got %v", got)
	}
	if got := z.message(minted.Format(wrote), "17"); !got.Equal(minted) {
		t.Errorf("an id without a time: got %v", got)
	}
}

func TestOffsetIsLearned(t *testing.T) {
	z := zone{log: slog.New(slog.DiscardHandler)}
	read := func(text string, past bool) time.Time { return z.kv(&text, past) }
	if !z.kv(nil, true).IsZero() || !read("never", true).IsZero() {
		t.Error("no time is not zero")
	}
	if _, known := z.current(); known {
		t.Error("learned from nothing")
	}
	// An expiry may lie in another season.
	read("2027-06-30T12:49:45.7-04:00", false)
	if _, known := z.current(); known {
		t.Error("learned from an expiry")
	}
	if got := read("2026-11-30T12:49:45.7-05:00", true); !got.Equal(time.Date(2026, 11, 30, 17, 49, 45, 7e8, time.UTC)) {
		t.Errorf("got %v", got)
	}
	// An older row was written in summer.
	read("2026-07-30T12:49:45-04:00", true)
	if offset, _ := z.current(); offset != -5*time.Hour {
		t.Errorf("got %v", offset)
	}
	if got := z.utc("2026-11-30T12:49:45.123456Z"); !got.Equal(time.Date(2026, 11, 30, 17, 49, 45, 123456e3, time.UTC)) {
		t.Errorf("got %v", got)
	}
	// The operator put the database to UTC.
	read("2026-12-01T10:00:00+00:00", true)
	if got := z.utc("2026-12-01T10:00:00Z"); !got.Equal(time.Date(2026, 12, 1, 10, 0, 0, 0, time.UTC)) {
		t.Errorf("got %v", got)
	}
}
