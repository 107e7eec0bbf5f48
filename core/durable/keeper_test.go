package durable

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// keeping is a client of a few lines, which notes what it is told.
type keeping struct {
	Keeper
	effects engine.Queue
	writer  Writer
	room    []byte
	closing bool
	told    []string
}

func newKeeping() *keeping {
	k := &keeping{writer: NewWriter(true)}
	k.Keeper = NewKeeper(&k.effects, &k.writer, k, k)
	return k
}

func (k *keeping) tell(words ...string)   { k.told = append(k.told, strings.Join(words, " ")) }
func (k *keeping) Closing() bool          { return k.closing }
func (k *keeping) Landed()                { k.tell("landed") }
func (k *keeping) MakeRoom() []byte       { return k.room }
func (k *keeping) InMemory(why Reason)    { k.tell("in memory:", why.String()) }
func (k *keeping) WriteAgain()            { k.tell("again") }
func (k *keeping) Failing(why Reason)     { k.tell("failing:", why.String()) }
func (k *keeping) Failed(wasOpen bool)    { k.tell("failed") }
func (k *keeping) Restore(item Item)      { k.tell("read") }
func (k *keeping) Restored(failure error) { k.tell("all read") }
func (k *keeping) RoomMade(_ uint32, ok bool) {
	if ok {
		k.tell("room")
	} else {
		k.tell("no room")
	}
}

// commit has something written, and returns the ticket of the commit.
func (k *keeping) commit(t *testing.T, now engine.Time) uint32 {
	t.Helper()
	k.writer.Put(journal.Op{Kind: journal.OpCall, Call: 1})
	e, ok := k.writer.Commit(now)
	if !ok {
		t.Fatal("nothing is written")
	}
	return e.Ticket
}

// TestKeeperGoesOn: whatever becomes of a commit, the client is told what it has to do, in that order.
func TestKeeperGoesOn(t *testing.T) {
	failed := "failing: quota|in memory: quota|failed"
	for name, row := range map[string]struct {
		room    string
		results []journal.Result
		want    string
	}{
		"it lands":            {"", []journal.Result{journal.ResultOK}, "landed"},
		"no room":             {"", []journal.Result{journal.ResultQuota}, failed},
		"room is made":        {"x", []journal.Result{journal.ResultQuota, journal.ResultOK, journal.ResultOK}, "room|landed"},
		"room cannot be made": {"x", []journal.Result{journal.ResultQuota, journal.ResultQuota}, "no room|" + failed},
		"a later one lands":   {"", []journal.Result{journal.ResultQuota, journal.ResultOK}, failed + "|room|again"},
	} {
		k := newKeeping()
		ticket := k.commit(t, 0)
		if row.room != "" {
			k.room = journal.AppendOp(nil, journal.Op{Kind: journal.OpForget, Call: 2})
		}
		for _, result := range row.results {
			k.Stored(0, ticket, result, 0)
		}
		if got := strings.Join(k.told, "|"); got != row.want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// TestKeeperGivesUp: a store that hangs is given up, and goes on where it answers after all, unless the
// client closes.
func TestKeeperGivesUp(t *testing.T) {
	for _, closing := range []bool{false, true} {
		k := newKeeping()
		ticket := k.commit(t, 0)
		k.WatchStore(CommitWithin - 1)
		k.effects.Begin(CommitWithin)
		k.WatchStore(CommitWithin)
		k.closing = closing
		k.Stored(CommitWithin+1, ticket, journal.ResultOK, 0)
		want := "failing: timeout|in memory: timeout|failed|room|again"
		if closing {
			want = strings.TrimSuffix(want, "|again")
		}
		if got := strings.Join(k.told, "|"); got != want {
			t.Errorf("closing %t: %s", closing, got)
		}
	}
}

// TestKeeperReads: what is read comes item by item, and nothing while the client is being closed.
func TestKeeperReads(t *testing.T) {
	k := newKeeping()
	ops := journal.AppendOp(nil, journal.Op{Kind: journal.OpServer, Plain: []byte("x")})
	ops = journal.AppendOp(ops, journal.Op{Kind: journal.OpForget, Call: 2})
	k.Keeper.Restore(0, ops)
	k.closing = true
	k.Keeper.Restore(0, ops)
	if got := strings.Join(k.told, "|"); got != "read|read|all read" {
		t.Error(got)
	}
}
