package receipt

import (
	"crypto/rand"
	"encoding/base64"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/queen-mq/queen-sqs/server/clock"
)

var (
	secret = []byte("a secret of more than 16 bytes")
	handle = Handle{Queue: "orders", PartitionID: "p", TransactionID: "t<&>\"é", LeaseID: "l", MessageID: "m"}
)

func TestRoundTrip(t *testing.T) {
	clk := clock.NewShifted()
	minted := New(secret, clk).Mint(handle)
	if len(minted) > MaxLength || strings.Count(minted, ".") != 1 || strings.ContainsAny(minted, "+/=") {
		t.Errorf("minted %q", minted)
	}

	got, err := New(secret, clk).Open(minted, "orders") // another instance
	if err != nil {
		t.Fatal(err)
	}
	if left := got.Expires.Sub(clk.Now()); left > Lifetime || left < Lifetime-time.Minute {
		t.Errorf("expires in %v, want %v", left, Lifetime)
	}
	got.Expires = time.Time{}
	if got != handle {
		t.Errorf("got %+v, want %+v", got, handle)
	}
}

func TestLifetime(t *testing.T) {
	clk := clock.NewShifted()
	s := New(secret, clk)
	minted := s.Mint(handle)
	clk.Advance(Lifetime - time.Minute)
	if _, err := s.Open(minted, "orders"); err != nil {
		t.Errorf("a minute before the end: %v", err)
	}
	clk.Advance(time.Minute + time.Millisecond)
	if _, err := s.Open(minted, "orders"); err != ErrInvalid {
		t.Errorf("after the end: %v", err)
	}
}

// seal makes the handle of a content that Mint would never write.
func seal(s *Sealer, doc string) string {
	text := base64.RawURLEncoding.EncodeToString([]byte(doc))
	tag := s.tag([]byte(text))
	return text + "." + string(tag[:])
}

func TestRefusals(t *testing.T) {
	s := New(secret, clock.System())
	good := s.Mint(handle)
	sealed, tag, _ := strings.Cut(good, ".")
	later := time.Now().Add(time.Hour).UnixMilli()
	doc := func(more string) string {
		return `{"q":"orders","p":"p","t":"t","l":"l","m":"m"` + more + `}`
	}
	expires := `,"x":` + strconv.FormatInt(later, 10)
	if _, err := s.Open(seal(s, doc(expires)), "orders"); err != nil {
		t.Fatalf("the control: %v", err)
	}
	for _, c := range []struct{ why, text string }{
		{"empty", ""},
		{"garbage", "garbage"},
		{"no dot", sealed + tag},
		{"two dots", good + "."},
		{"dot in front", "." + good},
		{"no tag", sealed + "."},
		{"tag cut", good[:len(good)-1]},
		{"tag longer", good + "A"},
		{"padded", sealed + "=." + tag},
		{"another secret", New([]byte("another secret of 16 bytes"), clock.System()).Mint(handle)},
		{"too long", seal(s, doc(expires+`,"q":"`+strings.Repeat("x", MaxLength)+`"`))},
		{"unknown member", seal(s, doc(expires+`,"y":1`))},
		{"missing member", seal(s, doc(""))},
		{"member null", seal(s, doc(`,"x":null`))},
		{"member of a wrong type", seal(s, doc(`,"x":"1"`))},
		{"not an object", seal(s, `[]`)},
		{"more than one document", seal(s, doc(expires)+"{}")},
		{"expired", seal(s, doc(`,"x":1`))},
		{"not base64url", "%%." + func() string { tag := s.tag([]byte("%%")); return string(tag[:]) }()},
	} {
		if _, err := s.Open(c.text, "orders"); err != ErrInvalid {
			t.Errorf("%s: %v, want ErrInvalid", c.why, err)
		}
	}
	if _, err := s.Open(good, "orders2"); err != ErrInvalid {
		t.Errorf("another queue: %v", err)
	}
}

func TestEveryMutationIsRefused(t *testing.T) {
	s := New(secret, clock.System())
	good := []byte(s.Mint(handle))
	for i := range good {
		for _, c := range []byte{good[i] ^ 1, good[i] ^ 2, '.', '\n', 'A', 0} {
			if c == good[i] {
				continue
			}
			bad := append([]byte{}, good...)
			bad[i] = c
			if _, err := s.Open(string(bad), "orders"); err != ErrInvalid {
				t.Fatalf("byte %d as %q: %v", i, c, err)
			}
		}
		inserted := string(good[:i]) + "\n" + string(good[i:])
		if _, err := s.Open(inserted, "orders"); err != ErrInvalid {
			t.Fatalf("line feed at %d: %v", i, err)
		}
	}
}

// The longest ids a client can choose must still fit.
func TestLongestHandleFits(t *testing.T) {
	uuid := strings.Repeat("u", 36)
	for c := '!'; c <= '~'; c++ {
		id := strings.Repeat(string(c), 128)
		minted := New(secret, clock.System()).Mint(Handle{strings.Repeat("q", 80), uuid, id, uuid, uuid, time.Time{}})
		if len(minted) > MaxLength {
			t.Errorf("an id of %q takes %d bytes", c, len(minted))
		}
	}
}

func FuzzOpen(f *testing.F) {
	fresh := make([]byte, 32)
	rand.Read(fresh)
	s := New(fresh, clock.System())
	good := s.Mint(handle)
	f.Add(good, "orders")
	f.Add("garbage", "")
	f.Add(seal(s, `{"q":1}`), "orders")
	f.Fuzz(func(t *testing.T, text, queue string) {
		if _, err := s.Open(text, queue); err == nil && (text != good || queue != "orders") {
			t.Errorf("opened %q", text)
		}
		if !utf8.ValidString(queue) {
			return
		}
		h := Handle{queue, text, text, queue, text, time.Time{}}
		if minted := s.Mint(h); len(minted) <= MaxLength {
			if _, err := s.Open(minted, queue); err != nil {
				t.Errorf("a minted handle is refused: %+v", h)
			}
		}
	})
}
