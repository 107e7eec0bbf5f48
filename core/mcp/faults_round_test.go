package mcp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// An answered round of a multi round-trip request is a request of its own: its
// answer is never asked for again, and the request that carries it is sent once.
func TestFault55_AnsweredRoundIsSentOnce(t *testing.T) {
	sends := func(w coretest.MCP, n *int) {
		for _, e := range w.Effects {
			if e.Kind == engine.Fetch && strings.Contains(string(e.Request.Body), `"inputResponses"`) {
				*n++
			}
		}
	}
	for _, flags := range []journal.Flags{0, journal.Idempotent} {
		for at := range 6 { // where the page is reloaded
			w := coretest.NewMCP(t, mcp.Config{Revision: "2026-07-28", Journal: true, NoListen: true})
			w.Start()
			x := w.Fetched()
			answer := func(body string) {
				w.Head(x, 200, "content-type", coretest.JSON)
				w.Chunk(x, body)
				w.End(x, engine.EndClean)
			}
			answer(coretest.Result(coretest.RequestID(w.Request(x)),
				`{"supportedVersions":["2026-07-28"],"capabilities":{}}`))
			w.Stored(journal.ResultOK, 0)
			c, _ := w.Call("tools/call", `{"name":"book"}`, mcp.CallOptions{Durable: true, Flags: flags})
			w.Stored(journal.ResultOK, 0)
			x = w.Fetched()
			answer(coretest.Result(coretest.RequestID(w.Request(x)),
				`{"resultType":"input_required","inputRequests":{"k":{}},"requestState":"s"}`))
			w.Stored(journal.ResultOK, 0)
			sent, asks, step := 0, 0, 0
			reload := func() bool {
				if step++; step != at+1 {
					return false
				}
				w.Reload()
				w.Start()
				c = 1
				return true
			}
			respond := func() {
				w.Input("answer",
					func(m *mcp.Client, now engine.Time) {
						m.Answer(now, c,
							[]byte(`{"k":{"action":"accept"}}`))
					})
			}
			again := func() { asks += len(w.Delivered(c, engine.EventInput)); sends(w, &sent) }
			if reload() {
				again()
			}
			respond()
			if reload() { // the answer is not stored: it is asked for again
				again()
				respond()
			}
			w.Stored(journal.ResultOK, 0)
			landed := asks
			if reload() { // stored, and the request has not left
				again()
			}
			for w.Store.Flying() != 0 {
				w.Stored(journal.ResultOK, 0)
				sends(w, &sent)
				if reload() {
					again()
				}
			}
			w.Advance(2_000)
			sends(w, &sent)
			for w.Store.Flying() != 0 {
				w.Stored(journal.ResultOK, 0)
				sends(w, &sent)
			}
			if asks != landed {
				t.Errorf("at %d: asked again although the answer is stored\n%s", at, w.Log())
			}
			if sent > 1 && flags == 0 || sent == 0 {
				t.Errorf("at %d, flags %d: the answered request is sent %d times\n%s", at, flags, sent,
					w.Log())
			}
		}
	}
}
