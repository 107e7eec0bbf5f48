package mcp

import (
	"slices"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// A store that has failed, or takes long, has not said whose the key of a call is:
// another page may have made the same call. So a call with a key waits for that word,
// for as long as it may (sendWithin), where one without a key goes on in memory.

// claims asks such a store again.
type claims struct {
	trial   storeTrial
	waiting []*call // for the word of a store that is failing now
}

// undecided reports whether the call waits until it is known whose its key is.
func (call *call) undecided(c *Client) bool {
	return call.isQueued() && call.record != nil && call.record.Memory && call.claimsKey(c)
}

// undecided returns the calls that do.
func (c *Client) undecided() []*call {
	return slices.DeleteFunc(slices.Clone(c.calls), func(call *call) bool { return !call.undecided(c) })
}

// wait notes that a call waits.
func (w *claims) wait(now engine.Time) {
	if w.trial.state == trialIdle {
		w.trial.tries = 0
		w.trial.ask(now.After(trialAgain))
	}
}

// advance tries to store the head of the call that has waited longest. That says whose
// its key is, and that the store works: then the others are stored as well.
func (w *claims) advance(c *Client, now engine.Time) {
	if now < w.trial.deadline() {
		return
	}
	w.trial.ended()
	calls := c.undecided()
	if len(calls) == 0 {
		return
	}
	e, ok := c.writer.Try(now, c.writer.WithDeletions(calls[0].claim()), &claimTrial{c})
	if !ok {
		w.trial.ask(now.After(trialAgain)) // another commit is under way
		return
	}
	w.trial.state = trialUnderWay
	c.effects.Add(e)
}

// claimTrial hears whether a head is stored (durable.Trial).
type claimTrial struct{ c *Client }

// Tried goes on with the store, or asks it later.
func (s *claimTrial) Tried(now engine.Time, stored bool) {
	s.c.claims.trial.ended()
	if stored {
		s.c.StoreReturned()
		return
	}
	s.c.claims.trial.failed(now)
}

// claim returns what stores the head of the call with its key.
func (call *call) claim() []byte {
	id := call.record.ID
	ops := journal.AppendOp(nil, journal.Op{Kind: journal.OpForget, Flags: journal.OpOwned, Call: id})
	ops = journal.AppendOp(ops, journal.Op{Kind: journal.OpCall, Call: id, Epoch: call.record.Epoch,
		Plain: call.journalHead()})
	return journal.AppendOp(ops, journal.Op{Kind: journal.OpKey, Call: id, Plain: []byte(call.record.key)})
}

// sendDecided sends those of calls that wait no more for the word of the store, or only for
// that of the commit that is made now.
func (c *Client) sendDecided(now engine.Time, calls []*call) {
	for _, call := range calls {
		if call.state == callQueued && c.state == stateOpen && !c.token.Asking() {
			call.send(c, now)
		}
	}
}
