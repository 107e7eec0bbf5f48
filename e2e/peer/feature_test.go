//go:build !js

package peer_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// ask sends a request in a legacy session and returns the JSON answer.
func (c *client) ask(method, params string) string {
	c.t.Helper()
	c.next++
	return body(
		c.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s}}`, c.next, method, params)))
}

// The same features, asked in both eras of one server.
func TestFeaturesInBothEras(t *testing.T) {
	p := peer.New(t, peer.Options{Revision: peer.Revision20260728, Legacy: peer.Revision20251125})
	p.Furnish()
	p.Furnish()
	now, then := modern(t, p), connect(t, p)
	for _, tc := range []struct {
		method, name, params string
		want                 string
	}{
		{"resources/list", "", "", `"resources":[{"mimeType":"text/plain","name":"notes","title":"Notes",` +
			`"uri":"file:///notes.txt"},{"mimeType":"image/png"`},
		{"resources/templates/list", "", "",
			`"resourceTemplates":[{"name":"note","uriTemplate":"file:///notes/{name}"}]`},
		{"resources/read", "file:///notes.txt", `"uri":"file:///notes.txt"`,
			`"contents":[{"mimeType":"text/plain","text":"buy rope","uri":"file:///notes.txt"}]`},
		{"resources/read", "file:///logo.png", `"uri":"file:///logo.png"`, `"blob":"iVBORw0KGgo="`},
		{"resources/read", "file:///notes/x", `"uri":"file:///notes/x"`, `"text":"a note called x"`},
		{"prompts/list", "", "", `"prompts":[{"arguments":[{"description":"the who","name":"who",` +
			`"required":true},{"description":"the tone","name":"tone","required":false}]`},
		{"prompts/get", "greet", `"name":"greet","arguments":{"who":"Ada"}`, `"text":"Say hello to Ada"`},
		{"prompts/get", "none", `"name":"none"`, `"code":-32602`},
		{"completion/complete", "",
			`"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"who","value":"kel"}`,
			`"completion":{"hasMore":false,"total":2,"values":["kelp","kelvin"]}`},
		{"tools/call", "measure", `"name":"measure"`, `"structuredContent":{"depth":12.5}`},
		{"tools/call", "mismeasure", `"name":"mismeasure"`,
			`"structuredContent":{"depth":"deep","extra":true}`},
	} {
		contains(t, "modern "+tc.method, body(now.ask(tc.method, tc.name, tc.params, "")), tc.want)
		contains(t, "legacy "+tc.method, then.ask(tc.method, tc.params), tc.want)
	}
	missing := `"uri":"file:///none"`
	contains(t, "modern", body(now.ask("resources/read", "file:///none", missing, "")), `"code":-32602`,
		`"data":{"uri":"file:///none"}`)
	contains(t, "legacy", then.ask("resources/read", missing), `"code":-32002`)
	contains(t, "an array", body(now.call("anything", "{}")), `"structuredContent":[1,"two",null]`)
	contains(t, "an object", body(then.call("anything", "{}")),
		`"structuredContent":{"items":[1,"two",null]}`)
	p.Cache("resources/read", 60000, "private")
	contains(t, "hints",
		body(now.ask("resources/read", "file:///notes.txt", `"uri":"file:///notes.txt"`, "")),
		`{"resultType":"complete","ttlMs":60000,"cacheScope":"private","contents"`)
	p.Uncached("tools/list")
	equal(t, "no hints", strings.Contains(body(now.ask("tools/list", "", "", "")), "ttlMs"), false)
	clean(t, p)
}

func TestLegacySubscriptionAndLogLevel(t *testing.T) {
	p := peer.New(t, peer.Options{})
	p.Furnish()
	c := connect(t, p)
	alone := read(c.get(""))
	p.Updated("file:///notes.txt")
	equal(t, "nobody watches", p.Watched("file:///notes.txt"), false)
	c.ask("resources/subscribe", `"uri":"file:///notes.txt"`)
	equal(t, "watched", p.Await(soon(t), func() bool { return p.Watched("file:///notes.txt") }), true)
	p.Updated("file:///notes.txt")
	c.ask("resources/unsubscribe", `"uri":"file:///notes.txt"`)
	p.Updated("file:///notes.txt")
	p.ElicitationDone(peer.URLElicitation)
	e, _ := alone.next()
	equal(t, "updated once", what(e), "notifications/resources/updated")
	e, _ = alone.next()
	contains(t, "then", e.data,
		`"method":"notifications/elicitation/complete","params":{"elicitationId":"login-1"}`)
	es, _ := read(c.call("chatty", "{}")).rest()
	equal(t, "all levels", len(es), 9)
	c.ask("logging/setLevel", `"level":"error"`)
	es, _ = read(c.call("chatty", "{}")).rest()
	equal(t, "four and the result", len(es), 5)
	clean(t, p)
}

// What the server asks of the client: requests of its own until 2025-11-25,
// rounds since 2026-07-28.
func TestQuestionsInBothEras(t *testing.T) {
	p := peer.New(t, peer.Options{Revision: peer.Revision20260728, Legacy: peer.Revision20251125})
	p.Furnish()
	now, then := modern(t, p), connect(t, p)
	for tool, method := range map[string]string{"ask_name": "elicitation/create",
		"ask_model": "sampling/createMessage", "ask_roots": "roots/list"} {
		s := read(then.call(tool, "{}"))
		s.next()
		e, _ := s.next()
		equal(t, tool, what(e), method)
		then.post(`{"jsonrpc":"2.0","id":"` + tool + `-1","result":{"x":1}}`)
		e, _ = s.next()
		contains(t, tool, e.data, `"text":"answer: {\"x\":1}"`)
		es, _ := read(now.call(tool, "{}")).rest()
		contains(t, tool, es[0].data, `"resultType":"input_required"`, `"answer":{"method":"`+method+`"`)
		state := fmt.Sprintf("%s-state-%d", tool, now.next)
		es, _ = read(
			now.ask("tools/call", tool,
				fmt.Sprintf(`"name":%q,"arguments":{},"inputResponses":{"answer":{"x":1}},"requestState":%q`,
					tool, state), "")).rest()
		contains(t, tool, es[0].data, `"text":"answer: {\"x\":1}"`)
	}
	contains(t, "by URL", body(then.call("needs_login", "{}")),
		`"code":-32042,"data":{"elicitations":[{"mode":"url","elicitationId":"login-1"`)
	contains(t, "again", body(then.call("needs_login", "{}")), `"text":"welcome"`)
	contains(t, "by URL", body(now.call("needs_login", "{}")), `"mode":"url"`, `"requestState":"login-`)
	clean(t, p)
}

func TestPages(t *testing.T) {
	p := peer.New(t, peer.Options{PageSize: 1})
	c := connect(t, p)
	p.Furnish()
	contains(t, "plain", c.ask("resources/list", ""), `"nextCursor":"1"`)
	equal(t, "last", strings.Contains(c.ask("resources/list", `"cursor":"1"`), "nextCursor"), false)
	contains(t, "unknown", c.ask("resources/list", `"cursor":"x"`), `"code":-32602`)
	p.Paging("prompts/list", peer.EmptyCursor)
	contains(t, "empty", c.ask("prompts/list", ""), `"nextCursor":""`, `"name":"greet"`)
	second := c.ask("prompts/list", `"cursor":""`)
	contains(t, "second", second, `"name":"plan"`)
	equal(t, "it ends", strings.Contains(second, "nextCursor"), false)
	p.Paging("tools/list", peer.Endless)
	contains(t, "endless", c.ask("tools/list", ""), `"nextCursor":"1"`)
	contains(t, "endless", c.ask("tools/list", `"cursor":"99"`), `"nextCursor":"100"`)
	p.Paging("tools/list", peer.Stuck)
	contains(t, "stuck", c.ask("tools/list", `"cursor":"again"`), `"nextCursor":"again"`)
	clean(t, p)
}

func TestBatchesOf2025March(t *testing.T) {
	p := peer.New(t, peer.Options{Revision: peer.Revision20250326, Sessionless: true})
	p.Tool("batch", peer.Script{peer.Batch(peer.Progress(1, 0, ""), peer.Text("a"))})
	p.Tool("body", peer.Script{peer.Batch(peer.Text("b"))}, peer.AsJSON)
	c := connect(t, p)
	equal(t, "no session", c.session, "")
	es, _ := read(c.call("batch", "{}")).rest()
	equal(t, "one event", len(es), 1)
	equal(t, "an array", es[0].data,
		`[{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1,"progressToken":"t"}},`+
			`{"jsonrpc":"2.0","id":2,"result":{"content":[{"text":"a","type":"text"}]}}]`)
	contains(t, "body", body(c.call("body", "{}")), `[{"jsonrpc":"2.0","id":3,"result"`)
	s := read(c.get("")) // no header but Accept
	p.Push("notifications/tools/list_changed", "")
	e, _ := s.next()
	equal(t, "GET", what(e), "notifications/tools/list_changed")
	clean(t, p)
}

func TestToolsComeAndGo(t *testing.T) {
	p := peer.New(t, peer.Options{})
	c := connect(t, p)
	p.RemoveTool("echo")
	equal(t, "gone", strings.Contains(c.ask("tools/list", ""), `"echo"`), false)
	es, _ := read(c.call("echo", "{}")).rest()
	equal(t, "unknown", words(es), "error")
	p.Resource(peer.Resource{URI: "x:a", Name: "a"})
	p.RemoveResource("x:a")
	contains(t, "none", c.ask("resources/list", ""), `"resources":[]`)
}
