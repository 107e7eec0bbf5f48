package acp

import "github.com/holdfast-mcp/holdfast/core/engine"

// An agent of version 1 answers session/load on its connection's stream, and sends the history on the
// session's (RFD streamable-http-websocket-transport): over HTTP the answer may be there first, with most of
// a long history on its way. So the history counts as whole, and a prompt leaves, once nothing has come for a
// while.

// trailing is a history whose end was told on another stream.
type trailing struct {
	by     engine.Time // until when more of it may come; Never for none
	until  engine.Time // however much comes
	result []byte      // the agent's answer, where a replay waits for its end
}

var noTrailing = trailing{by: engine.Never}

// trailFor is how long nothing of a history may come for it to be whole, in ms; trailWithin is how long that
// is waited for: an agent at work may say something all the time, and what comes later is behind it as well.
const (
	trailFor    = 500
	trailWithin = 5_000
)

// tellsAll notes that the agent says that a history is whole.
func (s *session) tellsAll(now engine.Time) {
	if s.version() == 1 && s.stream != nil {
		// an answer that waits for its end waits on
		s.trailing.by, s.trailing.until = now.After(trailFor), now.After(trailWithin)
	}
}

// toldAll takes the agent's answer to the request for a history that was kept until it is whole.
func (s *session) toldAll(c *Client, now engine.Time, result []byte) {
	if s.tellsAll(now); s.trailing.by == engine.Never {
		s.replayed(c, now, replayWhole, result)
		return
	}
	s.trailing.result = result
}

// trails notes that more has come.
func (s *session) trails(now engine.Time) {
	if s.trailing.by != engine.Never {
		s.trailing.by = min(now.After(trailFor), s.trailing.until)
	}
}

// endTrailing goes on with the histories of which nothing comes any more.
func (c *Client) endTrailing(now engine.Time) {
	for _, s := range c.sessions {
		if now < s.trailing.by {
			continue
		}
		result := s.trailing.result
		s.trailing = noTrailing
		if result != nil {
			s.replayed(c, now, replayWhole, result)
		}
		if s.state == sessionOwned && s.reads(c) {
			s.release(c, now)
			if s.history != historyWhole {
				s.askReplay(c, now) // it was put off
			}
		}
	}
}
