package node

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/cluster/jetstore/store"
)

// lose has a node lose its lease.
func lose(n *Node) {
	n.member.mu.Lock()
	defer n.member.mu.Unlock()
	n.member.lose()
}

// slow are records that store a call's only once they are told to.
type slow struct {
	store.Records
	came, goOn chan struct{}
}

func (s *slow) Put(ctx context.Context, key store.Key, value []byte, revision uint64) (uint64, error) {
	if key.Kind == "calls" && bytes.Contains(value, []byte(`tools/call`)) {
		close(s.came)
		<-s.goOn
	}
	return s.Records.Put(ctx, key, value, revision)
}

// TestFault358_LeaseLostWhileACallBegins: a node loses its lease between the request and the record of the
// call, and the others are through with its name before that is stored. They look once more: else nobody
// would ever go on with it.
func TestFault358_LeaseLostWhileACallBegins(t *testing.T) {
	r := newRig(t)
	records := &slow{r.records, make(chan struct{}), make(chan struct{})}
	a, url := r.node(func(c *Config) { c.Records, c.Lease = records, time.Minute })
	b, _ := r.node(func(c *Config) { c.Lease = time.Minute })
	session, name := r.session(url, ""), a.Name()
	texts := make(chan string, 1)
	go func() {
		response := r.ask("POST", url,
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}}`, headerSession, session)
		text, _ := io.ReadAll(response.Body)
		texts <- string(text)
	}()
	<-records.came
	lose(a)
	b.takeOver(t.Context(), name) // there is nothing
	close(records.goOn)
	for deadline := time.Now().Add(10 * time.Second); ; <-time.After(10 * time.Millisecond) {
		record, err := r.records.Get(t.Context(), nodeKey(name))
		if err == nil && string(record.Value) == name+" "+left {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the others are not told to look once more")
		}
	}
	b.takeOver(t.Context(), name)
	if text := <-texts; !strings.Contains(text, "nobody knows how far it got") {
		t.Error(text)
	}
	// initialize; the call was never begun
	if runs, took := r.echo.runs.Load(), r.echo.took.Load(); runs != 1 || took != 1 {
		t.Errorf("%d runs, %d taken over", runs, took)
	}
}

// TestFault361_StoppedForLongerThanItsLease: a process is stopped, by its machine or a debugger, and goes on.
// It renews its record before it has looked at what the time is. Its lease is over all the same, and another
// runs its calls: it gives them up, and has another name.
func TestFault361_StoppedForLongerThanItsLease(t *testing.T) {
	r := newRig(t)
	d := &deaf{echo: echo{gate: make(chan struct{})}, began: make(chan *Call), took: make(chan *Call),
		gone: make(chan error), taken: make(chan struct{})}
	var stopped atomic.Int64 // how long, in nanoseconds
	a, url := r.node(func(c *Config) {
		c.Backend, c.Lease = d, time.Minute
		c.Clock = func() time.Time { return time.Now().Add(time.Duration(stopped.Load())) }
	})
	b, _ := r.node(func(c *Config) { c.Backend, c.Lease = d, time.Minute })
	session, name := r.session(url, ""), a.Name()
	answer := r.ask("POST", url, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`,
		headerSession, session)
	c := <-d.began
	b.takeOver(t.Context(), name)
	<-d.took
	stopped.Store(int64(time.Minute))
	if err := a.renew(t.Context()); err != nil {
		t.Fatal(err)
	}
	if cause := context.Cause(c.Context()); cause != errLease {
		t.Errorf("the call that another node runs ends with %v, want %v", cause, errLease)
	}
	if a.Name() == name || !a.leased() {
		t.Errorf("the node has its old name: %t; may run calls: %t", a.Name() == name, a.leased())
	}
	d.gate <- struct{}{}
	<-d.gone
	close(d.taken)
	if text, err := io.ReadAll(answer.Body); err != nil || strings.Count(string(text), `"id":1`) != 1 {
		t.Errorf("%s, %v", text, err)
	}
}

// held are records that give a session's only once they are told to.
type held struct {
	store.Records
	on         atomic.Bool
	came, goOn chan struct{}
}

func (h *held) Get(ctx context.Context, key store.Key) (store.Record, error) {
	if key.Kind == "sessions" && h.on.Load() {
		h.came <- struct{}{}
		<-h.goOn
	}
	return h.Records.Get(ctx, key)
}

// TestFault362_LeaseLostBeforeTheCallHasAName: a node loses its lease when it has begun to read a request.
// Its next name is in no record yet: a call that was kept under that one would be nobody's, should the node
// end. The request is refused, and made again.
func TestFault362_LeaseLostBeforeTheCallHasAName(t *testing.T) {
	r := newRig(t)
	records := &held{Records: r.records, came: make(chan struct{}), goOn: make(chan struct{})}
	a, url := r.node(func(c *Config) { c.Records, c.Lease = records, time.Minute })
	session := r.session(url, "")
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`
	records.on.Store(true)
	answers := make(chan *http.Response, 1)
	go func() { answers <- r.ask("POST", url, call, headerSession, session) }()
	<-records.came
	records.on.Store(false)
	lose(a)
	close(records.goOn)
	if answer := <-answers; answer.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("without a lease: %s", answer.Status)
	}
	// initialize
	if kept, err := r.records.List(t.Context(), "calls", a.Name()); err != nil || len(kept) != 0 ||
		r.echo.runs.Load() != 1 {
		t.Errorf("without a lease: %d records, %v, %d runs", len(kept), err, r.echo.runs.Load())
	}
	if err := a.renew(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := ids(t, r.ask("POST", url, call, headerSession, session)); len(got) != 2 {
		t.Errorf("with a lease: ids %q", got)
	}
}

// keeping are records of which nobody can delete a call's while they are told so: the store is away just
// then.
type keeping struct {
	store.Records
	on atomic.Bool
}

func (k *keeping) Delete(ctx context.Context, key store.Key, revision uint64) error {
	if key.Kind == "calls" && k.on.Load() {
		return &store.Error{Code: store.Unavailable, Op: "delete"}
	}
	return k.Records.Delete(ctx, key, revision)
}

// TestFault364_OldRecordOfACall: a node takes a call over, and cannot delete the record that it was taken
// from. Whichever of the two records a call is taken from later, the node that runs it has a larger Epoch
// than all before it: by that a system that is told of steps refuses the others.
func TestFault364_OldRecordOfACall(t *testing.T) {
	r := newRig(t)
	d := &deaf{echo: echo{gate: make(chan struct{})}, began: make(chan *Call), took: make(chan *Call),
		gone: make(chan error), taken: make(chan struct{})}
	records := &keeping{Records: r.records}
	use := func(c *Config) { c.Backend, c.Records, c.Lease = d, records, time.Minute }
	a, url := r.node(use)
	session := r.session(url, "")
	records.on.Store(true)
	answer := r.ask("POST", url, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`,
		headerSession, session)
	epochs := []int{(<-d.began).Epoch}
	ends := func(n *Node) { // without a word, and its lease is over
		n.end()
		record, err := r.records.Get(t.Context(), nodeKey(n.Name()))
		if err == nil {
			err = r.records.Delete(t.Context(), nodeKey(n.Name()), record.Revision)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	ends(a)
	from := a
	for range 3 {
		n, _ := r.node(use)
		n.takeOver(t.Context(), from.Name())
		epochs = append(epochs, (<-d.took).Epoch)
		ends(n)
		if from == a {
			from = n // then from the one that has taken it first
		} else {
			from = a // and then from the oldest record
		}
	}
	if want := []int{1, 2, 3, 4}; !slices.Equal(epochs, want) {
		t.Errorf("epochs %v, want %v", epochs, want)
	}
	close(d.taken)
	close(d.gate)
	<-d.gone
	answer.Body.Close()
}
