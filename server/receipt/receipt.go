// Package receipt mints and opens receipt handles. A handle carries all that a
// later delete or visibility change needs, sealed with a secret, so that any
// instance with the same secret can serve it and none has to remember it.
package receipt

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"hash"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/queen-mq/queen-sqs/server/clock"
	"github.com/queen-mq/queen-sqs/server/jsontext"
)

const (
	// Lifetime is how long a handle works after the receive that minted it: the
	// longest a message can be in flight. It is not the visibility timeout.
	Lifetime = 43200 * time.Second
	// MaxLength bounds a handle's text in bytes.
	MaxLength = 1024

	tagLength = 16
)

// ErrInvalid refuses a handle that this deployment did not mint, that has
// outlived Lifetime or that belongs to another queue.
var ErrInvalid = errors.New("receipt: invalid handle")

// Handle names one delivery of one message.
type Handle struct {
	Queue         string
	PartitionID   string
	TransactionID string
	LeaseID       string
	MessageID     string
	// Expires has millisecond precision. Mint sets it.
	Expires time.Time
}

// content is the sealed form. Every member is required.
type content struct {
	Queue         *string `json:"q"`
	PartitionID   *string `json:"p"`
	TransactionID *string `json:"t"`
	LeaseID       *string `json:"l"`
	MessageID     *string `json:"m"`
	Expires       *int64  `json:"x"`
}

// Sealer mints and opens handles under one secret. It is safe for concurrent
// use.
type Sealer struct {
	clk  clock.Clock
	macs sync.Pool
}

// New makes a Sealer. The secret must be the same on all instances that serve
// the same clients.
func New(secret []byte, clk clock.Clock) *Sealer {
	secret = bytes.Clone(secret)
	return &Sealer{clk: clk, macs: sync.Pool{New: func() any { return hmac.New(sha256.New, secret) }}}
}

// Mint answers the handle's text. Its Expires is ignored: the handle works for
// Lifetime from now.
func (s *Sealer) Mint(h Handle) string {
	expires := s.clk.Now().Add(Lifetime).UnixMilli()
	// Escapes for HTML would take long ids past MaxLength: six bytes for a "<".
	doc, err := jsontext.Marshal(content{&h.Queue, &h.PartitionID, &h.TransactionID, &h.LeaseID, &h.MessageID, &expires})
	if err != nil {
		panic("receipt: " + err.Error()) // strings and an integer always have a JSON form
	}
	sealed := base64.RawURLEncoding
	text := make([]byte, 0, sealed.EncodedLen(len(doc))+1+sealed.EncodedLen(tagLength))
	text = sealed.AppendEncode(text, doc)
	tag := s.tag(text)
	return string(append(append(text, '.'), tag[:]...))
}

// Open reads a handle that was presented for a queue. Every refusal is
// ErrInvalid; the time it takes tells nothing about the tag.
func (s *Sealer) Open(text, queue string) (Handle, error) {
	if len(text) > MaxLength {
		return Handle{}, ErrInvalid
	}
	sealed, presented, _ := strings.Cut(text, ".")
	// The tags are compared as text: several texts decode to the same bytes, only
	// one of them was minted.
	tag := s.tag([]byte(sealed))
	if subtle.ConstantTimeCompare(tag[:], []byte(presented)) != 1 {
		return Handle{}, ErrInvalid
	}
	doc, err := base64.RawURLEncoding.DecodeString(sealed)
	if err != nil {
		return Handle{}, ErrInvalid
	}
	h, ok := read(doc)
	if !ok || h.Queue != queue || !s.clk.Now().Before(h.Expires) {
		return Handle{}, ErrInvalid
	}
	return h, nil
}

func read(doc []byte) (Handle, bool) {
	var c content
	dec := json.NewDecoder(bytes.NewReader(doc))
	dec.DisallowUnknownFields()
	if dec.Decode(&c) != nil {
		return Handle{}, false
	}
	if _, err := dec.Token(); err != io.EOF {
		return Handle{}, false
	}
	if c.Queue == nil || c.PartitionID == nil || c.TransactionID == nil || c.LeaseID == nil || c.MessageID == nil || c.Expires == nil {
		return Handle{}, false
	}
	return Handle{*c.Queue, *c.PartitionID, *c.TransactionID, *c.LeaseID, *c.MessageID, time.UnixMilli(*c.Expires)}, true
}

// tag is the base64url text of the tag over the base64url text of a content.
func (s *Sealer) tag(sealed []byte) (text [22]byte) {
	mac := s.macs.Get().(hash.Hash)
	defer s.macs.Put(mac)
	mac.Reset()
	mac.Write(sealed)
	var sum [sha256.Size]byte
	base64.RawURLEncoding.Encode(text[:], mac.Sum(sum[:0])[:tagLength])
	return text
}
