//go:build !js

package peer_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// Where a question goes, and whether again.
func TestTaskQuestionsElsewhere(t *testing.T) {
	p := working(t, peer.Options{}, peer.TaskServer{AskStandalone: true}, peer.TaskPolicy{})
	c := tasking(t, p, `{"elicitation":{}}`)
	alone := read(c.get(""))
	id := c.create("work", `{"call":"a","ask":1}`, ``).id()
	s := c.result(id)
	c.answer(message(alone), id)
	contains(t, "no question here", string(message(s)), `"answers":[`)
	clean(t, p)

	p = working(t, peer.Options{}, peer.TaskServer{AskOnce: true}, peer.TaskPolicy{})
	c = tasking(t, p, `{"elicitation":{}}`)
	id = c.create("work", `{"call":"a","ask":1}`, ``).id()
	s = c.result(id)
	e, _ := s.next()
	p.CutStreams(peer.FIN)
	two := c.result(id)
	until(t, p, "both wait", func() bool { return p.Oracle().Tasks("a")[0].Waiting == 2 })
	c.answer(reply(e.data), id)
	contains(t, "no question here", string(message(two)), `"answers":[`)
	rest := remaining(read(c.get(e.id)))
	contains(t, "and the first goes on", string(rest[0]), `"answers":[`)
	equal(t, "written", p.Oracle().Questions("a")[0].Written, 1)
	clean(t, p)
}

// The tools that are no tasks by nature: count and ask.
func TestTaskOtherTools(t *testing.T) {
	p := peer.New(t, peer.Options{})
	p.Tasks(peer.TaskServer{Ways: continues, Typed: true})
	p.Counting(&peer.RandomCuts{Seed: 1, Chance: 1}, peer.AsTask(peer.TaskPolicy{}))
	p.Asking(peer.AsTask(peer.TaskPolicy{}))
	c := tasking(t, p, `{}`)
	alone := read(c.get(""))
	id := c.create("count", `{"call":"n","n":3}`, ``).id()
	settled(t, p, "n", "completed")
	contains(t, "counted", string(c.of("tasks/continue", id, "")), `"n":3`)
	contains(t, "progress", string(message(alone)), `"progress":1`, id)
	id = c.create("ask", `{"call":"q","questions":2}`, ``).id()
	for _, key := range []string{"q.1.q1", "q.1.q2"} {
		until(t, p, key, func() bool { return strings.Join(p.Oracle().Tasks("q")[0].Open, "") == key })
		m := c.of("tasks/continue", id, "")
		equal(t, "typed", m.dig("result", "resultType"), "input_required")
		equal(t, "asked", m.dig("result", "inputRequests", key, "method"), "elicitation/create")
		c.of("tasks/continue", id, `,"inputResponses":{"`+key+`":{"action":"decline"}}`)
	}
	settled(t, p, "q", "completed")
	clean(t, p)
}

// Keys that tempt: __proto__, a thousand of them, one for two questions.
func TestTaskHostileKeys(t *testing.T) {
	p := peer.New(t, peer.Options{Revision: peer.Revision20260728})
	p.Tasks(peer.TaskServer{})
	twice := append(peer.Input("k", "roots/list", ""),
		peer.Input("k", "elicitation/create", `{"message":"?"}`)...)
	p.Tool("twice", append(twice, peer.Text("done")), peer.AsTask(peer.TaskPolicy{}))
	p.Tool("proto", append(peer.Input("__proto__", "roots/list", ""), peer.Text("done")),
		peer.AsTask(peer.TaskPolicy{}))
	b := modern(t, p)
	id := b.declaring("tools/call", "twice", `"name":"twice"`).id()
	for _, method := range []string{"roots/list", "elicitation/create"} {
		until(t, p, method, func() bool {
			return len(p.Oracle().Questions("twice")) > 0 && len(p.Oracle().Tasks("twice")[0].Open) == 1
		})
		equal(t, "asked", b.about("tasks/get", id, "").dig("result", "inputRequests", "k", "method"), method)
		b.about("tasks/update", id, `,"inputResponses":{"k":{"by":"`+method+`"}}`)
		if method == "roots/list" {
			until(t, p, "the second", func() bool { return len(p.Oracle().Questions("twice")) == 2 })
		}
	}
	settled(t, p, "twice", "completed")
	id = b.declaring("tools/call", "proto", `"name":"proto"`).id()
	settled(t, p, "proto", "input_required")
	contains(t, "key", string(b.about("tasks/get", id, "")), `"inputRequests":{"__proto__":{`)
	b.about("tasks/update", id, `,"inputResponses":{"__proto__":{"roots":[]}}`)
	settled(t, p, "proto", "completed")
	clean(t, p)
}

// Two calls of one tool ask under ids of their own, in one session.
func TestTaskQuestionIDs(t *testing.T) {
	p := peer.New(t, peer.Options{})
	p.Tasks(peer.TaskServer{})
	p.HelloWorld(peer.AsTask(peer.TaskPolicy{}))
	c := tasking(t, p, `{"elicitation":{}}`)
	var questions, ids []string
	var streams []*stream
	for range 2 {
		id := c.create("hello_world", `{}`, ``).id()
		s := c.result(id)
		ids, streams = append(ids, id), append(streams, s)
		questions = append(questions, string(message(s)))
	}
	equal(t, "two ids", reply(questions[0]).dig("id") != reply(questions[1]).dig("id"), true)
	for i := range questions {
		c.answer(reply(questions[i]), ids[i])
		contains(t, "greeted", string(message(streams[i])), `"Hello, !"`)
	}
	clean(t, p)
}
