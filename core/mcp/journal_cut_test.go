package mcp_test

import (
	"bytes"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
	"github.com/holdfast-mcp/holdfast/core/mcp/recorded"
)

// tape is a transcript of 64 KiB, and where its blocks end.
type tape struct {
	text  []byte
	ends  []int // of block n, which has the id n
	total int   // progress events
}

// leanRequest is the id of the one request that a lean host makes.
const leanRequest = "16777218"

// newTape records a stream of 64 KiB: priming, progress of many sizes and line
// ends, keep-alives, the response.
func newTape() *tape {
	tape := &tape{}
	add := func(block string) {
		tape.text = append(tape.text, block...)
		tape.ends = append(tape.ends, len(tape.text))
	}
	add("id: 0\nretry: 10\ndata: \n\n")
	last := func() string {
		return fmt.Sprintf("id: %d\ndata: %s\n\n", len(tape.ends),
			coretest.Result(leanRequest, `{"content":[]}`))
	}
	formats := []string{"id: %d\ndata: %s\n\n", "data: %[2]s\nid: %[1]d\n\n", "id:%d\r\ndata:%s\r\n\n",
		"id: %d\n: keep-alive\nevent: message\ndata: %s\n\n"}
	for len(tape.text) < 64<<10 {
		tape.total++
		message := coretest.Progress(leanRequest, tape.total)
		block := fmt.Sprintf(formats[tape.total%len(formats)], len(tape.ends), message)
		pad := tape.total * 97 % 700
		if left := 64<<10 - len(tape.text) - len(block) - len(last()); left < pad+1_000 {
			// The last progress and the response fill what is left, to the byte.
			rest := left - len(":\n")
			if len(last()) != len(fmt.Sprintf("id: %d\ndata: %s\n\n", len(tape.ends)+1,
				coretest.Result(leanRequest, `{"content":[]}`))) {
				rest-- // one digit more
			}
			add(":" + strings.Repeat("x", rest) + "\n" + block)
			add(last())
			break
		}
		add(":" + strings.Repeat("h\u00e4", pad/3) + "\n" + block)
	}
	return tape
}

// lean is the host of one call, without a trace: a matrix of 196,608 runs over
// 64 KiB each has no time for more.
type lean struct {
	c       *mcp.Client
	now     engine.Time
	fetch   engine.Effect // the newest
	flying  bool
	ticket  uint32
	ops     []byte
	lag     int // inputs that a commit takes to land; 3: until the client waits for it
	flew    int
	record  *recorded.Call
	stored  int // progress events in the journal
	told    int // to the page
	results int
	wrong   string
}

func newLean(seed uint64, lag int) *lean {
	m := &lean{now: 1_000_000, lag: lag, c: mcp.New(mcp.Config{URL: "https://server.test/mcp",
		ClientInfo: []byte(`{}`),
		Revision:   "2025-11-25", NoListen: true, Journal: true, Epoch: 1, Seed: seed})}
	m.c.Start(m.now)
	m.drain()
	x := m.fetch.X
	m.c.Head(m.now, x,
		engine.Head{Status: 200, Header: []engine.Field{{Name: "content-type", Value: coretest.JSON},
			{Name: "mcp-session-id", Value: "s"}}})
	m.drain()
	m.c.Chunk(m.now, x,
		[]byte(`{"jsonrpc":"2.0","id":16777217,"result":{"protocolVersion":"2025-11-25","capabilities":{}}}`))
	m.drain()
	m.c.End(m.now, x, engine.EndClean, "")
	m.drain()
	m.c.Head(m.now, m.fetch.X, engine.Head{Status: 202})
	m.drain()
	m.c.End(m.now, m.fetch.X, engine.EndClean, "")
	m.drain()
	m.c.Call(m.now, "tools/call", []byte(`{"name":"work"}`), mcp.CallOptions{Durable: true})
	m.drain()
	m.settle()
	return m
}

func (m *lean) fail(format string, args ...any) {
	if m.wrong == "" {
		m.wrong = fmt.Sprintf(format, args...)
	}
}

// drain carries out the effects of an input, and lets commits land in their time.
func (m *lean) drain() {
	for {
		for {
			e, ok := m.c.Next()
			if !ok {
				break
			}
			switch e.Kind {
			case engine.Fetch:
				m.fetch = e
			case engine.Store:
				m.flying, m.ticket, m.ops, m.flew = true, e.Ticket, e.Data, 0
			case engine.Deliver, engine.Replay:
				for one := range engine.Unpacked(e) {
					m.hears(one)
				}
			case engine.Settle:
				if e.Outcome == engine.OutcomeResult {
					m.results++
				} else {
					m.fail("the call ends with %s", coretest.Describe(e))
				}
				if m.record.Outcome != e.Outcome {
					m.fail("the call settles before that is stored")
				}
			}
		}
		if !m.flying || m.lag == 3 || m.flew < m.lag {
			m.flew++
			return
		}
		m.land()
	}
}

// hears takes an event: each comes once, and in its order.
func (m *lean) hears(e engine.Effect) {
	if e.Event != engine.EventProgress {
		return
	}
	m.told++
	if n := progressOf(e.Data); n != m.told || e.Position != uint32(n) {
		m.fail("the page is told of %d at position %d, as event %d", n, e.Position, m.told)
	}
}

// progressOf reads the number of a progress event.
func progressOf(params []byte) int {
	_, after, _ := bytes.Cut(params, []byte(`"progress":`))
	n, _ := strconv.Atoi(string(bytes.TrimSuffix(after, []byte("}"))))
	return n
}

// land stores the commit under way and holds the journal to what the server said.
func (m *lean) land() {
	for r := journal.ReadOps(m.ops); ; {
		op, ok := r.Next()
		if !ok {
			break
		}
		switch op.Kind {
		case journal.OpCall:
			head, err := journal.ParseHead(op.Plain)
			if err != nil {
				m.fail("%v", err)
			}
			m.record = recorded.New(head, 0)
		case journal.OpLog:
			err := m.record.Apply(op.Plain, op.Secret,
				func(kind engine.EventKind, position uint32, data []byte) {
					if m.stored++; kind != engine.EventProgress || progressOf(data) != m.stored ||
						position != uint32(m.stored) {
						m.fail("event %d is stored as %s", m.stored, data)
					}
				})
			if err != nil {
				m.fail("%v", err)
			}
		}
	}
	m.flying = false
	m.c.Stored(m.now, m.ticket, journal.ResultOK, 0)
}

// settle lets every commit land.
func (m *lean) settle() {
	for m.flying {
		m.land()
		m.drain()
	}
}

func (m *lean) chunks(text []byte, size int) {
	x := m.fetch.X
	for len(text) > 0 {
		n := min(size, len(text))
		m.c.Chunk(m.now, x, text[:n])
		m.drain()
		text = text[n:]
	}
}

var streamHead = engine.Head{Status: 200,
	Header: []engine.Field{{Name: "content-type", Value: coretest.Stream}}}

// cutTape plays the tape with one cut behind that many bytes, and returns what
// went wrong.
func cutTape(tape *tape, at int, kind int) string {
	m := newLean(uint64(at+1), (at*3+kind)%4)
	arrived, how := at, engine.EndNetwork
	switch kind {
	case 0:
		how = engine.EndClean
	case 2: // a reset, which takes away bytes that the server had sent
		arrived = max(at-1-at*37%900, 0)
	}
	x := m.fetch.X
	m.c.Head(m.now, x, streamHead)
	m.drain()
	m.chunks(tape.text[:arrived], []int{64 << 10, 5_000, 777}[at%3])
	m.c.End(m.now, x, how, "")
	m.drain()
	next := 0
	for next < len(tape.ends) && tape.ends[next] <= arrived {
		next++
	}
	if next == 0 { // no id has come: nobody can know
		m.settle()
		if m.results != 0 || !strings.Contains(m.wrong, "outcome_unknown") ||
			m.record.Outcome != engine.OutcomeFailure {
			return fmt.Sprintf("without an id: %s", m.wrong)
		}
		return ""
	}
	if next < len(tape.ends) {
		for range 8 {
			if m.fetch.Request.Method == "GET" {
				break
			}
			if due, ok := m.c.Deadline(); ok && due <= m.now.After(1_000) {
				m.now = max(m.now, due)
				m.c.Advance(m.now)
				m.drain()
			}
			if m.fetch.Request.Method != "GET" {
				m.settle()
			}
		}
		from := header(m.fetch.Request, "Last-Event-ID")
		if from != strconv.Itoa(next-1) || string(m.record.Cursor) != from {
			return fmt.Sprintf("resumed from %q, with %q stored; want %d", from, m.record.Cursor, next-1)
		}
		x = m.fetch.X
		m.c.Head(m.now, x, streamHead)
		m.drain()
		m.chunks(tape.text[tape.ends[next-1]:], 64<<10)
		m.c.End(m.now, x, engine.EndClean, "")
		m.drain()
	}
	m.settle()
	switch {
	case m.wrong != "":
	case m.results != 1 || m.told != tape.total || m.stored != tape.total ||
		m.record.Outcome != engine.OutcomeResult:
		m.fail("%d results, %d of %d events told, %d stored", m.results, m.told, tape.total, m.stored)
	case m.c.Held() != mcp.Held{}:
		m.fail("the client still holds %+v", m.c.Held())
	}
	if at, ok := m.c.Deadline(); ok && m.wrong == "" {
		m.fail("a timer is left for %d", at)
	}
	return m.wrong
}

// TestFault34_JournalledCutAfterEveryByte cuts a transcript of 64 KiB after every
// byte, cleanly, by a FIN and by a reset with loss, while the journal is written
// and its commits land at once, late, or not before the client waits for them:
// nothing is lost, nothing comes twice, to the page or to the journal, and no
// reconnect asks from a point that is not stored. One run has one byte of
// five, another run others; `make soak` has all.
func TestFault34_JournalledCutAfterEveryByte(t *testing.T) {
	tape := newTape()
	every := 5
	if testing.Short() {
		every = 37
	}
	first, step := sampled(t, every*slow*slow)
	var mu sync.Mutex
	runs, failures := 0, 0
	var workers sync.WaitGroup
	for w := range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			n := 0
			for at := first + w*step; at < len(tape.text); at += step * runtime.GOMAXPROCS(0) {
				for kind, name := range []string{"clean end", "FIN", "reset"} {
					n++
					if wrong := cutTape(tape, at+1, kind); wrong != "" {
						mu.Lock()
						if failures++; failures <= 5 {
							t.Errorf("%s after byte %d: %s", name, at+1, wrong)
						}
						mu.Unlock()
					}
				}
			}
			mu.Lock()
			runs += n
			mu.Unlock()
		})
	}
	workers.Wait()
	t.Logf("%d runs over %d bytes and %d events: 0 lost, 0 twice", runs, len(tape.text), tape.total)
}
