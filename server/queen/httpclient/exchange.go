package httpclient

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/queen-mq/queen-sqs/server/queen"
)

// maxAnswer is the most bytes of an answer that are read. The largest honest one
// is a pop of many messages near the size limit.
const maxAnswer = 256 << 20

// maxErrorText is how much of a refusal is kept.
const maxErrorText = 64 << 10

// call is one HTTP exchange.
type call struct {
	method string
	// path is percent-encoded already and holds the query.
	path  string
	body  []byte
	token queen.Token
	// timeout is for the whole exchange; 0 means the client's.
	timeout time.Duration
	// once forbids the transport to send the request a second time when a
	// connection it kept turns out to be dead. POST and DELETE are never sent
	// twice; a GET is, and a pop is a GET that changes something.
	once bool
	via  *http.Transport
}

// do answers the body of a 2xx answer. Its errors are *queen.StatusError,
// *queen.TransportError, *queen.BodyError for an answer too large, and the
// context's own when that ended.
func (c *Client) do(ctx context.Context, k call) ([]byte, error) {
	status, header, body, err := c.exchange(ctx, k)
	if err != nil {
		return nil, err
	}
	if status < 200 || status > 299 {
		return nil, statusError(status, header, body)
	}
	return body, nil
}

func (c *Client) exchange(ctx context.Context, k call) (int, http.Header, []byte, error) {
	if k.timeout == 0 {
		k.timeout = c.timeout
	}
	limited, cancel := context.WithTimeoutCause(ctx, k.timeout, errNoAnswer{k.timeout})
	defer cancel()

	req, err := c.request(limited, k)
	if err != nil {
		return 0, nil, nil, &queen.TransportError{Err: err}
	}
	via := k.via
	if via == nil {
		via = c.calls
	}
	// The transport itself follows no redirect and keeps no cookie.
	resp, err := via.RoundTrip(req)
	if err != nil {
		return 0, nil, nil, c.transportError(ctx, limited, err)
	}
	defer resp.Body.Close()
	body, err := readAll(resp)
	if errors.Is(err, errTooLarge) {
		return 0, nil, nil, &queen.BodyError{Reason: err.Error()}
	}
	if err != nil {
		return 0, nil, nil, c.transportError(ctx, limited, err)
	}
	return resp.StatusCode, resp.Header, body, nil
}

func (c *Client) request(ctx context.Context, k call) (*http.Request, error) {
	var body io.Reader
	if k.body != nil {
		body = bytes.NewReader(k.body)
	}
	req, err := http.NewRequestWithContext(ctx, k.method, c.base+k.path, body)
	if err != nil {
		return nil, err
	}
	if k.once && k.body == nil {
		// The transport repeats no request whose body it cannot rewind. This one
		// is empty, and nothing of it is sent.
		req.Body = io.NopCloser(strings.NewReader(""))
	}
	req.Header = http.Header{
		"Content-Type": {"application/json"},
		"User-Agent":   {"queen-sqs"},
	}
	if k.token != "" {
		req.Header["Authorization"] = []string{"Bearer " + string(k.token)}
	}
	return req, nil
}

// transportError tells a caller who gave up from a broker that did not answer.
func (c *Client) transportError(ctx, limited context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	c.lost.Store(true)
	if limited.Err() != nil {
		err = context.Cause(limited)
	}
	return &queen.TransportError{Err: err}
}

// errNoAnswer is this client's own deadline.
type errNoAnswer struct{ after time.Duration }

func (e errNoAnswer) Error() string { return fmt.Sprintf("nothing within %s", e.after) }
func (errNoAnswer) Unwrap() error   { return context.DeadlineExceeded }

var errTooLarge = fmt.Errorf("larger than %d bytes", maxAnswer)

func readAll(resp *http.Response) ([]byte, error) {
	if resp.ContentLength > maxAnswer {
		return nil, errTooLarge
	}
	var buf bytes.Buffer
	if resp.ContentLength > 0 {
		buf.Grow(int(resp.ContentLength) + bytes.MinRead)
	}
	n, err := buf.ReadFrom(io.LimitReader(resp.Body, maxAnswer+1))
	if err == nil && n > maxAnswer {
		err = errTooLarge
	}
	return buf.Bytes(), err
}

func statusError(status int, header http.Header, body []byte) *queen.StatusError {
	e := &queen.StatusError{Code: status, Body: string(body[:min(len(body), maxErrorText)])}
	e.RetryAfter, e.HasRetryAfter = retryAfter(header.Get("Retry-After"))
	return e
}

// retryAfter reads a whole number of seconds; a date or a negative number counts
// as no header at all.
func retryAfter(text string) (time.Duration, bool) {
	seconds, err := strconv.ParseUint(strings.TrimSpace(text), 10, 31)
	if err != nil {
		return 0, false
	}
	return time.Duration(seconds) * time.Second, true
}

const upperHex = "0123456789ABCDEF"

// escape percent-encodes every byte except A-Z a-z 0-9 - . _ ~, for path
// segments and query values alike.
func escape(s string) string {
	var out strings.Builder
	for i := range len(s) {
		b := s[i]
		switch {
		case 'A' <= b && b <= 'Z', 'a' <= b && b <= 'z', '0' <= b && b <= '9', b == '-', b == '.', b == '_', b == '~':
			out.WriteByte(b)
		default:
			out.Write([]byte{'%', upperHex[b>>4], upperHex[b&15]})
		}
	}
	return out.String()
}
