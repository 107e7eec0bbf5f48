package mcp

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// journaling is the group commit: one is under way at a time, and what comes
// meanwhile is the next (DESIGN 3.2). Without a store, or once it has failed,
// everything counts as stored at once and nothing outlives the page.
type journaling struct {
	on      bool // there is a store, and it works
	stored  int  // bytes of all logs in the store, as far as this page knows
	ops     []byte
	dirty   []*call // with a row that waits
	strict  bool    // what waits has to be flushed to disk
	waiting int     // bytes of it
	waiters []waiter

	ticket  uint32 // of the last commit
	landed  uint32 // of the last that was stored
	hung    uint32 // of one that took too long: it may be stored yet
	flying  bool   // that commit is under way
	by      engine.Time
	blob    []byte // what it writes: kept for a second try
	flown   []*call
	firm    bool // it is strict
	evicted bool // room was made for it once
	spare   []byte
}

// waiter is what happens once a commit is stored.
type waiter struct {
	ticket uint32
	do     func(c *Client, now engine.Time)
}

const (
	// commitWithin is how long a commit may take, in ms: a store that hangs must
	// not hold up the calls (DESIGN 3.3).
	commitWithin = 3_000
	// maxUncommitted is how much may wait to be stored before streams are not
	// read further, in bytes (DESIGN 3.2).
	maxUncommitted = 1 << 20
)

// full reports whether reading has to wait for the store.
func (j *journaling) full() bool { return j.on && j.waiting+len(j.blob) > maxUncommitted }

// addOp puts an op other than a row into the next commit.
func (c *Client) addOp(op journal.Op) {
	if !c.journaling.on {
		return
	}
	before := len(c.journaling.ops)
	c.journaling.ops = journal.AppendOp(c.journaling.ops, op)
	c.journaling.waiting += len(c.journaling.ops) - before
}

// commit gathers what waits into one transaction, unless one is under way.
func (c *Client) commit() (engine.Effect, bool) {
	j := &c.journaling
	if !j.on || j.flying || len(j.ops) == 0 && len(j.dirty) == 0 {
		return engine.Effect{}, false
	}
	j.blob = append(j.spare[:0], j.ops...)
	j.spare, j.ops = nil, j.ops[:0]
	for _, t := range j.dirty {
		j.blob = t.record.appendRow(c, t, j.blob)
	}
	j.flown, j.dirty = append(j.flown[:0], j.dirty...), j.dirty[:0]
	j.ticket++
	j.flying, j.firm, j.strict, j.waiting, j.evicted = true, j.strict, false, 0, false
	j.by = c.now.After(commitWithin)
	return c.store(), true
}

func (c *Client) store() engine.Effect {
	j := &c.journaling
	return engine.Effect{Kind: engine.Store, Ticket: j.ticket, Strict: j.firm, Data: j.blob}
}

// whenStored runs do once everything written so far is stored, on disk where
// strict. For a call that is not kept that is at once.
func (c *Client) whenStored(now engine.Time, t *call, strict bool, do func(c *Client, now engine.Time)) {
	j := &c.journaling
	if !j.on || !t.isKept() {
		do(c, now)
		return
	}
	ticket := j.ticket
	switch {
	case len(j.ops) > 0 || len(j.dirty) > 0:
		ticket++
		j.strict = j.strict || strict
	case !j.flying:
		do(c, now)
		return
	}
	j.waiters = append(j.waiters, waiter{ticket, do})
}

// StoreResult says what became of a commit.
type StoreResult uint8

// The results of a commit.
const (
	StoreOK       StoreResult = iota + 1 // stored, secrets sealed
	StoreUnsealed                        // stored without the secrets: there is no cipher
	StoreQuota                           // no room
	StoreFailed                          // not stored, and no use trying again
)

// Stored takes the host's answer to effect Store. why is a word for people, of a
// failure.
func (c *Client) Stored(now engine.Time, ticket uint32, result StoreResult, why string) {
	c.begin(now)
	j := &c.journaling
	if !j.flying || ticket != j.ticket {
		if !j.on && result == StoreOK {
			c.storeBack(now, false) // it took too long, and was given up: the store works after all
		}
		return
	}
	switch result {
	case StoreOK, StoreUnsealed:
		j.flying, j.by, j.landed = false, engine.Never, ticket
		j.spare, j.blob = j.blob, nil
		if cap(j.spare) > 2*maxUncommitted {
			j.spare = nil
		}
		for _, t := range j.flown {
			t.record.landed(result == StoreOK)
			c.tellGuarantee(t)
		}
		j.flown = j.flown[:0]
		c.fitStored()
		c.release(now, ticket)
		for _, t := range append([]*call(nil), c.calls...) {
			t.readOwed(c)
		}
	case StoreQuota:
		if !j.evicted && c.evict() {
			// The same once more, with room made in the same transaction.
			j.evicted = true
			c.effects.Add(c.store())
			return
		}
		c.storeFailed(now, "quota")
	default:
		c.storeFailed(now, why)
	}
}

// release runs what waited for the commits up to ticket.
func (c *Client) release(now engine.Time, ticket uint32) {
	j := &c.journaling
	n := 0
	for n < len(j.waiters) && j.waiters[n].ticket <= ticket {
		n++
	}
	due := append([]waiter(nil), j.waiters[:n]...)
	j.waiters = append(j.waiters[:0], j.waiters[n:]...)
	for _, w := range due {
		w.do(c, now)
	}
}

// storeFailed goes on in memory: what waited counts as stored, and the calls at
// hand will not outlive the page (DESIGN 3.10). Calls made later are kept again
// if the store comes back.
func (c *Client) storeFailed(now engine.Time, why string) {
	j := &c.journaling
	if !j.on {
		return
	}
	ticket := j.ticket + 1
	*j = journaling{ticket: ticket, landed: j.landed, hung: j.hung, by: engine.Never, waiters: j.waiters}
	for _, t := range c.calls {
		if t.record != nil {
			t.record.memory = true
			t.record.plain, t.record.secret, t.record.waits = nil, nil, false
		}
	}
	for _, t := range c.kept {
		t.record.memory = true
	}
	c.tellDurability("memory", why)
	for _, t := range c.calls {
		c.tellGuarantee(t)
	}
	c.release(now, ticket)
	for _, t := range append([]*call(nil), c.calls...) {
		t.readOwed(c)
	}
}

// StoreBack notes that the store works again. cleared says that everything in it
// was deleted under us: what is alive is written anew.
func (c *Client) StoreBack(now engine.Time, cleared bool) {
	c.begin(now)
	c.storeBack(now, cleared)
}

// storeBack writes anew what the store has not, or not any more: with the record
// that a call had before the store failed, a later page would resume it from a
// cursor that the server has left behind.
func (c *Client) storeBack(now engine.Time, cleared bool) {
	if c.state >= stateClosing {
		return
	}
	j := &c.journaling
	if !j.on {
		j.on = true
		c.tellDurability("indexeddb", "")
	}
	if cleared {
		c.storeServer()
	}
	for _, t := range c.calls {
		if t.role == roleApp && t.record != nil && (cleared || t.record.memory) && t.phase != callFollowed && t.phase < callTail {
			c.rewrite(t)
		}
	}
}

// evict puts the deletion of finished calls in front of the commit that found no
// room, oldest first; false if there is none.
func (c *Client) evict() bool {
	j := &c.journaling
	var room []byte
	for _, t := range c.keptInOrder() {
		// Not one whose outcome is under way: it has not been told yet.
		if !t.record.memory && t.record.overIn <= j.landed {
			room = journal.AppendOp(room, journal.Op{Kind: journal.OpForget, Call: t.record.id})
			t.record.memory = true
		}
	}
	if room == nil {
		return false
	}
	j.blob = append(room, j.blob...)
	return true
}
