package mcp_test

import (
	"fmt"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// TestToolFields: what of a call's arguments is repeated in header fields (SEP-2243): strings, integers and booleans,
// wherever they are; nothing for what is absent or null, or has no one text; and nothing that the host cannot send.
func TestToolFields(t *testing.T) {
	const tools = `{"tools":{"t":{"fields":[{"path":["a"],"header":"A"},{"path":["b","c"],"header":"B-C"}]}}}`
	for _, c := range []struct{ arguments, refused, want string }{
		{`{"a":"eu","b":{"c":true}}`, "", "[{Mcp-Param-A eu} {Mcp-Param-B-C true}]"},
		{`{"a":-7,"b":{"c":9007199254740991}}`, "", "[{Mcp-Param-A -7} {Mcp-Param-B-C 9007199254740991}]"},
		{`{"a":1.5,"b":{"c":9007199254740992}}`, "", "[]"},
		{`{"a":null,"b":"c"}`, "", "[]"},
		{`{"a":["x"],"b":{"c":{}}}`, "", "[]"},
		{`{"a":"","b":{"c":"\u00e9"}}`, "", "[{Mcp-Param-A } {Mcp-Param-B-C =?base64?w6k=?=}]"},
		{`{"a":1,"b":{"c":1}}`, "mcp-param-a", "[{Mcp-Param-B-C 1}]"},
		{``, "", "[]"},
	} {
		w := coretest.NewMCP(t, mcp.Config{NoListen: true, Revision: "2026-07-28"})
		w.Start()
		x := w.Fetched()
		w.Head(x, 200, "content-type", coretest.JSON)
		w.Chunk(x, `{"jsonrpc":"2.0","id":`+coretest.RequestID(w.Request(x))+
			`,"result":{"supportedVersions":["2026-07-28"],"capabilities":{}}}`)
		w.Input("tools", func(c *mcp.Client, now engine.Time) { c.Tools(now, []byte(tools)) })
		params := `{"name":"t"}`
		if c.arguments != "" {
			params = `{"name":"t","arguments":` + c.arguments + `}`
		}
		id, _ := w.Call("tools/call", params, mcp.CallOptions{Refused: []byte(c.refused + " ")})
		if got := fmt.Sprint(w.Client.MirroredIn(id)); got != c.want {
			t.Errorf("%s: %s, want %s", c.arguments, got, c.want)
		}
		if got := fmt.Sprint(w.Client.Mirrored([]byte(params))); c.refused == "" && got != c.want {
			t.Errorf("%s would be sent with %s, want %s", c.arguments, got, c.want)
		}
	}
}
