package filter

import "strings"

// quoteLimit bounds how much of the client's own text a message repeats, in
// characters.
const quoteLimit = 64

const invalidParameter = "Invalid parameter: "

// Error is a refused filter policy. Message is what SetSubscriptionAttributes
// answers under the code InvalidParameter. It is the first line of what AWS
// says: AWS adds a position from its own JSON parser whose form has changed over
// the years, and no client can rely on it.
type Error struct{ Message string }

func (e *Error) Error() string { return e.Message }

// Reason is Message without its opening "Invalid parameter: ". Subscribe says
// "Invalid parameter: Attributes Reason: " in front of the same reason.
func (e *Error) Reason() string { return strings.TrimPrefix(e.Message, invalidParameter) }

// refuse makes the error of a policy that is wrong in itself.
func refuse(reason string) *Error {
	return &Error{invalidParameter + "FilterPolicy: " + reason}
}

// quote is the client's text as a message may repeat it.
func quote(s string) string {
	n := 0
	for i := range s {
		if n == quoteLimit {
			return s[:i] + "…"
		}
		n++
	}
	return s
}
