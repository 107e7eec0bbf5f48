package mcp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// refusesVersion is what a server says of a version that it does not speak, in the words of the
// specification's example (2025-11-25 basic/lifecycle, Error Handling).
func refusesVersion(supported string) string {
	return `{"jsonrpc":"2.0","id":$ID,"error":{"code":-32602,"message":"Unsupported protocol version",` +
		`"data":{"supported":` + supported + `,"requested":"2025-11-25"}}}`
}

// Fault 580: a server refuses to initialize in a version that it does not speak, and names
// those that it does: with 200, or with 400. It is asked once more, in the newest of
// them that this client speaks; where there is none, connecting fails.
func TestFault580_VersionRefused(t *testing.T) {
	for _, status := range []int{200, 400} {
		for _, cfg := range []mcp.Config{{Revision: "auto", NoListen: true},
			{Revision: "auto", Assume: "2025-11-25", NoListen: true}} {
			for supported, want := range map[string]string{
				`["2024-11-05","2025-06-18","2025-03-26"]`: "2025-06-18", `["2025-03-26"]`: "2025-03-26",
				`["2099-01-01"]`: "", `[]`: "", `["2025-11-25"]`: "",
			} {
				r := newRig(t, cfg)
				r.Start()
				if cfg.Assume == "" {
					r.refuse(r.Newest(), answered400["method not found"])
				}
				first := r.Newest()
				r.Head(first, status, "content-type", coretest.JSON)
				r.Chunk(first, strings.ReplaceAll(refusesVersion(supported), "$ID",
					coretest.RequestID(r.Exchange(first).Request)))
				r.End(first, engine.EndClean)
				again := r.Newest()
				body := string(r.Exchange(again).Request.Body)
				if want == "" {
					if strings.Contains(body, `"initialize"`) && again != first {
						r.fatal("%d, %s: asked again by %s", status, supported, body)
					}
					continue
				}
				if again == first ||
					!strings.Contains(body, `"initialize","params":{"protocolVersion":"`+want+`"`) {
					r.fatal("%d, %s: %s follows, want an initialize in %s", status, supported, body, want)
				}
				r.acceptAs(again, "s1", want)
				if last := r.states[len(r.states)-1]; !strings.Contains(last, `"revision":"`+want+`"`) {
					r.fatal("%d, %s: the state is %s", status, supported, last)
				}
			}
		}
	}
}

// Fault 580: a server that refuses what it has named as well is not asked for ever, and a revision that the
// app has pinned is not left.
func TestFault580_VersionRefusedAgain(t *testing.T) {
	for pinned, want := range map[string]int{"auto": 2, "2025-11-25": 1} {
		r := newRig(t, mcp.Config{Revision: pinned, Assume: "2025-11-25", NoListen: true})
		r.Start()
		for range 4 {
			x := r.Newest()
			if !r.Client.Owned(x) || !strings.Contains(string(r.Exchange(x).Request.Body), `"initialize"`) {
				break
			}
			r.refuse(x, refusesVersion(`["2025-06-18","2025-03-26"]`))
		}
		if n := r.posted(`"initialize"`); n != want {
			r.fatal("pinned %s: %d times initialize, want %d", pinned, n, want)
		}
	}
}

// speaksModern answers server/discover.
func (r *rig) speaksModern(x engine.ExchangeID) {
	r.t.Helper()
	r.Head(x, 200, "content-type", coretest.JSON)
	r.Chunk(x, coretest.Result(coretest.RequestID(r.Exchange(x).Request),
		`{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{}}`))
	r.End(x, engine.EndClean)
}

// wrongEra are ways to say, with 400, that a request is of a revision that the server does not speak.
var wrongEra = map[string]struct{ body, next string }{
	"modern alone": {`{"jsonrpc":"2.0","id":$ID,"error":{"code":-32022,"message":"Unsupported protocol ` +
		`version","data":{"supported":["2026-07-28"],"requested":"2025-11-25"}}}`, "2026-07-28"},
	"legacy alone": {`{"jsonrpc":"2.0","id":$ID,"error":{"code":-32022,"message":"Unsupported protocol ` +
		`version","data":{"supported":["2025-06-18"],"requested":"2026-07-28"}}}`, "2025-06-18"},
	"the official SDK": {`{"jsonrpc":"2.0","id":null,"error":{"code":-32000,` +
		`"message":"Bad Request: Unsupported protocol version: 2026-07-28 (supported versions: 2025-06-18,` +
		` 2025-03-26)"}}`, "2025-06-18"},
}

// Fault 584: a server is deployed that speaks other revisions than the one before it, and refuses what is
// asked in the revision agreed on. It is asked what it speaks, and the call is sent once more, in that: it
// was not run.
func TestFault584_RevisionLeft(t *testing.T) {
	for name, server := range wrongEra {
		for _, modernBefore := range []bool{true, false} {
			if modernBefore == (server.next == "2026-07-28") {
				continue // it speaks that still
			}
			r := newRig(t, mcp.Config{Revision: "auto", Assume: "2025-11-25", NoListen: true})
			if modernBefore {
				r = newRig(t, mcp.Config{Revision: "auto", NoListen: true})
			}
			r.Start()
			if modernBefore {
				r.speaksModern(r.Newest())
			} else {
				r.accept(r.Newest(), "s1")
			}
			r.Advance(60_000)
			o := r.post("tools/call")
			o.refuse(o.x, server.body)
			o.wantPending()
			for asked := 0; r.posted(`"tools/call"`) < 2; asked++ {
				x := r.Newest()
				switch body := string(r.Exchange(x).Request.Body); {
				case asked > 5:
					r.fatal("%s: it is not sent again", name)
				case strings.Contains(body, `"server/discover"`) && server.next == "2026-07-28":
					r.speaksModern(x)
				case strings.Contains(body, `"initialize"`) && server.next != "2026-07-28":
					r.acceptAs(x, "s2", server.next)
				default:
					r.refuse(x, server.body)
				}
			}
			o.onNewest()
			if version, _ := o.field(o.x, "MCP-Protocol-Version"); version != server.next {
				o.fatal("%s: sent again as of %q", name, version)
			}
			// A server that goes on like that is believed once.
			o.refuse(o.x, server.body)
			if s := o.call(o.c).settled; s == nil || s.Outcome != engine.OutcomeRPCError {
				o.fatal("%s: the second refusal is not the answer", name)
			}
		}
	}
}
