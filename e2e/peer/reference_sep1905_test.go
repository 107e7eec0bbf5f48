//go:build !js

package peer_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// The lines of SEP-1905's "Implementation Checklist" for servers, in its words and
// its order: nobody serves the proposal, so the Peer has to be what it asks for.
func TestSEP1905_ServerChecklist(t *testing.T) {
	t.Run("Capability negotiation: Server correctly declares supported modes in tasks.responses.modes",
		func(t *testing.T) {
			for modes, want := range map[string]string{
				"task immediate streaming": `["task","immediate","streaming"]`, "task": `["task"]`, "": ""} {
				p := narrating(t, peer.TaskServer{Modes: strings.Fields(modes)}, peer.TaskPolicy{})
				if modes == "" {
					p.Tasks(peer.TaskServer{})
				}
				init := only(tasking(t, p, `{}`).send(`{"jsonrpc":"2.0","id":"i","method":"initialize",`+
					`"params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t",`+
					`"version":"1"}}}`, ""))
				equal(t, modes, init.dig("result", "capabilities", "tasks", "responses", "modes"), want)
			}
			TestModeNegotiation(t)
		})
	t.Run("Mode selection: Server correctly selects mode from client's responseModes list", TestModeChoice)
	t.Run("Immediate mode: Server correctly handles immediate results and optional task creation",
		func(t *testing.T) {
			for readiness, tracked := range map[peer.Readiness]bool{
				peer.Ready: false, peer.ReadyTracked: true} {
				p := narrating(t, peer.TaskServer{Modes: all}, peer.TaskPolicy{Ready: readiness})
				c := tasking(t, p, modes)
				m := c.create("tell", `{"call":"a","n":2}`, asking(`"immediate"`))
				contains(t, "all of it", m.dig("result", "content"), "a#1:1", "a#1:2")
				equal(t, "no part", m.dig("result", "partial-content")+m.dig("result", "task"), "")
				equal(t, "related-task", m.id() != "", tracked)
				equal(t, "tasks", strings.Count(string(c.ask("tasks/list", `{}`)), `"status":"completed"`),
					map[bool]int{true: 1}[tracked])
				if tracked {
					equal(t, "the same result", c.of("tasks/result", m.id(), "").dig("result"),
						m.dig("result"))
				}
				clean(t, p)
			}
		})
	t.Run("Task mode: Server correctly returns CreateTaskResult for task mode", func(t *testing.T) {
		p := narrating(t, peer.TaskServer{Modes: all},
			peer.TaskPolicy{Poll: 500, Ready: peer.Ready, Streams: &peer.Streaming{}})
		c := tasking(t, p, modes)
		for _, asked := range []string{asking(`"task"`), `"ttl":60000`} {
			m := c.create("tell", `{"n":2}`, asked)
			equal(t, "neither", m.dig("result", "content")+m.dig("result", "partial-content"), "")
			for key, want := range map[string]string{"status": "working", "ttl": "60000",
				"pollInterval": "500"} {
				equal(t, key, m.dig("result", "task", key), want)
			}
			for _, key := range []string{"createdAt", "lastUpdatedAt"} {
				_, err := time.Parse(time.RFC3339, m.dig("result", "task", key))
				equal(t, key, err, nil)
			}
			contains(t, "final", string(c.of("tasks/result", m.id(), "")), `"content":[`)
		}
		clean(t, p)
	})
	t.Run("Streaming mode: Server correctly creates tasks and sends streaming results", TestOpenings)
	t.Run("Segment numbering: Server assigns unique, sequential seqNr values starting from 1",
		func(t *testing.T) {
			for seed := range uint64(8) {
				p := telling(t, peer.Streaming{Lanes: peer.RandomLanes(seed, false)})
				var seqs []int
				for _, m := range remaining(
					read(tasking(t, p, modes).open("tell", `{"call":"a","n":12}`, asking(`"streaming"`)))) {
					for _, part := range m.parts() {
						seq, _ := strconv.Atoi(reply(part).dig("seqNr"))
						equal(t, "in the order of making", reply(part).dig("text"),
							fmt.Sprintf("a#1:%d", seq))
						seqs = append(seqs, seq)
					}
				}
				slices.Sort(seqs)
				equal(t, "1 to 12", fmt.Sprint(seqs), "[1 2 3 4 5 6 7 8 9 10 11 12]")
				clean(t, p)
			}
		})
	t.Run("SSE format: Server sends JSON-RPC messages in SSE events (if using SSE)", func(t *testing.T) {
		p := telling(t, peer.Streaming{})
		c := tasking(t, p, modes)
		r := c.open("tell", `{"n":3}`, asking(`"streaming"`))
		equal(t, "type", r.Header.Get("Content-Type"), "text/event-stream")
		s, ids, responses := read(r), map[string]bool{}, 0
		for e, err := s.next(); err == nil; e, err = s.next() {
			equal(t, "an id of its own", e.id != "" && !ids[e.id], true)
			ids[e.id] = true
			if e.data == "" {
				continue // the priming event
			}
			m := reply(e.data)
			equal(t, "a whole message", m.dig("jsonrpc"), "2.0")
			if m.dig("method") == "" {
				responses++
				equal(t, "the call's id", m.dig("id"), strconv.Itoa(c.n))
				equal(t, "a result", m.dig("result") != "", true)
			} else {
				equal(t, "no segment in a notification", strings.Contains(e.data, "partial-content"), false)
			}
		}
		equal(t, "responses", responses, 5)
		clean(t, p)
	})
	// Whoever asks tasks/result for what comes after the highest number that the
	// stream has brought, gets nothing twice.
	t.Run("No duplicates: Server never sends the same seqNr through multiple mechanisms", func(t *testing.T) {
		for first := 1; first <= 6; first++ {
			p := telling(t, peer.Streaming{First: first})
			c := tasking(t, p, modes)
			s := read(c.open("tell", `{"call":"a","n":12,"gate":"g"}`, asking(`"streaming"`)))
			for range first {
				p.Pass("g")
			}
			m := message(s)
			got := strings.Fields(m.seqs())
			p.CutStreams(peer.FIN) // from here on nothing can come on the stream
			p.Release("g")
			settled(t, p, "a", "completed")
			got = append(got,
				strings.Fields(c.of("tasks/result", m.id(), `,"lastSeqNr":`+got[len(got)-1]).seqs())...)
			equal(t, "each once", strings.Join(got, " "), "1 2 3 4 5 6 7 8 9 10 11 12")
			clean(t, p)
		}
		TestScenarios1905(t)
	})
	t.Run("Completion: Server sets isComplete: true and transitions task to completed", func(t *testing.T) {
		p := telling(t, peer.Streaming{First: 1})
		c := tasking(t, p, modes)
		s := read(c.open("tell", `{"call":"a","n":2,"gate":"g"}`, asking(`"streaming"`)))
		p.Pass("g")
		id := message(s).id()
		p.Pass("g")
		equal(t, "not yet", message(s).dig("result", "isComplete"), "false")
		equal(t, "at work", c.of("tasks/get", id, "").dig("result", "status"), "working")
		p.Release("g")
		last := remaining(s)
		equal(t, "one more", len(last), 1)
		equal(t, "it says so", last[0].dig("result", "isComplete")+last[0].dig("result", "isError"),
			"truefalse")
		equal(t, "then", c.of("tasks/get", id, "").dig("result", "status"), "completed")
		clean(t, p)
	})
	t.Run("Error handling: Server correctly handles task failures and cancellations", TestStreamEnds)
	t.Run("TTL handling: Server correctly handles TTL expiration during streaming", func(t *testing.T) {
		for _, conclude := range []bool{false, true} {
			p := narrating(t, peer.TaskServer{Modes: all},
				peer.TaskPolicy{Streams: &peer.Streaming{First: 1}, Conclude: conclude})
			c := tasking(t, p, modes)
			s := read(c.open("tell", `{"call":"a","n":3,"gate":"g"}`, asking(`"streaming"`)))
			p.Pass("g")
			id := message(s).id()
			p.Advance(59 * time.Second)
			equal(t, "not early", c.of("tasks/get", id, "").dig("result", "status"), "working")
			p.Advance(2 * time.Second)
			p.Release("g")
			rest := remaining(s)
			if !conclude { // "MAY stop sending streaming results and MAY delete the task"
				equal(t, "nothing more", len(rest), 0)
				equal(t, "gone", c.of("tasks/get", id, "").code(), -32602)
				equal(t, "gone", c.of("tasks/result", id, `,"lastSeqNr":1`).code(), -32602)
			} else { // "it MUST include isComplete: true in the next response"
				equal(t, "one more", len(rest), 1)
				equal(t, "complete", rest[0].dig("result", "isComplete"), "true")
				equal(t, "terminal", c.of("tasks/get", id, "").dig("result", "status"), "failed")
			}
			clean(t, p)
		}
	})
	t.Run("Resume support: Server correctly handles lastSeqNr in tasks/result requests", TestLastSeqNr)
}
