package mcp

import (
	"bytes"
	"slices"

	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
	"github.com/holdfast-mcp/holdfast/core/link"
)

// record is what of a call is stored, and what waits to be.
type record struct {
	c  *Client
	t  *call
	id uint64 // the request id that it was first given names it for ever
	durable.Position
	memory  bool   // the store has failed it: nothing more is written
	foreign bool   // it has ended in another tab's hands: its log is that tab's
	headIn  uint32 // the commit that holds its head
	sentIn  uint32 // the first that says that it leaves
	overIn  uint32 // and the one that holds its outcome

	key    string
	plain  []byte // entries of the row that waits
	secret []byte
	lent   bool // the app is told what lies in plain, once that is stored
	waits  bool // for the next commit
	aloft  bool // a row of it is in the commit under way
	sealed bool // that row has a secret part
	behind bool // the secrets that were written last are not stored: there was no cipher

	cursor  []byte // as last written
	retry   int64
	flying  guarantee      // what the commit under way makes true
	stored  guarantee      // what is true
	told    guarantee      // what the app knows
	settled bool           // its outcome is written
	outcome engine.Outcome // of which kind it is
	acked   uint32
	written uint32 // position of the last event in the row that was written last
	landed  uint32 // and of the last that is stored
	// undecided: it ended lost or of unknown outcome, and the app has not said yet
	// whether it is to be run again.
	undecided bool
	created   int64 // ms since 1970
	bytes     int   // stored of its log
}

// guarantee says what a reload would do to a call.
type guarantee uint8

const (
	guaranteeLost      guarantee = iota // nothing that could continue it is stored
	guaranteeResumable                  // an event id or a resume policy is
	guaranteeDurable                    // a task id is, or the outcome
)

var guaranteeNames = [...]string{"lost-on-reload", "resumable", "durable"}

// keep writes a call's head; nothing of it leaves before that. What no later page
// would read back (nested beyond the limit) is not kept.
func (c *Client) keep(t *call, o *CallOptions) {
	if !c.storedObject(t.params) || !c.storedObject(t.meta) || !c.writer.On && (o.Key == "" || !c.cfg.Journal || c.writer.Over()) {
		return
	}
	t.record = &record{c: c, t: t, id: uint64(t.request), Position: durable.Position{Epoch: 1}, key: o.Key, retry: -1, created: c.wall(),
		headIn: c.writer.Next(), sentIn: neverSent}
	c.byRecord[t.record.id] = t
	if !c.writer.On {
		t.record.memory, t.record.headIn = true, neverSent // until the store works again
		return
	}
	c.writer.Put(journal.Op{Kind: journal.OpCall, Call: t.record.id, Epoch: 1, Plain: t.journalHead()})
	c.claimKey(t, 0)
}

// journalHead returns the head of a call as it is stored.
func (t *call) journalHead() []byte {
	return journal.AppendHead(nil, &journal.Head{
		Key: t.record.key, Method: t.method, Params: t.params, Meta: t.meta, Header: t.header, Flags: t.flags,
		CreatedAt: t.record.created,
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
	return !t.left && t.record.memory && (c.writer.EndsBetween(t.record.headIn, t.record.sentIn) || t.record.key != "" && !c.writer.Has(t.record.headIn) && !c.writer.Over())
}

// isKept reports whether what is written of the call gets stored.
func (t *call) isKept() bool { return t.record != nil && !t.record.memory }

// write puts an entry into the call's next row.
func (c *Client) write(t *call, e journal.Entry) {
	if r := c.waiting(t); r != nil {
		before := len(r.plain)
		if !r.lent { // else the memory that it leaves is not free yet
			r.plain = c.writer.Room(r.plain, len(e.Data))
		}
		r.plain = journal.AppendEntry(r.plain, e)
		c.writer.Grow(len(r.plain) - before)
	}
}

// writeSecret puts an entry into the sealed part of the call's next row.
func (c *Client) writeSecret(t *call, e journal.Entry) {
	if r := c.waiting(t); r != nil {
		r.secret = journal.AppendEntry(r.secret, e)
	}
}

// writeAnswer writes the answer to a question: what a person has said is sealed, and
// that there is an answer the pages that look on have to know.
func (c *Client) writeAnswer(t *call, id, message []byte) {
	c.write(t, journal.AnsweredEntry(id, 0))
	c.writeSecret(t, journal.AnswerEntry(id, message))
}

// writeResponses does the same for those to a request for input.
func (c *Client) writeResponses(t *call, responses []byte) {
	c.write(t, journal.AnsweredEntry(nil, 0))
	c.writeSecret(t, journal.Entry{Kind: journal.Responses, Data: responses})
}

// waiting returns the call's record with its next row in the next commit; nil
// where nothing is stored.
func (c *Client) waiting(t *call) *record {
	if !c.writer.On || !t.isKept() {
		return nil
	}
	if !t.record.waits {
		t.record.waits = true
		c.writer.Touch(t.record)
	}
	return t.record
}

// AppendRow ends the row that waits: with the cursor that covers its events, and
// never without them (DESIGN 3.2).
func (r *record) AppendRow(b []byte) []byte {
	c, t := r.c, r.t
	r.flying = r.stored
	if !r.settled {
		stream := t.carrier()
		if stream != nil && !bytes.Equal(stream.Cursor.ID, r.cursor) {
			r.cursor = append(r.cursor[:0], stream.Cursor.ID...)
			r.secret = journal.AppendEntry(r.secret, journal.Entry{Kind: journal.Cursor, Data: r.cursor})
			if c.seen = stream.AppendSeen(c.seen[:0]); len(c.seen) > 0 {
				r.secret = journal.AppendEntry(r.secret, journal.Entry{Kind: journal.Seen, Data: c.seen})
			}
		}
		if stream != nil && stream.RetryValue() >= 0 && stream.RetryValue() != r.retry {
			retry := stream.RetryValue()
			r.retry = retry
			r.plain = journal.AppendEntry(r.plain, journal.Entry{Kind: journal.Retry, N: [3]uint64{uint64(retry)}})
		}
		r.flying = t.guaranteeOnceStored(c)
	}
	if r.sealed = len(r.secret) > 0; r.sealed {
		r.plain = journal.AppendEntry(r.plain, journal.Entry{Kind: journal.Sealed})
	} else if r.behind {
		r.flying = min(r.flying, r.stored) // it brings none of what is missing
	}
	r.N++
	r.aloft, r.written = true, t.position
	r.bytes += len(r.plain) + len(r.secret)
	c.writer.Held += len(r.plain) + len(r.secret)
	flags := journal.OpFlags(0)
	if r.settled {
		flags = journal.OpEnded
	}
	b = journal.AppendOp(b, journal.Op{Kind: journal.OpLog, Flags: flags, Call: r.id, Epoch: r.Epoch, N: r.N, Plain: r.plain, Secret: r.secret})
	r.secret, r.waits = r.secret[:0], false
	if r.lent {
		r.plain, r.lent = nil, false
	} else {
		r.plain = c.writer.Done(r.plain, r.settled)
	}
	if r.settled {
		r.secret, r.cursor = nil, nil // it may be kept for long, and nothing but an ack follows
	}
	return b
}

// carrier returns the stream whose cursor is stored with the call: its own, or
// that of the request for its task's result. nil where neither is one that can
// be resumed.
func (t *call) carrier() *link.Stream {
	switch {
	case t.phase == callStreaming:
		return &t.stream
	case t.phase == callTask && t.task.fetch.call != nil && t.task.fetch.call.phase == callStreaming:
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
func (t *call) uncommitted() bool {
	return t.isKept() && (t.record.waits || t.record.aloft)
}

// Landed notes that the commit under way is stored.
func (r *record) Landed(sealed bool) {
	r.aloft, r.landed = false, r.written
	if sealed {
		r.stored = r.flying
		r.behind = r.behind && !r.sealed
	} else {
		r.flying = r.stored
		r.behind = r.behind || r.sealed
	}
	r.c.tellGuarantee(r.t)
}

// guaranteeOnceStored returns what holds of a call as it stands once that is
// stored: a cursor counts where the revision resumes streams and the session
// that it belongs to can be named again.
func (t *call) guaranteeOnceStored(c *Client) guarantee {
	switch {
	case t.phase == callTask:
		return guaranteeDurable
	case t.policy != nil && t.policy.carries(), t.phase == callAsking:
		return guaranteeResumable
	case t.phase == callStreaming && !t.stream.Once && c.revision != nil && c.revision.LastEventID && !c.cursorHeader.refused && t.stream.Cursor.Resumable():
		return guaranteeResumable
	}
	return guaranteeLost
}

// guarantee returns what a reload would do to the call now.
func (t *call) guarantee(c *Client) guarantee {
	if t.tellsQueued && t.isQueuedInStore(c) {
		return guaranteeResumable
	}
	if !t.isKept() {
		return guaranteeLost
	}
	return t.record.stored
}

// tellGuarantee tells the app where that has changed: {"guarantee":"resumable"}.
func (c *Client) tellGuarantee(t *call) {
	g := t.guarantee(c)
	if t.record == nil || g == t.record.told || t.phase >= callTail {
		return
	}
	t.record.told = g
	c.effects.Add(engine.Effect{Kind: engine.Deliver, Event: engine.EventGuarantee, C: t.id, Position: t.position,
		Data: append(jsonrpc.AppendString([]byte(`{"guarantee":`), guaranteeNames[g]), '}')})
}

// tellDurability tells the app where its calls are kept from now on:
// {"durability":"memory","why":"quota"}.
func (c *Client) tellDurability(where, why string) {
	c.effects.Add(engine.Effect{Kind: engine.Deliver, Event: engine.EventDurability, Data: durable.AppendDurability(nil, where, why)})
}

// rewrite stores a live call anew after the store was cleared. The events that
// the app has had are gone from it, which Base says.
func (c *Client) rewrite(t *call) {
	undecided := t.undecided(c)
	c.undirty(t)
	if stream := t.carrier(); stream != nil {
		stream.UnstoreSeen()
	}
	r := t.record
	// The log starts anew; its epoch does not: those before are of other owners,
	// and what one of them still writes must not count (fault 76).
	c.writer.Held -= r.bytes
	*r = record{c: c, t: t, id: r.id, Position: durable.Position{Epoch: r.Epoch}, key: r.key, retry: -1, told: r.told, acked: r.acked, created: r.created,
		// If this does not get stored, what was stored before may still be there.
		headIn: min(r.headIn, c.writer.Next()), sentIn: neverSent}
	c.writer.Put(journal.Op{Kind: journal.OpForget, Flags: journal.OpOwned, Call: r.id})
	c.writer.Put(journal.Op{Kind: journal.OpCall, Call: r.id, Epoch: r.Epoch, Plain: t.journalHead()})
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
	if t.phase >= callStoring || t.reruns > 0 {
		c.write(t, journal.Entry{Kind: journal.Sent, N: [3]uint64{uint64(t.request), uint64(t.generation)}})
		r.sentIn = c.writer.Next()
	}
	if t.policy != nil {
		c.writePolicy(t)
	}
	if t.task != nil {
		c.rewriteTask(t)
	}
	if t.phase == callAsking {
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
	slices.SortFunc(calls, func(a, b *call) int {
		switch {
		case a.record.id < b.record.id:
			return -1
		case a.record.id > b.record.id:
			return 1
		}
		return 0
	})
	return calls
}
