package embedded

import (
	"bufio"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"sync"
)

// uid is a UUID in its 16 bytes. The zero uid means none.
type uid [16]byte

func (u uid) String() string {
	var b [36]byte
	hex.Encode(b[:8], u[:4])
	hex.Encode(b[9:13], u[4:6])
	hex.Encode(b[14:18], u[6:8])
	hex.Encode(b[19:23], u[8:10])
	hex.Encode(b[24:], u[10:])
	b[8], b[13], b[18], b[23] = '-', '-', '-', '-'
	return string(b[:])
}

// parseUID reads the 36 character form. Upper-case digits are accepted, as a
// database column of the type would.
func parseUID(s string) (u uid, ok bool) {
	if len(s) != 36 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return uid{}, false
	}
	var digits [32]byte
	n := copy(digits[:], s[:8])
	n += copy(digits[n:], s[9:13])
	n += copy(digits[n:], s[14:18])
	n += copy(digits[n:], s[19:23])
	copy(digits[n:], s[24:])
	if _, err := hex.Decode(u[:], digits[:]); err != nil {
		return uid{}, false
	}
	return u, true
}

// minter makes UUIDs. Those of version 7 rise strictly: 48 bits of milliseconds,
// a 12 bit counter within the millisecond, 62 random bits. When the clock steps
// back or a millisecond is used up, the counter carries the ids on.
type minter struct {
	mu      sync.Mutex
	random  *bufio.Reader
	ms      int64
	counter uint16
}

func newMinter() *minter {
	return &minter{random: bufio.NewReaderSize(rand.Reader, 4096)}
}

// next mints a UUIDv7 at the instant now, in microseconds.
func (m *minter) next(now int64) uid {
	m.mu.Lock()
	defer m.mu.Unlock()
	u := m.fill()
	switch ms := now / 1000; {
	case ms > m.ms:
		m.ms, m.counter = ms, 0
	case m.counter < 0xfff:
		m.counter++
	default:
		m.ms, m.counter = m.ms+1, 0
	}
	for i := range 6 {
		u[i] = byte(m.ms >> (40 - 8*i))
	}
	u[6] = 0x70 | byte(m.counter>>8)
	u[7] = byte(m.counter)
	u[8] = u[8]&0x3f | 0x80
	return u
}

// anonymous mints a random UUIDv4.
func (m *minter) anonymous() uid {
	m.mu.Lock()
	defer m.mu.Unlock()
	u := m.fill()
	u[6] = u[6]&0x0f | 0x40
	u[8] = u[8]&0x3f | 0x80
	return u
}

func (m *minter) fill() (u uid) {
	for i := range u {
		b, err := m.random.ReadByte()
		if err != nil {
			panic("embedded: the system's random source failed: " + err.Error())
		}
		u[i] = b
	}
	return u
}

// txnKey is the fixed-size name of a transaction id, stable across restarts. A
// lower-case UUIDv7 is its own key, because that is what a message gets that was
// pushed without a transaction id; anything else is hashed, and the hash never
// carries version 7, so the two kinds cannot meet.
func txnKey(txn string) uid {
	if u, ok := parseUID(txn); ok && u[6]>>4 == 7 && u.String() == txn {
		return u
	}
	sum := sha256.Sum256([]byte(txn))
	var u uid
	copy(u[:], sum[:])
	u[6] |= 0xf0
	return u
}
