// Package clock is the gateway's only source of time for everything a client
// can observe: leases, delays, retention, caches and cooldowns. Nothing below
// server calls time.Now for such a purpose, so a test can move time instead of
// sleeping.
package clock

import "time"

// Clock tells the time and runs functions later.
type Clock interface {
	// Now is the current instant in UTC.
	Now() time.Time
	// AfterFunc runs f in its own goroutine (or, on a Shifted clock that is
	// being advanced, inside Advance) once d has passed. A d of zero or less
	// runs f as soon as possible.
	AfterFunc(d time.Duration, f func()) Timer
}

// Timer is a pending AfterFunc.
type Timer interface {
	// Stop keeps the function from running. It reports false when the function
	// has started already or was stopped before.
	Stop() bool
}

// System is the machine's clock.
func System() Clock { return system{} }

type system struct{}

func (system) Now() time.Time { return time.Now().UTC() }

func (system) AfterFunc(d time.Duration, f func()) Timer { return time.AfterFunc(d, f) }
