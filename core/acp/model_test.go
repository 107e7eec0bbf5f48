//go:build !js

package acp_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/holdfast-mcp/holdfast/core/engine"
)

// model is an agent and its host in memory, as RFD streamable-http-websocket-transport has them: streams
// that buffer while nobody reads, frames without ids, sessions that outlive
// connections.
type model struct {
	version      int    // 0 is 2
	answers      string // members of the answer to initialize, "" for what fits the version
	ids          bool   // frames have ids, and what follows one is told again
	deafToIDs    bool   // but it is not
	cursors      []string
	refuse       int    // the status that initialize gets
	unauthorized string // the method that gets a 401, of a request or of HTTP
	later        string // a Retry-After: everything else gets a 503 with it
	taken        int    // so many streams are still read by somebody else
	forgets      bool   // connections, as soon as they are made
	silent       map[string]bool
	connections  map[string]*modelConnection
	made         int
	sessions     map[string]*modelSession
	newest       string
	requests     []modelRequest
	answered     map[string]int // questions, by id
	asked        int
	onPrompt     func(*modelSession, modelRequest)
	unlabelled   bool // initialize is answered without a content type
	slowly       bool // POSTs travel: the stream that was there when one left may be lent by now
}

type modelConnection struct {
	id      string
	ids     bool
	said    int // frames
	order   []string
	boxes   map[string]*modelBox // by session, "" the connection's own
	refuses bool                 // answers get a 400
	socket  bool                 // what is said on it comes in its order, whatever session it is of
}

type modelBox struct {
	frames []string
	told   []string          // of those with ids
	x      engine.ExchangeID // who reads it
}

type modelSession struct {
	m       *model
	id      string
	conn    *modelConnection
	history []string // updates
	state   string   // the last state update
	asking  string   // the question that waits, raw
	askID   string
	after   func()
	turns   int
}

// modelRequest is what a client has POSTed.
type modelRequest struct {
	Method, HTTP, Connection, Session string
	ID                                json.RawMessage
	Params, Result, Error             json.RawMessage
}

func newModel() *model {
	m := &model{connections: map[string]*modelConnection{}, sessions: map[string]*modelSession{},
		answered: map[string]int{}, silent: map[string]bool{}}
	m.onPrompt = func(s *modelSession, r modelRequest) { s.turn(r, 4, false) }
	return m
}

func (m *model) serve(s *sim, x engine.ExchangeID, r *engine.Request) (int, []engine.Field, string) {
	var q modelRequest
	_ = json.Unmarshal(r.Body, &q)
	q.HTTP = r.Method
	for _, f := range r.Header {
		switch f.Name {
		case "Acp-Connection-Id":
			q.Connection = f.Value
		case "Acp-Session-Id":
			q.Session = f.Value
		}
	}
	m.requests = append(m.requests, q)
	if q.Method == "initialize" {
		if m.refuse != 0 {
			return m.refuse, nil, ""
		}
		m.made++
		c := &modelConnection{ids: m.ids, id: fmt.Sprintf("c%d", m.made), boxes: map[string]*modelBox{}}
		if !m.forgets {
			m.connections[c.id] = c
		}
		version, answers := 2, `"info":{"name":"m","version":"1"},"capabilities":{"session":{}}`
		if m.version == 1 {
			version, answers = 1, `"agentCapabilities":{"loadSession":true}`
		}
		if m.answers != "" {
			answers = m.answers
		}
		media := "application/json"
		if m.unlabelled {
			media = ""
		}
		return 200, []engine.Field{{Name: "content-type", Value: media},
				{Name: "acp-connection-id", Value: c.id}},
			fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":%d,%s}}`, q.ID, version,
				answers)
	}
	if m.unauthorized != "" && m.unauthorized == cmp.Or(q.Method, q.HTTP) {
		return 401, nil, ""
	}
	if m.later != "" {
		return 503, []engine.Field{{Name: "retry-after", Value: m.later}}, ""
	}
	c := m.connections[q.Connection]
	if c == nil {
		return 404, nil, ""
	}
	if r.Method == "GET" {
		box := c.box(q.Session)
		if m.taken > 0 {
			m.taken--
			return 409, nil, ""
		}
		if box.x != 0 {
			return 409, nil, ""
		}
		box.x = x
		for _, f := range r.Header {
			if f.Name == "Last-Event-ID" {
				m.cursors = append(m.cursors, f.Value)
				box.rewind(f.Value, m.deafToIDs)
			}
		}
		return 200, []engine.Field{{Name: "content-type", Value: "text/event-stream"}}, ""
	}
	var named struct{ SessionID string }
	_ = json.Unmarshal(q.Params, &named)
	if named.SessionID != q.Session && q.Method != "" || c.refuses && q.Method == "" {
		return 400, nil, "" // the header is mandatory, and no other
	}
	if q.Method == "session/prompt" && c.box(q.Session).x == 0 && !m.slowly {
		s.fatal("client MUST 11: a prompt while nobody reads its session")
	}
	m.handle(c, q)
	return 202, nil, ""
}

func (c *modelConnection) box(session string) *modelBox {
	if c.boxes[session] == nil {
		c.boxes[session] = &modelBox{}
		c.order = append(c.order, session)
	}
	return c.boxes[session]
}

// rewind tells again what came after that id, unless the host only says that it would.
func (b *modelBox) rewind(id string, deaf bool) {
	for i, frame := range b.told {
		if strings.HasPrefix(frame, "id: "+id+"\n") && !deaf {
			b.frames, b.told = slices.Concat(b.told[i+1:], b.frames), b.told[:i+1]
			return
		}
	}
}

func (c *modelConnection) say(session, format string, args ...any) {
	if c.socket {
		session = ""
	}
	box := c.box(session)
	frame := fmt.Sprintf(format, args...)
	if c.ids {
		c.said++
		frame = fmt.Sprintf("id: canary-%s-%d\ndata: %s", c.id, c.said, frame)
	}
	box.frames = append(box.frames, frame)
}

func (m *model) handle(c *modelConnection, q modelRequest) {
	if m.silent[q.Method] {
		return
	}
	s := m.sessions[q.Session]
	switch {
	case q.Method == "session/new":
		m.newest = fmt.Sprintf("s%d", len(m.sessions)+1)
		m.sessions[m.newest] = &modelSession{m: m, id: m.newest, conn: c, state: `"state":"idle"`}
		c.say("", `{"jsonrpc":"2.0","id":%s,"result":{"sessionId":%q}}`, q.ID, m.newest)
	case q.Method == "":
		m.answered[string(q.ID)]++
		if s != nil && s.askID == string(q.ID) {
			after := s.after
			s.asking, s.askID, s.after = "", "", nil
			after()
		}
	case q.ID == nil:
	case s == nil:
		c.say(q.Session, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32002,"message":"no such session"}}`,
			q.ID)
	case q.Method == "session/resume", q.Method == "session/load":
		s.conn = c
		if strings.Contains(string(q.Params), "replayFrom") || q.Method == "session/load" {
			for _, u := range s.history {
				s.tell(u)
			}
		}
		to := q.Session
		if m.version == 1 {
			to = "" // on the connection's stream
		} else {
			s.tell(`{"sessionUpdate":"state_update",` + s.state + `}`)
		}
		if s.asking != "" {
			c.say(s.id, "%s", s.asking)
		}
		c.say(to, `{"jsonrpc":"2.0","id":%s,"result":{}}`, q.ID)
	case q.Method == "session/prompt" && s.conn != c:
		c.say(q.Session, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32002,"message":"not resumed here"}}`,
			q.ID)
	case q.Method == "session/prompt":
		m.onPrompt(s, q)
	case q.Method == "session/close", q.Method == "session/delete", q.Method == "session/set_config_option":
		c.say(q.Session, `{"jsonrpc":"2.0","id":%s,"result":{}}`, q.ID)
	default:
		c.say(q.Session, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`, q.ID)
	}
}

// tell sends an update that is in the history already, or never will be.
func (s *modelSession) tell(update string) {
	s.conn.say(s.id, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":%s}}`,
		s.id, update)
}

func (s *modelSession) update(update string) {
	s.history = append(s.history, update)
	s.tell(update)
}

// is tells who is at work.
func (s *modelSession) is(state string) {
	s.state = state
	s.tell(`{"sessionUpdate":"state_update",` + state + `}`)
}

func (s *modelSession) chunk(id, text string) {
	s.update(
		fmt.Sprintf(
			`{"sessionUpdate":"agent_message_chunk","messageId":%q,"content":{"type":"text","text":%q}}`, id,
			text))
}

func (s *modelSession) accept(r modelRequest, message string) {
	s.conn.say(s.id, `{"jsonrpc":"2.0","id":%s,"result":{"messageId":%q}}`, r.ID, message)
}

func (s *modelSession) echo(r modelRequest, message string) {
	var p struct{ Prompt json.RawMessage }
	_ = json.Unmarshal(r.Params, &p)
	s.update(fmt.Sprintf(`{"sessionUpdate":"user_message","messageId":%q,"content":%s}`, message, p.Prompt))
}

// turn is a whole one, of n chunks; with a permission it asks in the middle.
func (s *modelSession) turn(r modelRequest, n int, permission bool) {
	s.turns++
	turn := s.turns
	user, id := fmt.Sprintf("u%d", turn), fmt.Sprintf("a%d", turn)
	s.echo(r, user)
	s.accept(r, user)
	s.is(`"state":"running"`)
	half := func(from, to int) {
		for i := from; i < to; i++ {
			s.chunk(id, fmt.Sprintf("<%s.%d>", id, i))
		}
	}
	rest := func() {
		half(n/2, n)
		s.is(fmt.Sprintf(`"state":"idle","stopReason":"end_turn","_meta":{"turn":%d}`, turn))
	}
	half(0, n/2)
	if !permission {
		rest()
		return
	}
	s.is(`"state":"requires_action"`)
	s.ask(func() {
		s.is(`"state":"running"`)
		rest()
	})
}

// ask asks for a permission.
func (s *modelSession) ask(after func()) {
	s.m.asked++
	s.askID = fmt.Sprint(1000 + s.m.asked)
	s.asking = fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"session/request_permission",`+
		`"params":{"sessionId":%q,"title":"Run?","subject":{"type":"tool_call",`+
		`"toolCall":{"toolCallId":"t%d","title":"T"}},"options":[{"optionId":"y","name":"Yes",`+
		`"kind":"allow_once"}]}}`, s.askID, s.id, s.m.asked)
	s.after = after
	s.conn.say(s.id, "%s", s.asking)
}

// take takes a frame for somebody who reads.
func (m *model) take(s *sim) (engine.ExchangeID, string, bool) {
	for i := range m.made {
		c := m.connections[fmt.Sprintf("c%d", i+1)]
		if c == nil {
			continue
		}
		for _, name := range c.order {
			box := c.boxes[name]
			if len(box.frames) == 0 || box.x == 0 || !s.Exchange(box.x).Reading {
				continue
			}
			frame := box.frames[0]
			box.frames = box.frames[1:]
			if c.ids {
				box.told = append(box.told, frame)
			}
			return box.x, frame, true
		}
	}
	return 0, "", false
}

// streams returns the exchanges of the streams that are being read.
func (m *model) streams() []engine.ExchangeID {
	var all []engine.ExchangeID
	for _, c := range m.connections {
		for _, box := range c.boxes {
			if box.x != 0 {
				all = append(all, box.x)
			}
		}
	}
	slices.Sort(all)
	return all
}

// reading returns the exchange of a session's stream, "" the connection's.
func (m *model) reading(session string) engine.ExchangeID {
	for _, c := range m.connections {
		if box := c.boxes[session]; box != nil && box.x != 0 {
			return box.x
		}
	}
	return 0
}

func (m *model) each(do func(*modelBox)) {
	for _, c := range m.connections {
		for _, box := range c.boxes {
			do(box)
		}
	}
}

func (m *model) lose(x engine.ExchangeID, n int) {
	m.each(func(b *modelBox) {
		if b.x == x {
			lost := b.frames[:min(n, len(b.frames))]
			b.frames = b.frames[len(lost):]
			if m.ids {
				b.told = append(b.told, lost...)
			}
		}
	})
}

func (m *model) leave(x engine.ExchangeID) {
	m.each(func(b *modelBox) {
		if b.x == x {
			b.x = 0
		}
	})
}

func (m *model) leaveAll() { m.each(func(b *modelBox) { b.x = 0 }) }

// forget is the end of all connections: the host was restarted.
func (m *model) forget(s *sim) {
	streams := m.streams()
	m.connections = map[string]*modelConnection{}
	for _, x := range streams {
		s.end(x, engine.EndNetwork)
	}
	s.pump()
}

// of returns the requests of that method; "GET" and "DELETE" too.
func (m *model) of(method string) []modelRequest {
	var all []modelRequest
	for _, r := range m.requests {
		if r.Method == method || r.HTTP == method && r.Method == "" && r.ID == nil {
			all = append(all, r)
		}
	}
	return all
}

// said is the text of the agent's messages in a session, in their order.
func (m *model) said(session string) string {
	var order []string
	text := map[string]string{}
	for _, u := range m.sessions[session].history {
		var update struct {
			SessionUpdate, MessageID string
			Content                  json.RawMessage
		}
		_ = json.Unmarshal([]byte(u), &update)
		var block struct{ Text string }
		if update.SessionUpdate == "agent_message_chunk" && json.Unmarshal(update.Content, &block) == nil {
			if !slices.Contains(order, update.MessageID) {
				order = append(order, update.MessageID)
			}
			text[update.MessageID] += block.Text
		}
	}
	var b strings.Builder
	for _, id := range order {
		b.WriteString(text[id])
	}
	return b.String()
}
