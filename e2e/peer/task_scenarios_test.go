//go:build !js

package peer_test

import (
	"testing"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// The test scenarios of SEP-1905, in its order, from the server's side.
func TestScenarios1905(t *testing.T) {
	stream := asking(`"streaming"`)
	play := func(name string, how *peer.Streaming, ready peer.Readiness, have []string,
		f func(*testing.T, *peer.Peer, *tasker)) {
		t.Run(name, func(t *testing.T) {
			p := narrating(t, peer.TaskServer{Modes: have}, peer.TaskPolicy{Streams: how, Ready: ready})
			f(t, p, tasking(t, p, modes))
			clean(t, p)
		})
	}
	play("1 immediate", nil, peer.Ready, all, func(t *testing.T, p *peer.Peer, c *tasker) {
		m := c.create("tell", `{"n":1}`, asking(`"immediate"`))
		contains(t, "content", string(m), `"content":[{"text":"tell#1:1","type":"text"}]`)
		equal(t, "no task", m.dig("result", "_meta"), "")
	})
	play("2 task", nil, peer.NotReady, all, func(t *testing.T, p *peer.Peer, c *tasker) {
		id := c.create("tell", `{"call":"a","n":1}`, asking(`"task"`)).id()
		settled(t, p, "a", "completed")
		equal(t, "status", c.of("tasks/get", id, "").dig("result", "status"), "completed")
		contains(t, "content", string(c.of("tasks/result", id, "")), `"content":[`)
	})
	play("3 initial response only", &peer.Streaming{First: 9, Opening: peer.OpenParts}, peer.NotReady, all,
		func(t *testing.T, p *peer.Peer, c *tasker) {
			got := remaining(read(c.open("tell", `{"n":2}`, stream)))
			equal(t, "one", len(got), 1)
			equal(t, "whole", got[0].seqs()+got[0].dig("result", "isComplete"), "1 2true")
		})
	play("4 several responses", &peer.Streaming{First: 2,
		Lanes: lanes(peer.Wait, peer.Wait, peer.Wait, peer.Push, peer.Wait)}, peer.NotReady, all,
		func(t *testing.T, p *peer.Peer, c *tasker) {
			got := remaining(read(c.open("tell", `{"n":5}`, stream)))
			equal(t, "in order", got[0].seqs()+"|"+got[1].seqs()+"|"+got[2].seqs(), "1 2|3 4|5")
			equal(t, "final", got[2].dig("result", "isComplete"), "true")
		})
	play("5 SSE stream", &peer.Streaming{Opening: peer.OpenTask}, peer.NotReady, all,
		func(t *testing.T, p *peer.Peer, c *tasker) {
			s := read(c.open("tell", `{"n":1}`, stream))
			prime, _ := s.next()
			equal(t, "created before it runs", reply(prime.data).dig("result", "task", "status"), "working")
			for e, err := s.next(); err == nil; e, err = s.next() {
				equal(t, "has an id, and that of the call", e.id != "" &&
					(e.data == "" || reply(e.data).dig("id") == "1"), true)
			}
		})
	play("6 resume with lastSeqNr", &peer.Streaming{First: 3}, peer.NotReady, all,
		func(t *testing.T, p *peer.Peer, c *tasker) {
			s := read(c.open("tell", `{"call":"a","n":5,"gate":"g"}`, stream))
			for range 3 {
				p.Pass("g")
			}
			id := message(s).id()
			p.CutStreams(peer.FIN)
			p.Release("g")
			settled(t, p, "a", "completed")
			equal(t, "from 4", c.of("tasks/result", id, `,"lastSeqNr":3`).seqs(), "4 5")
		})
	play("7 gaps",
		&peer.Streaming{First: 1, Lanes: lanes(peer.Push, peer.Fetch, peer.Push, peer.Fetch, peer.Push)},
		peer.NotReady, all, func(t *testing.T, p *peer.Peer, c *tasker) {
			got := remaining(read(c.open("tell", `{"n":5}`, stream)))
			equal(t, "gaps", got[0].seqs()+got[1].seqs()+got[2].seqs(), "135")
			equal(t, "filled", c.of("tasks/result", got[0].id(), `,"lastSeqNr":1`).seqs(), "2 3 4 5")
		})
	play("8 immediate falls back", &peer.Streaming{First: 1}, peer.NotReady, all,
		func(t *testing.T, p *peer.Peer, c *tasker) {
			equal(t, "to streaming", c.create("tell", `{"n":1}`, asking(`"immediate","streaming"`)).seqs(),
				"1")
			equal(t, "to task", c.create("tell", `{"n":1}`, asking(`"immediate"`)).dig(
				"result", "task", "status"), "working")
		})
	play("9 TTL", &peer.Streaming{}, peer.NotReady, all, func(t *testing.T, p *peer.Peer, c *tasker) {
		s := read(c.open("tell", `{"n":2,"gate":"g"}`, stream))
		id := message(s).id()
		p.Pass("g")
		equal(t, "one", message(s).seqs(), "1")
		p.Advance(time.Minute)
		equal(t, "over", len(remaining(s)), 0)
		equal(t, "gone", c.of("tasks/result", id, `,"lastSeqNr":1`).code(), -32602)
	})
	play("10 cancellation", &peer.Streaming{}, peer.NotReady, all,
		func(t *testing.T, p *peer.Peer, c *tasker) {
			s := read(c.open("tell", `{"n":2,"gate":"g"}`, stream))
			equal(t, "cancelled", c.of("tasks/cancel", message(s).id(), "").dig("result", "status"),
				"cancelled")
			p.Release("g")
			equal(t, "stops", len(remaining(s)), 0)
		})
	play("11 failure", &peer.Streaming{Lanes: lanes(peer.Wait)}, peer.NotReady, all,
		func(t *testing.T, p *peer.Peer, c *tasker) {
			got := remaining(read(c.open("tell", `{"n":2,"fail":"error"}`, stream)))
			last := got[len(got)-1]
			equal(t, "with its partials", last.seqs()+last.dig("result", "isError")+
				last.dig("result", "isComplete"), "1 2truetrue")
		})
	play("12 duplicates", &peer.Streaming{Spoil: peer.Spoiling("stream", 0, peer.SegmentTwice)},
		peer.NotReady, all, func(t *testing.T, p *peer.Peer, c *tasker) {
			got := remaining(read(c.open("tell", `{"n":1}`, stream)))
			equal(t, "twice", got[1].seqs(), "1 1")
		})
	play("13 new client, old server", &peer.Streaming{}, peer.Ready, nil,
		func(t *testing.T, p *peer.Peer, c *tasker) {
			equal(t, "task", c.create("tell", `{"n":1}`, stream).dig("result", "task", "status"), "working")
		})
	play("14 old client, new server", &peer.Streaming{}, peer.Ready, all,
		func(t *testing.T, p *peer.Peer, c *tasker) {
			m := c.create("tell", `{"n":1}`, `"ttl":60000`)
			equal(t, "task", m.dig("result", "task", "status")+m.dig("result", "partial-content"), "working")
		})
	play("15 mixed mechanisms", &peer.Streaming{First: 1,
		Lanes: lanes(peer.Push, peer.Push, peer.Hold, peer.Push)}, peer.NotReady, all,
		func(t *testing.T, p *peer.Peer, c *tasker) {
			s := read(c.open("tell", `{"call":"a","n":4,"gate":"g"}`, stream))
			for range 3 {
				p.Pass("g")
			}
			m := message(s)
			until(t, p, "three", func() bool { return len(p.Oracle().Tasks("a")[0].Segments) == 3 })
			fetched := c.of("tasks/result", m.id(), `,"lastSeqNr":2`).seqs()
			p.Release("g")
			got := m.seqs() + "|" + message(s).seqs() + "|" + fetched + "|" + message(s).seqs() + "|" +
				message(s).seqs()
			equal(t, "each by one", got, "1|2|3|4|")
		})
}

// What was done and never said: the answer to an update, and to a cancellation.
func TestTaskAnswersLost(t *testing.T) {
	p := working(t, peer.Options{NoReuse: true}, peer.TaskServer{Ways: continues}, peer.TaskPolicy{})
	c := tasking(t, p, `{}`)
	id := c.create("work", `{"call":"a","ask":1,"gate":"g"}`, ``).id()
	settled(t, p, "a", "input_required")
	p.CutAnswers("tasks/continue", peer.Clean)
	yes := `,"inputResponses":{"a.1.q1":{"action":"accept"}}`
	equal(t, "lost", c.of("tasks/continue", id, yes), "")
	equal(t, "taken", c.of("tasks/get", id, "").dig("result", "status"), "working")
	equal(t, "again", c.of("tasks/continue", id, yes).dig("result", "status"), "working")
	p.CutAnswers("tasks/cancel", peer.Clean)
	equal(t, "lost", c.of("tasks/cancel", id, ""), "")
	equal(t, "done", c.of("tasks/get", id, "").dig("result", "status"), "cancelled")
	polls := p.Oracle().Polls("a")
	equal(t, "answered", polls[0].Answered || polls[3].Answered, false)
	clean(t, p)
}
