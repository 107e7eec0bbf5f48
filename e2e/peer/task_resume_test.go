//go:build !js

package peer_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// The table of the proposal's error handling for lastSeqNr.
func TestLastSeqNr(t *testing.T) {
	p := telling(t, peer.Streaming{First: 5})
	c := tasking(t, p, modes)
	s := read(c.open("tell", `{"call":"a","n":6,"gate":"g"}`, asking(`"streaming"`)))
	for range 5 {
		p.Pass("g")
	}
	id := message(s).id()
	check := func(last, seqs string, complete string) {
		t.Helper()
		m := c.of("tasks/result", id, `,"lastSeqNr":`+last)
		equal(t, last+": seqs", m.seqs(), seqs)
		equal(t, last+": isComplete", m.dig("result", "isComplete"), complete)
		equal(t, last+": id", m.dig("id"), strconv.Itoa(c.n))
		equal(t, last+": task", m.id(), id)
	}
	check("2", "3 4 5", "false")
	check("5", "", "false") // the highest, in progress
	check("7", "", "false") // beyond, in progress
	p.Release("g")
	remaining(s)
	check("2", "3 4 5 6", "true")
	check("2e0", "3 4 5 6", "true") // the same number
	check("6", "", "true")          // the highest, completed
	check("7", "", "true")          // beyond
	check("9007199254740993", "", "true")
	clean(t, p)
	for i, bad := range []string{"0", "-1", "1.5", `"3"`, "null", "true", "[]", "1e400"} {
		m := c.of("tasks/result", id, `,"lastSeqNr":`+bad)
		equal(t, bad, m.code(), -32602)
		equal(t, bad+": blamed", len(p.Violations()), i+1)
	}
	polls := p.Oracle().Polls("a")
	equal(t, "noted", polls[0].LastSeqNr+fmt.Sprint(polls[0].Segments), "2[3 4 5]")
	// Servers that cannot.
	for how, want := range map[peer.Resumption]string{peer.FromOne: "1 2", peer.NoResumption: ""} {
		p := telling(t, peer.Streaming{Resume: how})
		c := tasking(t, p, modes)
		id := c.create("tell", `{"call":"a","n":2}`, asking(`"streaming"`)).id()
		settled(t, p, "a", "completed")
		m := c.of("tasks/result", id, `,"lastSeqNr":1`)
		equal(t, "all or nothing", m.seqs(), want)
		equal(t, "code", m.code(), map[bool]int{true: -32603}[want == ""])
		contains(t, "merged", string(c.of("tasks/result", id, "")), `a#1:2`)
		clean(t, p)
	}
	// Tasks that do not stream, and servers that know no segments.
	p = narrating(t, peer.TaskServer{Modes: all}, peer.TaskPolicy{})
	c = tasking(t, p, modes)
	id = c.create("tell", `{"n":2}`, ``).id()
	equal(t, "no stream", c.of("tasks/result", id, `,"lastSeqNr":1`).code(), -32602)
	p = narrating(t, peer.TaskServer{}, peer.TaskPolicy{})
	c = tasking(t, p, modes)
	id = c.create("tell", `{"n":2}`, ``).id()
	contains(t, "old server", string(c.of("tasks/result", id, `,"lastSeqNr":1`)), `"content":[`)
}

// Any seeded mixture: nothing twice, nothing lost, and the same in every run.
func TestMixture(t *testing.T) {
	run := func(seed uint64) (got []string) {
		p := telling(t, peer.Streaming{First: 2, Lanes: peer.RandomLanes(seed, true)})
		c := tasking(t, p, modes)
		s := read(c.open("tell", `{"call":"a","n":12,"gate":"g"}`, asking(`"streaming"`)))
		for range 6 {
			p.Pass("g")
		}
		until(t, p, "half", func() bool { return len(p.Oracle().Tasks("a")[0].Segments) == 6 })
		id := p.Oracle().Tasks("a")[0].ID
		seen := map[string]int{}
		note := func(by string, m reply) {
			for _, seq := range strings.Fields(m.seqs()) {
				seen[seq]++
				got = append(got, by+seq)
			}
		}
		note("r", c.of("tasks/result", id, `,"lastSeqNr":3`))
		p.Release("g")
		for _, m := range remaining(s) {
			note("s", m)
		}
		for i := 1; i <= 12; i++ { // the gaps, in the end
			if seen[strconv.Itoa(i)] == 0 {
				m := c.of("tasks/result", id, `,"lastSeqNr":`+strconv.Itoa(max(i-1, 1)))
				equal(t, "fetched", slices.Contains(strings.Fields(m.seqs()), strconv.Itoa(i)), i > 1)
				equal(t, "complete", m.dig("result", "isComplete"), "true")
			}
		}
		for seq, n := range seen {
			equal(t, seq+" twice", n > 1, slices.Contains(got, "r"+seq) && slices.Contains(got, "s"+seq))
		}
		clean(t, p)
		return got
	}
	one := run(7)
	equal(t, "the same again", strings.Join(run(7), " "), strings.Join(one, " "))
	equal(t, "another", strings.Join(run(8), " ") != strings.Join(one, " "), true)
}

// The connection dies in the middle of segments: the store has them for a GET,
// and tasks/result for whoever asks there.
func TestStreamCuts(t *testing.T) {
	p := peer.New(t, peer.Options{})
	p.Tasks(peer.TaskServer{Modes: all})
	p.Narrating(&peer.RandomCuts{Seed: 3, Chance: 0.5, Most: 4, Hold: true},
		peer.AsTask(peer.TaskPolicy{Streams: &peer.Streaming{}}))
	c := tasking(t, p, modes)
	var seqs []string
	cursor, id := "", ""
	take := func(s *stream) {
		for e, err := s.next(); err == nil; e, err = s.next() {
			if e.id != "" {
				cursor = e.id
			}
			m := reply(e.data)
			seqs = append(seqs, strings.Fields(m.seqs())...)
			if m.id() != "" {
				id = m.id()
			}
		}
	}
	take(read(c.open("tell", `{"call":"a","n":20}`, asking(`"streaming"`))))
	for range 10 {
		if !slices.Contains(seqs, "20") {
			take(read(c.get(cursor)))
		}
	}
	var want []string
	for i := range 20 {
		want = append(want, strconv.Itoa(i+1))
	}
	equal(t, "by GET", strings.Join(seqs, " "), strings.Join(want, " "))
	equal(t, "connections", p.Oracle().Connections("a") > 2, true)
	equal(t, "runs", p.Oracle().Runs("a"), 1)
	equal(t, "again", c.of("tasks/result", id, `,"lastSeqNr":18`).seqs(), "19 20")
	clean(t, p)
	// Without the GET: a cut, then lastSeqNr.
	p = peer.New(t, peer.Options{NoEventIDs: true})
	p.Tasks(peer.TaskServer{Modes: all})
	p.Tool("cut", peer.Script{
		peer.TextSegment("one"), peer.Torn(peer.TextSegment("two"), 30, peer.Reset),
		peer.TextSegment("three"), peer.Polled(1), peer.Merged(""),
	}, peer.AsTask(peer.TaskPolicy{Streams: &peer.Streaming{First: 1}}))
	c = tasking(t, p, modes)
	s := read(c.open("cut", `{}`, asking(`"streaming"`)))
	equal(t, "one", message(s).seqs(), "1")
	remaining(s)
	until(t, p, "three", func() bool { return len(p.Oracle().Tasks("cut")[0].Segments) == 3 })
	m := c.of("tasks/result", p.Oracle().Tasks("cut")[0].ID, `,"lastSeqNr":1`)
	equal(t, "the rest", m.seqs(), "2 3")
	clean(t, p)
}

// What a server of segments must not do, and what the truth stays all the same.
func TestSegmentOddities(t *testing.T) {
	for _, v := range []struct {
		odd  peer.SegmentOddity
		seqs string // of the first pushed response
	}{
		{peer.SegmentTwice, "1 2 1 2"}, {peer.SegmentChanged, "1 2 1 2"}, {peer.SegmentsReversed, "2 1"},
		{peer.SegmentsMissing, ""},
		{peer.SegmentsOdd, "1 2 " + strings.Join(peer.OddSeqNrs, " ")},
		{peer.SegmentJump, "1 2 9007199254740991"},
		{peer.SegmentAhead, "1 2 1000000"}, {peer.TaskForeign, "1 2"}, {peer.CompleteEarly, "1 2"},
		{peer.CompleteLate, "1 2"},
		{peer.CompleteOdd, "1 2"},
	} {
		t.Run(strconv.Itoa(int(v.odd)), func(t *testing.T) {
			p := telling(t, peer.Streaming{Opening: peer.OpenTask, Lanes: lanes(peer.Wait, peer.Push),
				Spoil: peer.Spoiling("stream", 1, v.odd)})
			c := tasking(t, p, modes)
			got := remaining(read(c.open("tell", `{"call":"a","n":3}`, asking(`"streaming"`))))
			equal(t, "first is well", got[0].dig("result", "task", "status"), "working")
			id := got[0].id()
			equal(t, "seqs", strings.ReplaceAll(got[1].seqs(), `"`, ""), strings.ReplaceAll(v.seqs, `"`, ""))
			equal(t, "foreign", got[1].id() != id, v.odd == peer.TaskForeign)
			equal(t, "early", got[1].dig("result", "isComplete") == "true", v.odd == peer.CompleteEarly ||
				v.odd == peer.CompleteOdd)
			equal(t, "changed", strings.Contains(string(got[1]), "changed"), v.odd == peer.SegmentChanged)
			equal(t, "the rest is well", got[2].seqs(), "3")
			equal(t, "and the end", got[3].dig("result", "isComplete"), "true")
			equal(t, "truth", c.of("tasks/result", id, `,"lastSeqNr":1`).seqs(), "2 3")
			clean(t, p)
		})
	}
}

// Gaps for good, other content in the end, and steps that write what they like.
func TestSegmentSteps(t *testing.T) {
	how := peer.Streaming{First: 1, Lanes: lanes(peer.Push, peer.Fetch, peer.Push, peer.Never, peer.Push),
		Merge: func(content []json.RawMessage) []json.RawMessage {
			content[0] = json.RawMessage(`{"type":"text","text":"other"}`)
			return content
		}}
	p := telling(t, how)
	c := tasking(t, p, modes)
	got := remaining(read(c.open("tell", `{"call":"a","n":5}`, asking(`"streaming"`))))
	last := got[len(got)-1]
	equal(t, "complete with gaps", got[0].seqs()+got[1].seqs()+got[2].seqs()+last.dig("result", "isComplete"),
		"135true")
	equal(t, "one can be had", c.of("tasks/result", last.id(), `,"lastSeqNr":1`).seqs(), "2 3 5")
	contains(t, "final", string(c.of("tasks/result", last.id(), "")),
		`"content":[{"type":"text","text":"other"},`, "a#1:4")

	p.Tool("odd", peer.Script{
		peer.TextSegment("one"), peer.OddSegment("1.5", `{"type":"text","text":"odd"}`), peer.Flush(),
		peer.Send(1, 1),
		peer.Message(`{"jsonrpc":"2.0","method":"notifications/message",` +
			`"params":{"partial-content":[{"seqNr":2,"type":"text","text":"no"}]}}`),
		peer.Message(`{"jsonrpc":"2.0","id":"other","result":{"partial-content":[],"isComplete":true,` +
			`"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"$TASK"}}}}`),
		peer.Merged(""),
	}, peer.AsTask(peer.TaskPolicy{Streams: &peer.Streaming{First: 1, Opening: peer.OpenParts}}))
	got = remaining(read(c.open("odd", `{}`, asking(`"streaming"`))))
	equal(t, "odd", got[1].seqs(), "1.5")
	equal(t, "twice", got[2].seqs(), "1 1")
	equal(t, "notification", got[3].dig("method"), "notifications/message")
	equal(t, "other id", got[4].dig("id")+got[4].id(), "other"+got[0].id())
	equal(t, "end", got[5].dig("result", "isComplete"), "true")
	clean(t, p)
}

// A server whose answer to the call is JSON keeps the rest for tasks/result.
func TestStreamAsJSON(t *testing.T) {
	p := peer.New(t, peer.Options{})
	p.Tasks(peer.TaskServer{Modes: all})
	p.Narrating(nil, peer.AsJSON, peer.AsTask(peer.TaskPolicy{Streams: &peer.Streaming{First: 2}}))
	c := tasking(t, p, modes)
	m := c.create("tell", `{"call":"a","n":4}`, asking(`"streaming"`))
	equal(t, "first", m.seqs(), "1 2")
	settled(t, p, "a", "completed")
	m = c.of("tasks/result", m.id(), `,"lastSeqNr":2`)
	equal(t, "rest", m.seqs()+m.dig("result", "isComplete"), "3 4true")
	clean(t, p)
}

// Statuses on the stream of the call, a late note and another interval; and a
// cancellation of the wrong kind.
func TestStreamNotes(t *testing.T) {
	p := peer.New(t, peer.Options{})
	p.Tasks(peer.TaskServer{Modes: all, Status: peer.TellCall})
	p.Tool("notes", peer.Script{peer.PollEvery(20), peer.Note("half"), peer.TextSegment("one"),
		peer.Gate("g"), peer.Merged("")},
		peer.AsTask(peer.TaskPolicy{Poll: 10, Streams: &peer.Streaming{}}))
	c := tasking(t, p, modes)
	equal(t, "last", func() string {
		p.Pass("g")
		got := remaining(read(c.open("notes", `{"call":"first"}`, asking(`"streaming"`))))
		return got[len(got)-1].dig("params", "status")
	}(), "completed")
	s := read(c.open("notes", `{}`, asking(`"streaming"`)))
	id := message(s).id()
	note := message(s)
	equal(t, "note", note.dig("params", "statusMessage")+note.dig("params", "pollInterval"), "half20")
	equal(t, "segment", message(s).seqs(), "1")
	c.of("tasks/get", id, "")
	c.of("tasks/get", id, "")
	equal(t, "hasty", p.Oracle().Hasty("notes", time.Minute), 1)
	clean(t, p)
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`, "")
	dishonest(t, p, "tasks/cancel")
	p.Release("g")
	settled(t, p, "notes", "completed")
}
