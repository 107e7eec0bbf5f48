//go:build !js

package e2e

import (
	"io"
	"slices"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestStoryHostileStream: whatever a server writes between two good messages
// costs only itself. The call goes on, what was dropped is counted, and the
// app is told.
func TestStoryHostileStream(t *testing.T) {
	t.Parallel()
	const response = `{"jsonrpc":"2.0","id":$ID,"result":{"content":[]}}`
	for name, test := range map[string]struct {
		step      peer.Step
		counter   string
		integrity string
	}{
		"garbage": {peer.Message(`}{ not JSON`), "unreadableMessages", "unreadable_message"},
		"truncated JSON": {peer.Message(`{"jsonrpc":"2.0","method":"notifications/progress","params":{`),
			"unreadableMessages", "unreadable_message"},
		"100,000 deep": {peer.Message(`{"jsonrpc":"2.0","method":"notifications/x","params":` +
			peer.DeepJSON(100_000) + `}`), "unreadableMessages", "unreadable_message"},
		"duplicate keys": {peer.Message(`{"jsonrpc":"2.0","id":$ID,"id":7,"result":{}}`),
			"unreadableMessages", "unreadable_message"},
		"both result and error": {peer.Message(
			`{"jsonrpc":"2.0","id":$ID,"result":{},"error":{"code":1,"message":"x"}}`), "unreadableMessages",
			"unreadable_message"},
		"a batch": {peer.Message(`[` + response + `]`), "unreadableMessages", "unreadable_message"},
		"id of another type": {peer.Message(`{"jsonrpc":"2.0","id":"$ID","result":{}}`), "unknownResponses",
			"unknown_response"},
		"id as a fraction": {peer.Message(`{"jsonrpc":"2.0","id":$ID.0,"result":{}}`), "unknownResponses",
			"unknown_response"},
		"nobody asked": {peer.Message(`{"jsonrpc":"2.0","id":424242,"result":{}}`), "unknownResponses",
			"unknown_response"},
		"id beyond 2^53": {peer.Message(`{"jsonrpc":"2.0","id":9007199254740993,"result":{}}`),
			"unknownResponses", "unknown_response"},
		"another event type": {peer.Event("__proto__", response), "ignoredEvents", ""},
		"progress for nobody": {peer.Notify("notifications/progress", `{"progressToken":"x","progress":1}`),
			"lateProgress", ""},
		"a log without params": {peer.Notify("notifications/message", ""), "unreadableMessages",
			"unreadable_message"},
		"a request to us": {peer.Ask(`"s-1"`, "sampling/createMessage", `{}`), "refusedRequests", ""},
	} {
		t.Run(name, func(t *testing.T) {
			row(t)
			p := peer.New(t, peer.Options{})
			p.Tool("steps", peer.Script{peer.Prime(-1), peer.Progress(1, 2, ""), test.step,
				peer.Progress(2, 2, ""), peer.Text("done")})
			page := app(t, p.URL(), "")
			chrome.Eval[chrome.Void](page, `void watch(mcp.callTool("steps"))`)
			outcome(t, page, "")
			counted(t, page, 2)
			if n := chrome.Eval[int](page, `mcp.counters.`+test.counter); n != 1 {
				t.Errorf("%s is %d", test.counter, n)
			}
			if got := chrome.Eval[[]string](page, `integrity`); test.integrity != "" &&
				!slices.Equal(got, []string{test.integrity}) {
				t.Errorf("integrity events %v", got)
			}
			if polluted := chrome.Eval[string](page, `String(({}).polluted)`); polluted != "undefined" {
				t.Error("a prototype was polluted")
			}
		})
	}
}

// TestFault116_EndlessLineEventAndBody: an endless line, an endless event and an endless body
// end the call with a typed error, the sender is stopped, and the page lives.
func TestFault116_EndlessLineEventAndBody(t *testing.T) {
	t.Parallel()
	stream := map[string]string{"Content-Type": "text/event-stream"}
	for name, answer := range map[string]peer.Response{
		"line":  {Header: stream, Body: "data: ", Write: peer.Fill("x", 1<<30)},
		"event": {Header: stream, Write: peer.Fill("data: "+string(make8K())+"\n", 1<<30)},
		"body":  {Body: `{"jsonrpc":"2.0","id":$ID,"result":"`, Write: peer.Fill("x", 1<<30)},
	} {
		t.Run(name, func(t *testing.T) {
			row(t)
			fill := answer.Write
			stopped := make(chan error, 1)
			answer.Write = func(w io.Writer) error {
				err := fill(w)
				stopped <- err
				return err
			}
			p := peer.New(t, peer.Options{})
			p.Answer("tools/call", answer)
			page := app(t, p.URL(), `{ limits: { line: 1 << 20, event: 1 << 20, body: 1 << 20 } }`)
			chrome.Eval[chrome.Void](page, `void watch(mcp.callTool("echo"))`)
			outcome(t, page, "limit_exceeded")
			if err := <-stopped; err == nil {
				t.Error("all of 1 GiB was taken")
			}
			if tools := chrome.Script[int](page, `return (await mcp.listTools()).tools.length;`); tools == 0 {
				t.Error("the client does not work any more")
			}
		})
	}
}

// TestStoryHostileAnswers: every kind of nonsense in place of an answer ends
// the call with a typed error; none hangs it.
func TestStoryHostileAnswers(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	page := app(t, p.URL(), "")
	for name, answer := range peer.Garbage() {
		p.Answer("tools/call", answer)
		got := chrome.Script[failure](page,
			`return attempt(() => mcp.callTool("echo", {}, { timeouts: { total: 20_000 } }).result);`)
		if got.Code == "" || got.Code == "timeout" {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if n := chrome.Script[int](page, `return (await mcp.listTools()).tools.length;`); n == 0 {
		t.Error("the client does not work any more")
	}
}

// TestLargeResultByDefault: with default limits a result of 32 MiB arrives as one event of a
// stream as it does in a JSON body: which of the two it is, the server decides.
func TestLargeResultByDefault(t *testing.T) {
	t.Parallel()
	const size = 32 << 20
	begin, end := `{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"`, `"}]}}`
	text := func(end string) func(io.Writer) error {
		fill := peer.Fill("x", size)
		return func(w io.Writer) error {
			fill(w)
			_, err := io.WriteString(w, end)
			return err
		}
	}
	for name, answer := range map[string]peer.Response{
		"event": {Header: map[string]string{"Content-Type": "text/event-stream"},
			Body: "id: 1\ndata: " + begin, Write: text(end + "\n\n")},
		"body": {Body: begin, Write: text(end)},
	} {
		t.Run(name, func(t *testing.T) {
			row(t)
			p := peer.New(t, peer.Options{})
			p.Answer("tools/call", answer)
			page := app(t, p.URL(), "")
			if n := chrome.Script[int](page,
				`return (await mcp.callTool("echo").result).content[0].text.length;`); n != size {
				t.Errorf("%d characters came, want %d", n, size)
			}
		})
	}
}
