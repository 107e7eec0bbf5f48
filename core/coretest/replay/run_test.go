package main

import (
	"strings"
	"testing"
)

// trace is a page's: a call is cut after its first progress, resumed, and answered. The ids of its requests
// are others than those of the client that plays it.
const trace = `{"at":1,"page":"old","x":1,"what":"request","method":"GET","headers":{},"body":""}
{"at":1,"page":"p","x":1,"what":"request","method":"POST","headers":{},"body":{"jsonrpc":"2.0","id":70,"method":"initialize","params":{}}}
{"at":1,"page":"p","x":1,"what":"head","status":200,"headers":{"content-type":"application/json","mcp-session-id":"session-1"}}
{"at":1,"page":"p","x":1,"what":"body","body":{"jsonrpc":"2.0","id":70,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"(4)","version":"(1)"}}}}
{"at":1,"page":"p","x":1,"what":"end"}
{"at":2,"page":"p","x":2,"what":"request","method":"POST","headers":{},"body":{"jsonrpc":"2.0","method":"notifications/initialized"}}
{"at":2,"page":"p","x":2,"what":"head","status":202,"headers":{}}
{"at":2,"page":"p","x":2,"what":"end"}
{"at":3,"page":"p","x":3,"what":"request","method":"POST","headers":{},"body":{"jsonrpc":"2.0","id":71,"method":"tools/call","params":{"_meta":{"progressToken":71},"name":"(5)","arguments":{}}}}
{"at":3,"page":"p","x":3,"what":"head","status":200,"headers":{"content-type":"text/event-stream"}}
{"at":3,"page":"p","x":3,"what":"lines","text":"retry: 10\nid: event-1\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":71,\"progress\":1}}\n\n"}
{"at":4,"page":"p","x":3,"what":"failed"}
{"at":5,"page":"p","x":4,"what":"request","method":"GET","headers":{"last-event-id":"event-1"},"body":""}
{"at":5,"page":"p","x":4,"what":"head","status":200,"headers":{"content-type":"text/event-stream"}}
{"at":5,"page":"p","x":4,"what":"lines","text":"id: event-2\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":71,\"progress\":2}}\n\nid: event-3\n"}
{"at":5,"page":"p","x":4,"what":"lines","text":"data: {\"jsonrpc\":\"2.0\",\"id\":71,\"result\":{\"content\":[]}}\n\n"}
{"at":5,"page":"p","x":4,"what":"end"}
`

// TestReplay: what the app saw of a cut and a resume is seen again, in its order.
func TestReplay(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := run(strings.NewReader(trace), "", &out); err != nil {
		t.Fatal(err, out.String())
	}
	rest := out.String()
	for _, want := range []string{`"state":"open"`, "call tools/call", `progress {`, `"progress":1`,
		`"state":"cut","why":"network"`, `resumed {"outcome":"continued"`, `"progress":2`,
		`result {"content":[]}`} {
		_, after, found := strings.Cut(rest, want)
		if !found {
			t.Fatalf("no %s after what came before:\n%s", want, out.String())
		}
		rest = after
	}
	if strings.Contains(out.String(), "not played") || strings.Contains(out.String(), "not on record") {
		t.Error(out.String())
	}
}

// TestReplayOfTheMiddle: a trace whose begin the ring has lost is played from where it begins, and what
// cannot be is listed.
func TestReplayOfTheMiddle(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	lines := strings.SplitAfter(trace, "\n")
	if err := run(strings.NewReader(strings.Join(lines[12:], "")), "p", &out); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "not played: GET") {
		t.Error(out.String())
	}
}

// TestReplayRefuses: what is no trace is said to be none.
func TestReplayRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":             "no requests",
		"{}\nnonsense": "line 2",
		`{"page":"p"}`: "no requests",
	} {
		if err := run(strings.NewReader(text), "", &strings.Builder{}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
