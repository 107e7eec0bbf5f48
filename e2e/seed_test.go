//go:build !js

package e2e

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// What servers in the wild do, each thing seen from a page of another origin;
// peer.Seed is a server that does just that and no more. What takes minutes, the
// timeouts, is in core/mcp under a virtual clock.

// sent returns what reached the server beyond preflights.
func sent(p *peer.Peer) []peer.Request {
	return slices.DeleteFunc(p.Requests(), func(r peer.Request) bool { return r.HTTPMethod == "OPTIONS" })
}

// useSeed lists and calls tools, which has to work against every seed server.
func useSeed(t *testing.T, page *chrome.Page) {
	t.Helper()
	got := chrome.Script[struct {
		State, Revision, Text string
		Session               bool
		Tools                 int
	}](page, `
		const { tools } = await mcp.listTools();
		const { content } = await mcp.callTool("echo", { text: "grüß" }).result;
		return { state: mcp.state, revision: mcp.revision, session: mcp.session, tools: tools.length, text: content[0].text };`)
	if got.State != "open" || got.Revision != "2025-06-18" || !got.Session || got.Tools < 3 ||
		got.Text != "grüß" {
		t.Errorf("got %+v", got)
	}
}

// Line 1 of the list: the headers of section 2 are all that a server allows. No
// request needs another one: none is lost to a preflight but the first
// question, whether this is a modern server.
func TestSeed_WorksUnderItsCORSHeaders(t *testing.T) {
	t.Parallel()
	p := peer.Seed(t)
	p.Tool("steps", peer.Script{peer.Progress(1, 2, ""), peer.Progress(2, 2, ""), peer.Text("done")})
	page := app(t, p.URL(), `{ token: async () => "t" }`)
	useSeed(t, page)
	chrome.Eval[chrome.Void](page, `void watch(mcp.callTool("steps"))`)
	outcome(t, page, "")
	counted(t, page, 2)
	for _, r := range sent(p) {
		if r.LastEventID != "" || r.Header.Get("Mcp-Method") != "" {
			t.Errorf("%s %s came with a header that is not allowed", r.HTTPMethod, r.Method)
		}
		if r.Header.Get("Authorization") != "Bearer t" {
			t.Errorf("%s %s came without the token", r.HTTPMethod, r.Method)
		}
	}
	blameless(t, p)
}

// Line 2: the four methods, as JSON-RPC 2.0.
func TestSeed_FourMethods(t *testing.T) {
	t.Parallel()
	p := peer.Seed(t)
	page := app(t, p.URL(), "")
	useSeed(t, page)
	got := map[string]bool{}
	for _, r := range sent(p) {
		if r.HTTPMethod == "POST" {
			got[r.Method] = true
			if accept := r.Header.Get("Accept"); accept != "application/json, text/event-stream" ||
				r.Header.Get("Content-Type") != "application/json" {
				t.Errorf("%s: Accept %q, Content-Type %q", r.Method, accept, r.Header.Get("Content-Type"))
			}
		}
	}
	for _, method := range []string{"initialize", "notifications/initialized", "tools/list", "tools/call"} {
		if !got[method] {
			t.Errorf("no %s", method)
		}
	}
	if len(got) != 4 {
		t.Errorf("sent %v", got)
	}
}

// Line 3: initialize comes without a session id, every later request with the
// one that its answer gave, and with the revision.
func TestSeed_SessionHeader(t *testing.T) {
	t.Parallel()
	p := peer.Seed(t)
	page := app(t, p.URL(), "")
	useSeed(t, page)
	requests := sent(p)
	if first := requests[0]; first.Method != "initialize" || first.Session != "" ||
		first.Header.Get("Mcp-Protocol-Version") != "" {
		t.Errorf("the first request is %s with session %q", first.Method, first.Session)
	}
	for _, r := range requests[1:] {
		if r.Session == "" || r.Session != requests[1].Session ||
			r.Header.Get("Mcp-Protocol-Version") != "2025-06-18" {
			t.Errorf("%s %s: session %q, revision %q", r.HTTPMethod, r.Method, r.Session,
				r.Header.Get("Mcp-Protocol-Version"))
		}
	}
}

// Lines 2 to 5: whichever of the answers that the document allows a server
// gives. All of them end lines in CRLF.
func TestSeed_AnswersOfEveryShape(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]peer.SeedOptions{
		"202 and a stream, 204":      {},
		"200 and JSON to initialize": {InitializeAsJSON: true},
		"200 to notifications":       {Notified: 200},
		"events with a name":         {NameEvents: true},
		"heartbeats between events":  {Heartbeat: time.Millisecond},
		"everything else":            {InitializeAsJSON: true, Notified: 200, Gone: 410, NameEvents: true},
	} {
		t.Run(name, func(t *testing.T) {
			row(t)
			p := peer.Seed(t, o)
			page := app(t, p.URL(), "")
			useSeed(t, page)
			if counters := chrome.Eval[string](page,
				`JSON.stringify(Object.entries(mcp.counters).filter(([, n]) => n > 0))`); counters != "[]" {
				t.Errorf("counted %s", counters)
			}
			blameless(t, p)
		})
	}
}

// Line 4: pieces of any size, with a separator in two of them.
func TestSeed_StreamInPieces(t *testing.T) {
	t.Parallel()
	p := peer.Seed(t)
	p.Dribble(1)
	page := app(t, p.URL(), "")
	useSeed(t, page)
}

// Line 6: 200 and JSON to the GET without parameters is no stream. It is not
// sent again and harms nothing.
func TestSeed_GETWithoutParameters(t *testing.T) {
	t.Parallel()
	p := peer.Seed(t)
	page := app(t, p.URL(), "")
	eventually(t, "the answer to the GET",
		func() bool { return len(p.Of("GET")) == 1 && p.Of("GET")[0].Status == 200 })
	useSeed(t, page)
	useSeed(t, page)
	if n := len(p.Of("GET")); n != 1 {
		t.Errorf("%d GETs", n)
	}
	blameless(t, p)
}

// Section 3.2 can be read so that the answer to initialize comes on a GET of
// its own: there it is looked for. A new session is made in the same way.
func TestSeed_InitializeAnsweredElsewhere(t *testing.T) {
	t.Parallel()
	p := peer.Seed(t, peer.SeedOptions{InitializeOnGET: true})
	page := app(t, p.URL(), "")
	useSeed(t, page)
	p.Expire()
	useSeed(t, page)
	if n := len(p.Of("initialize")); n != 2 {
		t.Errorf("%d handshakes", n)
	}
	blameless(t, p)
}

// TestFault153_ServerWithoutARevision: some servers answer initialize with
// serverInfo alone. A result that has no protocolVersion is taken as of the oldest
// revision, and its server can be used.
func TestFault153_ServerWithoutARevision(t *testing.T) {
	t.Parallel()
	p := peer.Seed(t)
	p.AnswerFunc("initialize", func(int, peer.Request) *peer.Response {
		return &peer.Response{Header: map[string]string{"Mcp-Session-Id": "s"},
			Body: `{"jsonrpc":"2.0","id":$ID,"result":{"serverInfo":{"name":"seed","version":"1"}}}`}
	})
	p.AnswerFunc("notifications/initialized", func(int, peer.Request) *peer.Response {
		return &peer.Response{Status: 204}
	})
	page := app(t, p.URL(), "")
	if got := chrome.Eval[string](page, `mcp.revision + " " + mcp.server.name`); got != "2025-03-26 seed" {
		t.Errorf("got %s", got)
	}
}

// Section 4.1: 404 or 410 to a session mean a new initialize, without the old
// one's id; the request that found out is sent again.
func TestSeed_ForgottenSession(t *testing.T) {
	t.Parallel()
	for _, status := range []int{404, 410} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			row(t)
			p := peer.Seed(t, peer.SeedOptions{Gone: status})
			page := app(t, p.URL(), "")
			useSeed(t, page)
			p.Expire()
			useSeed(t, page)
			handshakes := p.Of("initialize")
			if len(handshakes) != 2 || handshakes[1].Session != "" {
				t.Errorf("%d handshakes", len(handshakes))
			}
			if states := chrome.Eval[[]string](page, `states`); !slices.Equal(
				states, []string{"reconnecting", "open"}) {
				t.Errorf("states %v", states)
			}
			if n := p.Ran("echo"); n != 2 {
				t.Errorf("echo ran %d times", n)
			}
			blameless(t, p)
		})
	}
}

// Section 5: 502, 503 and 504 are said to be passing where it is safe to try
// again. A tool is not run again by itself, and the session stays.
func TestSeed_GatewayErrors(t *testing.T) {
	t.Parallel()
	for _, status := range []int{502, 503, 504} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			row(t)
			p := peer.Seed(t)
			page := app(t, p.URL(), "")
			p.FailNext("tools/list", 1, peer.Response{Status: status})
			if got := chrome.Script[failure](page, `return attempt(() => mcp.listTools());`); got.Code !=
				"http_error" || !got.Retryable {
				t.Errorf("tools/list: %+v", got)
			}
			p.FailNext("tools/call", 1, peer.Response{Status: status})
			if got := chrome.Script[failure](page,
				`return attempt(() => mcp.callTool("echo", { text: "x" }).result);`); got.Code !=
				"http_error" || got.Retryable != (status == 503) {
				t.Errorf("tools/call: %+v", got)
			}
			useSeed(t, page)
			if n := p.Ran("echo"); n != 1 {
				t.Errorf("echo ran %d times", n)
			}
			if n := len(p.Of("initialize")); n != 1 {
				t.Errorf("%d handshakes", n)
			}
			p.Expire()
			p.FailNext("initialize", 1, peer.Response{Status: status})
			useSeed(t, page)
		})
	}
}

// Without event ids nothing can go on after a cut; the call says so and is not
// run again.
func TestSeed_CutStream(t *testing.T) {
	t.Parallel()
	p := peer.Seed(t)
	p.Tool("steps", peer.Script{peer.Progress(1, 2, ""), peer.Gate("cut"), peer.Cut(peer.FIN),
		peer.Text("done")})
	page := app(t, p.URL(), "")
	chrome.Eval[chrome.Void](page, `void watch(mcp.callTool("steps"))`)
	page.WaitFor(`seen.progress.length === 1`)
	p.Release("cut")
	outcome(t, page, "outcome_unknown")
	useSeed(t, page)
	if n := p.Ran("steps"); n != 1 {
		t.Errorf("the tool ran %d times", n)
	}
}
