package sigv4

import (
	"crypto/hmac"
	"crypto/sha256"
	"hash"
	"maps"
	"strings"
	"sync"
	"sync/atomic"
)

// maxKeys bounds the derived keys that are kept. A client needs one a day.
const maxKeys = 512

// scope is what a signing key is derived from, besides the secret.
type scope struct{ accessKey, day, region, service string }

func (c *authorization) scope() scope { return scope{c.accessKey, c.day, c.region, c.service} }

// signingKey is a derived key, ready to sign.
type signingKey struct{ macs sync.Pool }

func newSigningKey(secret string, c *authorization) *signingKey {
	mac := func(key []byte, text string) []byte {
		h := hmac.New(sha256.New, key)
		h.Write([]byte(text))
		return h.Sum(nil)
	}
	key := mac([]byte("AWS4"+secret), c.day)
	key = mac(key, c.region)
	key = mac(key, c.service)
	key = mac(key, terminator)
	return &signingKey{macs: sync.Pool{New: func() any { return hmac.New(sha256.New, key) }}}
}

func (k *signingKey) sum(text []byte) (sum [sha256.Size]byte) {
	h := k.macs.Get().(hash.Hash)
	h.Reset()
	h.Write(text)
	h.Sum(sum[:0])
	k.macs.Put(h)
	return sum
}

// keyCache keeps derived keys. Reading takes no lock: the map behind the pointer
// never changes, a new key makes a new map.
type keyCache struct {
	keys atomic.Pointer[map[scope]*signingKey]
	add  sync.Mutex
}

// get returns the key of a scope, and whether it came from the cache.
func (k *keyCache) get(cred Credential, c *authorization) (*signingKey, bool) {
	if m := k.keys.Load(); m != nil {
		if key, ok := (*m)[c.scope()]; ok {
			return key, true
		}
	}
	return newSigningKey(cred.Secret, c), false
}

// put keeps a key that has proved itself. Only then: day and region are the
// client's own words, and one that cannot sign must not fill the cache with
// them. A full cache starts over, which costs each client in use one derivation.
func (k *keyCache) put(c *authorization, key *signingKey) {
	k.add.Lock()
	defer k.add.Unlock()
	next := map[scope]*signingKey{}
	if m := k.keys.Load(); m != nil && len(*m) < maxKeys {
		next = maps.Clone(*m)
	}
	next[scope{
		// The strings of a request may be views of a buffer that is used again.
		strings.Clone(c.accessKey), strings.Clone(c.day), strings.Clone(c.region), strings.Clone(c.service),
	}] = key
	k.keys.Store(&next)
}
