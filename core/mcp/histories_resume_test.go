package mcp_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// resumeHistory is one random life of a durable call with a server that lets its
// requests be resumed, deletes on a resume what that confirms, and drops a
// request for which nobody has asked for longer than maxWait.
type resumeHistory struct {
	*onStream
	rng     *rand.Rand
	log     []string // events said; index n has id n
	from    int      // events before it are deleted
	done    int      // progress events said
	over    bool
	token   string
	maxWait int64
	cutAt   engine.Time // since when nobody asks; -1 while somebody does
	heard   engine.Time // when the client last knew that the server has the request
	wall    int64       // ms by which the wall clock was put on
	sent    int         // events up to here were sent on the connection
	served  engine.ExchangeID
	resumes int
	reloads int
}

// TestResumableHistories plays random lives of a call: events, cuts, lost heads,
// refused connections, parking, sleep, and new pages at any moment. Each progress
// event arrives once and in order in the page that is there at the end, nothing
// that the server has deleted is missing, and the call ends with its result, or
// is lost only where the server has dropped it.
func TestResumableHistories(t *testing.T) {
	first, n := seeds(t, 3000)
	resumes, reloads, lost := 0, 0, 0
	for seed := first; seed < first+n; seed++ {
		h := &resumeHistory{rng: rand.New(rand.NewPCG(seed, 2)), cutAt: -1}
		if !h.play(t, seed) {
			lost++
		}
		resumes, reloads = resumes+h.resumes, reloads+h.reloads
		if t.Failed() {
			t.Fatalf("play it again with HOLDFAST_SEED=%d", seed)
		}
	}
	t.Logf("%d histories: %d resumes, %d reloads, %d calls lost", n, resumes, reloads, lost)
}

// play returns whether the call got its result.
func (h *resumeHistory) play(t *testing.T, seed uint64) bool {
	defer func() {
		if t.Failed() {
			t.Logf("play it again with HOLDFAST_SEED=%d", seed)
		}
	}()
	h.maxWait = []int64{0, 0, 20, 600}[h.rng.IntN(4)]
	r := connected(t, mcp.Config{Seed: seed, Journal: true, NoListen: true})
	c := r.Call("tools/call", `{"name":"work"}`, durably)
	r.store()
	h.onStream = &onStream{rig: r, c: c, x: r.Newest(),
		id: coretest.RequestID(r.Exchange(r.Newest()).Request)}
	h.served = r.Newest()
	h.Head(h.x, 200, "content-type", coretest.Stream)
	h.rotate()
	h.deliver(true)
	h.store()
	for range 20 + h.rng.IntN(60) {
		h.step()
		h.serve(false)
		h.wantOrder()
	}
	for !h.over {
		h.work()
	}
	for tries := 0; h.call(h.c).settled == nil; tries++ {
		if tries > 300 {
			h.fatal("the call does not end")
		}
		h.store()
		h.park(h.c, false)
		h.serve(true)
		h.deliver(true)
		h.store()
		h.Advance(500)
	}
	h.wantOrder()
	s := h.call(h.c).settled
	if s.Outcome == engine.OutcomeResult {
		if got := len(h.call(h.c).progress); got != h.done {
			h.fatal("%d progress events of %d", got, h.done)
		}
		return true
	}
	if s.Failure.Code != engine.CodeLost || !h.dropped() && !h.unheard() {
		h.fatal("ended with %v", s.Failure)
	}
	return false
}

// dropped reports whether the server has given the request up.
func (h *resumeHistory) dropped() bool {
	return h.maxWait > 0 && h.cutAt >= 0 && h.Now.Since(h.cutAt) > h.maxWait*1000
}

// unheard reports whether the promise is over as far as the client can know: of a resume
// that the server has had, and whose answer was lost, it knows nothing.
func (h *resumeHistory) unheard() bool {
	return h.maxWait > 0 && h.Now.Since(h.heard) > h.maxWait*1000
}

func (h *resumeHistory) step() {
	switch n := h.rng.IntN(100); {
	case n < 25:
		h.work()
	case n < 55:
		h.deliver(h.rng.IntN(3) > 0)
	case n < 65:
		h.cutNow()
	case n < 80:
		h.store()
	case n < 83:
		h.park(h.c, true)
	case n < 86:
		h.park(h.c, false)
	case n < 88:
		h.woke(0)
	case n < 89:
		h.online()
	case n < 93:
		h.newPage()
	default:
		ms := h.rng.IntN([]int{100, 1_000, 2_500, 9_000}[h.rng.IntN(4)])
		for until := h.Now.After(int64(ms)); h.Now < until; {
			if ms >= 100 {
				h.store() // a store that hangs is a story of another test
			}
			d := h.NextDeadline()
			if d < 0 || h.Now.After(d) > until {
				d = until.Since(h.Now)
			}
			h.Advance(d)
		}
	}
}

// newPage replaces the page; the clock stood still or went on meanwhile.
func (h *resumeHistory) newPage() {
	if h.call(h.c).settled != nil || len(h.Store.Calls()) == 0 ||
		h.Store.Record(h.Store.Calls()[0]).Policy == nil {
		return // a story of another test
	}
	h.reloads++
	h.lostConnection()
	h.onStream = h.reload(int64(h.rng.IntN(8_000)), int64(h.rng.IntN(3)-1)*1_000)
	h.served, h.x = 0, 0
}

// work says the next thing.
func (h *resumeHistory) work() {
	switch {
	case h.over:
	case h.rng.IntN(6) == 0:
		h.rotate()
	case h.done < 12:
		h.done++
		h.say(coretest.Progress(h.id, h.done))
	default:
		h.over = true
		h.say(coretest.Result(h.id, `{"content":[]}`))
	}
}

func (h *resumeHistory) say(json string) {
	h.log = append(h.log, coretest.Message(fmt.Sprint(len(h.log)), json))
}

// rotate says another policy. The server takes every token that it has given.
func (h *resumeHistory) rotate() {
	h.token = fmt.Sprintf(`"tok-%d"`, len(h.log))
	more := ""
	if h.maxWait > 0 {
		more = fmt.Sprintf(`,"maxWait":%d`, h.maxWait)
	}
	h.say(policyFor(h.id, h.token, more))
}

// carries reports whether a stream carries the call.
func (h *resumeHistory) carries() bool {
	e := h.Exchange(h.x)
	return e != nil && e.Head && !e.Over && e.Reading
}

// deliver hands over what was said, whole or in part.
func (h *resumeHistory) deliver(whole bool) {
	for h.carries() && h.sent < len(h.log) {
		text := h.log[h.sent]
		h.sent++
		if !whole && h.rng.IntN(3) == 0 {
			h.Chunk(h.x, text[:h.rng.IntN(len(text))])
			h.cutNow()
			return
		}
		h.Chunk(h.x, text)
	}
	if h.carries() && h.over && h.sent == len(h.log) {
		h.End(h.x, engine.EndClean)
		h.lostConnection()
	}
}

func (h *resumeHistory) cutNow() {
	if h.carries() {
		h.End(h.x, cuts[h.rng.IntN(2)])
		h.lostConnection()
	}
}

// lostConnection starts the server's timer.
func (h *resumeHistory) lostConnection() {
	if h.cutAt >= 0 {
		return
	}
	h.cutAt = h.Now
	if e := h.Exchange(h.x); e != nil && e.Head {
		h.heard = h.Now
	}
}

// serve answers what the client has asked for since.
func (h *resumeHistory) serve(kind bool) {
	if e := h.Exchange(h.x); e != nil && e.Over {
		h.lostConnection() // parked, or aborted
	}
	for h.served < h.Newest() {
		h.served++
		x := h.served
		body := string(h.Exchange(x).Request.Body)
		id := coretest.RequestID(h.Exchange(x).Request)
		switch {
		case h.Exchange(x).Over:
		case strings.Contains(body, `"ping"`):
			h.Head(x, 200, "content-type", coretest.JSON)
			h.Chunk(x, coretest.Result(id, `{}`))
			h.End(x, engine.EndClean)
		case !kind && h.rng.IntN(8) == 0:
			h.End(x, engine.EndNetwork)
		case strings.Contains(body, `"requests/getStatus"`):
			h.status(x, id)
		case strings.Contains(body, `"requests/resume"`):
			h.resumed(x, kind)
		default:
			h.fatal("nobody expects %s", body)
		}
	}
}

func (h *resumeHistory) status(x engine.ExchangeID, id string) {
	h.Head(x, 200, "content-type", coretest.JSON)
	status := "processing"
	switch {
	case h.dropped():
		h.Chunk(x, `{"jsonrpc":"2.0","id":`+id+`,"error":{"code":-32602,"message":"gone"}}`)
		h.End(x, engine.EndClean)
		return
	case h.over:
		status = "completed"
	}
	if h.cutAt >= 0 {
		h.cutAt, h.heard = h.Now, h.Now
	}
	h.Chunk(x,
		coretest.Result(id,
			fmt.Sprintf(`{"requestId":%s,"status":%q,"hasPendingMessage":%v,"hasInputRequest":false}`, h.id,
				status, h.sent < len(h.log))))
	h.End(x, engine.EndClean)
}

// resumed takes requests/resume: what the cursor confirms is deleted.
func (h *resumeHistory) resumed(x engine.ExchangeID, kind bool) {
	h.resumes++
	if h.carries() {
		h.fatal("resumed by exchange %d while %d carries the call", x, h.x)
	}
	if h.dropped() {
		h.Head(x, 200, "content-type", coretest.JSON)
		h.Chunk(x, h.rpcError(-32602, "unknown"))
		h.End(x, engine.EndClean)
		return
	}
	if cursor, ok := h.field(x, "Last-Event-ID"); ok {
		var n int
		fmt.Sscan(cursor, &n)
		h.from = max(h.from, n+1)
	}
	h.x, h.cutAt, h.sent = x, -1, h.from
	if !kind && h.rng.IntN(6) == 0 { // deleted, and then the answer gets lost
		h.End(x, engine.EndNetwork)
		h.lostConnection()
		return
	}
	h.Head(x, 200, "content-type", coretest.Stream)
}

// wantOrder checks what this page's app was told.
func (h *resumeHistory) wantOrder() {
	for i, n := range h.call(h.c).numbers() {
		if n != i+1 {
			h.fatal("progress %v", h.call(h.c).numbers())
		}
	}
}
