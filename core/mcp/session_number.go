package mcp

import "github.com/holdfast-mcp/holdfast/core/engine"

// Each handshake has a number, by which a call says in whose session it is. Pages that make
// one at the same time may not know of each other, and no two sessions may have one number:
// a cursor, or an answer, of one would be taken for the other's (fault 522). So a number
// has a round, later than that of any handshake which the page has heard of, and a place in
// the round, which is the page's. Of two of the same round none takes the other's place.

// places is how many numbers a round has. The first is no session's: it stands for none, and for
// what follows a session that is gone.
const places = 256

func roundOf(number uint32) uint32 { return number / places }

// afterRound returns a number that is later than all of the round.
func afterRound(number uint32) uint32 { return (roundOf(number) + 1) * places }

// place returns the page's place in a round.
func (c *Client) place() uint32 { return 1 + (c.cfg.Epoch+places-2)%(places-1) }

// heardOf notes the number of a handshake that was made: the next one is later.
func (s *session) heardOf(number uint64) { s.heard = max(s.heard, uint32(number)) }

// begins begins a handshake. Where another build has made one that this one cannot read,
// its number is unknown: the rounds start from the page's epoch.
func (c *Client) begins(now engine.Time) {
	c.session.id, c.session.ready = "", false
	last := max(c.session.generation, c.session.heard)
	if c.session.unreadable {
		last = max(last, c.cfg.Epoch%(1<<23)*places)
	}
	if last > 0 {
		last = afterRound(last)
	}
	c.session.generation = last + c.place()
	c.session.startedAt = now
}
