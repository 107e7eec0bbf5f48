package mcp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// once is a client in a browser that can send a body that is a stream.
type once struct {
	*rig
	served engine.ExchangeID
}

func newOnce(t *testing.T, cfg mcp.Config) *once {
	cfg.Streams = true
	o := &once{rig: connected(t, cfg)}
	o.served = o.Newest()
	return o
}

// pay calls a tool that must not run twice.
func (o *once) pay() engine.CallID { return o.Call("tools/call", `{"name":"pay"}`, mcp.CallOptions{}) }

// next returns the next request that has left, as its method and how its body leaves.
func (o *once) next() (engine.ExchangeID, string) {
	o.t.Helper()
	if o.served == o.Newest() {
		return 0, ""
	}
	o.served++
	request := o.Exchange(o.served).Request
	name := request.Method
	if _, after, isMessage := strings.Cut(string(request.Body), `"method":"`); isMessage {
		name, _, _ = strings.Cut(after, `"`)
	}
	if request.Once {
		name += " once"
	}
	return o.served, name
}

// leaves checks which requests have left since, and returns the last of them.
func (o *once) leaves(want ...string) (x engine.ExchangeID) {
	o.t.Helper()
	for _, one := range want {
		got := ""
		if x, got = o.next(); got != one {
			o.fatal("%q has left, not %q", got, one)
		}
	}
	if _, more := o.next(); more != "" {
		o.fatal("%q has left as well", more)
	}
	return x
}

// answers has the server answer a request with JSON.
func (o *once) answers(x engine.ExchangeID) {
	o.Head(x, 200, "content-type", coretest.JSON)
	o.Chunk(x, coretest.Result(coretest.RequestID(o.Exchange(x).Request), `{}`))
	o.End(x, engine.EndClean)
}

// says has it refuse one, with a text.
func (o *once) says(x engine.ExchangeID, status int, kind, text string) {
	o.Head(x, status, "content-type", kind)
	if !o.Exchange(x).Over {
		o.Chunk(x, text)
		o.End(x, engine.EndClean)
	}
}

// ends checks how a call has ended, "" for one that has not.
func (o *once) ends(c engine.CallID, want string) {
	o.t.Helper()
	got := ""
	if s := o.call(c).settled; s != nil && s.Outcome == engine.OutcomeResult {
		got = "result"
	} else if s != nil && s.Failure != nil {
		got = string(s.Failure.Code)
	}
	if got != want {
		o.fatal("the call has ended with %q, not %q", got, want)
	}
}

// taken is newOnce with a server that has shown that it takes such bodies.
func taken(t *testing.T, cfg mcp.Config) *once {
	o := newOnce(t, cfg)
	c := o.pay()
	o.answers(o.leaves("ping once"))
	o.answers(o.leaves("tools/call once"))
	o.ends(c, "result")
	return o
}

// Fault 758: a call that must not run twice leaves behind an answer that shows that its body may be a
// stream, and so does each that follows. What may be sent twice leaves as ever.
func TestFault758_ACallLeavesOnce(t *testing.T) {
	o := taken(t, mcp.Config{})
	o.pay()
	o.leaves("tools/call once")
	for _, flags := range []journal.Flags{journal.ReadOnly, journal.Idempotent, journal.RerunAlways} {
		o.Call("tools/call", `{"name":"look"}`, mcp.CallOptions{Flags: flags})
		o.leaves("tools/call")
	}
	o.Call("tools/call", `{"name":"look"}`, mcp.CallOptions{Flags: journal.ReadOnly | journal.RerunNever})
	o.leaves("tools/call once")
	o.Call("tools/list", ``, mcp.CallOptions{})
	o.leaves("tools/list")
}

// Fault 758: the first request of the app has it found out, and waits for nothing.
func TestFault758_TheFirstRequestAsks(t *testing.T) {
	o := newOnce(t, mcp.Config{})
	o.Call("tools/list", ``, mcp.CallOptions{})
	list := o.Newest()
	o.leaves("ping once", "tools/list")
	o.answers(list - 1)
	o.pay()
	o.leaves("tools/call once")
}

// Fault 758: a host without such bodies is asked for none.
func TestFault758_AHostWithoutStreams(t *testing.T) {
	o := &once{rig: connected(t, mcp.Config{})}
	o.served = o.Newest()
	o.pay()
	o.leaves("tools/call")
	scarce := newOnce(t, mcp.Config{})
	scarce.input("scarce", func(c *mcp.Client, now engine.Time) { c.Scarce(now, true) })
	scarce.pay()
	scarce.leaves("tools/call")
}

// Fault 758: a call that is rejected before its head has an unknown outcome, is not sent again, and the
// next one waits until another lead has found out how requests may leave.
func TestFault758_RejectedIsACut(t *testing.T) {
	o := taken(t, mcp.Config{})
	c := o.pay()
	o.End(o.leaves("tools/call once"), engine.EndNetwork)
	o.ends(c, "outcome_unknown")
	c = o.pay()
	o.End(o.leaves("ping once"), engine.EndNetwork)
	o.End(o.leaves("ping once"), engine.EndNetwork) // fault 780
	o.leaves("ping", "tools/call")
}

// Fault 780: a proxy closes the connection under the request that finds out, as it did under the call before:
// that says nothing of streams, which the server has taken. It is found out once more, and calls leave as
// they did.
func TestFault780_AConnectionThatEndsIsNoRefusal(t *testing.T) {
	o := taken(t, mcp.Config{})
	for range 3 {
		o.pay()
		o.End(o.leaves("tools/call once"), engine.EndNetwork)
		c := o.pay()
		o.End(o.leaves("ping once"), engine.EndNetwork)
		o.answers(o.leaves("ping once"))
		o.answers(o.leaves("tools/call once"))
		o.ends(c, "result")
	}
}

// Fault 758: a call that is rejected behind its head goes on from its cursor.
func TestFault758_ResumedWhereItCanBe(t *testing.T) {
	o := taken(t, mcp.Config{})
	c := o.pay()
	x := o.leaves("tools/call once")
	s := &onStream{rig: o.rig, c: c, x: x, id: coretest.RequestID(o.Exchange(x).Request)}
	o.Head(x, 200, "content-type", coretest.Stream)
	s.event("e1", "")
	s.cut(engine.EndNetwork)
	if cursor, _ := s.resume(); cursor != "e1" {
		o.fatal("it is resumed from %q", cursor)
	}
}

// Fault 759: over HTTP/1.1 the browser rejects such a body at once. The call leaves with bytes in the same
// moment, and the answer to the same request with bytes shows that this is how requests leave here.
func TestFault759_RejectedAtOnce(t *testing.T) {
	o := newOnce(t, mcp.Config{})
	c := o.pay()
	o.End(o.leaves("ping once"), engine.EndNetwork)
	o.answers(o.Newest())
	ping, _ := o.next()
	o.answers(ping)
	if x, what := o.next(); what != "tools/call" {
		o.fatal("%q has left", what)
	} else if !o.Exchange(x).Over {
		o.answers(x)
	}
	o.ends(c, "result")
	o.Advance(60_000)
	o.pay()
	o.leaves("tools/call")
}

// Fault 759: a server, or a proxy, refuses a request for want of a length. A call is sent again with bytes
// for 411, and for statuses that say so, and is refused for all else.
func TestFault759_LengthRequired(t *testing.T) {
	for _, c := range []struct {
		status     int
		kind, text string
		again      bool
	}{
		{411, "text/html", "<h1>Length Required</h1>", true},
		{411, coretest.JSON, `{"error":"no"}`, true},
		{400, "text/plain", "Missing Content-Length", true},
		{400, coretest.JSON, `{"message":"Transfer-Encoding: chunked is not supported"}`, true},
		{501, "text/html", "<p>chunked bodies are not implemented</p>", true},
		{413, "text/plain", "a content length is required", true},
		{400, "text/plain", "Bad Request", false},
		{413, "text/html", "<h1>Request Entity Too Large</h1>", false},
		{500, "text/plain", "chunked", false},
	} {
		o := taken(t, mcp.Config{})
		call := o.pay()
		o.says(o.leaves("tools/call once"), c.status, c.kind, c.text)
		if !c.again {
			o.ends(call, "http_error")
			continue
		}
		o.answers(o.leaves("tools/call"))
		o.ends(call, "result")
		o.pay()
		o.leaves("tools/call")
	}
}

// Fault 759: whatever else comes to the first one has it sent once more with bytes.
func TestFault759_AnythingButAnAnswer(t *testing.T) {
	for _, status := range []int{400, 403, 411, 500} {
		o := newOnce(t, mcp.Config{})
		o.pay()
		o.Head(o.leaves("ping once"), status, "content-type", "text/html")
		ping := o.Newest() - 1
		o.leaves("ping", "tools/call")
		o.answers(ping)
		o.pay()
		o.leaves("tools/call")
	}
}

// Fault 759: a server that answers no such request holds up the first call for a minute, and no other.
func TestFault759_NoAnswerAtAll(t *testing.T) {
	o := newOnce(t, mcp.Config{})
	o.pay()
	o.leaves("ping once")
	o.Advance(60_000)
	o.leaves("tools/call")
	o.pay()
	o.leaves("tools/call")
}

// Fault 760: behind nine seconds in which the server has said nothing its connection may be dead. A
// request goes first that may be sent twice, and calls leave behind its answer, in their order.
func TestFault760_NothingLeavesOnADeadConnection(t *testing.T) {
	o := taken(t, mcp.Config{})
	o.Advance(8_000)
	o.answers(func() engine.ExchangeID { o.pay(); return o.leaves("tools/call once") }())
	o.Advance(9_000)
	first, second := o.pay(), o.pay()
	o.answers(o.leaves("ping"))
	one, what := o.next()
	if what != "tools/call once" {
		o.fatal("%q has left", what)
	}
	o.answers(o.leaves("tools/call once"))
	o.answers(one)
	o.ends(first, "result")
	o.ends(second, "result")
}

// Fault 760: until then the call has not left: it ends as unsent when its time is over, and a cancelled
// one is gone. The request that goes first is made again, ever more slowly, and at once when the network
// is back.
func TestFault760_ItHasNotLeft(t *testing.T) {
	o := taken(t, mcp.Config{Timeouts: mcp.Timeouts{Send: 100_000}})
	o.Advance(9_000)
	c, cancelled := o.pay(), o.pay()
	o.End(o.leaves("ping"), engine.EndNetwork)
	o.cancel(cancelled)
	o.ends(cancelled, "cancelled")
	pings := 0
	for range 100 {
		d := o.NextDeadline()
		if d < 0 || o.call(c).settled != nil {
			break
		}
		o.Advance(d)
		if x, what := o.next(); what == "ping" {
			pings++
			o.End(x, engine.EndNetwork)
		}
	}
	o.ends(c, "unsent")
	if pings < 3 || pings > 12 {
		t.Errorf("%d requests have gone first", pings)
	}
	later := o.pay()
	if x, what := o.next(); what == "ping" {
		o.End(x, engine.EndNetwork)
	}
	o.online()
	o.Advance(0)
	o.answers(o.leaves("ping"))
	o.answers(o.leaves("tools/call once"))
	o.ends(later, "result")
}

// Fault 760: a page that could not hear counts as silence.
func TestFault760_AfterSleep(t *testing.T) {
	o := taken(t, mcp.Config{})
	o.woke(1_000)
	o.pay()
	o.answers(o.leaves("ping"))
	o.leaves("tools/call once")
}

// Fault 761: a request that goes first and is refused for want of a token has the token asked for, as any;
// where there is none, calls hear it themselves.
func TestFault761_ATokenHasExpired(t *testing.T) {
	o := &once{rig: newRig(t, mcp.Config{Streams: true, HasTokenProvider: true})}
	o.tokens = 1
	o.connect("2025-11-25")
	o.served = o.Newest()
	c := o.pay()
	o.Head(o.leaves("ping once"), 401)
	o.token("t2")
	o.answers(o.leaves("ping once"))
	o.Head(o.leaves("tools/call once"), 401)
	o.token("t3")
	o.answers(o.leaves("tools/call once"))
	o.ends(c, "result")

	o.Advance(9_000)
	c = o.pay()
	o.Head(o.leaves("ping"), 401)
	o.tokenFails()
	x := o.leaves("tools/call once") // the server is there
	o.Head(x, 401)
	o.tokenFails()
	if s := o.call(c).settled; s == nil || s.Failure == nil || s.Failure.Code == engine.CodeOutcomeUnknown {
		o.fatal("it did not run")
	}
}

// Fault 761: a session that is gone is found out by the request that goes first: the call leaves in the
// next one.
func TestFault761_ASessionIsGone(t *testing.T) {
	o := taken(t, mcp.Config{})
	o.Advance(9_000)
	c := o.pay()
	o.Head(o.leaves("ping"), 404)
	initialize := o.leaves("initialize")
	o.Head(initialize, 200, "content-type", coretest.JSON, "mcp-session-id", "s2")
	o.Chunk(initialize, coretest.Result(coretest.RequestID(o.Exchange(initialize).Request),
		`{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"rig","version":"1"}}`))
	o.End(initialize, engine.EndClean)
	initialized, _ := o.next()
	o.Head(initialized, 202)
	for x, what := o.next(); what != "ping once"; x, what = o.next() {
		if x == 0 {
			o.fatal("nothing goes first")
		}
		o.Head(x, 405) // GET
	}
	o.answers(o.served)
	o.answers(o.leaves("tools/call once"))
	o.ends(c, "result")
}

// Fault 760: a call that waits so has not left for the store either: the page that loads next sends it,
// behind an answer of its own.
func TestFault760_AReloadMeanwhile(t *testing.T) {
	q := &queue{
		MCP: coretest.NewMCP(t, mcp.Config{Streams: true, Journal: true, NoListen: true,
			Wall: 1_790_000_000_000}), t: t}
	q.Handshake("2025-11-25")
	q.Stored(journal.ResultOK, 0)
	q.call, _ = q.MCP.Call("tools/call", `{"name":"pay"}`, mcp.CallOptions{Durable: true})
	q.pass(1_000)
	q.land(journal.ResultOK)
	q.Reload()
	q.Start()
	q.look()
	q.land(journal.ResultOK)
	ping := q.Newest()
	if !q.Request(ping).Once || q.posts != 0 {
		t.Fatalf("%d requests have left\n%s", q.posts, q.Log())
	}
	q.Head(ping, 200, "content-type", coretest.JSON)
	q.Chunk(ping, coretest.Result(coretest.RequestID(q.Request(ping)), `{}`))
	q.End(ping, engine.EndClean)
	q.look()
	q.land(journal.ResultOK)
	if q.posts != 1 || !q.Request(q.Newest()).Once {
		t.Errorf("%d requests have left\n%s", q.posts, q.Log())
	}
}

// Fault 758: a server without sessions is asked what it speaks: it has no ping. That is no other handshake.
func TestFault758_AServerWithoutSessions(t *testing.T) {
	o := &once{rig: modern(t, mcp.Config{Streams: true, NoListen: true})}
	o.served = o.Newest()
	c := o.pay()
	o.answers(o.leaves("server/discover once"))
	o.answers(o.leaves("tools/call once"))
	o.ends(c, "result")
}

// Fault 781: while it is stored that a call leaves, the call before it is rejected. It waits until it is
// found out again how requests may leave, and leaves as a stream; what is stored says that it has not left.
func TestFault781_RejectedWhileItIsStored(t *testing.T) {
	o := newOnce(t, mcp.Config{Journal: true, NoListen: true})
	pay := func() engine.CallID { return o.Call("tools/call", `{"name":"pay"}`, mcp.CallOptions{Durable: true}) }
	first := pay()
	o.store()
	o.answers(o.leaves("ping once"))
	o.store()
	x := o.leaves("tools/call once")
	second := pay()
	o.leaves()
	o.End(x, engine.EndNetwork)
	o.store()
	o.ends(first, "outcome_unknown")
	o.answers(o.leaves("ping once"))
	o.store()
	o.answers(o.leaves("tools/call once"))
	o.store()
	o.ends(second, "result")
}
