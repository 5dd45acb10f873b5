package httpserver

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"strings"
)

// role is what a token may do, and what a route needs. The roles of queen-wire 3:
// write-only produces and reads nothing, read-only reads and changes nothing,
// read-write does both and consumes, admin does everything.
type role int

const (
	public role = iota
	readOnly
	writeOnly
	readWrite
	admin
)

// Tokens are the bearer tokens of a server with their roles.
type Tokens struct {
	rows []tokenRow
}

type tokenRow struct {
	sum  [32]byte
	role role
}

// Roles are the words of Tokens.Add.
var Roles = []string{"read-only", "write-only", "read-write", "admin"}

// Add takes a token with one of Roles.
func (t *Tokens) Add(token, roleName string) error {
	for i, name := range Roles {
		if name == roleName {
			t.rows = append(t.rows, tokenRow{sha256.Sum256([]byte(token)), role(i) + readOnly})
			return nil
		}
	}
	return fmt.Errorf("role %.40q: want one of %s", roleName, strings.Join(Roles, ", "))
}

// Len is the number of tokens. A server with none lets everybody do everything.
func (t *Tokens) Len() int { return len(t.rows) }

// find answers the role of a token. Comparing digests takes the same time for
// every token.
func (t *Tokens) find(token string) (role, bool) {
	sum := sha256.Sum256([]byte(token))
	found := public
	for i := range t.rows {
		if subtle.ConstantTimeCompare(sum[:], t.rows[i].sum[:]) == 1 {
			found = t.rows[i].role
		}
	}
	return found, found != public
}

func (has role) covers(needs role) bool {
	switch needs {
	case public:
		return true
	case readOnly:
		return has == readOnly || has == readWrite || has == admin
	case writeOnly:
		return has == writeOnly || has == readWrite || has == admin
	case readWrite:
		return has == readWrite || has == admin
	}
	return has == admin
}

// authorize refuses a request whose token does not cover the role; nil lets it
// pass.
func (s *Server) authorize(header string, needs role) *answer {
	if s.tokens.Len() == 0 || needs == public {
		return nil
	}
	token := strings.TrimSpace(header)
	if len(token) >= 7 && strings.EqualFold(token[:7], "Bearer ") {
		token = strings.TrimSpace(token[7:])
	}
	if token == "" {
		a := refuse(401, "Authentication required")
		return &a
	}
	has, known := s.tokens.find(token)
	if !known {
		a := refuse(401, "Invalid token signature")
		return &a
	}
	if !has.covers(needs) {
		a := refuse(403, "Insufficient permissions")
		return &a
	}
	return nil
}
