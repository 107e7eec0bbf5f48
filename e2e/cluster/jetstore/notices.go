package jetstore

import (
	"strings"
	"sync"

	"github.com/nats-io/nats.go"
)

// notices tell readers that a stream has more. They are messages that nobody stores: a lost one costs a
// reader cfg.Poll, and no more. A node hears those of the streams that it reads itself.
type notices struct {
	prefix string
	nc     *nats.Conn

	mu      sync.Mutex
	readers map[string]*readers // by path
}

type readers struct {
	subscription *nats.Subscription
	told         map[chan struct{}]struct{}
}

func (n *notices) open(nc *nats.Conn, prefix string) {
	n.prefix, n.nc, n.readers = prefix+".told.", nc, map[string]*readers{}
}

// tell says that a stream has more.
func (n *notices) tell(path string) {
	_ = n.nc.Publish(n.prefix+path, nil) // readers look by themselves, too
}

// of returns what hears of a stream, until cancel.
func (n *notices) of(path string) (told <-chan struct{}, cancel func()) {
	mine := make(chan struct{}, 1)
	n.mu.Lock()
	defer n.mu.Unlock()
	r := n.readers[path]
	if r == nil {
		r = &readers{told: map[chan struct{}]struct{}{}}
		n.readers[path] = r
		r.subscription, _ = n.nc.Subscribe(n.prefix+path,
			func(m *nats.Msg) { n.heard(strings.TrimPrefix(m.Subject, n.prefix)) })
	}
	r.told[mine] = struct{}{}
	return mine, func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		delete(r.told, mine)
		if len(r.told) == 0 && n.readers[path] == r {
			n.drop(path, r)
		}
	}
}

func (n *notices) heard(path string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if r := n.readers[path]; r != nil {
		for told := range r.told {
			select {
			case told <- struct{}{}:
			default: // it has not looked since the last one
			}
		}
	}
}

func (n *notices) drop(path string, r *readers) {
	delete(n.readers, path)
	if r.subscription != nil {
		_ = r.subscription.Unsubscribe()
	}
}

func (n *notices) close() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for path, r := range n.readers {
		n.drop(path, r)
	}
}
