//go:build !js

package acppeer

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// A session outlives connections.
type session struct {
	p        *Peer
	id, cwd  string
	attached map[*connection]bool
	history  []*Sent
	state    string // the last state's update; "" if there was none
	count    int    // of ⟨n⟩
	made     int    // message ids
	stops    []context.CancelFunc
}

// A Sent is one update of a session.
type Sent struct {
	// Serial counts the session's updates from 1, states included.
	Serial int
	// Kind is its discriminator.
	Kind string
	// Update as it was sent.
	Update string
	// Written is how often it left as a whole, on any connection; 0 means that it
	// waits, or is lost.
	Written int
}

func (p *Peer) newSession(c *connection, m message) {
	var params struct{ CWD string }
	json.Unmarshal(m.Params, &params)
	s := &session{p: p, cwd: params.CWD, attached: map[*connection]bool{c: true}}
	p.change(func() {
		s.id = fmt.Sprintf("%ss%d", p.opts.Prefix, len(p.order)+1)
		p.sessions[s.id], p.order = s, append(p.order, s.id)
		for _, update := range p.opts.Early {
			stream := s.id
			if p.opts.EarlyOnConnection {
				stream = ""
			}
			p.push(c, stream, updateMessage(s.id, update), s.keep(update))
		}
		p.push(c, "", success(m.ID, p.said("session/new", fmt.Sprintf(`{"sessionId":%q}`, s.id))), nil)
	})
}

func updateMessage(session, update string) string {
	return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"` + session + `","update":` +
		update + `}}`
}

func kindOf(update string) string {
	// Most are written here, and some are long.
	if rest, ok := strings.CutPrefix(update, `{"sessionUpdate":"`); ok {
		kind, _, _ := strings.Cut(rest, `"`)
		return kind
	}
	var named struct{ SessionUpdate string }
	json.Unmarshal([]byte(update), &named)
	return named.SessionUpdate
}

// keep puts an update into the history; the mutex is held.
func (s *session) keep(update string) *Sent {
	sent := &Sent{Serial: len(s.history) + 1, Kind: kindOf(update), Update: update}
	s.history = append(s.history, sent)
	if sent.Kind == s.p.opts.State {
		s.state = update
	}
	return sent
}

// update sends an update to everybody attached.
func (s *session) update(update string) { s.p.change(func() { s.send(update) }) }

// send is update with the mutex held.
func (s *session) send(update string) {
	sent := s.keep(update)
	for c := range s.attached {
		s.p.push(c, s.id, updateMessage(s.id, update), sent)
	}
}

func (s *session) cancel() {
	s.p.mu.Lock()
	stops := s.stops
	s.p.mu.Unlock()
	for _, stop := range stops {
		stop()
	}
}

// replay sends the history to one connection, if it shall, and attaches it.
func (p *Peer) replay(c *connection, s *session, history bool) {
	p.change(func() {
		for _, sent := range s.history {
			if history && sent.Kind != p.opts.State {
				p.push(c, s.id, updateMessage(s.id, sent.Update), sent)
			}
		}
		s.attached[c] = true
	})
}

func (p *Peer) resume(c *connection, s *session, m message) {
	var params struct{ ReplayFrom struct{ Type string } }
	json.Unmarshal(m.Params, &params)
	p.replay(c, s, params.ReplayFrom.Type == "start" && !p.opts.NoReplay)
	p.change(func() {
		// Agents of before September say nothing of the state here.
		if p.v2(c) && !p.opts.EmptyAck {
			state := s.state
			if state == "" {
				state = fmt.Sprintf(`{"sessionUpdate":%q,"state":"idle"}`, p.opts.State)
			}
			p.push(c, s.id, updateMessage(s.id, state), nil)
		}
	})
}

func (p *Peer) list() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []string
	for _, id := range p.order {
		if s := p.sessions[id]; s != nil {
			all = append(all, fmt.Sprintf(`{"sessionId":%q,"cwd":%q}`, id, s.cwd))
		}
	}
	return `{"sessions":[` + strings.Join(all, ",") + `]}`
}

// Sent lists every update of a session so far, in order. A replay is not another
// update, but counts as written once more.
func (p *Peer) Sent(session string) []Sent {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []Sent
	if s := p.sessions[session]; s != nil {
		for _, sent := range s.history {
			all = append(all, *sent)
		}
	}
	return all
}

// Counted is how many chunks ⟨n⟩ a session has sent: they are numbered from 1
// over all its turns, so that a test finds those that are lost or doubled.
func (p *Peer) Counted(session string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.sessions[session]; s != nil {
		return s.count
	}
	return 0
}

// Sessions are the ids of those that live.
func (p *Peer) Sessions() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(p.order), func(id string) bool { return p.sessions[id] == nil })
}

// Push sends an update of a session without any turn: at any time, with no
// request open.
func (p *Peer) Push(session, update string) {
	p.t.Helper()
	p.mu.Lock()
	s := p.sessions[session]
	p.mu.Unlock()
	if s == nil {
		p.t.Fatalf("acppeer: no session %q", session)
	}
	s.update(update)
}

// PushStray sends an update that names a session nobody knows, on the stream of
// another one, "" being the connection's.
func (p *Peer) PushStray(stream, session, update string) {
	p.change(func() {
		for _, c := range p.connections {
			p.push(c, stream, updateMessage(session, update), nil)
		}
	})
}

// PushRaw writes bytes on a stream as they are, after what is waiting there.
func (p *Peer) PushRaw(stream, bytes string) {
	p.change(func() {
		for _, c := range p.connections {
			p.put(c, stream, frame{data: []byte(bytes), raw: true})
		}
	})
}
