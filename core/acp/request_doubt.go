package acp

import (
	"slices"

	"github.com/holdfast-mcp/holdfast/core/acp/transcript"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

// doubt notes that nobody knows whether the agent has the request: its answer may
// come yet. cause is nil where there is none.
func (r *request) doubt(now engine.Time, message string, cause error) {
	r.doubtful = &engine.Error{Code: engine.CodeOutcomeUnknown, Op: r.method, Message: message, Cause: cause}
	r.by = min(r.by, now.After(doubtFor))
}

// doubtFor is how long an answer is waited for, in ms, where nobody knows whether the
// request has arrived.
const doubtFor = 15_000

// unsend takes back a request that its server has not taken.
func (r *request) unsend(c *Client, now engine.Time) {
	r.conn.answers = without(r.conn.answers, r)
	r.enter(c, requestQueued)
	if r.conn = nil; r.method == "session/prompt" {
		r.session.transcript.Stays(r.id)
		r.stays(c, now)
	}
}

// lost notes that the stream which was cut is up again, and that the answer may
// have gone with it. What survived comes now.
func (r *request) lost(now engine.Time) {
	switch m := methods[r.method]; {
	case !r.cut || r.state != requestSent:
	case r.role == roleReplay || m.repeats:
		r.again = now.After(quietFor)
	case !m.patient:
		r.doubt(now, "the connection failed before the agent answered", nil)
	}
	r.cut = false
}

// quietFor is how long a stream that was cut has to be quiet, once it is up, for
// an answer to count as lost, in ms.
const quietFor = 2_000

// ask makes the request once more, under another id: an answer to the first may
// come all the same.
func (r *request) ask(c *Client, now engine.Time) {
	r.again = engine.Never
	if r.role == roleReplay {
		if s := r.session; s.replay != nil && s.replay.request == r {
			s.replay.cut(c)
			s.replay.again(c, now, s)
		}
		return
	}
	c.dropped[r.id] = true
	r.unsend(c, now)
	r.id = c.ids.Next()
	r.afresh(c)
	r.dispatch(c, now)
}

// afresh notes that what a request brings of a history it brings again.
func (r *request) afresh(c *Client) {
	if s := r.session; methods[r.method].joins && s.replay == nil && replays(r.method, r.params) {
		s.replay = &replay{state: replayOfApp}
	}
}

// mayBeHeld reports whether the request is a prompt that the agent may hold until it is done with
// the turn that it is at.
func (r *request) mayBeHeld() bool {
	return r.method == "session/prompt" && r.state == requestSent && r.conn != nil &&
		r.session.version() != 1 && r.session.turn.open()
}

// doubtsWait gives the agent time once more to say that it has such a prompt, which it may take in now.
func (s *session) doubtsWait(c *Client, now engine.Time) {
	for _, r := range c.requests {
		if r.session == s && r.doubtful != nil && r.method == "session/prompt" {
			r.by = max(r.by, now.After(doubtFor))
		}
	}
}

func (r *request) advance(c *Client, now engine.Time) {
	if now >= r.again {
		r.ask(c, now)
		return
	}
	if now < r.by {
		return
	}
	if c.token.Asking() && r.waitsForToken() {
		r.by = r.answerBy(c, now)
		return
	}
	if r.role == roleProbe {
		r.over(c)
		r.conn.gone(c, now)
		return
	}
	if r.doubtful != nil && r.mayBeHeld() {
		r.by = now.After(doubtFor)
		return
	}
	if r.doubtful != nil {
		r.fail(c, now, r.doubtful)
		return
	}
	r.fail(c, now, &engine.Error{Code: engine.CodeTimeout, Op: r.method,
		Retryable: methods[r.method].repeats || r.state == requestQueued,
		Message:   "the agent did not answer in time"})
}

// connectionLost decides about a request whose connection is gone. What may be asked
// twice is asked again; a prompt waits for the history, which shows it.
func (r *request) connectionLost(c *Client, now engine.Time) {
	if r.post != nil {
		r.post.finish(c)
	}
	switch {
	case r.role == roleInitialize:
		r.fail(c, now, &engine.Error{Code: engine.CodeNetwork, Op: r.method, Retryable: true,
			Message: "the connection was lost"})
	case r.role == roleReplay, r.role == roleProbe:
		r.over(c) // the next connection's history is asked for again
	case methods[r.method].repeats:
		r.enter(c, requestQueued)
		r.conn, r.again = nil, engine.Never
		r.afresh(c)
	case r.method == "session/prompt" && r.session.version() == 1:
		// Its answer would have ended the turn, and nothing else tells of it.
		r.fail(c, now, &engine.Error{Code: engine.CodeOutcomeUnknown, Op: r.method,
			Message: "the connection was lost before the turn ended"})
	case r.method == "session/prompt":
		r.doubtful = &engine.Error{Code: engine.CodeOutcomeUnknown, Op: r.method,
			Message: "the connection was lost before the agent answered; it may have the prompt"}
		r.conn = nil
	default:
		r.fail(c, now, &engine.Error{Code: engine.CodeOutcomeUnknown, Op: r.method,
			Message: "the connection was lost before the agent answered"})
	}
}

// orphansWait gives the agent time once more to say that it has a prompt of an
// earlier page, or of a tab that looks on: it is done with a turn, and may take in
// now what it has held until then.
func (s *session) orphansWait(now engine.Time) {
	if s.disownAt != engine.Never {
		s.orphanedBy = now.After(doubtFor)
		s.disownAt = s.orphanedBy
	}
}

// orphansHeard notes that the agent is heard again, or has sent the history: what
// it has said of such a prompt comes now, while the session keeps its stream (lends).
func (s *session) orphansHeard(now engine.Time) {
	if s.disownAt != engine.Never {
		s.disownAt = max(s.orphanedBy, now.After(quietFor))
	}
}

// disown takes back the prompts that a page has left behind which ended before the
// agent's server had them, as far as can be known: the agent is heard, has nothing to
// do and has not said a word of them. Whoever asked hears it by the log, and so
// does who looks on; no tab sends them.
func (c *Client) disown(now engine.Time) {
	for _, s := range c.sessions {
		if s.state != sessionOwned || now < s.disownAt {
			continue
		}
		s.disownAt = now.After(doubtFor)
		if s.turn.said != "idle" || s.replay != nil || s.history == historyUnbound || !s.heard(c) {
			continue
		}
		s.disownAt = engine.Never
		for _, p := range slices.Clone(s.transcript.Prompts()) {
			if s.isOrphan(c, p) {
				s.transcript.Unsent(p.ID, s.emit(c))
			}
		}
		c.lend(now) // its stream is another's now
	}
}

// isOrphan reports whether a prompt is one that another page has left behind, that is not in
// the history, and that the agent has not said it has.
func (s *session) isOrphan(c *Client, p *transcript.Prompt) bool {
	return s.pending[p.ID] && !s.placed[p.ID] && !c.asks(p.ID) && p.Answer() == nil
}

// orphaned reports whether there is such a prompt.
func (s *session) orphaned(c *Client) bool {
	return slices.ContainsFunc(s.transcript.Prompts(),
		func(p *transcript.Prompt) bool { return s.isOrphan(c, p) })
}

// asks reports whether a request of that id is under way, which knows its own end.
func (c *Client) asks(id uint64) bool {
	return slices.ContainsFunc(c.requests, func(r *request) bool { return r.id == id })
}
