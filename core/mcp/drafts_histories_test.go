package mcp_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// formHistory is a task that asks for three answers, a person who types and
// answers, and pages that come and go, in an order that chance decides.
type formHistory struct {
	coretest.MCP
	t       *testing.T
	random  *rand.Rand
	c       engine.CallID
	record  uint64
	answers map[string]string // that the server has, and the person has given
	typed   map[string]string // last, by the person
	ever    map[string]map[string]bool
	given   map[string]bool // by the person, on any page
	shown   map[string]bool // asked by this page
	server  map[string]bool // keys that the server still asks for
	behind  int             // polls whose answers still ask for what has been answered
	settled bool
	peeks   int // not answered
}

var formKeys = []string{"a", "b", "__proto__"}

func newFormHistory(t *testing.T, seed uint64) *formHistory {
	h := &formHistory{t: t, random: rand.New(rand.NewPCG(seed, 1)), answers: map[string]string{},
		typed: map[string]string{},
		ever:  map[string]map[string]bool{}, given: map[string]bool{}, server: map[string]bool{}}
	for _, key := range formKeys {
		h.server[key], h.ever[key] = true, map[string]bool{"": true}
	}
	h.MCP = coretest.NewMCP(t, mcp.Config{Revision: "2026-07-28", Journal: true, NoListen: true, Seed: seed})
	h.take(h.Start())
	h.serve()
	id, effects := h.MCP.Call("tools/call", `{"name":"book"}`, mcp.CallOptions{Durable: true})
	h.c = id
	h.take(effects)
	h.land()
	h.record = h.Store.Calls()[0]
	h.serve()
	return h
}

func (h *formHistory) fail(format string, args ...any) {
	h.t.Helper()
	h.t.Fatalf("%s\n%s", fmt.Sprintf(format, args...), h.Log())
}

// take follows what the page is told.
func (h *formHistory) take(effects []engine.Effect) {
	for _, e := range effects {
		switch {
		case e.Kind == engine.Settle && e.C == h.c:
			h.settled = true
		case e.Kind == engine.Deliver && e.Event == engine.EventPeek:
			h.peeks = 0
		case e.Kind == engine.Deliver && e.Event == engine.EventInput:
			h.asked(e.Data)
		}
	}
}

// asked checks what comes with a request for input: the drafts that are stored.
func (h *formHistory) asked(event []byte) {
	requests, _ := jsonrpc.Member(event, "inputRequests")
	entries, _ := jsonrpc.Entries(requests, 10)
	drafts, _ := jsonrpc.Member(event, "drafts")
	stored := h.Store.Record(h.record)
	for _, e := range entries {
		if h.shown[e.Key] {
			h.fail("%s is asked twice of one page", e.Key)
		}
		if h.shown == nil {
			h.shown = map[string]bool{}
		}
		h.shown[e.Key] = true
		if h.given[e.Key] {
			h.fail("%s is asked again, and has been answered", e.Key)
		}
		draft, _ := jsonrpc.Member(drafts, e.Key)
		if want := stored.Draft([]byte("k" + e.Key)); string(draft) != string(want) {
			h.fail("%s comes with the draft %s, and %s is stored", e.Key, draft, want)
		}
		if !h.ever[e.Key][string(draft)] {
			h.fail("%s comes with %s, which nobody has typed", e.Key, draft)
		}
		h.typed[e.Key] = string(draft)
	}
}

// land ends the commits under way.
func (h *formHistory) land() {
	for h.Store.Flying() != 0 {
		h.take(h.Stored(journal.ResultOK, 0))
	}
}

// serve answers what the server is asked.
func (h *formHistory) serve() {
	for _, x := range h.UnderWay() {
		request := h.Request(x)
		if request == nil {
			continue // aborted since
		}
		body := string(request.Body)
		result := `{"resultType":"complete"}`
		switch {
		case strings.Contains(body, `"server/discover"`):
			result = `{"supportedVersions":["2026-07-28"],` +
				`"capabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}`
		case strings.Contains(body, `"tools/call"`):
			result = `{"resultType":"task","taskId":"T","status":"working","pollIntervalMs":500}`
		case strings.Contains(body, `"tasks/update"`):
			params, _ := jsonrpc.Member(request.Body, "params")
			responses, _ := jsonrpc.Member(params, "inputResponses")
			entries, _ := jsonrpc.Entries(responses, 10)
			for _, e := range entries {
				if had := h.answers[e.Key]; had != "" && had != string(e.Value) {
					h.fail("%s is answered with %s, then with %s", e.Key, had, e.Value)
				}
				h.answers[e.Key] = string(e.Value)
				delete(h.server, e.Key)
			}
			h.behind = h.random.IntN(3)
		case strings.Contains(body, `"tasks/get"`):
			var open []string
			for _, key := range formKeys {
				if h.server[key] || h.behind > 0 {
					open = append(open, `"`+key+`":{"method":"elicitation/create"}`)
				}
			}
			h.behind = max(0, h.behind-1)
			result = `{"taskId":"T","status":"completed","result":{"content":[]}}`
			if len(open) > 0 {
				result = `{"taskId":"T","status":"input_required","inputRequests":{` +
					strings.Join(open, ",") + `}}`
			}
		}
		h.take(h.Head(x, 200, "content-type", coretest.JSON))
		h.take(h.Chunk(x, coretest.Result(coretest.RequestID(request), result)))
		h.take(h.End(x, engine.EndClean))
	}
}

func (h *formHistory) step() {
	key := formKeys[h.random.IntN(len(formKeys))]
	switch n := h.random.IntN(20); {
	case n < 8:
		draft := fmt.Sprintf(`"%s"`, strings.Repeat("x", h.random.IntN(200)))
		if h.random.IntN(8) == 0 {
			draft = ""
		}
		if h.shown[key] && !h.given[key] {
			h.typed[key] = draft
			h.ever[key][draft] = true
		}
		h.take(
			h.Input("draft "+key,
				func(c *mcp.Client, now engine.Time) { c.SaveDraft(now, h.c, 0, key, []byte(draft)) }))
	case n < 11:
		h.land()
	case n < 14:
		h.serve()
	case n < 17:
		h.take(h.Advance(int64(h.random.IntN(300))))
	case n == 17:
		h.peeks++
		h.take(h.Input("peek", func(c *mcp.Client, now engine.Time) { c.Peek(now, h.c) }))
	case n == 18:
		if h.shown[key] && !h.given[key] && h.random.IntN(3) == 0 {
			h.given[key] = true
			h.take(h.Input("answer "+key, func(c *mcp.Client, now engine.Time) {
				c.Answer(now, h.c, []byte(`{"`+key+`":{"action":"accept"}}`))
			}))
		}
	case n == 19 && h.random.IntN(4) == 0:
		h.reload()
	case n == 19 && h.random.IntN(4) == 0:
		h.land() // what is under way is not lost: who has given an answer gives no other one
		h.take(h.StoreBack())
	}
}

// reload brings the next page. An answer that was not stored was not given.
func (h *formHistory) reload() {
	h.shown, h.peeks = nil, 0
	stored := h.Store.Record(h.record)
	for key := range h.given {
		id := "k" + key
		h.given[key] = slices.ContainsFunc(stored.Outbox,
			func(r durable.Reply) bool { return string(r.ID) == id }) ||
			slices.ContainsFunc(stored.Taken, func(taken []byte) bool { return string(taken) == id })
	}
	effects := h.Reload()
	for _, e := range effects {
		if e.Kind == engine.Recall {
			h.c = e.C
		}
	}
	h.take(effects)
	h.take(h.Start())
}

// TestDraftHistories: whatever order things come in, a page gets the drafts that
// are stored, of what nobody has answered, and what a person has typed last is
// stored in the end. What was answered has none, the task its outcome, and each
// peek its answer.
func TestDraftHistories(t *testing.T) {
	first, n := seeds(t, 1_000)
	for seed := first; seed < first+n; seed++ {
		h := newFormHistory(t, seed)
		for range 150 {
			if h.step(); h.settled {
				break
			}
		}
		for range 200 {
			h.land()
			h.take(h.Advance(100))
			h.serve()
		}
		if !h.settled {
			stored := h.Store.Record(h.record)
			for _, key := range formKeys {
				want := h.typed[key]
				if h.given[key] || !h.shown[key] {
					want = ""
				}
				if got := string(stored.Draft([]byte("k" + key))); got != want {
					h.fail("seed %d: %s has the draft %s in the store, and %s was typed", seed, key, got,
						want)
				}
			}
			if h.peeks > 0 {
				h.fail("seed %d: %d peeks without an answer", seed, h.peeks)
			}
			for _, key := range formKeys {
				if !h.given[key] {
					h.given[key] = true
					h.take(h.Input("answer "+key, func(c *mcp.Client, now engine.Time) {
						c.Answer(now, h.c, []byte(`{"`+key+`":{"action":"accept"}}`))
					}))
				}
			}
			for range 50 {
				h.land()
				h.take(h.Advance(1_000))
				h.serve()
			}
		}
		if !h.settled {
			h.fail("seed %d: the task has no outcome", seed)
		}
		if drafts := h.Store.Record(h.record).Drafts; len(drafts) > 0 {
			h.fail("seed %d: drafts outlive the call: %v", seed, drafts)
		}
	}
}
