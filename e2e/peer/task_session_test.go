//go:build !js

package peer_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

func working(t *testing.T, o peer.Options, server peer.TaskServer, policy peer.TaskPolicy) *peer.Peer {
	p := peer.New(t, o)
	p.Tasks(server)
	p.Working(peer.AsTask(policy))
	return p
}

// The life of a task of 2025-11-25: create, poll, block, result.
func TestTaskLife(t *testing.T) {
	p := working(t, peer.Options{}, peer.TaskServer{},
		peer.TaskPolicy{Poll: 50, Message: "begun", AtOnce: "patience"})
	c, o := tasking(t, p, `{}`), p.Oracle()
	list := c.ask("tools/list", `{}`)
	contains(t, "list", string(list), `"execution":{"taskSupport":"optional"}`)
	made := c.create("work", `{"call":"a","steps":1,"gate":"g"}`, `"ttl":60000`)
	id := made.id()
	equal(t, "status", made.dig("result", "task", "status"), "working")
	equal(t, "ttl", made.dig("result", "task", "ttl"), "60000")
	equal(t, "interval", made.dig("result", "task", "pollInterval"), "50")
	equal(t, "message", made.dig("result", "task", "statusMessage"), "begun")
	equal(t, "at once", made.dig("result", "_meta", "io.modelcontextprotocol/model-immediate-response"),
		"patience")
	equal(t, "get", c.of("tasks/get", id, "").dig("result", "status"), "working")
	s := c.result(id)
	until(t, p, "blocked", func() bool { return o.Tasks("a")[0].Waiting == 1 })
	p.Release("g")
	all := remaining(s)
	equal(t, "on tasks/result", len(all), 2)
	contains(t, "progress", string(all[0]), `"method":"notifications/progress"`, `"progressToken":"t"`,
		`"io.modelcontextprotocol/related-task":{"taskId":"`+id+`"}`)
	equal(t, "under its own id", all[1].dig("id"), "4")
	equal(t, "related", all[1].id(), id)
	contains(t, "result", string(all[1]), `"text":"worked 1"`)
	equal(t, "get", c.of("tasks/get", id, "").dig("result", "status"), "completed")
	equal(t, "bare", c.of("tasks/get", id, "").dig("result", "result"), "")
	contains(t, "again", string(c.of("tasks/result", id, "")), `"text":"worked 1"`)
	equal(t, "runs", o.Runs("a"), 1)
	var polls string
	for _, one := range o.Polls("a") {
		polls += one.Method + "=" + one.Status + " "
	}
	equal(t, "polls", polls, "tasks/get=working tasks/result=completed tasks/get=completed "+
		"tasks/get=completed tasks/result=completed ")
	clean(t, p)
}

// tools/call without or with a task, as execution.taskSupport has it.
func TestTaskSupport(t *testing.T) {
	for _, v := range []struct {
		support, task string
		code          int
		what          string // of the result
	}{
		{"", "", 0, "content"},
		{"", `,"task":{}`, 0, "task"},
		{"optional", `,"task":{"ttl":null}`, 0, "task"},
		{"forbidden", "", 0, "content"},
		{"forbidden", `,"task":{}`, -32601, ""},
		{"required", "", -32601, ""},
		{"required", `,"task":{}`, 0, "task"},
		{"optional", `,"task":{"ttl":-1}`, -32602, ""},
		{"optional", `,"task":{"ttl":"soon"}`, -32602, ""},
		{"optional", `,"task":7`, -32602, ""},
	} {
		t.Run(v.support+v.task, func(t *testing.T) {
			p := working(t, peer.Options{}, peer.TaskServer{}, peer.TaskPolicy{Support: v.support})
			m := tasking(t, p, `{}`).ask("tools/call", `{"name":"work","arguments":{}`+v.task+`}`)
			equal(t, "code", m.code(), v.code)
			if v.what != "" {
				equal(t, "result", m.dig("result", v.what) != "", true)
			}
			equal(t, "blamed", len(p.Violations()) > 0, v.code != 0)
			equal(t, "runs", p.Ran("work"), map[bool]int{true: 1}[v.code == 0])
		})
	}
}

// A server without tasks, or of an older revision, runs the tool.
func TestTaskUnsupported(t *testing.T) {
	p := peer.New(t, peer.Options{})
	p.Working(peer.AsTask(peer.TaskPolicy{}))
	c := tasking(t, p, `{}`)
	contains(t, "result", string(c.create("work", `{}`, ``)), `"worked 0"`)
	equal(t, "get", c.of("tasks/get", "x", "").code(), -32601)
	dishonest(t, p, "of a server that has none")
	old := working(t, peer.Options{}, peer.TaskServer{}, peer.TaskPolicy{})
	d := &tasker{resumer: declaring(t, old, peer.Revision20250618, `{}`)}
	contains(t, "result", string(d.create("work", `{}`, ``)), `"worked 0"`)
	equal(t, "get", d.of("tasks/get", "x", "").code(), -32601)
}

// Questions come on the stream of tasks/result; one that lost its connection is
// asked again on the next.
func TestTaskInput(t *testing.T) {
	p := working(t, peer.Options{}, peer.TaskServer{Status: peer.TellStandalone}, peer.TaskPolicy{})
	c, o := tasking(t, p, `{"elicitation":{}}`), p.Oracle()
	alone := read(c.get(""))
	id := c.create("work", `{"call":"a","ask":2}`, ``).id()
	settled(t, p, "a", "input_required")
	equal(t, "get", c.of("tasks/get", id, "").dig("result", "status"), "input_required")
	s := c.result(id)
	one, two := message(s), message(s)
	equal(t, "method", one.dig("method"), "elicitation/create")
	equal(t, "related", one.dig("params", "_meta", "io.modelcontextprotocol/related-task", "taskId"), id)
	p.CutStreams(peer.FIN)
	s = c.result(id)
	again := message(s)
	equal(t, "again", again.dig("id"), one.dig("id"))
	c.answer(two, id)
	equal(t, "still", c.of("tasks/get", id, "").dig("result", "status"), "input_required")
	c.answer(one, id)
	rest := remaining(s)
	contains(t, "result", string(rest[len(rest)-1]), `"answer":"yes"`)
	for i, q := range o.Questions("a") {
		equal(t, fmt.Sprint(i, " answers"), len(q.Answers), 1)
		equal(t, fmt.Sprint(i, " written"), q.Written, 2)
	}
	equal(t, "notified", message(alone).dig("params", "status"), "input_required")
	clean(t, p)
	p.Tool("once", peer.Input("k", "roots/list", ""), peer.AsTask(peer.TaskPolicy{}))
	id = c.create("once", `{}`, ``).id()
	q := message(c.result(id))
	c.answer(q, "another")
	dishonest(t, p, "no related-task")
}

func TestTaskEnds(t *testing.T) {
	p := working(t, peer.Options{}, peer.TaskServer{}, peer.TaskPolicy{})
	c := tasking(t, p, `{}`)
	id := c.create("work", `{"call":"e","fail":"error"}`, ``).id()
	m := c.of("tasks/result", id, "")
	equal(t, "error", m.code(), -32000)
	equal(t, "why", c.of("tasks/get", id, "").dig("result", "statusMessage"), "e failed")
	id = c.create("work", `{"call":"t","fail":"tool"}`, ``).id()
	equal(t, "isError", c.of("tasks/result", id, "").dig("result", "isError"), "true")
	equal(t, "failed", c.of("tasks/get", id, "").dig("result", "status"), "failed")
	id = c.create("work", `{"call":"c","gate":"g"}`, ``).id()
	s := c.result(id)
	equal(t, "cancel", c.of("tasks/cancel", id, "").dig("result", "status"), "cancelled")
	equal(t, "ends tasks/result", message(s).code(), -32000)
	equal(t, "twice", c.of("tasks/cancel", id, "").code(), -32602)
	equal(t, "cancels", p.Oracle().Cancels("c"), 2)
	equal(t, "unknown", c.of("tasks/get", "nobody", "").code(), -32602)
	clean(t, p)
}

func TestTaskExpiry(t *testing.T) {
	p := working(t, peer.Options{}, peer.TaskServer{}, peer.TaskPolicy{})
	p.Tool("kept", peer.Script{peer.Gate("g")}, peer.AsTask(peer.TaskPolicy{Conclude: true, TTL: 90_000}))
	c := tasking(t, p, `{}`)
	id := c.create("work", `{"call":"a","gate":"g"}`, `"ttl":60000`).id()
	kept := c.create("kept", `{}`, `"ttl":1000`)
	equal(t, "the server's", kept.dig("result", "task", "ttl"), "90000")
	ever := c.create("work", `{"call":"ever","gate":"g"}`, ``)
	equal(t, "unlimited", ever.dig("result", "task", "ttl"), "null")
	s := c.result(id)
	until(t, p, "blocked", func() bool { return p.Oracle().Tasks("a")[0].Waiting == 1 })
	p.Advance(59 * time.Second)
	equal(t, "in time", c.of("tasks/get", id, "").dig("result", "status"), "working")
	p.Advance(time.Minute)
	m := c.of("tasks/get", id, "")
	equal(t, "late", m.code(), -32602)
	contains(t, "late", string(m), "expired")
	equal(t, "blocked", message(s).code(), -32602)
	equal(t, "concluded", c.of("tasks/get", kept.id(), "").dig("result", "status"), "failed")
	equal(t, "for ever", c.of("tasks/get", ever.id(), "").dig("result", "status"), "working")
	equal(t, "gone", p.Oracle().Tasks("a")[0].Gone, true)
}

// Tasks belong to no connection, and to no session unless the server says so.
func TestTaskOutlives(t *testing.T) {
	for _, own := range []bool{false, true} {
		p := working(t, peer.Options{PageSize: 1}, peer.TaskServer{OwnSession: own, Durable: true},
			peer.TaskPolicy{})
		c := tasking(t, p, `{}`)
		id := c.create("work", `{"call":"a","gate":"g"}`, ``).id()
		c.create("work", `{"call":"b","gate":"g"}`, ``)
		page := c.ask("tasks/list", `{}`)
		next := c.ask("tasks/list", fmt.Sprintf(`{"cursor":%q}`, page.dig("result", "nextCursor")))
		contains(t, "list", string(page), id)
		equal(t, "last", next.dig("result", "nextCursor"), "")
		equal(t, "cursor", c.ask("tasks/list", `{"cursor":"x"}`).code(), -32602)
		p.Restart()
		d := tasking(t, p, `{}`)
		p.Release("g")
		m := d.of("tasks/result", id, "")
		equal(t, "another session", m.code(), map[bool]int{true: -32602}[own])
		if !own {
			contains(t, "result", string(m), `"worked 0"`)
		}
		clean(t, p)
	}
	p := working(t, peer.Options{}, peer.TaskServer{NoList: true, NoCancel: true}, peer.TaskPolicy{})
	c := tasking(t, p, `{}`)
	id := c.create("work", `{"gate":"g"}`, ``).id()
	equal(t, "no list", c.ask("tasks/list", `{}`).code(), -32601)
	equal(t, "no cancel", c.of("tasks/cancel", id, "").code(), -32601)
	p.Restart()
	equal(t, "forgotten", tasking(t, p, `{}`).of("tasks/get", id, "").code(), -32602)
}

// What a server must not say about a task (fault 106).
func TestTaskTwisted(t *testing.T) {
	p := working(t, peer.Options{}, peer.TaskServer{
		ID: func(n int) string { return "../task" },
		Twist: func(method string, n int, task map[string]any) {
			if method == "tasks/get" {
				task["status"] = []string{"completed", "working", "dreaming"}[n-1]
			}
		},
	}, peer.TaskPolicy{Lose: peer.FIN})
	c := tasking(t, p, `{}`)
	c.lose("work", `{"call":"a","gate":"g"}`)
	for _, want := range []string{"completed", "working", "dreaming"} {
		equal(t, "status", c.of("tasks/get", "../task", "").dig("result", "status"), want)
	}
	equal(t, "runs", p.Ran("work"), 1)
}
