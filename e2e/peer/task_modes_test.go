//go:build !js

package peer_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// all are the modes of a server that knows them all.
var all = []string{"task", "immediate", "streaming"}

func narrating(t *testing.T, server peer.TaskServer, policy peer.TaskPolicy) *peer.Peer {
	p := peer.New(t, peer.Options{})
	p.Tasks(server)
	p.Narrating(nil, peer.AsTask(policy))
	return p
}

func telling(t *testing.T, how peer.Streaming) *peer.Peer {
	return narrating(t, peer.TaskServer{Modes: all}, peer.TaskPolicy{Streams: &how})
}

func asking(modes string) string { return `"ttl":60000,"responseModes":[` + modes + `]` }

// The decision process: what is asked, what the server has and what the tool is.
func TestModeChoice(t *testing.T) {
	const i, s, k = `"immediate"`, `"streaming"`, `"task"`
	steady, ready, tracked := peer.TaskPolicy{}, peer.TaskPolicy{Ready: peer.Ready},
		peer.TaskPolicy{Ready: peer.ReadyTracked}
	streams := peer.TaskPolicy{Streams: &peer.Streaming{First: 1}}
	both := peer.TaskPolicy{Ready: peer.Ready, Streams: &peer.Streaming{First: 1}}
	for _, v := range []struct {
		name   string
		have   []string
		asked  string
		policy peer.TaskPolicy
		want   string // content, tracked, task, fallback, partial
	}{
		{"none asked", all, "", both, "task"},
		{"empty list", all, asking(``), both, "task"},
		{"case 1", all, asking(k + "," + i), ready, "content"},
		{"case 1 with a task", all, asking(i), tracked, "tracked"},
		{"ready, not wanted", all, asking(k), ready, "task"},
		{"ready, streaming wanted", all, asking(s), both, "partial"},
		{"immediate goes first", all, asking(k + "," + s + "," + i), both, "content"},
		{"fall back to streaming", all, asking(i + "," + k + "," + s), streams, "partial"},
		{"fall back to task", all, asking(i + "," + k), steady, "task"},
		{"streaming not listed", all, asking(i + "," + k), streams, "task"},
		{"task not listed", all, asking(i), steady, "fallback"},
		{"not incremental", all, asking(s), steady, "fallback"},
		{"streaming goes before task", all, asking(k + "," + s), streams, "partial"},
		{"server has task only", []string{"task"}, asking(s), streams, "fallback"},
		{"server has no streaming", []string{"task", "immediate"}, asking(s + "," + k), streams, "task"},
		{"old server", nil, asking(i + "," + s + "," + k), both, "fallback"},
		{"nonsense", all, asking(`"telepathy"`), streams, "fallback"},
	} {
		t.Run(v.name, func(t *testing.T) {
			p := narrating(t, peer.TaskServer{Modes: v.have}, v.policy)
			c := tasking(t, p, modes)
			m := c.create("tell", `{"call":"a","n":2}`, v.asked)
			got := ""
			flag := m.dig("result", "_meta", "io.modelcontextprotocol/fallback-mode")
			switch {
			case m.dig("result", "partial-content") != "":
				got = "partial"
			case m.dig("result", "content") != "" && m.id() != "":
				got = "tracked"
			case m.dig("result", "content") != "":
				got = "content"
			case flag == "task":
				got = "fallback"
			case m.dig("result", "task") != "":
				got = "task"
			}
			equal(t, "answer", got, v.want)
			if m.id() == "" {
				return
			}
			final := c.of("tasks/result", m.id(), "")
			contains(t, "final", string(final),
				`"content":[{"text":"a#1:1","type":"text"},{"text":"a#1:2","type":"text"}]`,
				`"structuredContent":{`)
			if got == "tracked" {
				equal(t, "the same result", final.dig("result"), m.dig("result"))
				equal(t, "completed", c.of("tasks/get", m.id(), "").dig("result", "status"), "completed")
			}
		})
	}
}

func TestModeNegotiation(t *testing.T) {
	p := narrating(t, peer.TaskServer{Modes: all, Flag: peer.FlagMessage}, peer.TaskPolicy{})
	c := tasking(t, p, `{}`)
	init := only(c.send(`{"jsonrpc":"2.0","id":"again","method":"initialize",`+
		`"params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`, ""))
	equal(t, "declared", init.dig("result", "capabilities", "tasks", "responses", "modes"),
		`["task","immediate","streaming"]`)
	equal(t, "and the rest", init.dig("result", "capabilities", "tasks", "requests"), `{"tools":{"call":{}}}`)
	m := c.create("tell", `{"n":1}`, asking(`"streaming"`))
	contains(t, "flag", m.dig("result", "task", "statusMessage"), "task")
	dishonest(t, p, "did not declare")
	equal(t, "malformed", c.create("tell", `{"n":1}`, `"responseModes":"streaming"`).code(), -32602)
}

// The three initial responses, and what follows on the stream.
func TestOpenings(t *testing.T) {
	for _, v := range []struct {
		how   peer.Streaming
		first string // members of the first result
		seqs  string // of each response
	}{
		{peer.Streaming{Opening: peer.OpenBoth, First: 2}, "task parts", "1 2|3||"},
		{peer.Streaming{Opening: peer.OpenBoth}, "task parts", "|1|2|3||"},
		{peer.Streaming{Opening: peer.OpenTask}, "task", "|1|2|3||"},
		{peer.Streaming{Opening: peer.OpenParts, First: 2}, "parts meta", "1 2|3||"},
		{peer.Streaming{Opening: peer.OpenParts}, "parts meta", "|1|2|3||"},
		{peer.Streaming{Opening: peer.OpenParts, First: 9}, "parts meta", "1 2 3|"},
		{peer.Streaming{Opening: peer.OpenBoth, First: 9}, "task parts", "1 2 3|"},
		{peer.Streaming{First: 1, Lanes: lanes(peer.Push, peer.Wait, peer.Wait)}, "task parts", "1|2 3|"},
		{peer.Streaming{First: 1, Lanes: lanes(peer.Push, peer.Hold, peer.Push)}, "task parts", "1|3|2|"},
		{peer.Streaming{First: 1, NoComplete: true}, "task parts", "1|2|3|"},
	} {
		p := telling(t, v.how)
		c := tasking(t, p, modes)
		got := remaining(read(c.open("tell", `{"call":"a","n":3}`, asking(`"streaming"`))))
		seqs := ""
		for i, m := range got {
			seqs += m.seqs() + "|"
			equal(t, "id", m.dig("id"), "1")
			equal(t, "complete", m.dig("result", "isComplete") == "true",
				i == len(got)-1 && !v.how.NoComplete)
			equal(t, "names the task", m.id() != "", true)
		}
		for _, part := range []struct{ key, name string }{
			{"task", "task"}, {"partial-content", "parts"}, {"_meta", "meta"}} {
			equal(t, part.key, got[0].dig("result", part.key) != "", strings.Contains(v.first, part.name))
		}
		equal(t, "responses", seqs, v.seqs)
		equal(t, "completed", c.of("tasks/get", got[0].id(), "").dig("result", "status"), "completed")
		final := c.of("tasks/result", got[0].id(), "")
		contains(t, "merged", string(final), `"content":[{"text":"a#1:1","type":"text"},{"text":"a#1:2",`+
			`"type":"text"},{"text":"a#1:3","type":"text"}]`)
		for _, s := range p.Oracle().Tasks("a")[0].Segments {
			equal(t, fmt.Sprint("segment ", s.Seq), s.Stream, 1)
		}
		clean(t, p)
	}
}

// lanes goes through a list, the last for all that follow.
func lanes(list ...peer.Lane) func(peer.Call) func(int) peer.Lane {
	return func(peer.Call) func(int) peer.Lane {
		return func(seq int) peer.Lane { return list[min(seq, len(list))-1] }
	}
}

// Failure, cancellation and TTL in the middle.
func TestStreamEnds(t *testing.T) {
	for _, v := range []struct{ n, fail, want string }{
		{"2", "error", `"isComplete":true,"isError":true,"partial-content":[]`},
		{"0", "error", `"content":[{"text":"a failed","type":"text"}],"isComplete":true,"isError":true`},
		{"2", "tool", `"isComplete":true,"isError":true,"partial-content":[]`},
	} {
		p := telling(t, peer.Streaming{})
		c := tasking(t, p, modes)
		got := remaining(
			read(c.open("tell", `{"call":"a","n":`+v.n+`,"fail":"`+v.fail+`"}`, asking(`"streaming"`))))
		contains(t, v.fail, string(got[len(got)-1]), v.want)
		equal(t, "failed", c.of("tasks/get", got[0].id(), "").dig("result", "status"), "failed")
		rest := c.of("tasks/result", got[0].id(), `,"lastSeqNr":1`)
		equal(t, "isError", rest.dig("result", "isError"), "true")
		clean(t, p)
	}
	for _, word := range []bool{false, true} {
		p := telling(t, peer.Streaming{LastWord: word, Lanes: lanes(peer.Push, peer.Wait)})
		c := tasking(t, p, modes)
		s := read(c.open("tell", `{"call":"a","n":3,"gate":"g"}`, asking(`"streaming"`)))
		id := message(s).id()
		p.Pass("g")
		p.Pass("g")
		equal(t, "one", message(s).seqs(), "1")
		until(t, p, "two", func() bool { return len(p.Oracle().Tasks("a")[0].Segments) == 2 })
		equal(t, "cancel", c.of("tasks/cancel", id, "").dig("result", "status"), "cancelled")
		p.Release("g")
		rest := remaining(s)
		equal(t, "responses", len(rest), map[bool]int{true: 1}[word])
		if word {
			equal(t, "last", rest[0].seqs()+rest[0].dig("result", "isComplete"), "2true")
		}
		equal(t, "partials", c.of("tasks/result", id, `,"lastSeqNr":1`).seqs(), "2")
		equal(t, "produced", len(p.Oracle().Produced("a")), 2)
		clean(t, p)
	}
	for _, conclude := range []bool{false, true} {
		p := narrating(t, peer.TaskServer{Modes: all},
			peer.TaskPolicy{Streams: &peer.Streaming{}, Conclude: conclude})
		c := tasking(t, p, modes)
		s := read(c.open("tell", `{"call":"a","n":3,"gate":"g"}`, asking(`"streaming"`)))
		id := message(s).id()
		p.Pass("g")
		equal(t, "one", message(s).seqs(), "1")
		p.Advance(time.Hour)
		rest := remaining(s)
		equal(t, "responses", len(rest), map[bool]int{true: 1}[conclude])
		equal(t, "code", c.of("tasks/get", id, "").code(), map[bool]int{false: -32602}[conclude])
		if conclude {
			equal(t, "complete", rest[0].dig("result", "isComplete")+rest[0].dig("result", "isError"),
				"truetrue")
			equal(t, "partials", c.of("tasks/result", id, `,"lastSeqNr":1`).dig("result", "isComplete"),
				"true")
		}
		clean(t, p)
	}
}
