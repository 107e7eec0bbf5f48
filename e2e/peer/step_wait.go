//go:build !js

package peer

import "time"

// Gate stops the script until Release or Pass lets it through.
func Gate(name string) Step {
	return Step{func(r *run) { r.p.gates.pass(r.ctx, name) }}
}

// Resumed stops the script until a connection carries the stream: after a Cut,
// until the client has come back and got what it had missed.
func Resumed() Step {
	return Step{func(r *run) {
		if r.task != nil {
			r.p.changed.await(r.ctx, r.task.heard)
			return
		}
		if !r.json {
			r.p.changed.await(r.ctx, func() bool { return r.stream.now.Load() != nil })
		}
	}}
}

// Reply stops the script until the client has POSTed the response to the
// server's request with that raw id (see Ask).
func Reply(id string) Step {
	return Step{func(r *run) {
		r.p.changed.await(r.ctx, func() bool {
			r.session.mu.Lock()
			defer r.session.mu.Unlock()
			_, ok := r.session.replies[id]
			return ok
		})
	}}
}

// Until stops the script until the server's clock has come to a time: see
// [Peer.Now] and [Peer.Advance].
func Until(at time.Time) Step {
	return Step{func(r *run) {
		timer := time.AfterFunc(at.Sub(r.p.clock.now()), r.p.changed.signal)
		defer timer.Stop()
		r.p.changed.await(r.ctx, func() bool { return !r.p.clock.now().Before(at) })
	}}
}

// Silence never goes on: the stream stays open with nothing on it until the
// call is cancelled, the session ends or the Peer closes.
func Silence() Step { return Step{func(r *run) { <-r.ctx.Done() }} }
