package node

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/cluster/jetstore/memory"
	"github.com/holdfast-mcp/holdfast/e2e/cluster/jetstore/store"
)

// echo answers each request at once, but a tool that is called with "wait": that one waits for its gate.
type echo struct {
	gate chan struct{}
	runs atomic.Int32
	took atomic.Int32
}

func (e *echo) Run(ctx context.Context, c *Call) error {
	if c.Taken {
		e.took.Add(1)
		return ErrInterrupted
	}
	e.runs.Add(1)
	if bytes.Contains(c.Body, []byte(`"wait"`)) {
		select {
		case <-e.gate:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	asked, _ := sort(c.Body)
	return c.Append(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{}}`, asked.ID))
}

func (*echo) Said(context.Context, *Session, []byte) bool { return true }
func (*echo) Closed(string)                               {}

// rig is a store, and nodes on it.
type rig struct {
	t       *testing.T
	log     store.Log
	records *memory.Records
	echo    *echo
}

func newRig(t *testing.T) *rig {
	return &rig{t, memory.NewLog(memory.Options{}), memory.NewRecords(), &echo{gate: make(chan struct{})}}
}

func (r *rig) node(change func(*Config)) (*Node, string) {
	r.t.Helper()
	cfg := Config{
		Log: r.log, Records: r.records, Backend: r.echo, Lease: time.Second,
		User: func(r *http.Request) string { return r.Header.Get("Test-User") },
	}
	if change != nil {
		change(&cfg)
	}
	n, err := Start(r.t.Context(), cfg)
	if err != nil {
		r.t.Fatal(err)
	}
	web := httptest.NewServer(n)
	r.t.Cleanup(func() { n.end(); web.CloseClientConnections(); web.Close(); n.work.Wait() })
	return n, web.URL
}

// ask makes a request; fields are pairs of a name and a value.
func (r *rig) ask(method, url, body string, fields ...string) *http.Response {
	r.t.Helper()
	request, err := http.NewRequestWithContext(r.t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	for i := 0; i < len(fields); i += 2 {
		request.Header.Set(fields[i], fields[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { response.Body.Close() })
	return response
}

const initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",` +
	`"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

// session begins one, and returns its id.
func (r *rig) session(url, user string) string {
	response := r.ask("POST", url, initialize, "Test-User", user)
	_, _ = io.Copy(io.Discard, response.Body)
	return response.Header.Get(headerSession)
}

// ids returns the event ids of an answer.
func ids(t *testing.T, response *http.Response) (all []string) {
	t.Helper()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if id, ok := strings.CutPrefix(line, "id: "); ok {
			all = append(all, strings.TrimSpace(id))
		}
	}
	return all
}

// TestFault414_ForeignCursor: a cursor of another stream, of another session or user, or of nobody's, gets
// nothing.
func TestFault414_ForeignCursor(t *testing.T) {
	r := newRig(t)
	_, a := r.node(nil)
	_, b := r.node(nil)
	ada, bob := r.session(a, "ada"), r.session(a, "bob")
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`
	first := ids(t, r.ask("POST", a, call, headerSession, ada, "Test-User", "ada"))
	another := strings.Replace(call, `"id":1`, `"id":2`, 1)
	second := ids(t, r.ask("POST", a, another, headerSession, ada, "Test-User", "ada"))
	if len(first) != 2 || len(second) != 2 {
		t.Fatalf("ids %q, %q", first, second)
	}
	one, _, _ := strings.Cut(first[0], "_")
	_, of2, _ := strings.Cut(second[0], "_")
	for _, test := range []struct {
		name, session, user, cursor string
		status                      int
	}{
		{"its own", ada, "ada", first[0], 200},
		{"its own, with the answer", ada, "ada", first[1], 200},
		{"of another session", bob, "bob", first[0], 400},
		{"of another user, with the session", ada, "bob", first[0], 404},
		{"of nobody, with the session", ada, "", first[0], 404},
		{"of another stream", ada, "ada", one + "_" + of2, 400},
		{"of no stream", ada, "ada", "nothing_1.1.1", 400},
		{"no cursor", ada, "ada", "17", 400},
		{"changed", ada, "ada", first[0] + "0", 400},
	} {
		// Whatever node is asked.
		for _, url := range []string{a, b} {
			response := r.ask("GET", url, "", headerSession, test.session, "Test-User", test.user,
				headerCursor, test.cursor)
			got := ids(t, response)
			if response.StatusCode != test.status {
				t.Errorf("%s: %s", test.name, response.Status)
			}
			if want := map[string]int{"its own": 1}[test.name]; len(got) != want {
				t.Errorf("%s: got events %q", test.name, got)
			}
		}
	}
}

// TestFault416_SameRequestTwice: a browser, or a balancer, sends a POST once more whose connection has died.
// Whatever node it comes to, the call runs once, and both get its events.
func TestFault416_SameRequestTwice(t *testing.T) {
	r := newRig(t)
	_, a := r.node(nil)
	_, b := r.node(nil)
	session := r.session(a, "")
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}}`
	var answers []*http.Response
	for _, url := range []string{a, b, a, b} {
		answers = append(answers, r.ask("POST", url, call, headerSession, session))
	}
	close(r.echo.gate)
	first := ids(t, answers[0])
	for _, answer := range answers[1:] {
		if got := ids(t, answer); len(got) != 2 || strings.Join(got, " ") != strings.Join(first, " ") {
			t.Errorf("%s: events %q, and %q", answer.Status, got, first)
		}
	}
	if runs := r.echo.runs.Load(); runs != 2 { // initialize, and the call
		t.Errorf("%d runs", runs)
	}
	// Another request is another call, in whatever session.
	ids(t, r.ask("POST", a, strings.Replace(call, `"id":1`, `"id":2`, 1), headerSession, session))
	ids(t, r.ask("POST", a, call, headerSession, r.session(b, "")))
	if runs := r.echo.runs.Load(); runs != 5 {
		t.Errorf("%d runs, want 5", runs)
	}
}

// TestFault413_StaleClock: the clocks of two nodes are two days apart. Neither takes the other for dead while
// it lives, and what it ran is taken over soon after it has ended.
func TestFault413_StaleClock(t *testing.T) {
	r := newRig(t)
	a, url := r.node(
		func(c *Config) { c.Clock = func() time.Time { return time.Now().Add(-24 * time.Hour) } })
	b, other := r.node(
		func(c *Config) { c.Clock = func() time.Time { return time.Now().Add(24 * time.Hour) } })
	session := r.session(url, "ada")
	response := r.ask("POST", url, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}}`,
		headerSession, session, "Test-User", "ada")
	id := make([]byte, 256)
	n, err := response.Body.Read(id)
	if err != nil {
		t.Fatal(err)
	}
	cursor, _, _ := strings.Cut(strings.TrimPrefix(string(id[:n]), "id: "), "\n")
	// Both live for three leases: each has seen the other's record change often.
	began := r.revision(b)
	for r.revision(b) < began+15 {
		<-time.After(b.beat())
	}
	if took := r.echo.took.Load(); took != 0 {
		t.Fatalf("%d calls were taken from a node that lives", took)
	}
	a.end() // as a kill: nothing is said
	answer := r.ask("GET", other, "", headerSession, session, "Test-User", "ada", headerCursor, cursor)
	text, err := io.ReadAll(answer.Body)
	if err != nil || !strings.Contains(string(text), "nobody knows how far it got") {
		t.Errorf("%s, %v", text, err)
	}
	// initialize, and the call
	if runs, took := r.echo.runs.Load(), r.echo.took.Load(); runs != 2 || took != 1 {
		t.Errorf("%d runs, %d taken over", runs, took)
	}
}

func (r *rig) revision(n *Node) uint64 {
	record, err := r.records.Get(r.t.Context(), nodeKey(n.Name()))
	if err != nil {
		r.t.Fatal(err)
	}
	return record.Revision
}

// TestBadRequests: each has a status, and runs nothing.
func TestBadRequests(t *testing.T) {
	r := newRig(t)
	_, url := r.node(nil)
	session := r.session(url, "")
	for _, test := range []struct {
		name, method, body string
		fields             []string
		status             int
	}{
		{"no JSON", "POST", `{`, []string{headerSession, session}, 400},
		{"no message", "POST", `{"id":1}`, []string{headerSession, session}, 400},
		{"a batch", "POST", `[` + initialize + `]`, nil, 400},
		{"no session", "POST", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, nil, 400},
		{"an unknown session", "POST", `{"jsonrpc":"2.0","id":1,"method":"ping"}`,
			[]string{headerSession, "x"}, 404},
		{"too large", "POST", `{"x":"` + strings.Repeat("x", maxBody) + `"}`,
			[]string{headerSession, session}, 413},
		{"a GET without a cursor", "GET", "", []string{headerSession, session}, 405},
		{"a revision that is not served", "POST", initialize, []string{headerRevision, modern}, 400},
		{"another method", "PUT", "", nil, 405},
		{"the end of the session", "DELETE", "", []string{headerSession, session}, 204},
		{"the end of the session, again", "DELETE", "", []string{headerSession, session}, 404},
	} {
		if response := r.ask(test.method, url, test.body, test.fields...); response.StatusCode !=
			test.status {
			t.Errorf("%s: %s, want %d", test.name, response.Status, test.status)
		}
	}
	if runs := r.echo.runs.Load(); runs != 1 {
		t.Errorf("%d runs, want that of initialize", runs)
	}
}

// TestFault415_FullStore: the store has no room in the middle of a call. What is said waits, and nothing that
// is not stored reaches the client; once there is room the call goes on.
func TestFault415_FullStore(t *testing.T) {
	r := newRig(t)
	full := &limited{Log: r.log, full: make(chan struct{})}
	r.log = full
	_, url := r.node(func(c *Config) { c.Lease = time.Minute }) // nobody takes it over
	session := r.session(url, "")
	response := r.ask("POST", url, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}}`,
		headerSession, session)
	full.on.Store(true)
	r.echo.gate <- struct{}{} // the tool answers
	<-full.full               // and its answer finds no room
	<-full.full
	full.on.Store(false)
	text, err := io.ReadAll(response.Body)
	if err != nil || strings.Count(string(text), "id: ") != 2 ||
		!strings.Contains(string(text), `"result":{}`) {
		t.Errorf("%s, %v", text, err)
	}
}

// deaf runs a call until its gate says so, whatever its context says: as a process that was stopped, and goes
// on. What is taken over waits at another gate.
type deaf struct {
	echo
	began, took chan *Call
	gone        chan error
	taken       chan struct{}
}

func (d *deaf) Run(ctx context.Context, c *Call) error {
	if asked, _ := sort(c.Body); asked.Method == "initialize" {
		return d.echo.Run(ctx, c)
	}
	if c.Taken {
		d.took <- c
		<-d.taken
		return ErrInterrupted
	}
	d.began <- c
	<-d.gate
	err := c.Append([]byte(`{"jsonrpc":"2.0","id":1,"result":{}}`))
	d.gone <- err
	return err
}

// TestFault417_GivenUpAndAlive: a call is taken over from a node that lives, and has not heard of it. From
// the moment that another has said that it runs the call nothing counts that the first one says, although the
// other has said nothing yet.
func TestFault417_GivenUpAndAlive(t *testing.T) {
	r := newRig(t)
	d := &deaf{echo: echo{gate: make(chan struct{})}, began: make(chan *Call), took: make(chan *Call),
		gone: make(chan error), taken: make(chan struct{})}
	use := func(c *Config) { c.Backend, c.Lease = d, time.Minute }
	a, url := r.node(use)
	b, _ := r.node(use)
	session := r.session(url, "")
	response := r.ask("POST", url, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`,
		headerSession, session)
	<-d.began
	b.takeOver(t.Context(), a.Name())
	<-d.took
	d.gate <- struct{}{}
	if err := <-d.gone; err != errTaken {
		t.Errorf("the first node may still write: %v", err)
	}
	close(d.taken)
	text, err := io.ReadAll(response.Body)
	if err != nil || strings.Count(string(text), `"id":1`) != 1 ||
		!strings.Contains(string(text), "nobody knows how far it got") {
		t.Errorf("%s, %v", text, err)
	}
}

// limited is a store that has no room while it is told so.
type limited struct {
	store.Log
	on   atomic.Bool
	full chan struct{}
}

func (l *limited) Append(ctx context.Context, s store.Stream, at store.Position, label string, data []byte) (
	store.Position, error) {
	if l.on.Load() {
		l.full <- struct{}{}
		return store.Position{}, &store.Error{Code: store.Full, Op: "append"}
	}
	return l.Log.Append(ctx, s, at, label, data)
}

// away is a store of which nobody can read a stream from its start, so many times.
type away struct {
	store.Log
	times atomic.Int32
}

func (a *away) After(ctx context.Context, s store.Stream, at store.Position) iter.Seq2[store.Event, error] {
	if at.Number == 0 && a.times.Add(-1) >= 0 {
		return func(yield func(store.Event, error) bool) {
			yield(store.Event{}, &store.Error{Code: store.Unavailable, Op: "after"})
		}
	}
	return a.Log.After(ctx, s, at)
}

// further is a backend whose calls can go on: what was said before comes with the answer.
type further struct{ echo }

func (f *further) Run(ctx context.Context, c *Call) error {
	if asked, _ := sort(c.Body); asked.Method == "initialize" {
		return f.echo.Run(ctx, c)
	}
	if !c.Taken {
		if err := c.Append(
			[]byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}`)); err !=
			nil {
			return err
		}
		<-ctx.Done()
		return ctx.Err()
	}
	return c.Append(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"result":{"past":%d}}`, len(c.Past)))
}

// TestFault354_StoreAwayWhileACallIsTaken: a node has said that it runs a call from here on, and then the
// store is away, before it has read what the call has said. It reads again: that says nothing of the call.
func TestFault354_StoreAwayWhileACallIsTaken(t *testing.T) {
	r := newRig(t)
	a, url := r.node(func(c *Config) { c.Backend, c.Lease = new(further), time.Minute })
	session := r.session(url, "")
	response := r.ask("POST", url, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`,
		headerSession, session)
	lines := bufio.NewReader(response.Body)
	var cursor string
	for line := ""; !strings.Contains(line, "progress"); {
		var err error
		if line, err = lines.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		if id, ok := strings.CutPrefix(line, "id: "); ok {
			cursor = strings.TrimSpace(id)
		}
	}
	gone := &away{Log: r.log}
	b, other := r.node(func(c *Config) { c.Backend, c.Lease, c.Log = new(further), time.Minute, gone })
	gone.times.Store(3)
	a.end() // as a kill: nothing is said
	b.takeOver(t.Context(), a.Name())
	text, err := io.ReadAll(r.ask("GET", other, "", headerSession, session, headerCursor, cursor).Body)
	if err != nil || !strings.Contains(string(text), `"result":{"past":1}`) {
		t.Errorf("%s, %v", text, err)
	}
}

// unheard are records of which each call's is stored, and the answer says that somebody has stored it before:
// as a store does that was asked twice, since its first answer was lost.
type unheard struct{ store.Records }

func (u unheard) Put(ctx context.Context, key store.Key, value []byte, revision uint64) (uint64, error) {
	next, err := u.Records.Put(ctx, key, value, revision)
	if err == nil && key.Kind == "calls" {
		return 0, &store.Error{Code: store.Conflict, Op: "put"}
	}
	return next, err
}

// TestFault356_OwnRecord: the answer to a node is lost that has stored the record of a call, a new one or one
// that it takes over. The record that it finds then is its own: the call runs, once.
func TestFault356_OwnRecord(t *testing.T) {
	r := newRig(t)
	use := func(c *Config) { c.Records, c.Lease = unheard{r.records}, time.Minute }
	a, url := r.node(use)
	b, _ := r.node(use)
	session := r.session(url, "")
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}}`
	first := r.ask("POST", url, call, headerSession, session)
	again := r.ask("POST", url, call, headerSession, session)
	if records, err := r.records.List(t.Context(), "calls", a.Name()); err != nil || len(records) != 1 {
		t.Fatalf("%d records of the call, %v", len(records), err)
	}
	// the answer has begun before the tool has
	for deadline := time.Now().Add(10 * time.Second); r.echo.runs.Load() < 2; <-time.After(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the call does not begin")
		}
	}
	b.takeOver(t.Context(), a.Name())
	for _, response := range []*http.Response{first, again} {
		text, err := io.ReadAll(response.Body)
		if err != nil || !strings.Contains(string(text), "nobody knows how far it got") {
			t.Errorf("%s: %s, %v", response.Status, text, err)
		}
	}
	// initialize, and the call
	if runs, took := r.echo.runs.Load(), r.echo.took.Load(); runs != 2 || took != 1 {
		t.Errorf("%d runs, %d taken over", runs, took)
	}
}
