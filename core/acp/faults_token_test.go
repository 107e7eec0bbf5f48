package acp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

// tokenAway says that the provider needs the network, and could not reach it.
func tokenAway(w coretest.ACP) []engine.Effect {
	return w.Input("tokenaway", func(c *acp.Client, now engine.Time) {
		c.Token(now, "", &engine.Error{Code: engine.CodeNetwork, Op: "token", Retryable: true,
			Message: "away"})
	})
}

// kinds are those of the effects.
func kinds(effects []engine.Effect) (fetches, tokens int) {
	for _, e := range effects {
		switch e.Kind {
		case engine.Fetch:
			fetches++
		case engine.Token:
			tokens++
		}
	}
	return fetches, tokens
}

// Fault 136: the token of a client of an agent is refused as the network goes. Nothing
// leaves without one, however long that takes, and the provider is asked now and then.
// Once the network is back everything goes on. What the page looks like, effect by
// effect, is in core/coretest/testdata/acp/token_away.txt.
func TestFault136_AgentWithoutNetwork(t *testing.T) {
	w := coretest.NewACP(t, acp.Config{HasTokenProvider: true})
	w.Start()
	w.Input("token", func(c *acp.Client, now engine.Time) { c.Token(now, "t1", nil) })
	x := w.Fetched()
	w.Head(x, 200, "content-type", coretest.JSON, "acp-connection-id", "k1")
	w.Chunk(x, coretest.Result(coretest.RequestID(w.Request(x)),
		`{"protocolVersion":2,"info":{"name":"agent","version":"1"},"capabilities":{"session":{}}}`))
	w.End(x, engine.EndClean)
	stream := w.Fetched()
	w.Head(stream, 200, "content-type", coretest.Stream)
	w.End(stream, engine.EndNetwork)
	w.Advance(250)
	w.Head(w.Fetched(), 401)
	asked := 1
	for end := w.Now.After(3_600_000); w.Now < end; {
		if fetches, _ := kinds(tokenAway(w)); fetches > 0 {
			t.Fatal("a request leaves without a token")
		}
		for tokens := 0; tokens == 0; {
			at, ok := w.Client.Deadline()
			if !ok {
				t.Fatal("nobody asks the provider again")
			}
			var fetches int
			if fetches, tokens = kinds(w.Advance(max(at.Since(w.Now), 0))); fetches > 0 {
				t.Fatal("a request leaves without a token")
			}
		}
		asked++
	}
	if asked < 10 || asked > 1_000 {
		t.Errorf("the provider was asked %d times in an hour", asked)
	}
	w.Input("token", func(c *acp.Client, now engine.Time) { c.Token(now, "t2", nil) })
	w.Advance(0)
	header := w.Request(w.Fetched()).Header
	if last := header[len(header)-1]; last.Value != "Bearer t2" {
		t.Errorf("the stream is opened with %v", header)
	}
}

// Fault 136: where there is nothing that a page could go on with, or the provider gives
// no token although it could, there is no client; and one that has ended asks nobody.
func TestFault136_NoAgentWithoutAToken(t *testing.T) {
	w := coretest.NewACP(t, acp.Config{HasTokenProvider: true})
	w.Start()
	effects := tokenAway(w)
	if last := effects[len(effects)-1]; last.Kind != engine.State ||
		!strings.HasPrefix(string(last.Data), `{"state":"failed"`) {
		t.Errorf("it says %s", last.Data)
	}
	if at, ok := w.Client.Deadline(); ok {
		t.Errorf("a client that has failed waits until %d", at)
	}
}
