package mcp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// accepted starts a client whose initialize is answered by 202 with a session id
// and no body. It returns the exchange of the GET and the id of the request.
func accepted(t *testing.T, cfg mcp.Config) (r *rig, get engine.ExchangeID, id string) {
	r = newRig(t, cfg)
	r.Start()
	x := r.Newest()
	id = coretest.RequestID(r.Exchange(x).Request)
	r.Head(x, 202, "mcp-session-id", "s1")
	r.End(x, engine.EndClean)
	get = r.Newest()
	if session, _ := r.field(get, "Mcp-Session-Id"); r.Exchange(get).Request.Method != "GET" ||
		session != "s1" {
		r.fatal("the result is not looked for on a GET of the session")
	}
	return r, get, id
}

// Fault 153: initialize answered by 202, its result on the standalone stream. The
// stream stays the one for what the server says unasked; where the app wants none,
// it is let go of.
func TestFault153_ResultOnTheStandaloneStream(t *testing.T) {
	for _, noListen := range []bool{false, true} {
		r, get, id := accepted(t, mcp.Config{NoListen: noListen})
		r.Head(get, 200, "content-type", coretest.Stream)
		r.Chunk(get,
			coretest.Message("",
				coretest.Result(id,
					`{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"seed"}}`)))
		initialized := r.Newest()
		r.Head(initialized, 202)
		r.End(initialized, engine.EndClean)
		if last := r.states[len(r.states)-1]; !strings.HasPrefix(
			last, `{"state":"open","revision":"2025-06-18"`) {
			r.fatal("state %s", last)
		}
		if r.Newest() != initialized || r.Exchange(get).Over != noListen {
			r.fatal("noListen %v: the stream is over: %v, newest exchange %d", noListen, r.Exchange(get).Over,
				r.Newest())
		}
		o := r.post("tools/list")
		if session, _ := r.field(o.x, "Mcp-Session-Id"); session != "s1" {
			r.fatal("sent in session %q", session)
		}
	}
}

// Fault 153: the GET is cut before the result: it is made again, within the time
// that initialize has.
func TestFault153_TheGETIsCut(t *testing.T) {
	r, get, id := accepted(t, mcp.Config{})
	r.Head(get, 200, "content-type", coretest.Stream)
	r.End(get, engine.EndNetwork)
	x, _ := r.nextFetch(60_000)
	r.Head(x, 200, "content-type", coretest.Stream)
	r.Chunk(x,
		coretest.Message("", coretest.Result(id, `{"protocolVersion":"2025-06-18","capabilities":{}}`)))
	r.Head(r.Newest(), 202)
	if last := r.states[len(r.states)-1]; !strings.HasPrefix(last, `{"state":"open"`) {
		r.fatal("state %s", last)
	}
}

// Fault 153: without such a stream the handshake ends at once; with a silent one,
// when its time is over.
func TestFault153_NothingOnTheGET(t *testing.T) {
	r, get, _ := accepted(t, mcp.Config{})
	r.Head(get, 405)
	if last := r.states[len(r.states)-1]; last != `{"state":"failed"}` {
		r.fatal("state %s", last)
	}
	r.wantIdle()
	r, get, _ = accepted(t, mcp.Config{})
	r.Head(get, 200, "content-type", coretest.Stream)
	r.Advance(120_000)
	if last := r.states[len(r.states)-1]; last != `{"state":"failed"}` {
		r.fatal("state %s", last)
	}
	r.wantIdle()
}

// Fault 153: a result that names no revision but says who the server is counts as
// of the oldest that Streamable HTTP has; one that says neither is no result.
func TestFault153_NoProtocolVersion(t *testing.T) {
	for result, want := range map[string]string{
		`{"serverInfo":{"name":"seed"},"capabilities":{"tools":{}}}`: `{"state":"open","revision":"2025-03-26"`,
		`{"capabilities":{}}`: `{"state":"failed"}`,
		`{"protocolVersion":"1999-01-01","serverInfo":{"name":"from long ago"}}`:    `{"state":"failed"}`,
		`{"protocolVersion":null,"serverInfo":{"name":"says that it has no idea"}}`: `{"state":"failed"}`,
	} {
		r := newRig(t, mcp.Config{NoListen: true})
		r.Start()
		x := r.Newest()
		r.Head(x, 200, "content-type", coretest.JSON, "mcp-session-id", "s1")
		r.Chunk(x, coretest.Result(coretest.RequestID(r.Exchange(x).Request), result))
		r.End(x, engine.EndClean)
		if r.Newest() != x {
			r.Head(r.Newest(), 202)
		}
		if last := r.states[len(r.states)-1]; !strings.HasPrefix(last, want) {
			r.fatal("%s leads to %s", result, last)
		}
	}
}
