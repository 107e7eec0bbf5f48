package mcp

import (
	"bytes"
	"strconv"

	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
	"github.com/holdfast-mcp/holdfast/core/link"
	"github.com/holdfast-mcp/holdfast/core/mcp/recorded"
	"github.com/holdfast-mcp/holdfast/core/mcp/segments"
	"github.com/holdfast-mcp/holdfast/core/mcp/wire"
)

// restorer is the client, to what is read (durable.Restorer). The app is told of each call with what it had.
type restorer struct{ c *Client }

// Restore takes the server's row, a call, or a row of one.
func (r *restorer) Restore(item durable.Item) {
	c, op, now := r.c, item.Op, r.c.effects.Now
	call := c.callOfRecord(op.Call)
	c.reschedule(call) // it may end
	c.reschedule(c.callOfRecord(item.Key.Call))
	switch {
	case item.Key.Kind != 0:
		c.lostKey(now, item.Key.Call, op, item.Log)
	case op.Kind == journal.OpServer:
		c.restoreServer(now, op)
	case op.Kind == journal.OpForget:
		c.forgotten(now, op)
	case op.Kind == journal.OpCall && call == nil:
		c.recall(now, op, item.Log)
	case op.Kind == journal.OpCall:
		c.changeHands(now, call, op, item.Log)
	case op.Kind == journal.OpLog && call != nil:
		c.follow(now, call, op)
	}
}

// Restored ends what was read. Any call may be due at another time.
func (r *restorer) Restored(failure error) {
	r.c.rescheduleAll()
	if failure != nil {
		r.c.quarantined(failure)
	}
}

// restoreServer takes the handshake that an earlier page had.
func (c *Client) restoreServer(now engine.Time, op journal.Op) {
	s, err := journal.ParseServer(op.Plain, op.Secret)
	beside := op.Flags&journal.OpBeside != 0
	switch {
	case beside && !c.session.unreadable:
		return // of a build that could not read the row which this one reads
	case err != nil:
		if !c.session.unreadable {
			c.quarantined(err)
		}
		c.session.unreadable = c.session.unreadable || err == journal.ErrNewer // what is damaged nobody can read
		return
	}
	c.session.unreadable = beside
	if len(s.Tools) > 0 && c.storedObject(s.Tools) {
		c.recallTools(s.Tools)
	}
	revision := wire.FindRevision(s.Revision)
	unsealed := !s.HasSession || link.Sendable(s.Session)
	pinned := c.cfg.Revision != "" && c.cfg.Revision != s.Revision
	// One of the same round was made beside this page's own, which is as good where there is one.
	own := c.session.generation
	if c.state == stateReconnecting {
		own = c.session.gone
	}
	stale := c.state != stateNew && roundOf(uint32(s.Handshake)) <= roundOf(own) || c.state == stateConnecting && c.session.begun
	c.session.heardOf(s.Handshake) // whatever else
	if stale || revision == nil || !unsealed || pinned || len(s.Result) == 0 || !c.storedObject(s.Result) || revision.Name == wire.ChannelRevision {
		return
	}
	c.revision, c.session.generation = revision, uint32(s.Handshake)
	c.session.id, c.session.result, c.session.ready = s.Session, s.Result, true
	c.session.restored, c.session.stored, c.session.client = true, true, s.Client
	c.skipVersionHeader = s.SkipVersion
	if c.state == stateReconnecting || c.state == stateOpen {
		c.adopted(now)
	}
}

// dropStaleHandshake lets a new handshake be made where the app says something
// else of itself now, unless a call is under way in the old session.
func (c *Client) dropStaleHandshake() {
	if !c.session.restored || bytes.Equal(c.session.client, c.identity()) {
		return
	}
	for _, call := range c.calls {
		if call.state == callRestored || call.state == callFollowed {
			return
		}
	}
	c.revision = nil
	c.session.id, c.session.result, c.session.ready, c.session.restored = "", nil, false, false
}

// identity is what this side says of itself in a handshake.
func (c *Client) identity() []byte {
	return append(append(append(bytes.Clone(c.cfg.ClientInfo), '\n'), c.cfg.Capabilities...), c.cfg.Extensions...)
}

// storeServer writes the handshake, for the next page.
func (c *Client) storeServer() {
	if c.revision == nil || c.revision.Name == wire.ChannelRevision || !c.session.ready {
		return // while a handshake is under way there is none to store
	}
	plain, secret := journal.AppendServer(&journal.Server{
		Handshake: uint64(c.session.generation), Revision: c.revision.Name, Result: c.session.result, Client: c.identity(),
		HasSession: c.session.id != "", Session: c.session.id, SkipVersion: c.skipVersionHeader, Tools: c.tools.stored,
	})
	c.session.stored, c.session.unstored = c.session.stored || c.writer.Open(), !c.writer.Open()
	c.writer.Put(journal.Op{Kind: journal.OpServer, Flags: c.session.besides(), Plain: plain, Secret: secret})
}

// recall brings one call back. A record that cannot be read stays where it is,
// and the others load (fault 70).
func (c *Client) recall(now engine.Time, head journal.Op, log []journal.Op) {
	h, err := c.readable(head, log)
	if err != nil {
		c.unreadable(head.Call, err)
		return
	}
	if c.heardOfKey(now, h, head, log) {
		return
	}
	c.lastCall++
	state := callFollowed
	if head.Flags&journal.OpOwned != 0 {
		state = callRestored
	}
	call := &call{
		id: engine.CallID(c.lastCall), request: requestID(head.Call), method: h.Method, header: h.Header, flags: h.Flags,
		timeouts: Timeouts{Answer: h.Answer, Idle: h.Idle, Total: h.Total, Send: h.SendWithin}.or(c.cfg.Timeouts),
		state:    state, totalBy: engine.Never,
	}
	call.series.Param = progressToken
	call.tellQueuedAt, call.answerBy = engine.Never, engine.Never
	call.fold = recorded.New(h, len(head.Plain))
	call.record = c.newRecord(call, head.Call, head.Epoch, h.Key, h.CreatedAt)
	call.params, call.meta = call.fold.Head.Params, call.fold.Head.Meta
	call.stream.End()
	if call.state == callRestored {
		call.awaitConnection(c)
	}
	acked, log := journal.TakeAcks(log)
	recall := c.effects.Hold() // before the call's events, and says what follows from all of them
	for _, op := range log {
		call.fold.Reapply(op.Plain, op.Secret, c.replayEvent(call))
	}
	// What the page had of it and nobody had stored comes again, maybe otherwise.
	call.fold.Acked = max(call.fold.Acked, min(acked, call.fold.Position))
	call.record.acked = call.fold.Acked
	if c.expired(call.fold, head, recall) {
		return
	}
	c.session.heardOf(call.fold.Session) // it cannot be the next one, wherever the server's row went
	call.restoreSendBy(c, now, call.fold)
	c.effects.Fill(recall, c.describeRecall(call, call.fold))
	c.calls = append(c.calls, call)
	c.reschedule(call)
	c.byCall[call.id], c.byRecord[head.Call] = call, call
	for _, op := range log {
		c.folded(call, op)
	}
	if call.state == callRestored {
		c.byID[call.request] = call
	}
	if call.fold.Outcome != 0 {
		c.recallOutcome(call)
	} else if call.state == callRestored && c.state == stateOpen && !c.token.Asking() {
		call.carryOn(c, now)
	} else if call.state == callRestored {
		call.tellAwaiting(c)
	}
}

// storedObject reports whether something read from the store is nothing, or one
// JSON object.
func (c *Client) storedObject(text []byte) bool {
	return len(text) == 0 || jsonrpc.IsObject(text) && jsonrpc.Valid(text, c.cfg.Limits.Depth) == nil
}

// foldRow takes one row of a call's log, and tells the app of its events; it reports
// whether it could read it.
func (c *Client) foldRow(now engine.Time, call *call, op journal.Op) bool {
	if err := call.fold.Apply(op.Plain, op.Secret, c.replayEvent(call)); err != nil {
		c.letGo(now, call, err)
		return false
	}
	c.folded(call, op)
	return true
}

// replayEvent returns what tells the app of events that are stored.
func (c *Client) replayEvent(call *call) func(kind engine.EventKind, position uint32, data []byte) {
	return func(kind engine.EventKind, position uint32, data []byte) {
		if kind == engine.EventSegment {
			if call.streamed.Run != call.fold.Sends {
				call.streamed = segments.Tracker{Run: call.fold.Sends} // the request was run again
			}
			call.streamed.Recall(data, call.fold.Checkpoint > 0)
		}
		if position <= call.position || kind == engine.EventInput {
			return // told already; or asked again while it is open, and history once it is not
		}
		call.position = position
		c.replay(call.id, kind, position, data)
	}
}

// replay tells the app of an event that is stored.
func (c *Client) replay(id engine.CallID, kind engine.EventKind, position uint32, data []byte) {
	switch kind {
	case engine.EventProgress, engine.EventLog, engine.EventNotification: // nobody else hears of them
		c.effects.Replay(id, kind, position, data)
	default:
		c.effects.Add(engine.Effect{Kind: engine.Deliver, Event: kind, C: id, Position: position, Data: data})
	}
}

// folded books a row that is folded.
func (c *Client) folded(call *call, op journal.Op) {
	call.record.Loaded(op)
	call.position = max(call.position, call.fold.Position)
	call.record.landed = call.fold.Position
	call.record.acked = max(call.record.acked, call.fold.Acked)
	call.left, call.denied = call.fold.Sent, call.fold.Refused
	if call.record.sentIn = neverSent; !call.fold.LooksUnsent() { // else a page that finds it sends it
		call.record.sentIn = 0
	}
	if call.left {
		call.request = requestID(call.fold.Request) // found by it once it is this tab's
	}
}

// recallOutcome settles a call by what the journal says.
func (c *Client) recallOutcome(call *call) {
	e := engine.Effect{Kind: engine.Settle, C: call.id, Outcome: call.fold.Outcome, Data: call.fold.Data, Failure: call.fold.Failure}
	call.record.outcome = call.fold.Outcome
	call.record.settled, call.record.foreign, call.record.undecided = true, call.state == callFollowed, leavesOpen(call.fold.Failure)
	call.fold = nil
	c.kept[call.id] = call
	c.finish(call)
	c.effects.Add(e)
}

// describeRecall describes a call to the app: {"key":"k","method":"tools/call",
// "params":{…},"createdAt":0,"acked":0,"base":0,"manual":false,"owned":true,"guarantee":"resumable"}.
func (c *Client) describeRecall(call *call, known *recorded.Call) engine.Effect {
	call.record.Know(c.guaranteeOf(known))
	call.record.Announced = call.record.Stored
	b := describeRequest(nil, call)
	b = strconv.AppendInt(jsonrpc.Raw(b, `,"createdAt":`), known.Head.CreatedAt, 10)
	b = appendUint(jsonrpc.Raw(b, `,"id":`), call.record.ID)
	b = appendUint(jsonrpc.Raw(b, `,"acked":`), uint64(known.Acked))
	b = appendUint(jsonrpc.Raw(b, `,"base":`), uint64(known.Checkpoint))
	b = strconv.AppendBool(jsonrpc.Raw(b, `,"manual":`), call.flags&journal.ManualAck != 0)
	b = strconv.AppendBool(jsonrpc.Raw(b, `,"owned":`), call.state == callRestored)
	if call.flags&journal.ManualInput != 0 {
		b = jsonrpc.Raw(b, `,"input":"manual"`)
	}
	b = jsonrpc.AppendString(jsonrpc.Raw(b, `,"guarantee":`), call.record.Stored.String())
	return engine.Effect{Kind: engine.Recall, C: call.id, Data: append(b, '}')}
}

// guaranteeOf returns what the journal makes of a call that is in no hand.
func (c *Client) guaranteeOf(r *recorded.Call) durable.Guarantee {
	switch {
	case r.Outcome != 0, r.TaskID != "":
		return durable.Durable
	case !r.Sent, r.Refused: // it waits, and is sent by whoever finds it in time
		return durable.Resumable
	case r.Asks() && (!r.Stated || r.State != nil),
		r.Policy != nil && r.Policy.Token != nil, len(r.Cursor) > 0 && r.Session == uint64(c.session.generation):
		return durable.Resumable
	}
	return durable.LostOnReload
}
