package embedded

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"github.com/queen-mq/queen-sqs/server/jsontext"
	"github.com/queen-mq/queen-sqs/server/queen"
)

var errClosed = errors.New("the embedded engine is closed")

// field is one member of an error document; documents keep the order they are
// written in.
type field struct {
	name  string
	value any
}

// refusal is a *queen.StatusError with Queen's JSON error document as its body.
func refusal(code int, fields ...field) *queen.StatusError {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, f := range fields {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(jsonText(f.name))
		b.WriteByte(':')
		b.Write(jsonText(f.value))
	}
	b.WriteByte('}')
	return &queen.StatusError{Code: code, Body: b.String()}
}

// jsonText spells a value as JSON; one that has no JSON form is null.
func jsonText(v any) []byte {
	text, err := jsontext.Marshal(v)
	if err != nil {
		return []byte("null")
	}
	return text
}

func badBody(format string, args ...any) error {
	return refusal(400, field{"error", "bad body: " + fmt.Sprintf(format, args...)})
}

// unavailable is what a call is told once the journal has failed, in the words
// its route uses while Queen's database is away.
func unavailable(route string) error {
	if route == "" {
		return refusal(500, field{"error", "pool"})
	}
	err := refusal(503, field{"error", route + "_unavailable"})
	err.RetryAfter, err.HasRetryAfter = time.Second, true
	return err
}

func hasControl(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 {
			return true
		}
	}
	return false
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
