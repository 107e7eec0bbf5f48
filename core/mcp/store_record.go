package mcp

import (
	"bytes"
	"sort"

	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
	"github.com/holdfast-mcp/holdfast/core/link"
)

// record is what of a call is stored, and what waits to be. It is named by the request
// id that the call was first given.
type record struct {
	durable.Log
	c       *Client
	t       *call
	foreign bool   // it has ended in another tab's hands: its log is that tab's
	headIn  uint32 // the commit that holds its head
	sentIn  uint32 // the first that says that it leaves
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
}

// newRecord returns the record of t, of which nothing is stored yet; made is when it was
// made, in ms since 1970.
func (c *Client) newRecord(t *call, id uint64, epoch uint32, key string, made int64) *record {
	r := &record{c: c, t: t, key: key, retry: -1, sentIn: neverSent}
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
func (c *Client) keep(t *call, o *CallOptions) {
	if !c.storedObject(t.params) || !c.storedObject(t.meta) || !c.writer.Open() && (o.Key == "" || !c.cfg.Journal || c.writer.Closed()) {
		return
	}
	t.record = c.newRecord(t, uint64(t.request), 1, o.Key, c.wall())
	t.record.headIn = c.writer.Next()
	c.byRecord[t.record.ID] = t
	if !c.writer.Open() {
		t.record.Memory, t.record.headIn = true, neverSent // until the store works again
		return
	}
	t.record.Begin(t.journalHead())
	c.claimKey(t, 0)
}

// journalHead returns the head of a call as it is stored.
func (t *call) journalHead() []byte {
	return journal.AppendHead(nil, &journal.Head{
		Key: t.record.key, Method: t.method, Params: t.params, Meta: t.meta, Header: t.header, Flags: t.flags,
		CreatedAt: t.record.Made,
		Answer:    t.timeouts.Answer, Idle: t.timeouts.Idle, Total: t.timeouts.Total, SendWithin: t.timeouts.Send,
	})
}

// wall returns what a wall clock shows now, in ms since 1970.
func (c *Client) wall() int64 { return c.cfg.Wall + int64(c.now) }

// neverSent is no commit's ticket.
const neverSent = 1<<32 - 1

// looksUnsent reports whether a later page may find the call as one that waits to be
// sent, whatever this one says of it: it never left, its head may be there, and what
// has become of it can no longer be noted.
func (t *call) looksUnsent(c *Client) bool {
	return !t.left && t.record.Memory && (c.writer.EndsBetween(t.record.headIn, t.record.sentIn) || t.record.key != "" && !c.writer.Has(t.record.headIn) && !c.writer.Closed())
}

// isKept reports whether what is written of the call gets stored.
func (t *call) isKept() bool { return t.record != nil && !t.record.Memory }

// write puts an entry into the call's next row.
func (c *Client) write(t *call, e journal.Entry) {
	if t.isKept() {
		t.record.Write(e)
	}
}

// writeSecret puts an entry into the sealed part of the call's next row.
func (c *Client) writeSecret(t *call, e journal.Entry) {
	if t.isKept() {
		t.record.WriteSecret(e)
	}
}

// writeAnswer writes the answer to a question.
func (c *Client) writeAnswer(t *call, id, message []byte) {
	if t.isKept() {
		t.record.WriteAnswer(id, message, 0)
	}
}

// writeResponses does the same for those to a request for input.
func (c *Client) writeResponses(t *call, responses []byte) {
	c.write(t, journal.AnsweredEntry(nil, 0))
	c.writeSecret(t, journal.Entry{Kind: journal.Responses, Data: responses})
}

// AppendRow ends the row that waits: with the cursor that covers its events, and
// never without them: a cursor ahead of its events would lose them in a reload.
func (r *record) AppendRow(b []byte) []byte {
	c, t := r.c, r.t
	r.written = t.position
	if r.settled {
		r.cursor = nil // nothing but an ack follows
		r.Promise(r.Stored)
		return r.Log.AppendRow(b, journal.OpEnded)
	}
	stream := t.carrier()
	if stream != nil && !bytes.Equal(stream.Cursor.ID, r.cursor) {
		r.cursor = append(r.cursor[:0], stream.Cursor.ID...)
		r.WriteSecret(journal.Entry{Kind: journal.Cursor, Data: r.cursor})
		if c.seen = stream.AppendSeen(c.seen[:0]); len(c.seen) > 0 {
			r.WriteSecret(journal.Entry{Kind: journal.Seen, Data: c.seen})
		}
	}
	if stream != nil && stream.RetryValue() >= 0 && stream.RetryValue() != r.retry {
		r.retry = stream.RetryValue()
		r.Write(journal.Entry{Kind: journal.Retry, N: [3]uint64{uint64(r.retry)}})
	}
	r.Promise(t.guaranteeOnceStored(c))
	return r.Log.AppendRow(b, 0)
}

// carrier returns the stream whose cursor is stored with the call: its own, or
// that of the request for its task's result. nil where neither is one that can
// be resumed.
func (t *call) carrier() *link.Stream {
	switch {
	case t.state == callStreaming:
		return &t.stream
	case t.state == callTask && t.task.fetch.call != nil && t.task.fetch.call.state == callStreaming:
		return &t.task.fetch.call.stream
	}
	return nil
}

// keeper returns the call whose record covers what comes on t's stream.
func (t *call) keeper() *call {
	if t.role == roleTask {
		return t.parent
	}
	return t
}

// uncommitted reports whether the stream is ahead of what is written or stored.
func (t *call) uncommitted() bool { return t.isKept() && t.record.Unstored() }

// Landed notes that the commit under way is stored.
func (r *record) Landed(sealed bool) {
	r.landed = r.written
	r.Log.Landed(sealed)
	r.c.tellGuarantee(r.t)
}

// guaranteeOnceStored returns what holds of a call as it stands once that is
// stored: a cursor counts where the revision resumes streams and the session
// that it belongs to can be named again.
func (t *call) guaranteeOnceStored(c *Client) durable.Guarantee {
	switch {
	case t.state == callTask:
		return durable.Durable
	case t.policy != nil && t.policy.carries(), t.state == callAsking:
		return durable.Resumable
	case t.state == callStreaming && !t.stream.Once && c.revision != nil && c.revision.LastEventID && !c.cursorHeader.refused() && t.stream.Cursor.Resumable():
		return durable.Resumable
	}
	return durable.LostOnReload
}

// guarantee returns what a reload would do to the call now.
func (t *call) guarantee(c *Client) durable.Guarantee {
	if t.tellsQueued && t.isQueuedInStore(c) {
		return durable.Resumable
	}
	if !t.isKept() {
		return durable.LostOnReload
	}
	return t.record.Stored
}

// tellGuarantee tells the app where that has changed: {"guarantee":"resumable"}.
func (c *Client) tellGuarantee(t *call) {
	g := t.guarantee(c)
	if t.record == nil || g == t.record.Announced || t.state >= callEnding {
		return
	}
	t.record.Announced = g
	c.effects.Add(engine.Effect{Kind: engine.Deliver, Event: engine.EventGuarantee, C: t.id, Position: t.position,
		Data: append(jsonrpc.AppendString([]byte(`{"guarantee":`), g.String()), '}')})
}

// tellDurability tells the app where its calls are kept from now on:
// {"durability":"memory","why":"quota"}.
func (c *Client) tellDurability(where string, why durable.Reason) {
	c.effects.Add(engine.Effect{Kind: engine.Deliver, Event: engine.EventDurability, Data: durable.AppendDurability(nil, where, why)})
}

// rewrite stores a live call again after the store was cleared. The events that
// the app has had are gone from it, which Base says.
func (c *Client) rewrite(t *call) {
	undecided := t.undecided(c)
	if stream := t.carrier(); stream != nil {
		stream.UnstoreSeen()
	}
	r := t.record
	headIn := r.headIn
	r.restart(r.Epoch)
	// If this does not get stored, what was stored before may still be there.
	r.headIn = min(headIn, c.writer.Next())
	r.BeginAgain(t.journalHead())
	if undecided {
		c.claimKey(t, 0)
	} else {
		c.claimKey(t, journal.OpOwned)
	}
	if t.position > 0 {
		c.write(t, journal.Entry{Kind: journal.Base, N: [3]uint64{uint64(t.position)}})
	}
	if len(t.outbox) > 0 || t.fold != nil {
		c.writer.Flush() // there are answers among it, or may be
	}
	if t.fold != nil {
		c.rewriteFold(t)
	}
	// One that waits to be run again was sent too, under an id that is used up.
	if t.state >= callStoring || t.reruns > 0 {
		c.write(t, journal.Entry{Kind: journal.Sent, N: [3]uint64{uint64(t.request), uint64(t.generation)}})
		r.sentIn = c.writer.Next()
	}
	if t.policy != nil {
		c.writePolicy(t)
	}
	if t.task != nil {
		c.rewriteTask(t)
	}
	if t.state == callAsking {
		c.writeRound(t)
	}
	for _, a := range c.asked {
		if a.call == t {
			c.write(t, journal.AskedEntry(questionID(a.id), withoutTask(a.message)))
		}
	}
	c.rewriteDrafts(t)
	for _, a := range t.outbox {
		c.writeAnswer(t, a.id, a.message)
	}
	for _, id := range t.questions {
		if !c.isOpen(t, id) {
			c.write(t, journal.Entry{Kind: journal.Taken, Data: id})
		}
	}
	if r.acked > 0 {
		c.write(t, journal.Entry{Kind: journal.Acked, N: [3]uint64{uint64(r.acked)}})
	}
	c.tellGuarantee(t)
}

// rewriteFold writes what is known of a call that nobody has gone on with yet.
func (c *Client) rewriteFold(t *call) {
	r := t.fold
	if r.Round != nil {
		stated := uint64(0)
		if r.Stated {
			stated = 1
		}
		c.write(t, journal.Entry{Kind: journal.Round, N: [3]uint64{stated}, Data: r.Round})
		if r.State != nil {
			c.writeSecret(t, journal.Entry{Kind: journal.State, Data: r.State})
		}
		if r.Responses != nil {
			c.writeResponses(t, r.Responses)
		}
	}
	if r.Sent && (r.Round == nil || r.Responded) {
		c.write(t, journal.Entry{Kind: journal.Sent, N: [3]uint64{r.Request, r.Session}})
		t.record.sentIn = c.writer.Next()
	}
	if r.Task {
		c.write(t, journal.Entry{Kind: journal.Task, N: [3]uint64{uint64(r.TaskAt), r.TaskDialect}})
		if r.TaskID != "" {
			c.writeSecret(t, journal.Entry{Kind: journal.TaskID, Data: []byte(r.TaskID)})
		}
		if r.TaskState != nil {
			c.writeSecret(t, journal.Entry{Kind: journal.TaskState, Data: r.TaskState})
		}
		if r.TaskTTL > 0 {
			c.write(t, journal.Entry{Kind: journal.TaskTTL, N: [3]uint64{uint64(r.TaskTTL), uint64(r.TaskHeardAt)}})
		}
		if r.Fetching != 0 {
			c.write(t, journal.Entry{Kind: journal.Fetching, N: [3]uint64{r.Fetching}})
		}
	}
	if r.Retry >= 0 {
		c.write(t, journal.Entry{Kind: journal.Retry, N: [3]uint64{uint64(r.Retry)}})
	}
	if len(r.Cursor) > 0 {
		c.writeSecret(t, journal.Entry{Kind: journal.Cursor, Data: r.Cursor})
		c.writeSecret(t, journal.Entry{Kind: journal.Seen, Data: r.Seen})
	}
	if p := r.Policy; p != nil {
		c.write(t, journal.Entry{Kind: journal.Policy, N: [3]uint64{uint64(p.MinWait), uint64(p.MaxWait), uint64(p.ReceivedAt)}})
		if p.Token != nil {
			c.writeSecret(t, journal.Entry{Kind: journal.Token, Data: p.Token})
		}
	}
	for _, q := range r.Asked {
		c.write(t, journal.AskedEntry(q.ID, q.Message))
	}
	for _, d := range r.Drafts {
		c.writeSecret(t, journal.DraftEntry(d.ID, d.Message))
	}
	for _, a := range r.Outbox {
		c.writeAnswer(t, a.ID, a.Message)
	}
	for _, id := range r.Taken {
		c.write(t, journal.Entry{Kind: journal.Taken, Data: id})
	}
}

// keptInOrder returns the settled calls that nobody has acknowledged, oldest
// first.
func (c *Client) keptInOrder() []*call {
	calls := make([]*call, 0, len(c.kept))
	for _, t := range c.kept {
		calls = append(calls, t)
	}
	sort.Sort(byRecordID(calls))
	return calls
}

// byRecordID sorts by the ids of records, which rise with time (core/durable, byLoss, says why with sort.Sort).
type byRecordID []*call

func (c byRecordID) Len() int           { return len(c) }
func (c byRecordID) Swap(i, j int)      { c[i], c[j] = c[j], c[i] }
func (c byRecordID) Less(i, j int) bool { return c[i].record.ID < c[j].record.ID }
