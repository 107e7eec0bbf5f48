//go:build !js

package peer

import "encoding/json"

// Conclude answers the call with what f makes of the client's reply to the
// request with that raw id: a result, JSON. It waits for the reply.
func Conclude(id string, f func(reply json.RawMessage) string) Step {
	return Step{func(r *run) {
		Reply(id).do(r)
		r.session.mu.Lock()
		reply := r.session.replies[id].outcome
		r.session.mu.Unlock()
		if r.ctx.Err() == nil {
			Result(f(reply)).do(r)
		}
	}}
}
