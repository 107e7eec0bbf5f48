package mcp_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// kinds are the requests so far, by method and, of POSTs, what they ask for.
func (r *rig) kinds() []string {
	var all []string
	for x := engine.ExchangeID(1); x <= r.Newest(); x++ {
		switch request := r.Exchange(x).Request; {
		case strings.Contains(string(request.Body), `"server/discover"`):
			all = append(all, "discover")
		case strings.Contains(string(request.Body), `"initialize"`):
			all = append(all, "initialize")
		default:
			all = append(all, request.Method)
		}
	}
	return all
}

// failed is why the client has failed, nil where it has not.
func failed(effects []engine.Effect) *engine.Error {
	for _, e := range effects {
		if e.Kind == engine.State && e.Failure != nil {
			return e.Failure
		}
	}
	return nil
}

// Fault 464: nothing listens there, whatever the client knows of the server. It is asked
// once whether anything does, with nothing of the app's, and connecting fails with that.
func TestFault464_DeadServer(t *testing.T) {
	for _, test := range []struct{ revision, assume, want string }{
		{"", "", "discover initialize REACH"},
		{"", "2026-07-28", "discover REACH"},
		{"", "2025-11-25", "initialize REACH"},
		{"", "2024-11-05", "GET REACH"},
		{"2026-07-28", "", "discover REACH"},
		{"2025-11-25", "", "initialize REACH"},
		{"2024-11-05", "", "GET REACH"},
	} {
		cfg := mcp.Config{Revision: cmp.Or(test.revision, "auto"), Assume: test.assume,
			Header: []engine.Field{{Name: "X-Tenant", Value: "7"}}, HasTokenProvider: true}
		r := &rig{MCP: coretest.NewMCP(t, cfg), t: t, calls: map[engine.CallID]*record{}}
		r.Start()
		r.token("t1")
		var failure *engine.Error
		for failure == nil && r.Open() > 0 {
			failure = failed(r.Fails(r.Newest()))
		}
		if got := strings.Join(r.kinds(), " "); got != test.want {
			r.fatal("pinned %q, assumed %q: it asks %s, want %s", test.revision, test.assume, got, test.want)
		}
		if failure == nil || failure.Code != engine.CodeNetwork || failure.Reach != engine.ReachNothing ||
			!failure.Retryable {
			r.fatal("pinned %q, assumed %q: it fails with %+v", test.revision, test.assume, failure)
		}
		if asked := r.Exchange(r.Newest()).Request; len(asked.Header) > 0 || asked.Body != nil {
			r.fatal("it is asked with %+v", asked)
		}
		r.wantIdle()
	}
}

// Fault 464: somebody answers, and CORS hides it, or nobody can know. What else a server
// may answer is tried as before: one of 2024-11-05 that allows its GET alone is connected to.
func TestFault464_HiddenServer(t *testing.T) {
	for _, answered := range []bool{true, false} {
		r := &rig{
			MCP: coretest.NewMCP(t, mcp.Config{Revision: "auto", NoListen: true,
				URL: "https://server.test/sse"}), t: t, calls: map[engine.CallID]*record{}}
		r.Start()
		r.Fails(r.Newest())
		r.Fails(r.Newest())
		if answered {
			r.Head(r.Newest(), 200)
		} else {
			r.End(r.Newest(), engine.EndInvalid)
		}
		if got := strings.Join(r.kinds(), " "); got != "discover initialize REACH GET" {
			r.fatal("it asks %s", got)
		}
		stream := r.Newest()
		r.Head(stream, 200, "content-type", coretest.Stream)
		r.Chunk(stream, "event: endpoint\ndata: /message\n\n")
		post := r.Newest()
		r.Head(post, 202)
		r.Chunk(stream,
			coretest.Message("", coretest.Result(coretest.RequestID(r.Exchange(post).Request),
				`{"protocolVersion":"2024-11-05","capabilities":{},"serverInfo":{"name":"old","version":"1"}}`)))
		r.Head(r.Newest(), 202)
		if last := r.states[len(r.states)-1]; !strings.HasPrefix(
			last, `{"state":"open","revision":"2024-11-05"`) {
			r.fatal("state %s", last)
		}
	}
}

// Fault 464: the client is closed while it is asked whether anything answers. Nothing is left.
func TestFault464_ClosedMeanwhile(t *testing.T) {
	r := newRig(t, mcp.Config{})
	r.Start()
	r.Fails(r.Newest())
	asked := r.Newest()
	if kinds := r.kinds(); !slices.Equal(kinds, []string{"initialize", engine.MethodReach}) {
		r.fatal("it asks %v", kinds)
	}
	r.close()
	if !r.Exchange(asked).Over {
		r.fatal("the question goes on")
	}
	r.wantIdle()
}

// Fault 464: the server of a client that is open is restarted. Its handshakes are tried
// again and again as before: none of them is more than one request.
func TestFault464_RestartedServer(t *testing.T) {
	r := connected(t, mcp.Config{})
	o := r.post("tools/list")
	r.Head(o.x, 404)
	for range 5 {
		x, _ := r.nextFetch(60_000)
		r.Fails(x)
	}
	if slices.Contains(r.kinds(), engine.MethodReach) {
		r.fatal("it asks %v", r.kinds())
	}
}
