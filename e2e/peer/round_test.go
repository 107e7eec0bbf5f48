//go:build !js

package peer_test

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// The example of basic/patterns/mrtr: ask, bring, done.
func TestRounds(t *testing.T) {
	p := modernPeer(t)
	p.ToolFunc("login", func(c peer.Call) peer.Script {
		if c.RequestState == "" {
			return peer.Script{
				peer.InputRequired(`{"name":`+peer.Elicitation("Who?",
					`{"type":"object","properties":{"name":{"type":"string"}}}`)+`}`, "s1")}
		}
		return peer.Script{peer.Text(string(c.Input("name", "content", "name")) + c.RequestState)}
	}, peer.AsJSON)
	c := modern(t, p)
	first := body(c.call("login", "{}"))
	contains(t, "first", first,
		`"resultType":"input_required","inputRequests":{"name":{"method":"elicitation/create"`,
		`"requestState":"s1"`)
	again := c.ask("tools/call", "login", `"name":"login","arguments":{},`+
		`"inputResponses":{"name":{"action":"accept","content":{"name":"octocat"}}},"requestState":"s1"`, "")
	contains(t, "second", body(again), `"text":"\"octocat\"s1"`)
	equal(t, "rounds", p.Ran("login"), 2)
	clean(t, p)
}

// The other two methods that may ask: "prompts/get, resources/read".
func TestRoundsOfPromptsAndResources(t *testing.T) {
	p := modernPeer(t)
	ask := func(c peer.Call) peer.Script {
		if c.RequestState != "" {
			return peer.Script{peer.Contents(c.Name, "text/plain", c.RequestState)}
		}
		return peer.Script{peer.InputRequired("", "state of "+c.Name)}
	}
	p.Resource(peer.Resource{URI: "x:a", Name: "a", Script: ask})
	p.Prompt("p", "", nil, ask)
	c := modern(t, p)
	contains(t, "resource", body(c.ask("resources/read", "x:a", `"uri":"x:a"`, "")),
		`"requestState":"state of x:a"`)
	contains(t, "prompt", body(c.ask("prompts/get", "p", `"name":"p"`, "")), `"requestState":"state of p"`)
	contains(t, "again",
		body(c.ask("resources/read", "x:a", `"uri":"x:a","requestState":"state of x:a"`, "")),
		`"text":"state of x:a"`)
	clean(t, p)
}

func TestRoundsDoneWrong(t *testing.T) {
	p := modernPeer(t)
	p.Tool("ask", peer.Script{peer.InputRequired(`{"r":{"method":"roots/list"}}`, "s1")}, peer.AsJSON)
	p.Tool("busy", peer.Script{peer.InputRequired("", "later")}, peer.AsJSON)
	c := modern(t, p)
	contains(t, "state only", body(c.call("busy", "{}")),
		`{"resultType":"input_required","requestState":"later"}`)
	c.call("ask", "{}")
	retry := func(name, more string) {
		c.ask("tools/call", name, `"name":"`+name+`","arguments":{},`+more,
			"")
	}
	retry("ask", `"requestState":"S1"`)
	dishonest(t, p, "never given out")
	retry("busy", `"requestState":"s1"`)
	dishonest(t, p, "of another request")
	retry("ask", `"requestState":"s1","inputResponses":{}`)
	dishonest(t, p, `without the input "r"`)
	retry("ask", `"requestState":"s1","inputResponses":{"r":{"jsonrpc":"2.0","id":1,"result":{}}}`)
	dishonest(t, p, "more than the bare result")
	c.next--
	retry("ask", `"requestState":"s1","inputResponses":{"r":{"roots":[]}}`)
	dishonest(t, p, "with the id of the request")
}
