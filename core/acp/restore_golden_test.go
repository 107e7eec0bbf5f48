//go:build !js

package acp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// goldenSession is a page that has found the golden session in the store.
func goldenSession(t *testing.T) coretest.ACP {
	w := coretest.NewACP(t, acp.Config{Journal: true, Epoch: 3})
	w.Input("load",
		func(c *acp.Client, now engine.Time) {
			c.Restore(now,
				coretest.Golden(t, "session", journal.OpOwned))
		})
	w.Start()
	return w
}

// openStreams has the agent open all streams that it is asked for.
func openStreams(w coretest.ACP) {
	for _, x := range w.UnderWay() {
		w.Head(x, 200, "content-type", coretest.Stream)
	}
}

func expectLines(t *testing.T, log string, want ...string) {
	t.Helper()
	for _, line := range want {
		if !strings.Contains(log, line) {
			t.Errorf("nothing says %s\n%s", line, log)
		}
	}
}

// TestGoesOnWithGoldenRows: what is stored of a session in version 1 of the format is what a
// page goes on from, and the app gets the questions and events that it had then.
func TestGoesOnWithGoldenRows(t *testing.T) {
	w := goldenSession(t)
	openStreams(w)
	expectLines(t, w.Log(),
		`recall c1 {"sessionId":"session-1","cwd":"/work","restored":true,"owned":true`,
		`{"op":"put","at":0,"type":"agent_message","id":"m1","patch":{"content":[{"type":"text",`+
			`"text":"Hello"}]}}`,
		`{"op":"pending","prompt":5,"content":[{"type":"text","text":"two"}]}`,
		`draft {"option":"yes"}`,
		`question {"method":"session/request_permission","restored":true`,
		`GET Acp-Connection-Id=connection-1 Acp-Session-Id=session-1 Last-Event-ID=e7`,
		`POST Acp-Connection-Id=connection-1 Acp-Session-Id=session-1 {"jsonrpc":"2.0","id":11,"result":{}}`)
	if strings.Contains(w.Log(), `"prompt":4`) || strings.Count(w.Log(), " question ") != 1 {
		t.Errorf("the app hears of what is over\n%s", w.Log())
	}
}

// TestGoldenRowsOnANewConnection: where the agent has forgotten the connection, the session
// is resumed with the MCP servers that are stored.
func TestGoldenRowsOnANewConnection(t *testing.T) {
	w := goldenSession(t)
	w.Head(w.UnderWay()[0], 404)
	w.Advance(1)
	x := w.Newest()
	w.Head(x, 200, "content-type", coretest.JSON, "acp-connection-id", "connection-2")
	w.Chunk(x, coretest.Result(coretest.RequestID(w.Request(x)),
		`{"protocolVersion":2,"info":{"name":"agent","version":"1"},"capabilities":{"session":{}}}`))
	w.End(x, engine.EndClean)
	openStreams(w)
	expectLines(t, w.Log(), `Acp-Connection-Id=connection-2`,
		`"method":"session/resume","params":{"mcpServers":[{"name":"files",`+
			`"headers":[{"name":"Authorization","value":"Bearer b"}]}],"sessionId":"session-1"`)
}
