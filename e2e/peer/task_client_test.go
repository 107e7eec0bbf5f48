//go:build !js

package peer_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// modes are the capabilities of a client that knows SEP-1905 and answers forms.
const modes = `{"elicitation":{"form":{}},"tasks":{"responses":{"modes":["task","immediate","streaming"]}}}`

// tasker is a client of tasks that keeps no state but its next id.
type tasker struct {
	*resumer
	n int
}

func tasking(t *testing.T, p *peer.Peer, capabilities string) *tasker {
	return &tasker{resumer: declaring(t, p, peer.Revision20251125, capabilities)}
}

// reply is one JSON-RPC message.
type reply string

// dig is raw JSON out of a message; strings lose their quotes.
func (m reply) dig(path ...string) string {
	raw := json.RawMessage(m)
	for _, key := range path {
		var in map[string]json.RawMessage
		json.Unmarshal(raw, &in)
		raw = in[key]
	}
	var s string
	if string(raw) != "null" && json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

func (m reply) code() int { return code(string(m)) }

// id is the taskId, wherever the answer has it.
func (m reply) id() string {
	for _, path := range [][]string{{"result", "task", "taskId"}, {"result", "taskId"},
		{"result", "_meta", "io.modelcontextprotocol/related-task", "taskId"}} {
		if id := m.dig(path...); id != "" {
			return id
		}
	}
	return ""
}

// seqs are the seqNrs of partial-content as they are written.
func (m reply) seqs() string {
	var all []string
	for _, s := range m.parts() {
		all = append(all, reply(s).dig("seqNr"))
	}
	return strings.Join(all, " ")
}

func (m reply) parts() (all []json.RawMessage) {
	json.Unmarshal([]byte(m.dig("result", "partial-content")), &all)
	return all
}

// only is the first message of an answer, event stream or not.
func only(r *http.Response) reply {
	if !strings.HasPrefix(r.Header.Get("Content-Type"), "text/event-stream") {
		return reply(body(r))
	}
	return message(read(r))
}

// message is the next message of a stream; "" if it ended.
func message(s *stream) reply {
	for {
		e, err := s.next()
		if err != nil {
			return ""
		}
		if e.data != "" {
			return reply(e.data)
		}
	}
}

// remaining are all messages up to the end of a stream.
func remaining(s *stream) (all []reply) {
	for m := message(s); m != ""; m = message(s) {
		all = append(all, m)
	}
	return all
}

func (c *tasker) request(method, params string) string {
	c.n++
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, c.n, method, params)
}

func (c *tasker) ask(method, params string) reply {
	c.t.Helper()
	return only(c.send(c.request(method, params), ""))
}

// open calls a tool as a task, with the members of params.task.
func (c *tasker) open(tool, arguments, task string) *http.Response {
	c.t.Helper()
	return c.send(c.request("tools/call", fmt.Sprintf(
		`{"name":%q,"arguments":%s,"_meta":{"progressToken":"t"},"task":{%s}}`, tool, arguments, task)), "")
}

func (c *tasker) create(tool, arguments, task string) reply {
	c.t.Helper()
	return only(c.open(tool, arguments, task))
}

// lose calls a tool whose answer never comes.
func (c *tasker) lose(tool, arguments string) {
	c.t.Helper()
	r := c.client.request("POST", c.request("tools/call",
		fmt.Sprintf(`{"name":%q,"arguments":%s,"task":{}}`, tool, arguments)))
	r.Header.Set("Content-Type", "application/json")
	if a, err := c.http.Do(r); err == nil {
		c.t.Cleanup(func() { a.Body.Close() })
		equal(c.t, "lost", message(read(a)), "")
	}
}

// of asks about a task; extra are more members of params, with a comma first.
func (c *tasker) of(method, id, extra string) reply {
	c.t.Helper()
	return c.ask(method, fmt.Sprintf(`{"taskId":%q%s}`, id, extra))
}

// result opens tasks/result as a stream.
func (c *tasker) result(id string) *stream {
	c.t.Helper()
	return read(c.send(c.request("tasks/result", fmt.Sprintf(`{"taskId":%q}`, id)), ""))
}

// answer POSTs the response to a question that came as a request.
func (c *tasker) answer(question reply, taskID string) {
	c.t.Helper()
	id := string(question)[strings.Index(string(question), `"id":`)+5:]
	id = id[:strings.IndexByte(id, ',')]
	r := c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"action":"accept",`+
		`"content":{"answer":"yes"},"_meta":{"io.modelcontextprotocol/related-task":{"taskId":%q}}}}`, id,
		taskID), "")
	equal(c.t, "answer", r.StatusCode, 202)
}

// settled waits until a call has that status.
func settled(t *testing.T, p *peer.Peer, label, status string) {
	t.Helper()
	until(t, p, label+" "+status, func() bool {
		all := p.Oracle().Tasks(label)
		return len(all) > 0 && all[len(all)-1].Status == status
	})
}
