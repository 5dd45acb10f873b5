package embedded

import (
	"encoding/binary"
	"errors"
)

// Rows are flat: numbers as varints, texts with their length in front.

var errShortRow = errors.New("row is cut short")

type rowWriter []byte

func (w *rowWriter) int(v int64)   { *w = binary.AppendVarint(*w, v) }
func (w *rowWriter) uid(u uid)     { *w = append(*w, u[:]...) }
func (w *rowWriter) text(s string) { *w = append(binary.AppendUvarint(*w, uint64(len(s))), s...) }
func (w *rowWriter) rest(b []byte) { *w = append(*w, b...) }
func (w *rowWriter) bool(v bool) {
	var b byte
	if v {
		b = 1
	}
	*w = append(*w, b)
}

// rowReader reads what rowWriter wrote; the first failure sticks in err.
type rowReader struct {
	b   []byte
	err error
}

func (r *rowReader) int() int64 {
	v, n := binary.Varint(r.b)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *rowReader) uid() (u uid) {
	copy(u[:], r.take(uint64(len(u))))
	return u
}

func (r *rowReader) text() string {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.fail()
		return ""
	}
	r.b = r.b[n:]
	return string(r.take(v))
}

func (r *rowReader) bool() bool {
	b := r.take(1)
	return len(b) == 1 && b[0] == 1
}

func (r *rowReader) take(n uint64) []byte {
	if uint64(len(r.b)) < n {
		r.fail()
		return nil
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

func (r *rowReader) fail() {
	r.b = nil
	if r.err == nil {
		r.err = errShortRow
	}
}
