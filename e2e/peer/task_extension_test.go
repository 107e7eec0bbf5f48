//go:build !js

package peer_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// declared is what a client of the extension says of itself in every request.
const declared = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
	`"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}},` +
	`"extensions":{"io.modelcontextprotocol/tasks":{}}}`

func extension(t *testing.T, o peer.Options, policy peer.TaskPolicy) *peer.Peer {
	o.Revision = peer.Revision20260728
	return working(t, o, peer.TaskServer{}, policy)
}

// declaring sends a request of a client that has the extension.
func (b *bare) declaring(method, name, params string) reply {
	b.t.Helper()
	r := b.request(soon(b.t), method, name, params, "")
	all, _ := io.ReadAll(r.Body)
	text := strings.Replace(string(all), meta, declared, 1)
	r.Body, r.ContentLength = io.NopCloser(strings.NewReader(text)), int64(len(text))
	return only(b.send(r))
}

func (b *bare) work(arguments string) reply {
	b.t.Helper()
	return b.declaring("tools/call", "work", `"name":"work","arguments":`+arguments)
}

func (b *bare) about(method, id, extra string) reply {
	b.t.Helper()
	return b.declaring(method, id, fmt.Sprintf(`"taskId":%q%s`, id, extra))
}

func TestExtensionLife(t *testing.T) {
	p := extension(t, peer.Options{}, peer.TaskPolicy{TTL: 3_600_000, Poll: 5000})
	b, o := modern(t, p), p.Oracle()
	discover := only(b.ask("server/discover", "", "", ""))
	equal(t, "declared", discover.dig("result", "capabilities", "extensions"),
		`{"io.modelcontextprotocol/tasks":{}}`)
	equal(t, "not the old one", discover.dig("result", "capabilities", "tasks"), "")
	m := b.work(`{"call":"a","ask":2}`)
	id := m.id()
	for key, want := range map[string]string{"resultType": "task", "status": "working", "ttlMs": "3600000",
		"pollIntervalMs": "5000", "task": ""} {
		equal(t, key, m.dig("result", key), want)
	}
	settled(t, p, "a", "input_required")
	until(t, p, "both", func() bool { return len(o.Tasks("a")[0].Open) == 2 })
	for range 2 {
		m = b.about("tasks/get", id, "")
		equal(t, "type", m.dig("result", "resultType"), "complete")
		equal(t, "asked", m.dig("result", "inputRequests", "a.1.q1", "method"), "elicitation/create")
	}
	yes := `{"action":"accept","content":{"answer":"yes"}}`
	m = b.about("tasks/update", id, `,"inputResponses":{"a.1.q2":`+yes+`}`)
	equal(t, "ack", m.dig("result"), `{"resultType":"complete"}`)
	m = b.about("tasks/get", id, "")
	equal(t, "partial", m.dig("result", "status")+m.dig("result", "inputRequests", "a.1.q2"),
		"input_required")
	b.about("tasks/update", id, `,"inputResponses":{"a.1.q1":`+yes+`,"a.1.q2":`+yes+`}`)
	settled(t, p, "a", "completed")
	m = b.about("tasks/get", id, "")
	contains(t, "result", m.dig("result", "result"), `"answer":"yes"`)
	equal(t, "typed", m.dig("result", "result", "resultType"), "complete")
	equal(t, "cancel too late", b.about("tasks/cancel", id, "").dig("result"), `{"resultType":"complete"}`)
	equal(t, "stays", b.about("tasks/get", id, "").dig("result", "status"), "completed")
	equal(t, "runs", o.Runs("a"), 1)
	equal(t, "cancels", o.Cancels("a"), 1)
	clean(t, p)
	b.about("tasks/update", id, `,"inputResponses":{"nobody":`+yes+`}`)
	dishonest(t, p, "never asked")
}

// "Servers implementing this protocol version MUST include" resultType in every
// result, one inside a task too; the examples of the extension have none there.
func TestExtensionUntyped(t *testing.T) {
	p := peer.New(t, peer.Options{Revision: peer.Revision20260728})
	p.Tasks(peer.TaskServer{Untyped: true})
	p.Working(peer.AsTask(peer.TaskPolicy{}))
	b := modern(t, p)
	id := b.work(`{"call":"a"}`).id()
	settled(t, p, "a", "completed")
	m := b.about("tasks/get", id, "")
	equal(t, "the answer's", m.dig("result", "resultType"), "complete")
	equal(t, "the result's", m.dig("result", "result", "resultType"), "")
	contains(t, "result", m.dig("result", "result"), `"worked 0"`)
}

// Only who declares the extension gets a task, request by request.
func TestExtensionUndeclared(t *testing.T) {
	p := extension(t, peer.Options{}, peer.TaskPolicy{Support: "required"})
	b := modern(t, p)
	r := b.call("work", `{}`)
	equal(t, "status", r.StatusCode, 400)
	m := reply(body(r))
	equal(t, "code", m.code(), -32021)
	equal(t, "what", m.dig("error", "data"),
		`{"requiredCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}`)
	equal(t, "runs", p.Ran("work"), 0)
	id := b.work(`{"gate":"g"}`).id()
	clean(t, p)
	for _, method := range []string{"tasks/get", "tasks/update", "tasks/cancel"} {
		equal(t, method, only(b.ask(method, id, fmt.Sprintf(`"taskId":%q`, id), "")).code(), -32021)
		dishonest(t, p, method+": the extension is not declared")
		equal(t, method+" mismatched", b.declaring(method, "other", fmt.Sprintf(`"taskId":%q`, id)).code(),
			-32020)
		equal(t, method+" unknown", b.about(method, "nobody", "").code(), -32602)
	}
	for _, method := range []string{"tasks/result", "tasks/list", "tasks/continue"} {
		equal(t, method, b.declaring(method, "", fmt.Sprintf(`"taskId":%q`, id)).code(), -32601)
	}
	p = extension(t, peer.Options{}, peer.TaskPolicy{})
	contains(t, "optional", string(only(modern(t, p).call("work", `{}`))), `"text":"worked 0"`)
	p = extension(t, peer.Options{}, peer.TaskPolicy{Sync: true})
	contains(t, "at its discretion", string(modern(t, p).work(`{}`)), `"text":"worked 0"`)
	p = peer.New(t, peer.Options{Revision: peer.Revision20260728})
	equal(t, "no tasks", modern(t, p).about("tasks/get", "x", "").code(), -32601)
}

// isError completes, errors fail; cancellation is cooperative; the TTL passes.
func TestExtensionEnds(t *testing.T) {
	for _, stubborn := range []bool{false, true} {
		p := extension(t, peer.Options{IgnoreCancel: stubborn}, peer.TaskPolicy{TTL: 60_000})
		b := modern(t, p)
		id := b.work(`{"call":"t","fail":"tool"}`).id()
		settled(t, p, "t", "completed")
		equal(t, "isError", b.about("tasks/get", id, "").dig("result", "result", "isError"), "true")
		id = b.work(`{"call":"e","fail":"error"}`).id()
		settled(t, p, "e", "failed")
		m := b.about("tasks/get", id, "")
		equal(t, "error", m.dig("result", "error", "code")+m.dig("result", "statusMessage"), "-32000e failed")
		id = b.work(`{"call":"c","gate":"g"}`).id()
		equal(t, "ack", b.about("tasks/cancel", id, "").dig("result"), `{"resultType":"complete"}`)
		p.Release("g")
		want := map[bool]string{true: "completed", false: "cancelled"}[stubborn]
		settled(t, p, "c", want)
		equal(t, "cancel", b.about("tasks/get", id, "").dig("result", "status"), want)
		p.Advance(time.Hour)
		equal(t, "expired", b.about("tasks/get", id, "").code(), -32602)
		clean(t, p)
	}
}

// notifications/tasks reach whoever asked for a task by its id.
func TestExtensionNotifications(t *testing.T) {
	p := extension(t, peer.Options{}, peer.TaskPolicy{})
	b := modern(t, p)
	id := b.work(`{"call":"a","steps":1,"gate":"g"}`).id()
	other := b.work(`{"call":"b","gate":"g"}`).id()
	r := b.request(soon(t), "subscriptions/listen", "",
		fmt.Sprintf(`"notifications":{"taskIds":[%q,"nobody"]}`, id), "")
	all, _ := io.ReadAll(r.Body)
	text := strings.Replace(string(all), meta, declared, 1)
	r.Body, r.ContentLength = io.NopCloser(strings.NewReader(text)), int64(len(text))
	s := read(b.send(r))
	ack := message(s)
	equal(t, "accepted", ack.dig("params", "notifications", "taskIds"), `["`+id+`"]`)
	until(t, p, "listening", func() bool { return p.Listeners() == 1 })
	p.Release("g")
	note := message(s)
	equal(t, "method", note.dig("method"), "notifications/tasks")
	equal(t, "note", note.dig("params", "status")+note.dig("params", "statusMessage"), "workingstep 1 of 1")
	done := message(s)
	equal(t, "whole", done.dig("params", "status"), "completed")
	contains(t, "with its result", done.dig("params", "result"), `"worked 1"`)
	equal(t, "marked", done.dig("params", "_meta", "io.modelcontextprotocol/subscriptionId"),
		ack.dig("params", "_meta", "io.modelcontextprotocol/subscriptionId"))
	settled(t, p, "b", "completed")
	equal(t, "another task", other != id, true)
	clean(t, p)
	m := only(b.ask("subscriptions/listen", "", `"notifications":{"taskIds":[]}`, ""))
	equal(t, "undeclared", m.code(), -32021)
}

// Input before the task comes in rounds of the call itself.
func TestExtensionBefore(t *testing.T) {
	p := extension(t, peer.Options{}, peer.TaskPolicy{Before: func(c peer.Call) peer.Script {
		if c.InputResponses == nil {
			return peer.Script{peer.InputRequired(`{"who":`+peer.Elicitation("Who?", `{"type":"object"}`)+`}`,
				"s")}
		}
		return nil
	}})
	b := modern(t, p)
	equal(t, "first", b.work(`{}`).dig("result", "resultType"), "input_required")
	m := b.declaring("tools/call", "work",
		`"name":"work","arguments":{},"inputResponses":{"who":{"action":"accept"}},"requestState":"s"`)
	equal(t, "then", m.dig("result", "resultType"), "task")
	clean(t, p)
}

// A server of both eras keeps the two kinds apart.
func TestExtensionDualEra(t *testing.T) {
	p := extension(t, peer.Options{Legacy: peer.Revision20251125}, peer.TaskPolicy{})
	b, c := modern(t, p), tasking(t, p, `{}`)
	mine := b.work(`{"gate":"g"}`).id()
	core := c.create("work", `{"gate":"g"}`, ``).id()
	equal(t, "core for modern", b.about("tasks/get", core, "").code(), -32602)
	equal(t, "modern for core", c.of("tasks/get", mine, "").code(), -32602)
	equal(t, "listed", strings.Contains(string(c.ask("tasks/list", `{}`)), mine), false)
	clean(t, p)
}
