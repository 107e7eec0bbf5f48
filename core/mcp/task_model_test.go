package mcp_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// taskLife is one call that becomes a task, over many pages, with its store and
// a server that streams its result or asks for input. The server never lies about
// what it has; what it says gets lost, comes twice and out of order.
type taskLife struct {
	coretest.MCP
	t    testing.TB
	rng  *rand.Rand
	way  taskWay
	kind bool   // no more harm is done
	kept string // members that say for how long the server keeps the task
	plan []int
	// The server:
	ran      bool
	done     int // segments made, or requests for input that were made
	over     bool
	taken    map[string]string // answers, by key
	repeats  int               // polls that show a key that was answered
	resuming resuming
	// The page:
	c        engine.CallID
	wires    map[engine.ExchangeID]*taskWire
	waiting  []engine.ExchangeID
	stream   *taskWire // on which the call was made
	position uint32
	told     int // segments, in order
	asked    map[string]bool
	prompts  []string
	settled  *engine.Effect
	hung     int
	// Over all pages:
	base                        base
	given                       map[string]string // answers of the app's, by key
	firm                        map[string]bool   // those that are stored
	unsure                      bool              // it may truly be unknown what became of the call
	pages, cuts, asks, numbered int
	// behind counts requests that name a lower number than the last segment's.
	behind  int
	resumed map[string]int
}

type taskWay uint8

const (
	streamedWay taskWay = iota // SEP-1905
	updateWay                  // the extension
	continueWay                // SEP-2339
	ways
)

type resuming uint8

const (
	fromNumber resuming = iota
	fromStart
	notAtAll
)

// taskWire is an exchange, as both sides know it.
type taskWire struct {
	*coretest.Exchange
	x       engine.ExchangeID
	pending []string // parts that were sent and have not arrived
	closing bool
	blocks  bool // tasks/result that waits for the end
}

func newTaskLife(t testing.TB, seed uint64, way taskWay) *taskLife {
	cfg := mcp.Config{Seed: seed, Journal: true, NoListen: true, Wall: 1_790_000_000_000}
	if way == updateWay {
		cfg.Revision = "2026-07-28"
	}
	l := &taskLife{MCP: coretest.NewMCP(t, cfg), t: t, rng: rand.New(rand.NewPCG(seed, 3)), way: way,
		taken: map[string]string{}, given: map[string]string{}, firm: map[string]bool{},
		resumed: map[string]int{}}
	for range l.rng.IntN(9) {
		l.plan = append(l.plan, len(l.plan)+1)
	}
	l.kept = []string{"", keptFor("null"), keptFor("20000"), keptFor("0")}[seed/5%4]
	l.resuming = []resuming{fromNumber, fromNumber, fromNumber, fromNumber, fromStart,
		notAtAll}[l.rng.IntN(6)]
	l.blank()
	return l
}

// keptFor names a ttl, in the words of each dialect.
func keptFor(ttl string) string { return `,"ttl":` + ttl + `,"ttlMs":` + ttl }

func (l *taskLife) blank() {
	l.wires, l.waiting, l.stream = map[engine.ExchangeID]*taskWire{}, nil, nil
	l.c, l.position, l.told, l.asked, l.prompts, l.settled, l.hung = 0, l.base.position, l.base.told,
		map[string]bool{}, nil, nil, 0
	l.pages++
}

func (l *taskLife) fatal(format string, args ...any) {
	l.t.Helper()
	l.t.Fatalf(format+"\n%s", append(args, l.Log())...)
}

func (l *taskLife) start() { l.World.Start(); l.audit() }

func (l *taskLife) call() {
	l.t.Helper()
	l.c, _ = l.MCP.Call("tools/call", `{"name":"work","task":{}}`, mcp.CallOptions{Durable: true})
	l.audit()
}

func (l *taskLife) landed() {
	l.hung = 0
	l.Stored(journal.ResultOK, 0)
	l.audit()
}

// advance moves the clock on, but not so far that a commit counts as hung.
func (l *taskLife) advance(ms int64) {
	l.t.Helper()
	for until := l.Now.After(ms); ; {
		if l.hung > 1 && l.Store.Flying() != 0 {
			l.landed()
		}
		d, left := l.NextDeadline(), until.Since(l.Now)
		if d < 0 || d > left {
			d = left
		}
		if l.Store.Flying() != 0 {
			l.hung++
			d = min(d, 900)
		}
		l.World.Advance(d)
		l.audit()
		if d == left || l.Store.Flying() != 0 {
			return
		}
	}
}

func (l *taskLife) head(w *taskWire, status int, media string) {
	l.World.Head(w.x, status, "content-type", media, "mcp-session-id", "s1")
	l.audit()
}

func (l *taskLife) chunk(w *taskWire, text string) {
	l.World.Chunk(w.x, text)
	l.audit()
}

func (l *taskLife) end(w *taskWire, how engine.Ending) {
	if how != engine.EndClean {
		l.cuts++
	}
	l.World.End(w.x, how)
	l.audit()
}

// json queues a whole answer.
func (l *taskLife) json(w *taskWire, result string) {
	l.t.Helper()
	l.head(w, 200, coretest.JSON)
	w.pending, w.closing = []string{coretest.Result(coretest.RequestID(w.Request), result)}, true
}

// reload replaces the page; what was on its way has arrived, or has not.
func (l *taskLife) reload() {
	l.t.Helper()
	for _, x := range l.waiting {
		if w := l.wires[x]; !w.Over && l.rng.IntN(2) == 0 {
			l.arrives(w)
		}
	}
	if record := l.record(); record == 0 || l.Store.Record(record).TaskID == "" {
		l.unsure = true
	}
	told := l.told
	l.blank()
	l.World.Reload()
	l.audit()
	if l.told > told {
		l.fatal("the next page is told %d segments, and this one was told %d", l.told, told)
	}
}

func (l *taskLife) record() uint64 {
	if ids := l.Store.Calls(); len(ids) > 0 {
		return ids[0]
	}
	return 0
}

// arrives lets the server take a request whose answer nobody will hear.
func (l *taskLife) arrives(w *taskWire) {
	switch body := string(w.Request.Body); {
	case strings.Contains(body, `"method":"tools/call"`):
		l.run()
	case strings.Contains(body, `"inputResponses"`):
		l.takes(body)
	}
}

func (l *taskLife) run() {
	l.t.Helper()
	if l.ran {
		l.fatal("the call runs twice")
	}
	l.ran = true
}

var response = regexp.MustCompile(`"(k\d+)":(\{"n":\d+\})`)

func (l *taskLife) takes(body string) {
	l.t.Helper()
	for _, m := range response.FindAllStringSubmatch(body, -1) {
		if had, ok := l.taken[m[1]]; ok && had != m[2] {
			l.fatal("the answer to %s is %s, and was %s", m[1], m[2], had)
		}
		l.taken[m[1]] = m[2]
	}
}

var asking = regexp.MustCompile(`"(k\d+)":`)

func (l *taskLife) audit() {
	l.t.Helper()
	for i := range l.Effects {
		e := l.Effects[i]
		switch e.Kind {
		case engine.Fetch:
			l.wires[e.X] = &taskWire{Exchange: l.Exchange(e.X), x: e.X}
			l.waiting = append(l.waiting, e.X)
			l.auditFetch(string(e.Request.Body))
		case engine.Recall:
			l.c = e.C
		case engine.Deliver:
			l.auditDeliver(e)
		case engine.Settle:
			if e.C != l.c || l.settled != nil {
				l.fatal("a second outcome")
			}
			l.settled = &e
		}
	}
}

// auditFetch: no number is named that is not stored with all before it, and hardly ever a
// lower one than the last; no answer leaves before it is stored, nor in other words.
func (l *taskLife) auditFetch(body string) {
	l.t.Helper()
	if strings.Contains(body, `"lastSeqNr"`) {
		l.numbered++
		n, stored := lastSeqNr(body), 0
		if r := l.Store.Record(l.record()); r != nil {
			stored = int(r.Position)
		}
		// A segment that comes on the old stream while the request waits for its own
		// commit is not in the number, and the server sends it once more.
		if n != l.told {
			l.behind++
		}
		if n < 1 || n > stored || n > l.told {
			l.fatal("asked from %d: %d are stored, %d were told", n, stored, l.told)
		}
	}
	for _, m := range response.FindAllStringSubmatch(body, -1) {
		if m[2] != l.given[m[1]] {
			l.fatal("the answer to %s leaves as %s, and was given as %s", m[1], m[2], l.given[m[1]])
		}
		stored := false
		for _, a := range l.Store.Record(l.record()).Outbox {
			stored = stored || string(a.ID) == "k"+m[1] && string(a.Message) == m[2]
		}
		if !stored {
			l.fatal("the answer to %s leaves before it is stored, or after it was taken", m[1])
		}
		l.firm[m[1]] = true
	}
}

func (l *taskLife) auditDeliver(e engine.Effect) {
	l.t.Helper()
	if e.C != l.c || l.settled != nil {
		if e.C != 0 {
			l.fatal("an event of no call that lives")
		}
		return
	}
	switch e.Event {
	case engine.EventSegment:
		if l.told++; string(e.Data) != segment(l.told) {
			l.fatal("segment %s is told as the %d.", e.Data, l.told)
		}
		if l.position++; l.position != e.Position {
			l.fatal("position %d, want %d", e.Position, l.position)
		}
	case engine.EventInput:
		for _, m := range asking.FindAllStringSubmatch(string(e.Data), -1) {
			if l.asked[m[1]] || l.firm[m[1]] {
				l.fatal("%s is asked again", m[1])
			}
			l.asked[m[1]] = true
			l.asks++
			l.prompts = append(l.prompts, m[1])
		}
	case engine.EventResumed:
		_, after, _ := strings.Cut(string(e.Data), `"outcome":"`)
		word, _, _ := strings.Cut(after, `"`)
		l.resumed[word]++
	}
}

// answer gives some of the answers that the app owes.
func (l *taskLife) answer() {
	l.t.Helper()
	if len(l.prompts) == 0 {
		return
	}
	var list []string
	for n := 1 + l.rng.IntN(len(l.prompts)); n > 0; n-- {
		key := l.prompts[0]
		l.prompts = l.prompts[1:]
		l.given[key] = fmt.Sprintf(`{"n":%d}`, l.rng.IntN(1_000_000))
		list = append(list, `"`+key+`":`+l.given[key])
	}
	l.Input("answer",
		func(m *mcp.Client, now engine.Time) { m.Answer(now, l.c, []byte("{"+strings.Join(list, ",")+"}")) })
	l.audit()
}

// finish lets all go well, and wants the outcome.
func (l *taskLife) finish() {
	l.t.Helper()
	l.kind = true
	l.start()
	for n := 0; l.settled == nil; n++ {
		if n > 3_000 {
			l.fatal("no end")
		}
		for l.Store.Flying() != 0 {
			l.landed()
		}
		l.serve()
		l.deliverAll()
		l.answer()
		l.work()
		if d := l.NextDeadline(); l.settled == nil && d >= 0 &&
			!slices.ContainsFunc(l.waiting, func(x engine.ExchangeID) bool { return !l.wires[x].Over }) {
			l.advance(d)
		}
		if l.c == 0 {
			return // it never was stored
		}
	}
	if f := l.settled.Failure; f != nil {
		// half an answer, and a clean end
		if f.Code != engine.CodeOutcomeUnknown && f.Code != engine.CodeProtocol || !l.unsure {
			l.fatal("the call ends with %s", f.Code)
		}
		return
	}
	if got := string(l.settled.Data); got != l.result() {
		l.fatal("the result is %s, want %s", got, l.result())
	}
}

func (l *taskLife) result() string {
	if l.way == streamedWay {
		return whole(len(l.plan))
	}
	return fmt.Sprintf(`{"content":[],"answers":%d}`, len(l.taken))
}
