//go:build !js

package peer

import "fmt"

// Open sends the headers of the event stream. Without it they leave with the
// first event.
func Open() Step {
	return Step{func(r *run) {
		if !r.json {
			r.post.openStream()
		}
	}}
}

// Cut ends the connection that carries the stream; the script goes on and what
// it sends is stored. Before Open or a first event no header has left.
func Cut(how Cutting) Step {
	return Step{func(r *run) {
		if r.task != nil {
			r.task.cut(how)
			return
		}
		if r.json {
			r.post.cut(how)
			return
		}
		r.stream.cut(how)
	}}
}

// Raw writes text as it is on the connection of the moment, $ID, $TOKEN and
// $SESSION replaced. It is not stored and not replayed.
func Raw(text string) Step {
	return Step{func(r *run) {
		if !r.json {
			r.stream.raw(r.vars().Replace(text))
		}
	}}
}

// Comment writes a comment line (": text") and a blank one.
func Comment(text string) Step { return Raw(": " + text + "\n\n") }

// Retry writes a retry line of that many milliseconds by itself.
func Retry(ms int) Step { return Raw(fmt.Sprintf("retry: %d\n\n", ms)) }

// Respond answers the POST with an HTTP answer written by the test, if no
// header has left: for a tool that runs and then fails at the HTTP level.
func Respond(a Response) Step {
	return Step{func(r *run) {
		if a.Gate != "" {
			r.p.gates.pass(r.ctx, a.Gate)
		}
		r.answered.Store(a.Cut == None)
		r.post.respond(a, r.vars())
	}}
}
