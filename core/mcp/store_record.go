package mcp

import (
	"bytes"
	"sort"

	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
	"github.com/holdfast-mcp/holdfast/core/link"
	"github.com/holdfast-mcp/holdfast/core/mcp/recorded"
)

// record is what of a call is stored, and what waits to be. It is named by the request
// id that the call was first given.
type record struct {
	durable.Log
	c       *Client
	t       *call
	foreign bool   // it has ended in another tab's hands: its log is that tab's
	headIn  uint32 // the commit that holds its head; neverSent where none does
	openIn  uint32 // the one since which a page that finds the call sends it: of its head, or of a refusal
	sentIn  uint32 // the first after that which says that it leaves
	overIn  uint32 // and the one that holds its outcome

	key     string
	cursor  []byte // as last written
	retry   int64
	settled bool           // its outcome is written
	outcome engine.Outcome // of which kind it is
	acked   uint32
	written uint32 // position of the last event in the row that was written last
	landed  uint32 // and of the last that is stored
	// undecided: it ended lost or of unknown outcome, and the app has not said yet
	// whether it is to be run again.
	undecided bool
	told      bool // the app was handed its outcome before that is stored

	deferred   deferred
	deferredBy engine.Time // when that is written
	endedAt    int64       // of an outcome, ms since 1970
	over       []byte      // the outcome: until it is written, or until it is stored where the store was away
}

// newRecord returns the record of the call, of which nothing is stored yet; made is when it was
// made, in ms since 1970.
func (c *Client) newRecord(call *call, id uint64, epoch uint32, key string, made int64) *record {
	r := &record{c: c, t: call, key: key, retry: -1, sentIn: neverSent}
	r.Log = durable.NewLog(&c.writer, r, id, epoch, made)
	return r
}

// restart begins the record again under the epoch of its owner.
func (r *record) restart(epoch uint32) {
	r.Log.Restart(epoch)
	*r = record{Log: r.Log, c: r.c, t: r.t, key: r.key, retry: -1, acked: r.acked, sentIn: neverSent}
}

// keep writes a call's head; nothing of it leaves before that. What no later page
// would read back (nested beyond the limit) is not kept.
func (c *Client) keep(call *call, o *CallOptions) {
	if !c.storedObject(call.params) || !c.storedObject(call.meta) || !c.writer.Open() && (o.Key == "" || !c.cfg.Journal || c.writer.Closed()) {
		return
	}
	call.record = c.newRecord(call, uint64(call.request), 1, o.Key, c.madeAt(o.Made))
	call.record.headIn, call.record.openIn = c.writer.Next(), c.writer.Next()
	c.byRecord[call.record.ID] = call
	if !c.writer.Open() {
		call.record.Memory = true // until the store works again
		call.record.neverStored()
		return
	}
	if c.defers(call, o) {
		call.record.neverStored()
		c.deferUntil(call, deferredAll, c.effects.Now.After(deferQueued))
		return
	}
	call.record.Begin(call.journalHead())
	c.claimKey(call, 0)
}

// journalHead returns the head of a call as it is stored.
func (call *call) journalHead() []byte {
	return journal.AppendHead(nil, &journal.Head{
		Key: call.record.key, Method: call.method, Params: call.params, Meta: call.meta, Header: call.header, Flags: call.flags,
		CreatedAt: call.record.Made,
		Answer:    call.timeouts.Answer, Idle: call.timeouts.Idle, Total: call.timeouts.Total, SendWithin: call.timeouts.Send,
	})
}

// madeWithin is how long ago, in ms, a call may have been made that is given to the client now: it
// may have waited for the client to open. One of the future may be by as much as clocks of two hosts differ.
const (
	madeWithin = 600_000
	madeAhead  = 1_000
)

// madeAt returns when a call was made, in ms since 1970: what its page says, unless a clock
// was set meanwhile. By that time the record is aged, as all others are.
func (c *Client) madeAt(said int64) int64 {
	if now := c.wall(); said <= now-madeWithin || said > now+madeAhead {
		return now
	}
	return said
}

// wall returns what a wall clock shows now, in ms since 1970.
func (c *Client) wall() int64 { return c.cfg.Wall + int64(c.effects.Now) }

// neverSent is no commit's ticket.
const neverSent = 1<<32 - 1

// neverStored notes that no commit holds the record, or that what one held is deleted.
func (r *record) neverStored() { r.headIn, r.openIn = neverSent, neverSent }

// looksUnsent reports whether a later page may find the call as one that waits to be
// sent, whatever this one says of it: what is stored of it may say that it never left,
// or that it was refused, and what has become of it can no longer be noted.
func (call *call) looksUnsent(c *Client) bool {
	r := call.record
	return r.Memory && (c.writer.EndsBetween(r.openIn, r.sentIn) || !call.left && r.key != "" && !c.writer.Has(r.headIn) && !c.writer.Closed())
}

// refused notes what is written now: that the server has refused to run the request. A
// page that finds the call sends it, until it is stored that it leaves again.
func (r *record) refused() {
	r.c.writeDeferred(r.t)
	r.Write(journal.Entry{Kind: journal.Refused})
	r.noteUnsent()
}

// noteUnsent notes of what is written now that a page which finds the call sends it, until it
// is stored that it leaves.
func (r *record) noteUnsent() { r.openIn, r.sentIn = r.c.writer.Next(), neverSent }

// isKept reports whether what is written of the call gets stored.
func (call *call) isKept() bool { return call.record != nil && !call.record.Memory }

// Write puts an entry into the next row, in the place of the secrets there that it makes void.
func (r *record) Write(e journal.Entry) {
	if isVoid := recorded.Voids(e, r.t.task != nil); isVoid != nil {
		r.Void(isVoid)
	}
	r.Log.Write(e)
}

// write puts an entry into the call's next row.
func (c *Client) write(call *call, e journal.Entry) {
	if call.isKept() {
		c.writeDeferred(call)
		call.record.Write(e)
	}
}

// writeSecret puts an entry into the sealed part of the call's next row.
func (c *Client) writeSecret(call *call, e journal.Entry) {
	if call.isKept() {
		c.writeDeferred(call)
		call.record.WriteSecret(e)
	}
}

// writeAnswer writes the answer to a question.
func (c *Client) writeAnswer(call *call, id, message []byte) {
	if call.isKept() {
		c.writeDeferred(call)
		call.record.WriteAnswer(id, message, 0)
	}
}

// writeResponses does the same for those to a request for input.
func (c *Client) writeResponses(call *call, responses []byte) {
	c.write(call, journal.AnsweredEntry(nil, 0))
	c.writeSecret(call, journal.Entry{Kind: journal.Responses, Data: responses})
}

// AppendRow ends the row that waits: with the cursor that covers its events, and
// never without them: a cursor ahead of its events would lose them in a reload.
func (r *record) AppendRow(b []byte) []byte {
	c, call := r.c, r.t
	r.written = call.position
	if r.settled {
		r.cursor = nil // nothing but an ack follows
		r.Promise(r.Stored)
		return r.Log.AppendRow(b, journal.OpEnded)
	}
	stream := call.carrier()
	if r.Unsealed() && (r.Seals() || r.movedOn(stream)) {
		r.writeUnsealed(stream)
	}
	r.writeCursor(stream)
	if stream != nil && stream.RetryValue() >= 0 && stream.RetryValue() != r.retry {
		r.retry = stream.RetryValue()
		r.Write(journal.Entry{Kind: journal.Retry, N: [3]uint64{uint64(r.retry)}})
	}
	r.Promise(call.guaranteeOnceStored(c))
	return r.Log.AppendRow(b, 0)
}

// writeUnsealed writes once more what a later page goes on with, and what could not be sealed:
// once secrets are sealed that come after it the guarantee rises, and it has to be there.
func (r *record) writeUnsealed(stream *link.Stream) {
	call := r.t
	switch {
	case call.task != nil:
		r.WriteSecret(journal.Entry{Kind: journal.TaskID, Data: []byte(call.task.id)})
		r.WriteSecret(journal.Entry{Kind: journal.TaskState, Data: call.task.state})
	case call.policy != nil:
		r.WriteSecret(journal.Entry{Kind: journal.Token, Data: call.policy.token})
	case len(call.requestState) > 0:
		r.WriteSecret(journal.Entry{Kind: journal.State, Data: call.requestState})
	}
	if stream != nil {
		r.cursor = r.cursor[:0]
		stream.UnstoreSeen()
	}
}

// writeCursor writes the cursor of a stream that has moved on, nil for none.
func (r *record) writeCursor(stream *link.Stream) {
	if !r.movedOn(stream) {
		return
	}
	r.cursor = append(r.cursor[:0], stream.Cursor.ID...)
	r.WriteSecret(journal.Entry{Kind: journal.Cursor, Data: r.cursor})
	if r.c.seen = stream.AppendSeen(r.c.seen[:0]); len(r.c.seen) > 0 {
		r.WriteSecret(journal.Entry{Kind: journal.Seen, Data: r.c.seen})
	}
}

// movedOn reports whether the cursor of a stream is not the one that was written, nil for none.
func (r *record) movedOn(stream *link.Stream) bool {
	return stream != nil && !bytes.Equal(stream.Cursor.ID, r.cursor)
}

// carrier returns the stream whose cursor is stored with the call: its own, or
// that of the request for its task's result. nil where neither is one that can
// be resumed.
func (call *call) carrier() *link.Stream {
	switch {
	case call.state == callStreaming, call.state == callReading && call.resumes():
		return &call.stream
	case call.state == callTask && call.task.fetch.call != nil && call.task.fetch.call.state == callStreaming:
		return &call.task.fetch.call.stream
	}
	return nil
}

// keeper returns the call whose record covers what comes on the call's stream.
func (call *call) keeper() *call {
	if call.role == roleTask {
		return call.parent
	}
	return call
}

// uncommitted reports whether the stream is ahead of what is written or stored.
func (call *call) uncommitted() bool { return call.isKept() && call.record.Unstored() }

// Landed notes that the commit under way is stored.
func (r *record) Landed(sealed bool) {
	r.landed = r.written
	r.t.unmark(max(r.landed, markedStored) - markedStored)
	if r.settled && r.deferred == deferredNothing && r.c.writer.Has(r.overIn) {
		r.over = nil
	}
	r.Log.Landed(sealed)
	r.c.tellGuarantee(r.t)
}

// guaranteeOnceStored returns what holds of a call as it stands once that is
// stored: a cursor counts where the revision resumes streams and the session
// that it belongs to can be named again.
func (call *call) guaranteeOnceStored(c *Client) durable.Guarantee {
	switch {
	case call.state == callTask:
		return durable.Durable
	case call.policy != nil && call.policy.carries(), call.state == callAsking, call.denied:
		return durable.Resumable
	case call.state == callStreaming && call.generation == c.session.generation && !call.stream.Once && c.revision != nil && c.revision.LastEventID && !c.cursorHeader.refused() && call.stream.Cursor.Resumable():
		return durable.Resumable
	}
	return durable.LostOnReload
}

// guarantee returns what a reload would do to the call now.
func (call *call) guarantee(c *Client) durable.Guarantee {
	if call.tellsQueued && call.isQueuedInStore(c) {
		return durable.Resumable
	}
	if !call.isKept() {
		return durable.LostOnReload
	}
	return call.record.Stored
}

// tellGuarantee tells the app where that has changed: {"guarantee":"resumable"}.
func (c *Client) tellGuarantee(call *call) {
	g := call.guarantee(c)
	if call.record == nil || g == call.record.Announced || call.state >= callEnding {
		return
	}
	call.record.Announced = g
	c.effects.Add(engine.Effect{Kind: engine.Deliver, Event: engine.EventGuarantee, C: call.id, Position: call.position,
		Data: append(jsonrpc.AppendString([]byte(`{"guarantee":`), g.String()), '}')})
}

// lowerGuarantee tells the app that a reload would do worse to the call by now, if it would.
func (c *Client) lowerGuarantee(call *call) {
	if call.record != nil {
		call.record.Lower(call.guaranteeOnceStored(c))
		c.tellGuarantee(call)
	}
}

// tellDurability tells the app where its calls are kept from now on:
// {"durability":"memory","why":"quota"}.
func (c *Client) tellDurability(where string, why durable.Reason) {
	c.effects.Add(engine.Effect{Kind: engine.Deliver, Event: engine.EventDurability, Data: durable.AppendDurability(nil, where, why)})
}

// keptInOrder returns the settled calls that nobody has acknowledged, oldest
// first.
func (c *Client) keptInOrder() []*call {
	calls := make([]*call, 0, len(c.kept))
	for _, call := range c.kept {
		calls = append(calls, call)
	}
	sort.Sort(byRecordID(calls))
	return calls
}

// byRecordID sorts by the ids of records, which rise with time (core/durable, byLoss, says why with
// sort.Sort).
type byRecordID []*call

func (c byRecordID) Len() int           { return len(c) }
func (c byRecordID) Swap(i, j int)      { c[i], c[j] = c[j], c[i] }
func (c byRecordID) Less(i, j int) bool { return c[i].record.ID < c[j].record.ID }
