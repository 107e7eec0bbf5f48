package mcp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// Fault 167: a POST is answered by 200 without a content type. A body that is whole,
// and the response to this very request, is that; anything else is a cut, as in
// fault 129: a head that was cut has no body behind it.
func TestFault167_JSONWithoutAContentType(t *testing.T) {
	const whole = `{"jsonrpc":"2.0","id":$ID,"result":{"content":[]}}`
	for name, tc := range map[string]struct {
		media  string
		chunks []string
		how    engine.Ending
		code   engine.Code // of the call; "" for its result
	}{
		"whole":                 {"", []string{whole}, engine.EndClean, ""},
		"whole, in pieces":      {"", []string{" \r\n{", whole[1:20], whole[20:]}, engine.EndClean, ""},
		"a name without a type": {"json", []string{whole}, engine.EndClean, ""},
		"half a type":           {"application/js", []string{whole}, engine.EndClean, ""},
		"cut cleanly":           {"", []string{whole[:30]}, engine.EndClean, engine.CodeOutcomeUnknown},
		"cut":                   {"", []string{whole[:30]}, engine.EndNetwork, engine.CodeOutcomeUnknown},
		"whole, and cut":        {"", []string{whole}, engine.EndNetwork, engine.CodeOutcomeUnknown},
		"nothing":               {"", nil, engine.EndClean, engine.CodeOutcomeUnknown},
		"blanks":                {"", []string{" \n"}, engine.EndClean, engine.CodeOutcomeUnknown},
		"of another request": {"", []string{strings.Replace(whole, "$ID", "99999", 1)}, engine.EndClean,
			engine.CodeOutcomeUnknown},
		"of nobody's": {"", []string{`{"result":{"content":[]}}`}, engine.EndClean,
			engine.CodeOutcomeUnknown},
		"an endless page":   {"", []string{"<html>"}, 0, engine.CodeOutcomeUnknown},
		"an endless stream": {"", []string{"data: {}\n\n"}, 0, engine.CodeOutcomeUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			o := connected(t, mcp.Config{}).post("tools/call")
			o.Head(o.x, 200, "content-type", tc.media)
			for _, chunk := range tc.chunks {
				o.Chunk(o.x, strings.Replace(chunk, "$ID", o.id, 1))
			}
			if tc.how != 0 {
				o.cut(tc.how)
			}
			if tc.code == "" {
				o.wantResult()
			} else {
				o.wantFailure(tc.code)
			}
			o.wantQuiet()
			o.wantIdle()
		})
	}
}

// Fault 167: an error is an answer as well.
func TestFault167_ErrorWithoutAContentType(t *testing.T) {
	o := connected(t, mcp.Config{}).post("tools/call")
	o.Head(o.x, 200)
	o.Chunk(o.x, `{"jsonrpc":"2.0","id":`+o.id+`,"error":{"code":-32602,"message":"no"}}`)
	o.cut(engine.EndClean)
	if s := o.call(o.c).settled; s == nil || s.Outcome != engine.OutcomeRPCError {
		o.fatal("settled with %v", s)
	}
}

// Fault 167: initialize is answered so, with a session id. Cut behind that, the id
// may be half of one, and is not used.
func TestFault167_InitializeWithoutAContentType(t *testing.T) {
	result := func(r *rig) string {
		return coretest.Result(coretest.RequestID(r.Exchange(r.Newest()).Request),
			`{"protocolVersion":"2025-11-25","capabilities":{}}`)
	}
	r := newRig(t, mcp.Config{NoListen: true, Revision: "2025-11-25"})
	r.Start()
	x := r.Newest()
	r.Head(x, 200, "mcp-session-id", "s1")
	r.Chunk(x, result(r))
	r.End(x, engine.EndClean)
	if session, _ := r.field(r.Newest(), "Mcp-Session-Id"); r.Newest() == x || session != "s1" {
		r.fatal("not initialized")
	}
	r.Head(r.Newest(), 202)
	if last := r.states[len(r.states)-1]; !strings.HasPrefix(last, `{"state":"open"`) {
		r.fatal("state %s", last)
	}
	r = newRig(t, mcp.Config{NoListen: true, Revision: "2025-11-25"})
	r.Start()
	x = r.Newest()
	r.Head(x, 200, "mcp-session-id", "s")
	r.End(x, engine.EndClean)
	if last := r.states[len(r.states)-1]; last != `{"state":"failed"}` {
		r.fatal("state %s", last)
	}
	r.wantIdle()
}

// Fault 167: so is requests/resume.
func TestFault167_ResumeWithoutAContentType(t *testing.T) {
	p := connected(t, mcp.Config{Journal: true}).resumable("", mcp.CallOptions{})
	p.cut(engine.EndNetwork)
	p.resumePost(`"tok"`, 60_000)
	p.Head(p.x, 200)
	p.cut(engine.EndClean)
	p.wantPending()
	p.resumePost(`"tok"`, 60_000)
	p.Head(p.x, 200)
	p.Chunk(p.x, coretest.Result(p.id, `{"content":[]}`))
	p.cut(engine.EndClean)
	p.wantResult()
}
