// Package digest computes the three MD5s by which SDKs check what they sent and
// received: MD5OfMessageBody (MD5OfBody on receive), MD5OfMessageAttributes and
// MD5OfMessageSystemAttributes. The algorithm is published in the Amazon SQS
// developer guide under "Calculating the MD5 message digest for message
// attributes".
package digest

import (
	"cmp"
	"crypto/md5"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"unsafe"
)

// Body is the lower-case hex MD5 of the body's UTF-8 bytes.
func Body(body string) string {
	// The sum only reads the bytes, so the copy of a conversion is spared; a body
	// can be a megabyte.
	return encode(md5.Sum(unsafe.Slice(unsafe.StringData(body), len(body))))
}

// Attribute is one attribute as the digest sees it. Value is the text, or the
// decoded bytes of a Binary attribute. Type is the full label, as in
// "String.email".
type Attribute struct {
	Name, Type, Value string
	Binary            bool
}

// The transport bytes: how the value travels.
const (
	transportText   = 1
	transportBinary = 2
)

// Attributes is the lower-case hex MD5 of attributes in any order. It is empty
// when there are none: the member is then left out of an answer.
func Attributes(attrs []Attribute) string {
	if len(attrs) == 0 {
		return ""
	}
	byName := func(a, b Attribute) int { return cmp.Compare(a.Name, b.Name) }
	if !slices.IsSortedFunc(attrs, byName) {
		attrs = slices.Clone(attrs)
		slices.SortFunc(attrs, byName)
	}
	var small [512]byte
	text := small[:0]
	for _, a := range attrs {
		text = field(text, a.Name)
		text = field(text, a.Type)
		if a.Binary {
			text = append(text, transportBinary)
		} else {
			text = append(text, transportText)
		}
		text = field(text, a.Value)
	}
	return encode(md5.Sum(text))
}

func field(to []byte, s string) []byte {
	to = binary.BigEndian.AppendUint32(to, uint32(len(s)))
	return append(to, s...)
}

func encode(sum [md5.Size]byte) string {
	var text [2 * md5.Size]byte
	hex.Encode(text[:], sum[:])
	return string(text[:])
}
