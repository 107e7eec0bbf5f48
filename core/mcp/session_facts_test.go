package mcp

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp/wire"
)

// Fault 241: what a page goes by, for each revision and what servers say of tasks. It
// comes with the state of an open client, and with no other. The ceiling promises
// nothing that the revision has not: no stream of HTTP+SSE is gone on with, and a
// capability named tasks means nothing before 2025-11-25.
func TestFault241_FactsOfAConnection(t *testing.T) {
	const (
		core      = `{"capabilities":{"tasks":{}}}`
		extension = `{"capabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}`
	)
	for _, test := range []struct {
		revision, result string
		bits             Facts
		ceiling          durable.Guarantee
	}{
		{"2024-11-05", `{}`, 0, durable.LostOnReload},
		{"2024-11-05", core, 0, durable.LostOnReload},
		{"2025-03-26", `{"capabilities":{}}`, 0, durable.Resumable},
		{"2025-06-18", `{"capabilities":{"tasks":null}}`, FactCompletionContext, durable.Resumable},
		{"2025-06-18", core, FactCompletionContext, durable.Resumable},
		{"2025-11-25", `{"capabilities":{"tasks":false}}`, FactCompletionContext, durable.Resumable},
		{"2025-11-25", core, FactCompletionContext, durable.Durable},
		{"2025-11-25", extension, FactCompletionContext, durable.Resumable}, // not of this revision
		{"2026-07-28", `{}`, FactSelfDescribing | FactCompletionContext, durable.LostOnReload},
		// not of this one
		{"2026-07-28", core, FactSelfDescribing | FactCompletionContext, durable.LostOnReload},
		{"2026-07-28", extension, FactSelfDescribing | FactCompletionContext, durable.Durable},
	} {
		t.Run(test.revision+" "+test.result, func(t *testing.T) {
			c := New(Config{URL: "https://mcp.test/mcp"})
			c.revision = wire.FindRevision(test.revision)
			c.session.result = []byte(test.result)
			want := test.bits | Facts(durable.LostOnReload)<<floorShift | Facts(test.ceiling)<<ceilingShift
			for _, state := range []clientState{stateConnecting, stateOpen, stateReconnecting} {
				c.setState(state)
				got := Facts(0)
				for e, ok := c.Next(); ok; e, ok = c.Next() {
					if e.Kind == engine.State {
						got = Facts(e.Position)
					}
				}
				if state != stateOpen {
					if got != 0 {
						t.Errorf("%s has facts: %#x", state, got)
					}
				} else if got != want {
					t.Errorf("%#x, want %#x", got, want)
				}
			}
		})
	}
}
