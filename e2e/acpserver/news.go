//go:build !js

package acpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"testing"
)

// news follows the log and the gates of one process, so that waits are
// predicates over what it said and nothing has to sleep.
type news struct {
	stop context.CancelFunc

	mu      sync.Mutex
	changed chan struct{}
	log     []Entry
	waiting map[string]int
}

// bulletin is what the control answers.
type bulletin struct {
	Version int
	Log     []Entry
	Waiting map[string]int
}

func newNews(t testing.TB, control string) *news {
	ctx, stop := context.WithCancel(context.Background())
	n := &news{stop: stop, changed: make(chan struct{})}
	t.Cleanup(stop)
	go n.follow(ctx, control)
	return n
}

func (n *news) follow(ctx context.Context, control string) {
	for version, from := -1, 0; ; {
		b, err := read(ctx, control, from, version)
		if err != nil {
			return // the process is gone, or the test over
		}
		version, from = b.Version, from+len(b.Log)
		n.mu.Lock()
		n.log, n.waiting = append(n.log, b.Log...), b.Waiting
		close(n.changed)
		n.changed = make(chan struct{})
		n.mu.Unlock()
	}
}

func read(ctx context.Context, control string, from, version int) (bulletin, error) {
	var b bulletin
	r, err := http.NewRequestWithContext(ctx, http.MethodGet,
		fmt.Sprintf("%s?from=%d&version=%d", control, from, version), nil)
	if err != nil {
		return b, err
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return b, err
	}
	defer answer.Body.Close()
	return b, json.NewDecoder(answer.Body).Decode(&b)
}

// await returns true once ok does, false when ctx ends first.
func (n *news) await(ctx context.Context, ok func(*news) bool) bool {
	for {
		n.mu.Lock()
		yes, changed := ok(n), n.changed
		n.mu.Unlock()
		if yes {
			return true
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
}
