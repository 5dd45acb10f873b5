package httpserver

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/queen-mq/queen-sqs/server/queen"
)

// answer is what a handler gives back. The zero content type is JSON.
type answer struct {
	status      int
	contentType string
	body        []byte
	allow       string
	etag        string
	retryAfter  time.Duration
	hasRetry    bool
}

const plainText = "text/plain; charset=utf-8"

var nothing = answer{status: 204}

func ok(body []byte) answer { return answer{status: 200, body: body} }

func refuse(status int, text string) answer { return answer{status: status, body: errorBody(text)} }

func plain(status int, format string, args ...any) answer {
	return answer{status: status, contentType: plainText, body: fmt.Appendf(nil, format, args...)}
}

func badBody(err error) answer { return refuse(400, "bad body: "+err.Error()) }

// statusClientGone is what a request is answered whose client is not there any
// more. Nobody reads it.
const statusClientGone = 499

// failure words a broker's error. what is the refusal of a broker that gives no
// words of its own.
func failure(err error, what string) answer {
	var status *queen.StatusError
	if errors.As(err, &status) {
		a := answer{
			status: status.Code, body: []byte(status.Body),
			retryAfter: status.RetryAfter, hasRetry: status.HasRetryAfter,
		}
		if len(status.Body) == 0 || status.Body[0] != '{' && status.Body[0] != '[' {
			a.contentType = plainText
		}
		return a
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return refuse(statusClientGone, "the request ended")
	}
	return refuse(500, what)
}

// seconds is a Retry-After: whole seconds, rounded up.
func seconds(d time.Duration) int { return int(math.Ceil(d.Seconds())) }
