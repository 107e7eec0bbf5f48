package mcp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

var signingIn = mcp.Config{Journal: true, NoListen: true, HasTokenProvider: true, SignIn: true}

// signIn answers the question for a token: somebody has signed in.
func signIn(w coretest.MCP) {
	w.Input("token", func(c *mcp.Client, now engine.Time) { c.Token(now, "signed-in", nil) })
}

// store lands all commits that are under way.
func store(w coretest.MCP) {
	for w.Store.Flying() != 0 {
		w.Stored(journal.ResultOK, 0)
	}
}

// refusedCall returns a world with a session and a call that is under way for the first time.
func refusedCall(t *testing.T) (coretest.MCP, engine.CallID) { return refusedCallOf(t, 0) }

// refusedCallOf does the same with a call of these flags.
func refusedCallOf(t *testing.T, flags journal.Flags) (coretest.MCP, engine.CallID) {
	w := coretest.NewMCP(t, signingIn)
	w.Start()
	signIn(w)
	w.AnswerInitialize(w.Newest(), "2025-11-25", "s1")
	store(w)
	c, _ := w.Call("tools/call", `{"name":"pay"}`, mcp.CallOptions{Durable: true, Flags: flags})
	store(w)
	return w, c
}

// Fault 235: a call that may not run twice is refused, since somebody has to sign in, and the page goes
// before anybody has. Once it is stored that it was refused the next page sends
// it; a page that went before that cannot know, and says so.
func TestFault235_RefusedDidNotRun(t *testing.T) {
	for _, stored := range []bool{true, false} {
		for _, reloads := range []int{1, 3} {
			t.Run(fmt.Sprintf("stored %v, %d pages", stored, reloads), func(t *testing.T) {
				w, _ := refusedCall(t)
				for range reloads {
					x := w.Newest()
					w.Head(x, 401)
					if !strings.Contains(w.Log(), `status {"state":"awaiting_authorization"}`) {
						t.Fatalf("nobody hears that it waits\n%s", w.Log())
					}
					if stored {
						store(w)
					}
					w.Reload()
					w.Start()
					signIn(w)
					store(w)
					if !stored {
						break
					}
					if w.Newest() == 0 {
						t.Fatalf("it is not sent\n%s", w.Log())
					}
				}
				unknown := strings.Contains(w.Log(), "settle c1 outcome_unknown")
				if stored == unknown {
					t.Errorf("its outcome is unknown: %v\n%s", unknown, w.Log())
				}
			})
		}
	}
}

// Fault 235: it waits for its person however long that takes, is told to wait no
// more than three times, and then has its answer.
func TestFault235_WaitsAndEnds(t *testing.T) {
	w, c := refusedCall(t)
	for n := 1; n <= 4; n++ {
		w.Head(w.Newest(), 401)
		store(w)
		settled := strings.Contains(w.Log(), fmt.Sprintf("settle c%d unauthorized", c))
		if settled != (n == 4) {
			t.Fatalf("refused %d times, settled: %v\n%s", n, settled, w.Log())
		}
		if settled {
			return
		}
		w.Advance(hour)
		signIn(w)
		store(w)
	}
}

// Fault 236: the token of a call is over while its stream is cut: the resume is refused and made
// again, behind the same event, and the request itself never.
func TestFault236_RefusedResume(t *testing.T) {
	w, _ := refusedCall(t)
	x := w.Newest()
	w.Head(x, 200, "content-type", coretest.Stream)
	w.Chunk(x, "id: a1\ndata:\n\n")
	store(w)
	w.End(x, engine.EndNetwork)
	w.Advance(5_000)
	for n := range 2 {
		x = w.Newest()
		if r := w.Request(x); r.Method != "GET" ||
			!strings.Contains(fmt.Sprint(r.Header), "Last-Event-ID a1") {
			t.Fatalf("%d: %s %v", n, r.Method, r.Header)
		}
		w.Head(x, 401)
		store(w)
		w.Advance(hour)
		signIn(w)
		w.Advance(5_000)
	}
	if n := strings.Count(w.Log(), `"method":"tools/call"`) - strings.Count(w.Log(), "recall"); n != 1 {
		t.Errorf("the call was sent %d times\n%s", n, w.Log())
	}
}

// Fault 404: a call that is made while the client waits for somebody to sign in waits as well, for sendWithin
// at most; the one that was refused waits on.
func TestFault404_MadeMeanwhileWaitsAWhile(t *testing.T) {
	w, refused := refusedCall(t)
	w.Head(w.Newest(), 401)
	store(w)
	made, _ := w.Call("tools/call", `{"name":"pay"}`, mcp.CallOptions{Durable: true})
	for _, isOver := range []bool{false, true} {
		store(w)
		w.Advance(hour / 20)
		store(w)
		if over := strings.Contains(w.Log(), fmt.Sprintf("settle c%d unsent", made)); over != isOver {
			t.Fatalf("it has ended: %v\n%s", over, w.Log())
		}
	}
	if strings.Contains(w.Log(), fmt.Sprintf("settle c%d", refused)) {
		t.Errorf("the one that was refused has ended\n%s", w.Log())
	}
}

// Fault 400: a call that may not run twice is refused while another commit is under way, and the page is
// left before the note of it has one of its own. It is stored beside that commit, so that the
// next page sends the call. A page that is not left after all goes on as if nothing had been.
func TestFault400_LeftAsItIsRefused(t *testing.T) {
	for _, row := range []struct {
		name      string
		hidden    bool // the page hears that it is left
		comesBack bool // and is not left
		isUnknown bool
	}{
		{name: "left", hidden: true},
		{name: "not left after all", hidden: true, comesBack: true},
		{name: "killed", isUnknown: true},
	} {
		t.Run(row.name, func(t *testing.T) {
			w, _ := refusedCall(t)
			x := w.Newest()
			w.Call("tools/call", `{"name":"other"}`, mcp.CallOptions{Durable: true})
			if w.Store.Flying() == 0 {
				t.Fatal("no commit is under way")
			}
			w.Head(x, 401)
			if row.hidden {
				w.Input("hide", (*mcp.Client).Hide)
				w.Input("hide", (*mcp.Client).Hide) // visibilitychange, then pagehide: no row comes twice
			}
			if row.comesBack {
				store(w)
				if w.Store.Flying() != 0 {
					t.Fatal("a commit has no end")
				}
			} else {
				w.Reload()
				w.Start()
			}
			signIn(w)
			store(w)
			unknown := strings.Contains(w.Log(), "outcome_unknown")
			if unknown != row.isUnknown {
				t.Errorf("its outcome is unknown: %v\n%s", unknown, w.Log())
			}
			sent := 0
			for _, line := range w.Trace {
				if strings.Contains(line, "fetch") && strings.Contains(line, `"name":"pay"`) {
					sent++
				}
			}
			if want := map[bool]int{true: 1, false: 2}[row.isUnknown]; sent != want {
				t.Errorf("the request has left %d times\n%s", sent, w.Log())
			}
			if n := strings.Count(w.Log(), "store 0;"); row.hidden && n != 1 {
				t.Errorf("%d commits beside the one under way\n%s", n, w.Log())
			}
		})
	}
}

// Fault 406: somebody has signed in, and the server wants more scopes before it takes the same message of the
// handshake, or the stream for what it says unasked: each waits once more, three times in all, as a call
// does.
func TestFault406_MoreScopesForEveryRequest(t *testing.T) {
	cfg := signingIn
	cfg.NoListen = false
	w := coretest.NewMCP(t, cfg)
	w.Start()
	signIn(w)
	refused := func(method, body string) engine.ExchangeID {
		for range 3 {
			x := w.Newest()
			if r := w.Request(x); r.Method != method || !strings.Contains(string(r.Body), body) {
				t.Fatalf("%s %s is under way, and not %s %s\n%s", r.Method, r.Body, method, body, w.Log())
			}
			w.Head(x, 401)
			signIn(w)
		}
		return w.Newest()
	}
	x := refused("POST", `"initialize"`)
	w.Head(x, 200, "content-type", coretest.JSON, "mcp-session-id", "s1")
	w.Chunk(x, coretest.Result(coretest.RequestID(w.Request(x)),
		`{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},`+
			`"serverInfo":{"name":"world","version":"1"}}`))
	w.End(x, engine.EndClean)
	x = refused("POST", "notifications/initialized")
	w.Head(x, 202)
	w.End(x, engine.EndClean)
	x = refused("GET", "")
	w.Head(x, 200, "content-type", coretest.Stream)
	if at := strings.LastIndex(w.Log(), "read x"); !strings.Contains(w.Log(), `"state":"open"`) ||
		!strings.HasPrefix(w.Log()[at:], fmt.Sprintf("read x%d", x)) {
		t.Errorf("the client is not open, or does not listen\n%s", w.Log())
	}
}

// Fault 408: while it is being stored that a call leaves, another request is refused: the call does not
// leave, and waits. That is stored as well, so that the next page sends it.
func TestFault408_RefusedAsItIsAboutToLeave(t *testing.T) {
	w, _ := refusedCall(t)
	x := w.Newest()
	w.Call("tools/call", `{"name":"tip"}`, mcp.CallOptions{Durable: true})
	w.Head(x, 401)
	store(w)
	w.Reload()
	w.Start()
	signIn(w)
	store(w)
	if strings.Contains(w.Log(), "outcome_unknown") ||
		strings.Count(w.Log(), `"name":"tip"},"createdAt"`) != 1 {
		t.Errorf("a call that never left is of unknown outcome\n%s", w.Log())
	}
}

// Fault 366: a call that was refused, and may be run twice, is sent while the store fails: the store
// would have a later page send it as well. Its outcome waits until the store has deleted it, and is then what
// the server said: it was read from memory that the host had used again.
func TestFault366_OutcomeWaitsForADeletion(t *testing.T) {
	w, id := refusedCallOf(t, journal.Idempotent)
	w.Head(w.Newest(), 401)
	store(w)
	signIn(w)
	w.Stored(journal.ResultFailed, durable.ReasonQuota)
	x := w.Newest()
	w.Head(x, 200, "content-type", coretest.Stream)
	w.Chunk(x, "data: "+coretest.Result(coretest.RequestID(w.Request(x)),
		`{"content":[{"type":"text","text":"paid"}]}`)+"\n\n")
	if w.Settled(id) != nil {
		t.Fatalf("it has ended before its record is deleted\n%s", w.Log())
	}
	store(w)
	if e := w.Settled(id); e == nil || !strings.Contains(string(e.Data), "paid") {
		t.Errorf("it has ended with %+v\n%s", e, w.Log())
	}
}

// Fault 747: the host has few connections, and takes that of a call that waits until somebody has signed in.
// Its app hears no word of that. It is told when the token is there, and goes on once the host has a
// connection for it.
func TestFault747_AwaitsWithoutAConnection(t *testing.T) {
	for _, resumed := range []bool{false, true} {
		w, id := refusedCall(t)
		x := w.Newest()
		if resumed {
			w.Head(x, 200, "content-type", coretest.Stream)
			w.Chunk(x, "id: a1\ndata:\n\n")
			store(w)
			w.End(x, engine.EndNetwork)
			w.Advance(5_000)
			x = w.Newest()
		}
		w.Head(x, 401)
		store(w)
		hold := func(held bool) {
			w.Input("hold", func(c *mcp.Client, now engine.Time) { c.Hold(now, id, held) })
			store(w)
			w.Advance(5_000)
			store(w)
		}
		hold(true)
		heard := func() string { return w.Log()[strings.LastIndex(w.Log(), `status {"state":`):] }
		if said := heard(); !strings.Contains(said, `status {"state":"awaiting_authorization"}`) {
			t.Errorf("resumed %v: once it has no connection it hears\n%s", resumed, said)
		}
		signIn(w)
		store(w)
		w.Advance(5_000)
		if said := heard(); !strings.Contains(said, `status {"state":"reconnecting"}`) || w.Newest() != x {
			t.Errorf("resumed %v: once somebody has signed in exchange %d comes behind %d, and it hears\n%s",
				resumed, w.Newest(), x, said)
		}
		hold(false)
		if w.Newest() == x {
			t.Errorf("resumed %v: it does not go on\n%s", resumed, w.Log())
		}
	}
}
