package httpserver

import "strconv"

// defaultExtension is the length of an extension that does not say, in seconds.
const defaultExtension = 60

func (s *Server) extendLease(r *request) answer {
	id := r.param(0)
	lease, err := s.engine.ExtendLease(r.ctx, "", id, readExtension(r.body))
	if err != nil {
		return failure(err, "renew failed")
	}
	o := newObject(256)
	o.text("leaseId", id).bool("success", lease.Renewed > 0).int("renewed", int64(lease.Renewed))
	o.micros("newExpiresAt", lease.ExpiresAt).micros("expiresAt", lease.ExpiresAt).micros("lease_expires_at", lease.ExpiresAt)
	return ok(o.close())
}

// readExtension never fails: a body that is no request asks for the default.
func readExtension(body []byte) int {
	d, err := parse(body)
	if err != nil || !d.isObject() {
		return defaultExtension
	}
	seconds := defaultExtension
	d.members(func(name string, value document) error {
		if n, err := strconv.ParseInt(string(value), 10, 32); name == "seconds" && err == nil {
			seconds = int(n)
		}
		return nil
	})
	return max(seconds, 1)
}
