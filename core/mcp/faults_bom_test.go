package mcp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// Fault 518: a JSON body begins with a byte order mark, which a browser's response.json() drops, and so
// do clients that use it. One is dropped, wherever the body is cut into chunks; a second one is no JSON, and
// a mark with nothing behind it is an empty body.
func TestFault518_JSONBodyWithAByteOrderMark(t *testing.T) {
	const mark = "\xEF\xBB\xBF"
	for cut := range len(mark) + 2 {
		r := newRig(t, mcp.Config{})
		r.Start()
		x := r.Newest()
		r.Head(x, 200, "content-type", coretest.JSON, "mcp-session-id", "s1")
		body := mark + coretest.Result(coretest.RequestID(r.Exchange(x).Request),
			`{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"rig","version":"1"}}`)
		for _, piece := range []string{body[:cut], body[cut:]} {
			if piece != "" {
				r.Chunk(x, piece)
			}
		}
		r.End(x, engine.EndClean)
		r.Head(r.Newest(), 202)
		if last := r.states[len(r.states)-1]; !strings.HasPrefix(last, `{"state":"open"`) {
			r.fatal("a handshake whose body is cut at %d does not open the client", cut)
		}
	}

	for _, contentType := range []string{coretest.JSON, ""} { // or it names none
		o := connected(t, mcp.Config{}).post("tools/call")
		o.Head(o.x, 200, "content-type", contentType)
		o.say(mark + coretest.Result(o.id, `{"content":[]}`))
		o.cut(engine.EndClean)
		o.wantResult()
	}
	refused := connected(t, mcp.Config{}).post("tools/call")
	refused.Head(refused.x, 400, "content-type", coretest.JSON)
	refused.say(mark + `{"jsonrpc":"2.0","id":` + refused.id + `,"error":{"code":-32602,"message":"no"}}`)
	refused.cut(engine.EndClean)
	if s := refused.call(refused.c).settled; s == nil || s.Outcome != engine.OutcomeRPCError {
		refused.fatal("the error in the body is not the outcome")
	}
	for _, body := range []string{mark + mark + "{}", mark[:2], mark + "<html>"} {
		o := connected(t, mcp.Config{}).post("tools/call")
		o.Head(o.x, 200, "content-type", coretest.JSON)
		o.say(body)
		o.cut(engine.EndClean)
		o.wantFailure(engine.CodeProtocol)
	}
	empty := connected(t, mcp.Config{}).post("tools/call")
	empty.Head(empty.x, 200, "content-type", coretest.JSON)
	empty.say(mark)
	empty.cut(engine.EndClean)
	empty.wantFailure(engine.CodeOutcomeUnknown) // as of a body that was cut off before its first byte
}
