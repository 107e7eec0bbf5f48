package coretest

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// MCP is the World of a client of an MCP server.
type MCP struct{ *World[*mcp.Client] }

// NewMCP returns a World whose client has not been started. Where cfg names no URL,
// client info or seed, it gets ones that are the same in every run; it speaks
// 2025-11-25 unless cfg.Revision is another, or "auto" to negotiate.
func NewMCP(t testing.TB, cfg mcp.Config) MCP {
	if cfg.URL == "" {
		cfg.URL = "https://server.test/mcp"
	}
	if len(cfg.ClientInfo) == 0 {
		cfg.ClientInfo = []byte(`{"name":"coretest","version":"1"}`)
	}
	if cfg.Seed == 0 {
		cfg.Seed = 1
	}
	if cfg.Revision == "" && cfg.Assume == "" {
		cfg.Revision = "2025-11-25" // most scenarios are about what follows a handshake
	}
	if cfg.Revision == "auto" {
		cfg.Revision = ""
	}
	page := Page{Epoch: cfg.Epoch, Wall: cfg.Wall, Sound: cfg.Sound}
	return MCP{newWorld(t, page, cfg.Journal, func(page Page) *mcp.Client {
		cfg.Epoch, cfg.Wall, cfg.Sound = page.Epoch, page.Wall, page.Sound
		return mcp.New(cfg)
	})}
}

// Call makes a request.
func (w MCP) Call(method, params string, o mcp.CallOptions) (engine.CallID, []engine.Effect) {
	var id engine.CallID
	effects := w.input("call "+method+" "+params,
		func() { id = w.Client.Call(w.Now, method, []byte(params), o) })
	return id, effects
}

// Handshake takes the client from new to open with a server of the given
// revision, which gives the session id "s1" and offers no GET stream. After it
// ids count from epoch 1: the first call has request id 16777218.
func (w MCP) Handshake(revision string) {
	w.t.Helper()
	w.Start()
	initialized := w.AnswerInitialize(w.Fetched(), revision, "s1")
	for _, x := range w.Fetches() {
		w.Head(x, 405)
	}
	w.End(initialized, engine.EndClean)
}

// AnswerInitialize answers an initialize request and the notification that
// follows; the effects are those of the client becoming open. It returns the
// exchange of the notification, whose end is still to come.
func (w MCP) AnswerInitialize(x engine.ExchangeID, revision, session string) engine.ExchangeID {
	w.t.Helper()
	id := RequestID(w.Request(x))
	w.Head(x, 200, "content-type", JSON, "mcp-session-id", session)
	w.Chunk(x, `{"jsonrpc":"2.0","id":`+id+`,"result":{"protocolVersion":"`+revision+
		`","capabilities":{"tools":{}},"serverInfo":{"name":"world","version":"1"}}}`)
	w.End(x, engine.EndClean)
	initialized := w.Fetched()
	w.Head(initialized, 202)
	return initialized
}
