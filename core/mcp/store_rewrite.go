package mcp

import (
	"bytes"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// A store that has failed and works again gets the records of live calls once more, as they are
// by now. What a record says then is what it would say had the store never failed, but for the
// events that the app has had: a later page goes on by nothing else.

// rewrite stores a live call again after the store was cleared. The events that
// the app has had are gone from it, which Checkpoint says.
func (c *Client) rewrite(call *call) {
	undecided := call.undecided(c)
	if stream := call.carrier(); stream != nil {
		stream.UnstoreSeen()
	}
	r := call.record
	before, next := *r, c.writer.Next()
	r.restart(r.Epoch)
	// If this does not get stored, what was stored before may still be there.
	r.headIn, r.openIn = min(before.headIn, next), min(before.openIn, next)
	r.BeginAgain(call.journalHead())
	if undecided {
		c.claimKey(call, 0)
	} else {
		c.claimKey(call, journal.OpOwned)
	}
	if call.position > 0 {
		c.write(call, journal.Entry{Kind: journal.Checkpoint, N: [3]uint64{uint64(call.position)}})
	}
	if len(call.outbox) > 0 || call.roundOver || call.fold != nil {
		c.writer.Flush() // there are answers among it, or may be
	}
	if call.fold != nil {
		c.rewriteFold(call)
	} else {
		c.rewriteSent(call)
	}
	if r.sentIn == next {
		r.sentIn = min(before.sentIn, next)
	} else if c.writer.Has(before.sentIn) {
		r.openIn = next // until then it says that it left
	}
	if call.policy != nil {
		c.writePolicy(call)
	}
	if call.task != nil {
		c.rewriteTask(call)
	}
	if call.state == callAsking {
		c.writeRound(call)
	}
	for _, a := range c.openQuestions {
		if a.call == call && a.generation == call.generation {
			c.write(call, journal.AskedEntry(questionID(a.id), withoutTask(a.message)))
		}
	}
	call.rewriteDrafts()
	for _, a := range call.outbox {
		c.writeAnswer(call, a.id, a.message)
	}
	for _, id := range call.questions {
		if !c.isOpen(call, id) {
			c.write(call, journal.Entry{Kind: journal.Taken, Data: id})
		}
	}
	if r.acked > 0 {
		c.write(call, journal.Entry{Kind: journal.Acked, N: [3]uint64{uint64(r.acked)}})
	}
	c.tellGuarantee(call)
}

// unstoredBytes bounds the outcomes that are kept for a store that is away, in bytes.
const unstoredBytes = 1 << 20

// keepUnstored keeps an outcome that the app is told and the store did not take, for when it
// works again: what is stored of the call says that it is under way (fault 527).
func (c *Client) keepUnstored(call *call, e *engine.Effect) {
	r := call.record
	if !r.Memory || !call.left || c.kept[call.id] != call || c.writer.Closed() {
		return
	}
	data := call.rests(e.Data)
	if e.Failure != nil {
		data = journal.AppendFailure(nil, e.Failure)
	}
	size := len(data)
	for _, other := range c.kept {
		size += len(other.record.over)
	}
	if size <= unstoredBytes {
		r.over = bytes.Clone(data)
	}
}

// rewriteOutcome stores a call again whose outcome was kept so.
func (c *Client) rewriteOutcome(call *call) {
	r := call.record
	before, next := *r, c.writer.Next()
	r.restart(r.Epoch)
	r.settled, r.outcome, r.endedAt, r.undecided, r.over = true, before.outcome, before.endedAt,
		before.undecided, before.over
	r.told = true // before this is stored
	r.headIn, r.openIn, r.sentIn, r.overIn = min(before.headIn, next), min(before.openIn, next),
		min(before.sentIn, next), next
	r.BeginAgain(call.journalHead())
	c.claimKey(call, journal.OpOwned)
	if call.position > 0 {
		r.Write(journal.Entry{Kind: journal.Checkpoint, N: [3]uint64{uint64(call.position)}})
	}
	r.Write(journal.Entry{Kind: journal.Sent, N: [3]uint64{uint64(call.request), uint64(call.generation)}})
	r.Write(journal.Entry{Kind: journal.Outcome, N: [3]uint64{uint64(r.outcome), uint64(r.endedAt)},
		Data: r.over})
	if r.acked > 0 {
		r.Write(journal.Entry{Kind: journal.Acked, N: [3]uint64{uint64(r.acked)}})
	}
	c.writer.Flush()
}

// rewriteSent writes whether a live call has left, and with which answer to what it has
// asked for.
func (c *Client) rewriteSent(call *call) {
	// One that waits to be run again was sent too, under an id that is used up.
	sent := call.state >= callStoring || call.reruns > 0
	if call.roundOver && sent {
		c.rewriteAnswer(call)
	}
	if (sent || call.left) && call.mayHaveRun {
		c.write(call, journal.Entry{Kind: journal.Sent})
	}
	if sent || call.left {
		c.write(call,
			journal.Entry{Kind: journal.Sent, N: [3]uint64{uint64(call.request), uint64(call.generation)}})
	}
	switch {
	case sent:
		call.record.sentIn = c.writer.Next()
		return
	case call.roundOver:
		c.rewriteAnswer(call) // which has not left
	}
	if call.denied || call.left && !call.roundOver { // it waits to leave again, and did not run
		c.write(call, journal.Entry{Kind: journal.Refused})
	}
}

// rewriteAnswer writes what a live call has asked for, and the answer.
func (c *Client) rewriteAnswer(call *call) {
	c.writeRound(call)
	c.writeResponses(call, call.responses)
}

// rewriteFold writes what is known of a call that nobody has gone on with yet.
func (c *Client) rewriteFold(call *call) {
	r := call.fold
	sent := journal.Entry{Kind: journal.Sent, N: [3]uint64{r.Request, r.Session}}
	asked := r.Round != nil && !r.Responded // after it was sent
	if r.Sent && asked {
		c.write(call, sent)
	}
	if r.Round != nil {
		stated := uint64(0)
		if r.Stated {
			stated = 1
		}
		c.write(call, journal.Entry{Kind: journal.Round, N: [3]uint64{stated}, Data: r.Round})
		if r.State != nil {
			c.writeSecret(call, journal.Entry{Kind: journal.State, Data: r.State})
		}
		if r.RoundOver {
			c.write(call, journal.AnsweredEntry(nil, 0))
		}
		if r.Responses != nil {
			c.writeSecret(call, journal.Entry{Kind: journal.Responses, Data: r.Responses})
		}
	}
	if r.Sent && !asked && r.MayHaveRun {
		c.write(call, sent)
	}
	if r.Sent && !asked {
		c.write(call, sent)
	}
	if r.Refused {
		c.write(call, journal.Entry{Kind: journal.Refused})
	}
	if !r.LooksUnsent() {
		call.record.sentIn = c.writer.Next()
	}
	if r.Task {
		c.write(call, journal.Entry{Kind: journal.Task, N: [3]uint64{uint64(r.TaskAt), r.TaskDialect}})
		if r.TaskID != "" {
			c.writeSecret(call, journal.Entry{Kind: journal.TaskID, Data: []byte(r.TaskID)})
		}
		if r.TaskState != nil {
			c.writeSecret(call, journal.Entry{Kind: journal.TaskState, Data: r.TaskState})
		}
		if r.TaskTTL > 0 {
			c.write(call, journal.Entry{Kind: journal.TaskTTL,
				N: [3]uint64{uint64(r.TaskTTL), uint64(r.TaskHeardAt)}})
		}
		if r.Fetching != 0 {
			c.write(call, journal.Entry{Kind: journal.Fetching, N: [3]uint64{r.Fetching}})
		}
	}
	if r.Retry >= 0 {
		c.write(call, journal.Entry{Kind: journal.Retry, N: [3]uint64{uint64(r.Retry)}})
	}
	if len(r.Cursor) > 0 {
		c.writeSecret(call, journal.Entry{Kind: journal.Cursor, Data: r.Cursor})
		c.writeSecret(call, journal.Entry{Kind: journal.Seen, Data: r.Seen})
	}
	if p := r.Policy; p != nil {
		c.write(call,
			journal.Entry{Kind: journal.Policy,
				N: [3]uint64{uint64(p.MinWait), uint64(p.MaxWait), uint64(p.ReceivedAt)}})
		if p.Token != nil {
			c.writeSecret(call, journal.Entry{Kind: journal.Token, Data: p.Token})
		}
	}
	for _, q := range r.Asked {
		c.write(call, journal.AskedEntry(q.ID, q.Message))
	}
	for _, a := range r.Answered { // by what could not be read back
		c.write(call, journal.AskedEntry(a.ID, a.Message))
		c.write(call, journal.AnsweredEntry(a.ID, a.By))
	}
	for _, d := range r.Drafts {
		c.writeSecret(call, journal.DraftEntry(d.ID, d.Message))
	}
	for _, a := range r.Outbox {
		c.writeAnswer(call, a.ID, a.Message)
	}
	for _, id := range r.Taken {
		c.write(call, journal.Entry{Kind: journal.Taken, Data: id})
	}
}
