//go:build !js

package peer

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"

	"github.com/google/uuid"
)

// A session is one client's state between initialize and DELETE. Its context
// ends with it and takes every script along.
type session struct {
	id       string
	revision string
	ctx      context.Context
	end      context.CancelFunc

	mu         sync.Mutex
	ready      bool // notifications/initialized has come
	streams    []*stream
	standalone *stream
	cursors    map[string]position
	calls      map[string]*run     // by request id, while running
	used       map[string]bool     // every request id ever seen
	replies    map[string]envelope // client's responses by id
	level      string              // set by logging/setLevel
	subscribed []string            // resources, by resources/subscribe
	unsure     map[string]bool     // replies whose POST got no answer
	resumable  bool                // the client declared resumableRequests
	declared   json.RawMessage     // the client's capabilities

	resumptions map[string]*resumption // by request id, as long as the session
}

// A position is the place of an event in the store.
type position struct {
	stream *stream
	index  int
}

// sessions are those alive now, by id; a sessionless Peer has the one named "".
type sessions struct {
	mu   sync.Mutex
	byID map[string]*session
}

func (h *sessions) get(id string) *session {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.byID[id]
}

func (h *sessions) list() []*session {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Collect(maps.Values(h.byID))
}

func (h *sessions) remove(id string) {
	h.mu.Lock()
	s := h.byID[id]
	delete(h.byID, id)
	h.mu.Unlock()
	if s != nil {
		s.close()
	}
}

func (h *sessions) forget() {
	for _, s := range h.list() {
		h.remove(s.id)
	}
}

func (p *Peer) newSession(revision string) *session {
	if s := p.home.get(""); s != nil && p.opts.Sessionless {
		// The one session of them all: its calls belong to other clients too.
		s.mu.Lock()
		defer s.mu.Unlock()
		s.ready, s.used = false, make(map[string]bool)
		return s
	}
	s := &session{
		revision: revision,
		cursors:  make(map[string]position),
		calls:    make(map[string]*run),
		used:     make(map[string]bool),
		replies:  make(map[string]envelope),
		unsure:   make(map[string]bool),

		resumptions: make(map[string]*resumption),
	}
	if !p.opts.Sessionless {
		s.id = uuid.NewString()
	}
	s.ctx, s.end = context.WithCancel(p.ctx)
	s.standalone = p.newStream(s)
	p.home.mu.Lock()
	defer p.home.mu.Unlock()
	if p.home.byID == nil {
		p.home.byID = make(map[string]*session)
	}
	p.home.byID[s.id] = s
	return s
}

func (s *session) logLevel() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.level
}

// close ends scripts and streams; the bodies end properly.
func (s *session) close() {
	s.end()
	s.mu.Lock()
	streams := slices.Clone(s.streams)
	s.mu.Unlock()
	for _, st := range streams {
		st.cut(Clean)
	}
}

// Expire forgets all sessions without touching idle connections: their streams
// end properly and the next request gets 404.
func (p *Peer) Expire() { p.home.forget() }

// Sessions is the number of sessions alive.
func (p *Peer) Sessions() int { return len(p.home.list()) }
