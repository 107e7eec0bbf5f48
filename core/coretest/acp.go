package coretest

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

// ACP is the World of a client of an ACP agent.
type ACP struct{ *World[*acp.Client] }

// NewACP returns a World whose client has not been started. Where cfg names no URL,
// info or seed, it gets ones that are the same in every run.
func NewACP(t testing.TB, cfg acp.Config) ACP {
	if cfg.URL == "" {
		cfg.URL = "https://agent.test/acp"
	}
	if len(cfg.Info) == 0 {
		cfg.Info = []byte(`{"name":"coretest","version":"1"}`)
	}
	if cfg.Seed == 0 {
		cfg.Seed = 1
	}
	page, seed := Page{Epoch: cfg.Epoch, Wall: cfg.Wall}, cfg.Seed
	return ACP{newWorld(t, page, cfg.Journal, func(page Page) *acp.Client {
		cfg.Epoch, cfg.Wall = page.Epoch, page.Wall
		cfg.Seed = seed + uint64(page.Epoch) - 1 // each page draws its own
		return acp.New(cfg)
	})}
}

// Call makes a request, of a session or, with handle 0, of the connection.
func (w ACP) Call(session uint32, method, params string) (engine.CallID, []engine.Effect) {
	var id engine.CallID
	effects := w.input("call "+method+" "+params,
		func() { id = w.Client.Request(w.Now, session, method, []byte(params)) })
	return id, effects
}

// Handshake takes the client from new to open with an agent of the given version over
// HTTP, which gives the connection id "k1". The connection's stream is read then.
func (w ACP) Handshake(version string) {
	w.t.Helper()
	w.Start()
	x := w.Fetched()
	id := RequestID(w.Request(x))
	w.Head(x, 200, "content-type", JSON, "acp-connection-id", "k1")
	capabilities := `"capabilities":{"session":{}}`
	if version == "1" {
		capabilities = `"agentCapabilities":{"loadSession":true}`
	}
	w.Chunk(
		x,
		Result(id, `{"protocolVersion":`+version+`,"info":{"name":"agent","version":"1"},`+capabilities+`}`))
	w.End(x, engine.EndClean)
	for _, x := range w.Fetches() {
		w.Head(x, 200, "content-type", Stream)
	}
}
