//go:build !js

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// headCutter stands between pages and a Peer. A call says in its arguments after
// how many bytes the head of an answer ends, of its POST or of the next GET on its
// path, and with that the connection. The Peer has had the request by then.
type headCutter struct {
	t      *testing.T
	peer   *url.URL
	pass   *httputil.ReverseProxy
	method string // of the requests whose answers are cut
	reset  bool   // by RST, not by FIN

	mu      sync.Mutex
	due     map[string]int // by path: bytes of the next answer's head
	cuts    int
	longest int // bytes of a head that was to be cut
}

func newHeadCutter(t *testing.T, p *peer.Peer, method string, reset bool) *headCutter {
	target, err := url.Parse(p.URL())
	if err != nil {
		t.Fatal(err)
	}
	pass := &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(target); r.Out.URL.Path = target.Path },
		FlushInterval: -1,
		ErrorHandler:  func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	return &headCutter{t: t, peer: target, pass: pass, method: method, reset: reset, due: map[string]int{}}
}

func (h *headCutter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the page has gone
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	after, due := h.take(r, body)
	if !due {
		h.pass.ServeHTTP(w, r)
		return
	}
	out := r.Clone(r.Context())
	out.RequestURI, out.URL, out.Host = "", h.peer, h.peer.Host
	answer, err := http.DefaultTransport.RoundTrip(out)
	if r.Context().Err() != nil {
		h.put(r.URL.Path, after) // a page that is short of connections has given this one to another stream
		return
	}
	if err != nil {
		h.t.Errorf("%s: %v", r.URL.Path, err)
		return
	}
	defer answer.Body.Close()
	head, err := httputil.DumpResponse(answer, false)
	if err != nil {
		h.t.Error(err)
		return
	}
	h.mu.Lock()
	h.cuts++
	h.longest = max(h.longest, len(head))
	h.mu.Unlock()
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		h.t.Error(err)
		return
	}
	conn.Write(head[:min(after, len(head))])
	if tcp, ok := conn.(*net.TCPConn); ok && h.reset {
		tcp.SetLinger(0)
	}
	conn.Close()
}

// take notes what a call asks for, and returns what is due for this request. What
// Chrome sends a second time by itself passes.
func (h *headCutter) take(r *http.Request, body []byte) (after int, due bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var call struct {
		Params struct{ Arguments struct{ After *int } }
	}
	if json.Unmarshal(body, &call) == nil && call.Params.Arguments.After != nil {
		if n, again := h.due[r.URL.Path+" was"]; again && n == *call.Params.Arguments.After {
			return 0, false
		}
		h.due[r.URL.Path], h.due[r.URL.Path+" was"] = *call.Params.Arguments.After,
			*call.Params.Arguments.After
	}
	if r.Method != h.method {
		return 0, false
	}
	after, due = h.due[r.URL.Path]
	delete(h.due, r.URL.Path)
	return after, due
}

// put has the next request of that path cut so, where the page itself has ended the one that was to be.
func (h *headCutter) put(path string, after int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.due[path] = after
}

// positions are more than the bytes of any head of the Peer's.
const positions = 300

// TestFault129_HeadCutAfterEveryByte: a connection that ends inside the head of a
// response, after any byte of it. Of what had come by then Chrome makes a
// response: 200 with half of a content type, or a status of one digit. A resume
// is made again, and the call has its result; a POST ends with outcome_unknown, or
// with what Chrome's own second try has brought. (It sends a request again by itself
// where a connection that it had used before dies with no byte of an answer.)
func TestFault129_HeadCutAfterEveryByte(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		method string
		form   string
		script peer.Script
		traits []peer.Trait
		wants  []string
	}{
		{"GET", "stream", peer.Script{peer.Prime(10), peer.Progress(1, 2, ""), peer.Cut(peer.Clean),
			peer.Text("done")}, nil, []string{"done"}},
		{"POST", "stream", peer.Script{peer.Text("done")}, nil, []string{"outcome_unknown", "done"}},
		{"POST", "json", peer.Script{peer.Text("done")}, []peer.Trait{peer.AsJSON},
			[]string{"outcome_unknown", "done"}},
	} {
		// What Chrome makes of a head does not depend on how its connection ended: a third of them will do
		// for RST.
		for how, step := range map[string]int{"FIN": 1, "RST": 3} {
			t.Run(tc.method+" "+tc.form+" "+how, func(t *testing.T) {
				row(t)
				t.Parallel()
				step := step * lengthOf(t, 4, 1)
				p := peer.New(t, peer.Options{})
				p.Tool("work", tc.script, tc.traits...)
				site := chrome.NewSite(t)
				cutter := newHeadCutter(t, p, tc.method, how == "RST")
				site.Handle("/lane/", cutter)
				page := chrome.Open(t, site.Page("/app", appScript))
				page.WaitFor(`window.holdfast`)
				chrome.Eval[chrome.Void](page, fmt.Sprintf(`void (async () => {
					window.counts = {};
					let next = 0;
					const lane = async (_, i) => {
						const mcp = await holdfast.connect("/lane/" + i, { listen: false, journal: false, revision: "2025-11-25" });
						while (next < %d) {
							const after = next;
							next += %d;
							const ended = await mcp.callTool("work", { after }).result.then((r) => r.content[0].text, (e) => e.code);
							counts[ended] = (counts[ended] ?? 0) + 1;
						}
						await mcp.close();
					};
					await Promise.all(Array.from({ length: 12 }, lane));
				})()`, positions, step))
				for done := 50; done < positions/step+50; done += 50 { // each is waited for by itself
					page.WaitFor(fmt.Sprintf(`Object.values(counts).reduce((a, b) => a + b, 0) >= %d`,
						min(done, positions/step)))
				}
				counts := chrome.Eval[map[string]int](page, `counts`)
				if cutter.cuts != positions/step {
					t.Errorf("%d cuts", cutter.cuts)
				}
				t.Logf("%d positions, heads of up to %d bytes: %v", positions, cutter.longest, counts)
				if cutter.longest >= positions {
					t.Errorf("a head has %d bytes", cutter.longest)
				}
				total := 0
				for _, want := range tc.wants {
					total += counts[want]
				}
				if total != positions/step {
					t.Errorf("%d of %d calls ended otherwise: %v", positions/step-total, positions/step,
						counts)
				}
			})
		}
	}
}
