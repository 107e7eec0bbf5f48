package mcp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// Fault 669: a server, or the gateway before it, has too many requests just when a client asks what it
// speaks, or initializes. That says nothing of its revision: the client does not ask in another one at once.
// Connecting says what it is; a client that was open asks the same later, and not before the time that was
// named.
func TestFault669_BusyDuringTheHandshake(t *testing.T) {
	for _, status := range []int{429, 408, 425} {
		for _, assume := range []string{"", "2025-11-25", "2026-07-28"} {
			what := fmt.Sprintf("%d, last time it spoke %q", status, assume)
			cfg := mcp.Config{Revision: "auto", Assume: assume, NoListen: true}
			r := newRig(t, cfg)
			r.Start()
			first := r.Newest()
			r.Head(first, status, "retry-after", "60")
			last := r.Effects[len(r.Effects)-1]
			if r.Newest() != first || last.Kind != engine.State || last.Failure == nil ||
				last.Failure.Code != engine.CodeHTTP || last.Failure.Status != status {
				r.fatal("%s: after %d requests the last effect is %v", what, r.Newest(), last)
			}

			r = newRig(t, cfg)
			r.Start()
			if assume != "2025-11-25" {
				r.Head(r.Newest(), 400)
			}
			r.accept(r.Newest(), "s1")
			r.Advance(60_000)
			o := r.post("tools/list")
			o.Head(o.x, 404)
			asked := string(r.Exchange(r.Newest()).Request.Body)
			r.Head(r.Newest(), status, "retry-after", "60")
			x := r.wantFloor(what, 60_000)
			if again := string(r.Exchange(x).Request.Body); method(again) != method(asked) {
				r.fatal("%s: after %s it asks %s", what, asked, again)
			}
		}
	}
}

// method returns which request of the handshake that is.
func method(body string) string {
	for _, name := range []string{"server/discover", "initialize"} {
		if strings.Contains(body, `"method":"`+name+`"`) {
			return name
		}
	}
	return ""
}

// Fault 669: an error of the server's own in such an answer is what it says of the revision, as with any
// other status.
func TestFault669_AnErrorSaysMore(t *testing.T) {
	r := newRig(t, mcp.Config{Revision: "auto", NoListen: true})
	r.Start()
	x := r.Newest()
	r.Head(x, 429, "content-type", coretest.JSON)
	r.Chunk(x, `{"jsonrpc":"2.0","id":`+coretest.RequestID(r.Exchange(x).Request)+
		`,"error":{"code":-32601,"message":"no"}}`)
	r.End(x, engine.EndClean)
	if body := string(r.Exchange(r.Newest()).Request.Body); method(body) != "initialize" {
		r.fatal("it asks %s", body)
	}
}

// Fault 685: a server that counts requests itself says in a JSON-RPC error, of a number of its own, that
// there were too many. That says no more than the status does.
func TestFault685_BusyInAnError(t *testing.T) {
	for _, code := range []string{"-32000", "-32603", "429"} {
		for _, assume := range []string{"", "2025-11-25"} {
			r := newRig(t, mcp.Config{Revision: "auto", Assume: assume, NoListen: true})
			r.Start()
			x := r.Newest()
			r.Head(x, 429, "content-type", coretest.JSON, "retry-after", "60")
			r.Chunk(x, `{"jsonrpc":"2.0","id":`+coretest.RequestID(r.Exchange(x).Request)+`,"error":{"code":`+
				code+`,"message":"too many requests"}}`)
			r.End(x, engine.EndClean)
			last := r.Effects[len(r.Effects)-1]
			if r.Newest() != x || last.Kind != engine.State || last.Failure == nil ||
				last.Failure.Code != engine.CodeHTTP || last.Failure.Status != 429 {
				r.fatal("%s, last time it spoke %q: after %d requests the last effect is %v", code, assume,
					r.Newest(), last)
			}
		}
	}
}
