package mcp_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

// backend is a model server of the Last-Event-ID kind. Its runs go on while
// nobody listens, and it says again what lies behind an id. It never lies; what
// it forgets are whole sessions.
type backend struct {
	session int // the one that it knows; a request in another gets a 404
	runs    []*run
}

// run is one execution of a tool.
type run struct {
	*errand
	number  int
	request string // its JSON-RPC id
	session int
	said    []said
	done    int       // progress events given
	asked   int       // questions asked
	open    *question // it waits for the answer
	over    bool      // the response has been said
	dead    bool      // its session is forgotten
	wire    *wire     // the connection that carries it now
}

// said is one event of a run's stream.
type said struct {
	text     string
	progress int // progress events up to here, this one included
}

// wire is an exchange that carries a run, as the server sees it.
type wire struct {
	x       engine.ExchangeID
	run     *run
	json    bool
	pending string // sent and not yet delivered
	closing bool   // ends cleanly once all is delivered
}

// question is a request of the server's to the person at the page.
type question struct {
	id       string
	run      *run
	answer   string // the message that answered it, byte for byte
	stored   bool   // a commit that held the answer has landed
	answered bool   // the server has taken an answer
	repeated bool   // it has been asked twice on the stream
}

func (b *backend) sessionName() string { return fmt.Sprintf("s%d", b.session) }

// start runs a tool.
func (b *backend) start(e *errand, request string) *run {
	r := &run{errand: e, number: len(b.runs), request: request, session: b.session}
	b.runs = append(b.runs, r)
	e.runs = append(e.runs, r)
	return r
}

// forget forgets the session: what runs in it ends without a word.
func (b *backend) forget() {
	b.session++
	for _, r := range b.runs {
		r.dead = true
	}
}

func (r *run) result() string { return fmt.Sprintf(`{"content":[],"run":%d}`, r.number) }

func (r *run) progress(n int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,`+
		`"progress":%d,"run":%d}}`, r.request, n, r.number)
}

// readProgress reads the params of a progress event.
func readProgress(params string) (n, run int) {
	_, after, _ := strings.Cut(params, `"progress":`)
	if _, err := fmt.Sscanf(after, `%d,"run":%d}`, &n, &run); err != nil {
		panic("progress that was never given: " + params)
	}
	return n, run
}

// say adds an event to the run's log and to the connection that carries it.
func (r *run) say(rng *rand.Rand, data string) {
	var b strings.Builder
	if rng.IntN(4) == 0 {
		b.WriteString(r.retry)
	}
	if r.ids {
		fmt.Fprintf(&b, "id: %d/%d\n", r.number, len(r.said))
	}
	b.WriteString("data: " + data + "\n\n")
	s := said{b.String(), r.done}
	r.said = append(r.said, s)
	if r.wire != nil {
		r.wire.send(s.text)
		r.wire.closing = r.wire.closing || r.over || r.polling
	}
}

// work does the next piece of the run; false where there is none.
func (r *run) work(rng *rand.Rand) bool {
	switch {
	case r.over, r.dead, r.inline && r.wire == nil:
		return false
	case r.open != nil:
		if r.open.repeated || rng.IntN(4) > 0 {
			return false
		}
		r.open.repeated = true
		r.ask(rng) // as another event
	case r.inline:
		r.over = true
		r.wire.pending, r.wire.closing = coretest.Result(r.request, r.result()), true
	case r.asked < r.questions && r.done >= r.total/2:
		r.open = &question{id: fmt.Sprintf("q%d.%d", r.number, r.asked), run: r}
		r.asked++
		r.asks[r.open.id] = r.open
		r.ask(rng)
	case r.done < r.total:
		r.done++
		r.say(rng, r.progress(r.done))
	default:
		r.over = true
		r.say(rng, coretest.Result(r.request, r.result()))
	}
	return true
}

// ask asks the question that is open.
func (r *run) ask(rng *rand.Rand) {
	r.say(rng, `{"jsonrpc":"2.0","id":"`+r.open.id+`","method":"elicitation/create","params":{}}`)
}

// takes takes an answer to a question.
func (q *question) takes() {
	q.answered = true
	if q.run.open == q {
		q.run.open = nil
	}
}

func (k *wire) send(text string) {
	if !k.closing { // else the log has it
		k.pending += text
	}
}

// take removes n bytes that are delivered.
func (k *wire) take(n int) (text string) {
	text, k.pending = k.pending[:n], k.pending[n:]
	return text
}

// replay opens a connection that says first what lies behind the cursor.
func (b *backend) replay(x engine.ExchangeID, cursor string) *wire {
	r, from := b.find(cursor)
	k := &wire{x: x, run: r}
	r.wire = k
	for _, s := range r.said[from+1:] {
		k.send(s.text)
	}
	k.closing = r.over || r.polling && from+1 < len(r.said)
	return k
}

// find returns the run and the event that a cursor names.
func (b *backend) find(cursor string) (*run, int) {
	number, event, _ := strings.Cut(cursor, "/")
	i, err := strconv.Atoi(number)
	n, err2 := strconv.Atoi(event)
	if err != nil || err2 != nil || i >= len(b.runs) || n >= len(b.runs[i].said) {
		panic("a cursor that was never given: " + cursor)
	}
	return b.runs[i], n
}
