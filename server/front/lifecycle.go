package front

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"time"
)

// cutTime is how long cut connections may take to end.
const cutTime = 2 * time.Second

// ErrShutDown is what Serve returns after Shutdown.
var ErrShutDown = errors.New("front: already shut down")

// Serve serves a listener until Shutdown, and then returns nil at once: whoever
// ends the process after it waits for Shutdown to return.
func (f *Front) Serve(ln net.Listener) error {
	if f.config.TLS != nil {
		cfg := f.config.TLS.Clone()
		cfg.NextProtos = []string{"http/1.1"}
		ln = tls.NewListener(ln, cfg)
	}
	f.mu.Lock()
	if f.down != nil {
		f.mu.Unlock()
		ln.Close()
		return ErrShutDown
	}
	f.listeners = append(f.listeners, ln)
	f.mu.Unlock()
	return f.http.Serve(listener{ln, f.conns})
}

// Shutdown ends the service. It closes the listeners, gives parked long polls an
// empty response, refuses new requests on open connections with
// ServiceUnavailable, and waits for the requests being handled for the
// configured grace, or until ctx ends if that is earlier. Then it cuts what is
// left, with a warning, and returns an error that says how much that was.
//
// A second call waits for the first.
func (f *Front) Shutdown(ctx context.Context) error {
	f.mu.Lock()
	if f.down != nil {
		down := f.down
		f.mu.Unlock()
		<-down
		return nil
	}
	f.down = make(chan struct{})
	listeners := f.listeners
	f.mu.Unlock()
	defer close(f.down)

	for _, ln := range listeners {
		ln.Close()
	}
	f.conns.drain()

	end := time.Now().Add(f.config.ShutdownGrace)
	grace, cancel := context.WithDeadline(ctx, end)
	defer cancel()
	for f.handling.Load() > 0 && grace.Err() == nil {
		select {
		case <-f.idle:
		case <-grace.Done():
		}
	}
	if f.handling.Load() == 0 {
		// What is left are idle connections, and responses being written.
		writing, cancel := context.WithTimeout(ctx, max(time.Until(end), cutTime))
		defer cancel()
		f.http.ShutdownWithContext(writing)
	}
	return f.cutConnections()
}

func (f *Front) cutConnections() error {
	f.cutNow()
	requests := f.conns.cut()
	select {
	case <-f.conns.empty():
	case <-time.After(cutTime):
	}
	if requests == 0 {
		return nil
	}
	f.log.Warn("shutdown: requests were cut", "requests", requests)
	return fmt.Errorf("server: the grace was over, %d requests were cut", requests)
}

// enter counts a request as being handled. It reports false when a shutdown has
// begun and no more requests are taken.
func (f *Front) enter() bool {
	f.handling.Add(1)
	if f.Draining() {
		f.leave()
		return false
	}
	return true
}

func (f *Front) leave() {
	if f.handling.Add(-1) == 0 && f.Draining() {
		select {
		case f.idle <- struct{}{}:
		default:
		}
	}
}
