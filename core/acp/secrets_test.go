//go:build !js

package acp_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// servers are an agent's to connect to, with what lets it.
const servers = `[{"type":"http","name":"n","url":"https://m.test","headers":[{"name":"Authorization",` +
	`"value":"Bearer canary-header"}]},` +
	`{"type":"stdio","name":"o","command":"run","env":[{"name":"KEY","value":"canary-env"}]}]`

// unseal leaves of the secrets of a store what may be read.
func unseal(s *coretest.Store, mayRead func(journal.Entry) bool) {
	s.Change(func(op *journal.Op) {
		if op.Kind != journal.OpLog {
			return
		}
		secret := journal.ReadRow(op.Secret)
		op.Secret = nil
		for e, ok := secret.Next(); ok; e, ok = secret.Next() {
			if mayRead(e) {
				op.Secret = journal.AppendEntry(op.Secret, e)
			}
		}
	})
}

// respond answers the question that was put last, in a tab that looks on.
func (l *looker) respond(data string) {
	var q engine.Effect
	for _, e := range l.told {
		if e.Kind == engine.Deliver && e.Event == engine.EventQuestion {
			q = e
		}
	}
	l.do(func(c *acp.Client) { c.Respond(l.Now, q.Position, true, []byte(data)) })
}

// withdrawn returns why questions of its were withdrawn.
func (l *looker) withdrawn() []string {
	var all []string
	for _, e := range l.told {
		if e.Kind == engine.Deliver && e.Event == engine.EventWithdrawn {
			all = append(all, string(e.Data))
		}
	}
	return all
}

// TestFault122_ServersOfASession: the MCP servers of a session, with the tokens in
// their headers and environment, are sealed, and no other tab is told of them. Every
// later page names them again.
func TestFault122_ServersOfASession(t *testing.T) {
	m := quiet()
	s := newSim(t, acp.Config{Tabs: true}, m)
	s.request(0, "session/new", `{"cwd":"/w","mcpServers":`+servers+`}`)
	s.settle(0)
	seen := 0
	resumed := func() {
		all := m.of("session/resume")
		s.expect(len(all) > seen, "not resumed")
		for _, r := range all[seen:] {
			s.expect(bytes.Contains(r.Params, []byte(`"mcpServers":`+servers)), "resumed with %s", r.Params)
		}
		seen = len(all)
	}
	for times := range 3 {
		s.expect(!bytes.Contains(s.Store.Plain(), []byte("canary")), "in plain: %s", s.Store.Plain())
		if times == 2 {
			s.storedAgain()
			s.settle(0)
		}
		s.load()
		m.forget(s)
		s.settle(60_000)
		resumed()
	}
	for _, e := range s.effects {
		s.expect(e.Kind == engine.Fetch || e.Kind == engine.Store ||
			!bytes.Contains(e.Data, []byte("canary")), "told %s", e.Data)
	}

	// A tab that looks on asks for the session, with servers of its own: they stay its own.
	l := s.look(77)
	l.hear(1)
	id := sessionIDOf(s)
	l.request("session/resume", `{"sessionId":"`+id+
		`","cwd":"/w","mcpServers":[{"type":"http","name":"x","url":"https://canary-other.test"}]}`)
	forwarded := l.forwarded()
	s.expect(len(forwarded) == 1, "%d are forwarded", len(forwarded))
	for _, e := range l.told {
		s.expect(!bytes.Contains(e.Data, []byte("canary")), "told %s", e.Data)
	}
	s.do("serve", func(c *acp.Client, now engine.Time) { c.Serve(now, []byte(forwarded[0])) })
	s.settle(60_000)
	resumed()
	// What would make another session with servers of its own is for the other tab.
	fork := l.request("session/fork", `{"sessionId":"`+id+`","cwd":"/w","mcpServers":`+servers+`}`)
	s.expect(l.outcome(fork) == string(engine.CodeElsewhere) && len(l.forwarded()) == 1, "a fork: %q",
		l.outcome(fork))
}

// TestFault122_ServersThatAreGone: where the secrets cannot be read, the app is told
// that its session goes on without its servers, and may name them again.
func TestFault122_ServersThatAreGone(t *testing.T) {
	m := quiet()
	s := newSim(t, acp.Config{}, m)
	s.request(0, "session/new", `{"cwd":"/w","mcpServers":`+servers+`}`)
	s.settle(0)
	unseal(s.Store, func(journal.Entry) bool { return false })
	s.load()
	m.forget(s)
	s.settle(60_000)
	lost := s.events(engine.EventIntegrity, "servers_lost")
	s.expect(len(lost) == 1, "told %d times", len(lost))
	all := m.of("session/resume")
	s.expect(len(all) > 0 && bytes.Contains(all[0].Params, []byte(`"mcpServers":[]`)), "resumed with %s", all)
	s.request(0, "session/resume", `{"sessionId":"`+sessionIDOf(s)+`","cwd":"/w","mcpServers":`+servers+`}`)
	s.settle(0)
	s.load()
	m.forget(s)
	s.settle(60_000)
	all = m.of("session/resume")
	s.expect(bytes.Contains(all[len(all)-1].Params, []byte(servers)), "resumed with %s",
		all[len(all)-1].Params)
	s.expect(len(s.events(engine.EventIntegrity, "servers_lost")) == 0, "told again")
}

// TestFault122_HeadOfAnEarlierBuild: it has the servers in plain. They are read, and
// the next time that the session is written they are not.
func TestFault122_HeadOfAnEarlierBuild(t *testing.T) {
	m := quiet()
	s := newSim(t, acp.Config{}, m)
	s.request(0, "session/new", `{"cwd":"/w"}`)
	s.settle(0)
	id := sessionIDOf(s)
	s.Store.Change(func(op *journal.Op) {
		if op.Kind != journal.OpCall {
			return
		}
		h, err := journal.ParseHead(op.Plain)
		if err != nil {
			t.Fatal(err)
		}
		h.Params = []byte(`{"sessionId":"` + id + `","cwd":"/w","mcpServers":` + servers + `}`)
		op.Plain = journal.AppendHead(nil, &h)
	})
	s.load()
	m.forget(s)
	s.settle(60_000)
	all := m.of("session/resume")
	s.expect(len(all) > 0 && bytes.Contains(all[0].Params, []byte(servers)), "resumed with %s", all)
	s.expect(!bytes.Contains(s.Store.Plain(), []byte("canary")), "in plain: %s", s.Store.Plain())
}

// TestFault122_AnswersOfAnAgent: what a person has answered is sealed. Other tabs are
// told that there is an answer, and whose; a later page sends it again, and asks
// nobody; where it cannot be read it asks once more.
func TestFault122_AnswersOfAnAgent(t *testing.T) {
	const answer = `{"outcome":{"outcome":"selected","optionId":"y"},"_meta":{"note":"canary"}}`
	s, _, a := opened(t, quiet())
	looks := []*looker{s.look(77), s.look(78)}
	a.ask(func() {})
	s.settle(0)
	for _, l := range looks {
		l.hear(1)
		l.respond(answer)
	}
	s.post = func(body string) delivery {
		if strings.Contains(body, "canary") {
			return travels
		}
		return arrives
	}
	for _, l := range looks {
		s.ask(l.forwarded()[0])
	}
	s.settle(0)
	s.expect(len(s.onTheWay) == 1, "%d answers leave", len(s.onTheWay))
	s.expect(!bytes.Contains(s.Store.Plain(), []byte("canary")), "in plain: %s", s.Store.Plain())
	for i, want := range []string{"given", "answered"} {
		looks[i].hear(1)
		got := looks[i].withdrawn()
		s.expect(len(got) == 1 && strings.Contains(got[0], want), "tab %d is told %q", i, got)
	}
	// The page goes with its answer on the way: the next one sends it, and asks nobody.
	s.onTheWay, s.post = nil, nil
	s.load()
	s.settle(0)
	s.expect(len(s.open()) == 0 && a.m.answered["1001"] == 1, "%d are asked, %d answers came", len(s.open()),
		a.m.answered["1001"])
}

// TestFault122_AnswerThatCannotBeRead: with the key gone nobody knows what was said,
// and the person is asked once more.
func TestFault122_AnswerThatCannotBeRead(t *testing.T) {
	s, _, a := opened(t, quiet())
	a.ask(func() {})
	s.settle(0)
	s.post = func(string) delivery { return neverLeft }
	s.respond(s.open()[0], yes)
	s.settle(0)
	s.post = nil
	unseal(s.Store, func(e journal.Entry) bool { return e.Kind != journal.Answer })
	s.load()
	s.settle(0)
	s.expect(len(s.open()) == 1, "%d are asked", len(s.open()))
	s.respond(s.open()[0], yes)
	s.settle(0)
	s.expect(a.m.answered["1001"] == 1, "%d answers came", a.m.answered["1001"])
}

// sessionIDOf returns the id of the only session of a page's.
func sessionIDOf(s *sim) string {
	for _, head := range s.Store.Heads() {
		h, _ := journal.ParseHead(head.Plain)
		_, after, _ := strings.Cut(string(h.Params), `"sessionId":"`)
		id, _, _ := strings.Cut(after, `"`)
		return id
	}
	return ""
}

// TestFault122_ConnectionOfAnAgent: the id of a connection is as good as a key, and rests sealed. That of a
// session is its name, by which a later page asks for it.
func TestFault122_ConnectionOfAnAgent(t *testing.T) {
	w := coretest.NewACP(t, acp.Config{Journal: true})
	w.Start()
	store := func() { // what there is to store
		for w.Store.Flying() != 0 {
			w.Stored(journal.ResultOK, 0)
		}
	}
	store()
	x := w.Fetched()
	w.Head(x, 200, "content-type", coretest.JSON, "acp-connection-id", "canary-connection")
	w.Chunk(x, coretest.Result(coretest.RequestID(w.Request(x)),
		`{"protocolVersion":2,"info":{"name":"agent","version":"1"},"capabilities":{"session":{}}}`))
	w.End(x, engine.EndClean)
	openStreams(w)
	store()
	w.Call(0, "session/new", `{"cwd":"/w","mcpServers":[]}`)
	x = w.Newest()
	w.Head(x, 200, "content-type", coretest.JSON)
	w.Chunk(x, coretest.Result(coretest.RequestID(w.Request(x)), `{"sessionId":"the session"}`))
	w.End(x, engine.EndClean)
	store()
	if plain := w.Store.Plain(); !bytes.Contains(plain, []byte("the session")) ||
		bytes.Contains(plain, []byte("canary")) {
		t.Errorf("in plain: %s", plain)
	}
	w.Reload()
	w.Start()
	if log := w.Log(); !strings.Contains(log[strings.LastIndex(log, "restored"):],
		"Acp-Connection-Id=canary-connection") {
		t.Errorf("the next page does not have the connection\n%s", log)
	}
}
