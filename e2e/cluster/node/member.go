package node

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/cluster/jetstore/store"
)

// errLease: the node could not say for too long that it is there, and others go on with its calls.
var errLease = errors.New("this node has lost its lease")

// lease is what a node has of the others' trust.
//
//	joining: nothing runs here.     -> holding once its record is written in time, under the name that it has
//	holding: calls may run here.    -> joining when it was not written for two thirds of a lease, with another name
type lease int

const (
	joining lease = iota
	holding
)

// member is a node's part in the cluster: its own record, and what it has seen of the others'.
type member struct {
	mu       sync.Mutex
	lease    lease
	name     string
	revision uint64
	renewed  time.Time // when the record was last written in time; monotonic
	held     map[*func()]struct{}
	others   map[string]*sighting
}

// sighting is when a node's record was last seen to change, by this node's monotonic clock.
type sighting struct {
	revision uint64
	at       time.Time
}

func nodeKey(name string) store.Key { return store.Key{Kind: "nodes", Group: "all", ID: name} }

const left = "left" // what the record of a node says behind its name that has left by itself

// beat is how often a node writes its record, and looks at the others'.
func (n *Node) beat() time.Duration { return n.cfg.Lease / 5 }

func (n *Node) join(ctx context.Context) error {
	n.member.name, n.member.held, n.member.others = rand.Text(), map[*func()]struct{}{},
		map[string]*sighting{}
	for {
		err := n.renew(ctx)
		if store.CodeOf(err) != store.Unavailable || ctx.Err() != nil {
			return err // else the store may be starting, too
		}
	}
}

// owner is the name under which a call may begin here; Unavailable where there is no lease. The name of a
// node that joins is in no record yet: if it ended now, nobody would ever look for calls under it.
func (n *Node) owner(op string) (string, error) {
	n.member.mu.Lock()
	defer n.member.mu.Unlock()
	if n.member.lease == joining {
		return "", &store.Error{Code: store.Unavailable, Op: op, Err: errLease}
	}
	return n.member.name, nil
}

// Name is the node's name. It has another each time that it starts, and each time that it has lost its lease:
// what it ran before is then taken over like any other's, by itself perhaps.
func (n *Node) Name() string {
	n.member.mu.Lock()
	defer n.member.mu.Unlock()
	return n.member.name
}

// renew writes the node's record. The lease counts from before the write: the others see it later. A lease
// that is over by then is lost first: a process that was stopped, and goes on, may come here before mind has
// looked.
func (n *Node) renew(ctx context.Context) error {
	n.lapse()
	began := n.cfg.Clock()
	n.member.mu.Lock()
	name, revision := n.member.name, n.member.revision
	n.member.mu.Unlock()
	next, err := n.cfg.Records.Put(ctx, nodeKey(name), []byte(name), revision)
	if store.CodeOf(err) == store.Conflict {
		// An earlier try that got there after all, or the others have given this node up and deleted it.
		record, found := n.cfg.Records.Get(ctx, nodeKey(name))
		if found != nil && store.CodeOf(found) != store.Unknown {
			return found
		}
		next, err = n.cfg.Records.Put(ctx, nodeKey(name), []byte(name), record.Revision)
	}
	if err != nil {
		return err
	}
	n.member.mu.Lock()
	defer n.member.mu.Unlock()
	if n.member.name != name {
		return nil // it has lost its lease meanwhile
	}
	n.member.revision = next
	if n.cfg.Clock().Sub(began) < n.term() {
		n.member.lease, n.member.renewed = holding, began
	}
	return nil
}

// leave tells the others that they need not wait.
func (n *Node) leave(ctx context.Context) error {
	n.member.mu.Lock()
	defer n.member.mu.Unlock()
	name := n.member.name
	_, err := n.cfg.Records.Put(ctx, nodeKey(name), []byte(name+" "+left), n.member.revision)
	return err
}

// term is how long the node may run calls without a renewal: the others wait for a whole lease.
func (n *Node) term() time.Duration { return n.cfg.Lease * 2 / 3 }

// leased reports whether the node may run calls.
func (n *Node) leased() bool {
	n.member.mu.Lock()
	defer n.member.mu.Unlock()
	return n.member.lease == holding && n.cfg.Clock().Sub(n.member.renewed) < n.term()
}

// lapse gives up a lease that is over, with all that runs under it, and reports whether it has: whoever sees
// it first does.
func (n *Node) lapse() bool {
	n.member.mu.Lock()
	defer n.member.mu.Unlock()
	if n.member.lease == joining || n.cfg.Clock().Sub(n.member.renewed) < n.term() {
		return false
	}
	n.cfg.Logger.Warn("this node has lost its lease, and gives its calls up")
	n.member.lose()
	return true
}

// during has a function called when the lease is lost under which a call was begun, until done; ok is false
// where it is lost already.
func (m *member) during(owner string, lost func()) (done func(), ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.name != owner {
		return nil, false
	}
	m.held[&lost] = struct{}{}
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.held, &lost)
	}, true
}

// abandon has the others look once more for calls under a name that this node had: it has begun one, and lost
// its lease meanwhile. They may have been through with that name by then.
func (n *Node) abandon(name string) {
	for n.ctx.Err() == nil {
		record, err := n.cfg.Records.Get(n.ctx, nodeKey(name))
		if err == nil || store.CodeOf(err) == store.Unknown {
			_, err = n.cfg.Records.Put(n.ctx, nodeKey(name), []byte(name+" "+left), record.Revision)
		}
		if err == nil {
			return
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-n.ctx.Done():
		}
	}
}

// lose gives up what runs here, and the name that it runs under. The caller has the lock.
func (m *member) lose() {
	m.lease, m.name, m.revision = joining, rand.Text(), 0
	for lost := range m.held {
		(*lost)()
	}
}

// watch renews the lease, and goes on with the calls of nodes that have ended.
func (n *Node) watch() {
	tick := time.NewTicker(n.beat())
	defer tick.Stop()
	n.work.Go(n.mind)
	for {
		select {
		case <-tick.C:
		case <-n.ctx.Done():
			return
		}
		if err := n.renew(n.ctx); err != nil {
			continue
		}
		gone, err := n.gone(n.ctx)
		if err != nil {
			continue
		}
		for _, name := range gone {
			n.takeOver(n.ctx, name)
		}
	}
}

// mind gives up what runs here when the lease is lost: it must not wait for a store that does not answer.
func (n *Node) mind() {
	tick := time.NewTicker(n.beat() / 2)
	defer tick.Stop()
	var tried time.Time
	for {
		select {
		case <-tick.C:
			lost := n.lapse()
			if n.leased() {
				continue
			}
			if now := n.cfg.Clock(); lost || now.Sub(tried) > n.cfg.Lease {
				tried = now
				n.cfg.Reconnect()
			}
		case <-n.ctx.Done():
			return
		}
	}
}

// gone returns the nodes whose records have not changed for a lease, or that have left.
func (n *Node) gone(ctx context.Context) (names []string, err error) {
	records, err := n.cfg.Records.List(ctx, "nodes", "all")
	if err != nil {
		return nil, err
	}
	n.member.mu.Lock()
	defer n.member.mu.Unlock()
	seen := map[string]*sighting{}
	for _, record := range records {
		name, why, _ := cutSpace(string(record.Value))
		if name == n.member.name {
			continue
		}
		s := n.member.others[name]
		if s == nil || s.revision != record.Revision {
			s = &sighting{revision: record.Revision, at: n.cfg.Clock()}
		}
		seen[name] = s
		if why == left || n.cfg.Clock().Sub(s.at) > n.cfg.Lease {
			names = append(names, name)
		}
	}
	n.member.others = seen
	return names, nil
}

// there reports whether another node is alive, as far as this one knows.
func (n *Node) there(ctx context.Context, name string) (bool, error) {
	n.member.mu.Lock()
	s := n.member.others[name]
	n.member.mu.Unlock()
	if s != nil {
		return n.cfg.Clock().Sub(s.at) <= n.cfg.Lease, nil
	}
	_, err := n.cfg.Records.Get(ctx, nodeKey(name)) // it may have come since the last look
	if store.CodeOf(err) == store.Unknown {
		return false, nil
	}
	return true, err
}
