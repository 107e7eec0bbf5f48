package rig

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
)

// A World is what tools change: each call says there that it begins, or goes on, and each of its steps. It is
// a system of its own, that outlives the nodes.
type World struct {
	URL string

	mu      sync.Mutex
	changed *sync.Cond
	calls   map[string]*Deeds
	holding map[string]int
	over    bool
}

// Deeds are what a call did.
type Deeds struct {
	Began     int         // how many times it was begun: more than 1 is a call that has run twice
	Continued int         // how many times another node has gone on with it
	Steps     map[int]int // how many times each step was done
	Stale     int         // steps that were refused, of a node that had lost the call
	Waiting   int         // steps that wait for Release
	Node      string      // the process that has called last
	Epoch     int         // the latest node that has run it, counted from 1
}

// NewWorld starts a World until t ends.
func NewWorld(t testing.TB) *World {
	w := &World{calls: map[string]*Deeds{}, holding: map[string]int{}}
	w.changed = sync.NewCond(&w.mu)
	server := httptest.NewServer(w)
	w.URL = server.URL
	t.Cleanup(func() {
		w.mu.Lock()
		w.over = true
		w.changed.Broadcast()
		w.mu.Unlock()
		server.Close()
	})
	return w
}

// Hold has the call of that label stop before that step.
func (w *World) Hold(label string, step int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.holding[label] = step
	w.changed.Broadcast() // it may be held already, at an earlier step
}

// Release lets it go on.
func (w *World) Release(label string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.holding, label)
	w.changed.Broadcast()
}

// Of returns what a call did.
func (w *World) Of(label string) Deeds {
	w.mu.Lock()
	defer w.mu.Unlock()
	return *w.of(label)
}

func (w *World) of(label string) *Deeds {
	d := w.calls[label]
	if d == nil {
		d = &Deeds{Steps: map[int]int{}}
		w.calls[label] = d
	}
	return d
}

// Await returns once a call is at the step before which it is held.
func (w *World) Await(label string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.of(label).Waiting == 0 && !w.over {
		w.changed.Wait()
	}
}

// AwaitWaiting returns once so many nodes, and no more, are at the step before which a call is held.
func (w *World) AwaitWaiting(label string, nodes int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.of(label).Waiting != nodes && !w.over {
		w.changed.Wait()
	}
}

// AwaitEpoch returns once so many nodes have run a call.
func (w *World) AwaitEpoch(label string, epoch int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.of(label).Epoch < epoch && !w.over {
		w.changed.Wait()
	}
}

// ServeHTTP hears a tool: /begin, /continue and /step, with label, epoch and step. 409 refuses what
// another node does by now: the fence that a system outside of the store needs.
func (w *World) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	label := r.FormValue("label")
	epoch, _ := strconv.Atoi(r.FormValue("epoch"))
	step, _ := strconv.Atoi(r.FormValue("step"))
	stop := make(chan struct{})
	defer close(stop)
	go func() { // a node that is killed waits no more
		select {
		case <-r.Context().Done():
			w.mu.Lock()
			w.changed.Broadcast()
			w.mu.Unlock()
		case <-stop:
		}
	}()
	w.mu.Lock()
	defer w.mu.Unlock()
	d := w.of(label)
	held := func() bool {
		from, ok := w.holding[label]
		return ok && r.URL.Path == "/step" && step >= from && !w.over && r.Context().Err() == nil
	}
	d.Waiting++
	if epoch >= d.Epoch {
		d.Node = r.FormValue("node")
	}
	for held() {
		w.changed.Broadcast()
		w.changed.Wait()
	}
	d.Waiting--
	w.changed.Broadcast()
	if r.Context().Err() != nil {
		return
	}
	if epoch < d.Epoch {
		d.Stale++
		rw.WriteHeader(http.StatusConflict)
		return
	}
	d.Epoch = epoch
	w.changed.Broadcast()
	switch r.URL.Path {
	case "/begin":
		d.Began++
	case "/continue":
		d.Continued++
	case "/step":
		d.Steps[step]++
	}
}
