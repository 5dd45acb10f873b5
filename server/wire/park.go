package wire

import "context"

// ParkKey is the key of a request's context under which its server keeps a
// Parker, if it has one.
type ParkKey struct{}

// Parker is told that a request waits for what may never come.
type Parker interface {
	// Park lets a shutdown end the request's context from now on, until unpark.
	Park() (unpark func())
}

// Park marks a request as one that only waits, such as a long poll at the
// broker: a server that shuts down ends its context then. A request that does
// something is never ended so, and has the server's grace to be done.
func Park(ctx context.Context) (unpark func()) {
	if p, ok := ctx.Value(ParkKey{}).(Parker); ok {
		return p.Park()
	}
	return func() {}
}
