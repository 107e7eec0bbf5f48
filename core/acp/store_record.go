package acp

import (
	"bytes"
	"cmp"
	"strconv"
	"strings"

	"github.com/holdfast-mcp/holdfast/core/acp/transcript"
	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// record is what of a session is stored, and what waits to be: its head says how
// to resume it, its log what the agent has said.
type record struct {
	durable.Log
	s       *session
	conn    string // the connection id that is written
	cursor  []byte // of its stream, as written last
	history int    // bytes of what the agent has said: what writing it again frees
}

// newRecord returns the record of s; made is when it was made, in ms since 1970.
func (c *Client) newRecord(s *session, id uint64, epoch uint32, made int64) *record {
	r := &record{s: s}
	r.Log = durable.NewLog(&c.writer, r, id, epoch, made)
	return r
}

// restart begins the record again under the epoch of its owner.
func (r *record) restart(epoch uint32) {
	r.Log.Restart(epoch)
	*r = record{Log: r.Log, s: r.s}
}

// sessionMethod is the method of a stored head: what takes the session up again.
const sessionMethod = "session/resume"

// keep writes the head of a session that the agent is known to have; where the store has
// failed, once it works again.
func (c *Client) keep(s *session) {
	if !c.cfg.Journal || c.writer.Closed() || s.record != nil {
		return
	}
	s.record = c.newRecord(s, c.ids.Next(), 1, c.wall())
	s.record.Memory = !c.writer.Open()
	s.record.Begin(s.head())
	c.writeServers(s)
	c.writeConnection(s)
}

func (s *session) head() []byte {
	facts := s.facts
	if s.servers != nil {
		facts = jsonrpc.AppendObject(nil, facts, []byte(`"servers":true`))
	}
	return journal.AppendHead(nil,
		&journal.Head{Method: sessionMethod, Params: facts, CreatedAt: s.record.Made})
}

// write puts an entry into the session's next row.
func (c *Client) write(s *session, e journal.Entry) {
	if s.writes() {
		s.record.Write(e)
	}
}

// writes reports whether what is written of the session gets stored: it is read, and
// this page carries it.
func (s *session) writes() bool { return s.record != nil && s.state == sessionOwned && s.fold == nil }

// writeSecret puts an entry into the sealed part of the session's next row.
func (c *Client) writeSecret(s *session, e journal.Entry) {
	if s.writes() {
		s.record.WriteSecret(e)
	}
}

// writeAnswer writes what a person has answered.
func (c *Client) writeAnswer(q *question) {
	if q.session.writes() {
		q.session.record.WriteAnswer(q.id, q.answer, q.by)
	}
}

// writeConnection writes which connection has the session, with which a later
// page takes up its streams. It is as good as a key, and sealed.
func (c *Client) writeConnection(s *session) {
	if s.conn == nil || s.conn.id == "" || s.record == nil || s.record.conn == s.conn.id {
		return
	}
	if s.writes() && s.record.Await() {
		s.record.conn = s.conn.id
		c.writeSecret(s, journal.Entry{Kind: journal.Connection, Data: []byte(s.conn.id)})
	}
}

// writeUpdate writes what the agent said. A notice is of the moment, and no part
// of the history (ACP "Schema", notice).
func (c *Client) writeUpdate(s *session, update []byte) {
	c.writeConnection(s)
	kind := engine.EventItem
	if isState(update) {
		kind = engine.EventPhase
	}
	if s.writes() {
		s.record.history += len(update)
		s.record.Write(journal.Entry{Kind: journal.Event, N: [3]uint64{uint64(kind)}, Data: update})
	}
}

// writePromptOp writes which prompts are not in the history: a later page shows
// them, and sends none of them. In version 1 the agent does not say what it was
// asked, so what the app sends is the history, once it leaves.
func (c *Client) writePromptOp(s *session, name string, id uint64, op []byte) {
	switch {
	case name == "pending":
		content, _ := jsonrpc.Member(op, "content")
		c.writePrompt(s, id, content)
	case name == "placed" && s.version() == 1:
		if r := c.queued(id); r != nil {
			content, _ := jsonrpc.Member(r.params, "prompt")
			c.writePrompt(s, id, content)
			return
		}
		name = "left"
		fallthrough
	default:
		if name == "placed" && s.version() != 1 {
			c.writeOwn(s, id)
		}
		c.write(s, journal.Entry{Kind: journal.Placed, N: [3]uint64{id}, Data: []byte(name)})
	}
}

// queued returns the request of that id that has not left, nil for none.
func (c *Client) queued(id uint64) *request {
	for _, r := range c.requests {
		if r.id == id && r.state == requestQueued {
			return r
		}
	}
	return nil
}

// writeMessage writes a prompt as the agent would have repeated it, under the id of its message.
func (c *Client) writeMessage(s *session, message string, content []byte) {
	b := jsonrpc.AppendString([]byte(`{"sessionUpdate":"user_message","messageId":`), message)
	c.writeUpdate(s, append(appendMember(b, "content", content), '}'))
}

// ownMessage is the id of a prompt's message that has none of the agent's.
func ownMessage(id uint64) string { return "prompt-" + strconv.FormatUint(id, 10) }

// ownRead notes such a message in a log: the agent may repeat it under an id of its own. In version 1 it says
// that the prompt leaves.
func (s *session) ownRead(update []byte) {
	if !bytes.Contains(update, []byte(`"messageId":"prompt-`)) {
		return
	}
	value, _ := jsonrpc.Member(update, "messageId")
	message, _ := jsonrpc.String(value)
	digits, ok := strings.CutPrefix(message, "prompt-")
	id, err := strconv.ParseUint(digits, 10, 64)
	switch content, _ := jsonrpc.Member(update, "content"); {
	case !ok || err != nil:
	case s.version() == 1:
		s.fold.Leaves = id
	default:
		s.transcript.Own(id, message, content)
	}
}

// writeOwn writes a prompt that is in the history though the agent has not repeated it, which nobody else
// says.
func (c *Client) writeOwn(s *session, id uint64) {
	for _, p := range s.transcript.Prompts() {
		if p.ID == id && p.IsOwn() {
			c.writeMessage(s, cmp.Or(p.MessageID(), ownMessage(id)), p.Content)
		}
	}
}

// writeLeaving writes that a prompt of version 1 leaves.
func (c *Client) writeLeaving(r *request) {
	content, _ := jsonrpc.Member(r.params, "prompt")
	c.writeMessage(r.session, ownMessage(r.id), content)
	c.write(r.session, journal.Entry{Kind: journal.Placed, N: [3]uint64{r.id}, Data: []byte("left")})
	r.session.lately, r.leaves = noteLately(r.session.lately, r.id, true), true
}

// writeBack writes that one which has left was taken back.
func (c *Client) writeBack(r *request) {
	c.write(r.session, journal.Entry{Kind: journal.Placed, N: [3]uint64{r.id}, Data: []byte("unsent")})
	content, _ := jsonrpc.Member(r.params, "prompt")
	c.writePrompt(r.session, r.id, content)
}

func (c *Client) writePrompt(s *session, id uint64, content []byte) {
	c.write(s, journal.Entry{Kind: journal.Prompt, N: [3]uint64{id}, Data: content})
}

// writeAccepted writes the agent's answer to a prompt that is not in the history yet: the
// next page knows by it that the agent has the prompt, and which message it is. It is one more
// entry for the prompt.
func (c *Client) writeAccepted(s *session, p *transcript.Prompt) {
	if answer := p.Answer(); answer != nil {
		c.writePrompt(s, p.ID, answer)
	}
}

// AppendRow ends the row that waits.
func (r *record) AppendRow(b []byte) []byte {
	r.appendCursor()
	return r.Log.AppendRow(b, 0)
}

// Landed notes that the row is stored. Without its secret the next one brings it
// once more.
func (r *record) Landed(sealed bool) {
	r.Log.Landed(sealed)
	if !sealed {
		r.conn, r.cursor = "", nil
	}
}

// maxLately bounds the prompts of which a log says for a while yet that they are in
// the history, once that is written again: as many as a page knows again that it has served.
const maxLately = maxServed

// rewrite stores a session again: what was stored of its history is replaced.
func (c *Client) rewrite(s *session) {
	r := s.record
	if r == nil || r.Memory || !c.writer.Open() || s.state != sessionOwned {
		return
	}
	if s.stream != nil {
		s.stream.link.UnstoreSeen()
	}
	r.restart(r.Epoch)
	r.BeginAgain(s.head())
	c.writeServers(s)
	c.writeConnection(s)
	if s.conn != nil { // first: one that is open may have the id of one that was answered
		for _, a := range s.conn.answered {
			if a.session == s {
				c.writeTaken(a)
			}
		}
	}
	for _, q := range c.questions {
		if q.session == s && q.state != questionUnasked {
			c.write(s, journal.AskedEntry(q.id, q.raw))
			if q.state == questionAnswered {
				c.writeAnswer(q)
			}
		}
	}
	if s.writes() {
		s.drafts.Rewrite(&s.record.Log)
	}
	for _, id := range s.lately { // whoever has asked for one may not know yet
		c.write(s, journal.Entry{Kind: journal.Placed, N: [3]uint64{id}, Data: []byte("placed")})
	}
	for _, p := range s.transcript.Prompts() { // of this page and of earlier ones
		if r := c.queued(p.ID); r != nil && r.leaves {
			c.writeLeaving(r) // it leaves once this is stored
		} else if !s.placed[p.ID] && s.version() != 1 || s.isOrphan(c, p) || c.queued(p.ID) != nil {
			c.writePrompt(s, p.ID, p.Content)
			c.writeAccepted(s, p)
		}
	}
}

// storeHandshake writes what initialize agreed on: a page that loads again goes on
// without it.
func (c *Client) storeHandshake(n *connection) {
	c.handshake = journal.Server{Handshake: c.handshake.Handshake + 1, Revision: handshakeName[n.version],
		Result: n.result, Client: c.cfg.Info}
	plain, secret := journal.AppendServer(&c.handshake)
	c.writer.Put(journal.Op{Kind: journal.OpServer, Plain: plain, Secret: secret})
}

// handshakeVersion is the protocol version that was last agreed on, 2 before that.
func (c *Client) handshakeVersion() int {
	if c.handshake.Revision == handshakeName[1] {
		return 1
	}
	return 2
}

// handshakeName is the Revision of a stored handshake, by protocol version.
var handshakeName = [...]string{1: "acp/1", 2: "acp/2"}
