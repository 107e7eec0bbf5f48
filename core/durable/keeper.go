package durable

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// Keeping is the client of a Keeper: what it does as its commits end, and with what is read.
type Keeping interface {
	Owner
	// Closing reports whether the client is being closed: nothing is restored or stored again.
	Closing() bool
	// Landed goes on with what has waited for room in the Writer, and keeps what is stored within its limit.
	Landed()
	// MakeRoom returns deletions for the commit that found no room, nil where nothing may go.
	MakeRoom() []byte
	// RoomMade notes whether those that went in place of a commit are stored.
	RoomMade(ticket uint32, stored bool)
	// Failing is told before the store fails, whether or not it was open.
	Failing(why Reason)
	// Failed goes on after that with what has waited for a store that was away.
	Failed(wasOpen bool)
}

// Restorer takes what is read.
type Restorer interface {
	// Restore takes one item; its bytes are lent.
	Restore(item Item)
	// Restored ends what Restore was called for; failure is that of input which ends too soon.
	Restored(failure error)
}

// Keeper is what a client has of its store: what becomes of commits, and what is read. A client embeds one:
// Stored, Missed, StoreGone and Restore are its inputs.
type Keeper struct {
	effects *engine.Queue
	writer  *Writer
	of      Keeping
	to      Restorer
}

// NewKeeper returns the Keeper of a client that has these effects and this Writer.
func NewKeeper(effects *engine.Queue, writer *Writer, of Keeping, to Restorer) Keeper {
	return Keeper{effects, writer, of, to}
}

// Stored takes the host's answer to effect Store. why is that of a failure.
func (k *Keeper) Stored(now engine.Time, ticket uint32, result journal.Result, why Reason) {
	k.effects.Begin(now)
	switch k.writer.Stored(now, ticket, result) {
	case CommitLate:
		k.of.RoomMade(ticket, true)
		k.StoreReturned()
	case CommitStored:
		k.of.Landed()
	case CommitFull:
		if room := k.of.MakeRoom(); room != nil {
			k.effects.Add(k.writer.MakeRoom(room))
			return
		}
		k.fail(ReasonQuota)
	case CommitRoomMade:
		k.of.RoomMade(ticket, true)
		k.effects.Add(k.writer.Retry())
	case CommitFailed:
		k.of.RoomMade(ticket, false)
		if result == journal.ResultQuota {
			why = ReasonQuota
		}
		k.fail(why)
	}
}

// Missed notes that the store has failed a commit that only deletes, and whose end nobody waited for.
func (k *Keeper) Missed(now engine.Time, ops []byte) {
	k.effects.Begin(now)
	k.writer.Missed(ops)
}

// StoreGone notes that nothing is stored any more, and that what was may be gone: everything was deleted, or
// a newer version has the database. What is at hand does not wait for its next commit to say that it ends
// with the page. After ReasonClosed nothing is stored for as long as the client lives, and nothing begins:
// its user has logged out.
func (k *Keeper) StoreGone(now engine.Time, why Reason) {
	k.effects.Begin(now)
	k.fail(why)
}

// WatchStore gives up a commit that takes too long.
func (k *Keeper) WatchStore(now engine.Time) {
	if k.writer.GivesUp(now) {
		k.fail(ReasonTimeout)
	}
}

// fail goes on in memory: what waited counts as stored. What is made later is kept again if the store comes
// back.
func (k *Keeper) fail(why Reason) {
	k.of.Failing(why)
	wasOpen := k.writer.Open()
	k.writer.Fail(k.effects.Now, why, k.of)
	k.of.Failed(wasOpen)
}

// StoreReturned goes on storing: the store works after all.
func (k *Keeper) StoreReturned() {
	if !k.of.Closing() {
		k.writer.Return(k.of)
	}
}

// Restore takes what the store holds, its bytes are lent until the effects are taken. Before Start that is
// all of the client's, in as many pieces as the host likes that begin with a record each: the server's row,
// then each record's head with its log after it. No network is needed for that. Later it is what other tabs
// have stored: a handshake, a record of theirs, rows of one that is followed, a record that has changed hands
// (its head and whole log).
func (k *Keeper) Restore(now engine.Time, ops []byte) {
	k.effects.Begin(now)
	if k.of.Closing() {
		return
	}
	r := NewReader(ops)
	for item, ok := r.Next(); ok; item, ok = r.Next() {
		k.to.Restore(item)
	}
	k.to.Restored(r.Err())
}
