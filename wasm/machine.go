//go:build js && wasm

package main

import (
	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/tabs"
)

// machine is what the clients of all protocols have: what drives a connection, a page and a store need not
// know what is spoken. What one protocol alone has goes by its own field of client.
type machine interface {
	engine.Machine
	machineInputs

	Online(now engine.Time)
	Offline(now engine.Time)
	Shown(now engine.Time)
	Woke(now engine.Time, gap int64)

	Token(now engine.Time, token string, failure *engine.Error)
	Restore(now engine.Time, ops []byte)
	Stored(now engine.Time, ticket uint32, result journal.Result, why durable.Reason)
	Missed(now engine.Time, ops []byte)

	Standing(record uint64) tabs.Standing
	TakenOver(now engine.Time, record uint64, epoch uint32)
	Alone(now engine.Time, alone bool)
	Remembered(now engine.Time, record uint64) []byte

	AppendCounters(b []byte) []byte
}
