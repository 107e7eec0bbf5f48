//go:build !js

package peer_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

const continues = peer.ByGet | peer.ByContinue

// The example of SEP-2339, from its tools/call with "task" beside params to the
// answer under the key "input".
func TestContinueSeed(t *testing.T) {
	p := peer.New(t, peer.Options{})
	p.Tasks(peer.TaskServer{Ways: continues, Status: peer.TellStandalone})
	p.HelloWorld(peer.AsTask(peer.TaskPolicy{Poll: 5000}))
	c := tasking(t, p, `{"elicitation":{}}`)
	alone := read(c.get(""))
	made := only(c.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"hello_world",`+
		`"arguments":{}},"task":{"ttl":30000}}`, ""))
	id := made.id()
	equal(t, "ttl", made.dig("result", "task", "ttl"), "30000")
	settled(t, p, "hello_world", "input_required")
	c.n = 3
	for range 2 { // "the response would be exactly the same inputRequests"
		m := c.of("tasks/continue", id, "")
		contains(t, "asked", string(m), `"result":{"inputRequests":{"name":{"method":"elicitation/create",`+
			`"params":{"mode":"form","message":"Please enter your name."`)
		equal(t, "no task fields", m.dig("result", "taskId")+m.dig("result", "status"), "")
		peek := c.of("tasks/get", id, "")
		equal(t, "peek", peek.dig("result", "status"), "input_required")
		equal(t, "peek", peek.dig("result", "inputRequests"), "")
	}
	m := c.of("tasks/continue", id,
		`,"inputResponses":{"name":{"action":"accept","content":{"input":"Luca"}}}`)
	equal(t, "a task again", m.dig("result", "taskId"), id)
	settled(t, p, "hello_world", "completed")
	for _, method := range []string{"tasks/continue", "tasks/get"} {
		m = c.of(method, id, "")
		equal(t, "status", m.dig("result", "status"), "completed")
		contains(t, "inlined", m.dig("result", "result"), `"text":"Hello, Luca!"`)
	}
	equal(t, "tasks/result is removed", c.of("tasks/result", id, "").code(), -32601)
	contains(t, "list", string(c.ask("tasks/list", `{}`)), id)
	var told string
	for range 3 {
		n := message(alone)
		told += n.dig("params", "status") + " "
		equal(t, "result when completed", n.dig("params", "result") != "",
			n.dig("params", "status") == "completed")
	}
	equal(t, "notified", told, "input_required working completed ")
	q := p.Oracle().Questions("hello_world")[0]
	equal(t, "asked", q.Asked, 1)
	equal(t, "written", q.Written, 2)
	equal(t, "answers", len(q.Answers), 1)
	equal(t, "brought", strings.Join(p.Oracle().Polls("hello_world")[4].Inputs, ","), "name")
	clean(t, p)
}

func TestContinueEnds(t *testing.T) {
	p := working(t, peer.Options{}, peer.TaskServer{Ways: continues, Status: peer.TellStandalone},
		peer.TaskPolicy{})
	c := tasking(t, p, `{}`)
	for _, v := range []struct{ fail, code, message, data string }{
		{"error", "-32000", "error failed", ""},
		{"tool", "-32603", "tool failed",
			`{"content":[{"type":"text","text":"tool failed"}],"isError":true}`},
	} {
		id := c.create("work", `{"call":"`+v.fail+`","fail":"`+v.fail+`"}`, ``).id()
		settled(t, p, v.fail, "failed")
		m := c.of("tasks/continue", id, "")
		equal(t, "code", m.dig("result", "error", "code"), v.code)
		equal(t, "message", m.dig("result", "error", "message"), v.message)
		equal(t, "data", m.dig("result", "error", "data"), v.data)
		equal(t, "no result", m.dig("result", "result"), "")
	}
	id := c.create("work", `{"call":"c","ask":1}`, ``).id()
	settled(t, p, "c", "input_required")
	equal(t, "cancel", c.of("tasks/cancel", id, "").dig("result", "status"), "cancelled")
	m := c.of("tasks/continue", id, `,"inputResponses":{"c.1.q1":{"action":"cancel"}}`)
	equal(t, "stays", m.dig("result", "status"), "cancelled")
	equal(t, "unknown", c.of("tasks/continue", "nobody", "").code(), -32602)
	clean(t, p)
}

// The shape that the review was converging on, and partial answers.
func TestContinueInTask(t *testing.T) {
	p := working(t, peer.Options{}, peer.TaskServer{Ways: continues, InTask: true}, peer.TaskPolicy{})
	c := tasking(t, p, `{}`)
	id := c.create("work", `{"call":"a","ask":2}`, ``).id()
	until(t, p, "both", func() bool { return len(p.Oracle().Tasks("a")[0].Open) == 2 })
	m := c.of("tasks/continue", id, "")
	equal(t, "status", m.dig("result", "status"), "input_required")
	equal(t, "asked", m.dig("result", "inputRequests", "a.1.q1", "method"), "elicitation/create")
	yes := `{"action":"accept","content":{"answer":"yes"}}`
	m = c.of("tasks/continue", id, `,"inputResponses":{"a.1.q2":`+yes+`}`)
	equal(t, "one is open", m.dig("result", "inputRequests", "a.1.q2"), "")
	equal(t, "one is open", m.dig("result", "status"), "input_required")
	m = c.of("tasks/continue", id, `,"inputResponses":{"a.1.q1":`+yes+`,"a.1.q2":`+yes+`}`)
	equal(t, "no input", m.dig("result", "inputRequests"), "")
	settled(t, p, "a", "completed")
	equal(t, "the same again", len(p.Oracle().Questions("a")[1].Answers), 2)
	clean(t, p)
	c.of("tasks/continue", id, `,"inputResponses":{"a.1.q1":{"action":"decline"}}`)
	dishonest(t, p, "another answer")
	c.of("tasks/continue", id, `,"inputResponses":{"nobody":{"action":"decline"}}`)
	dishonest(t, p, "never asked")
}

// requestState, absent and then present, is to come back byte for byte.
func TestContinueState(t *testing.T) {
	big := strings.Repeat("\u0001\u00ff\"<", 10_000)
	p := working(t, peer.Options{}, peer.TaskServer{Ways: continues, State: func(n int) string {
		return []string{"", big, "second"}[n-1]
	}}, peer.TaskPolicy{})
	c := tasking(t, p, `{}`)
	id := c.create("work", `{"call":"a","ask":1}`, ``).id()
	settled(t, p, "a", "input_required")
	equal(t, "absent", c.of("tasks/continue", id, "").dig("result", "requestState"), "")
	m := c.of("tasks/continue", id, "")
	equal(t, "present", m.dig("result", "requestState") == big, true)
	yes := `,"inputResponses":{"a.1.q1":{"action":"accept"}}`
	equal(t, "without", c.of("tasks/continue", id, yes).code(), -32602)
	equal(t, "another", c.of("tasks/continue", id, yes+`,"requestState":"x"`).code(), -32602)
	dishonest(t, p, "requestState")
	raw := string(m)
	raw = raw[strings.Index(raw, `"requestState":`)+15:]
	raw = raw[:strings.LastIndex(raw, `"`)+1]
	equal(t, "echoed", c.of("tasks/continue", id, yes+`,"requestState":`+raw).code(), 0)
	settled(t, p, "a", "completed")
}

// A server has only one way, or all of them (fault 108).
func TestTaskWays(t *testing.T) {
	methods := []string{"tasks/get", "tasks/result", "tasks/continue"}
	for ways, want := range map[peer.TaskWay][]int{
		0:                         {0, 0, -32601},
		peer.ByGet:                {0, -32601, -32601},
		peer.ByContinue:           {-32601, -32601, 0},
		continues:                 {0, -32601, 0},
		continues | peer.ByResult: {0, 0, 0},
		peer.ByResult:             {-32601, 0, -32601},
	} {
		p := working(t, peer.Options{}, peer.TaskServer{Ways: ways}, peer.TaskPolicy{})
		c := tasking(t, p, `{}`)
		id := c.create("work", `{"call":"a"}`, ``).id()
		settled(t, p, "a", "completed")
		for i, method := range methods {
			equal(t, method, c.of(method, id, "").code(), want[i])
		}
		clean(t, p)
	}
	// Both at once: whichever way the answer comes.
	p := working(t, peer.Options{}, peer.TaskServer{Ways: continues | peer.ByResult}, peer.TaskPolicy{})
	c := tasking(t, p, `{}`)
	id := c.create("work", `{"call":"a","ask":1}`, ``).id()
	s := c.result(id)
	equal(t, "on tasks/result", message(s).dig("method"), "elicitation/create")
	c.of("tasks/continue", id, `,"inputResponses":{"a.1.q1":{"action":"accept"}}`)
	contains(t, "result", string(message(s)), `"action":"accept"`)
	clean(t, p)
}
