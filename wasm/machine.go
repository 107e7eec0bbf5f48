//go:build js && wasm

package main

import (
	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/tabs"
)

// machine is what the clients of all protocols have: the exports that drive a
// connection, a page and a store need not know what is spoken. What one protocol
// alone has goes by its own field of client.
type machine interface {
	engine.Machine

	Start(now engine.Time)
	Close(now engine.Time)
	CloseKeepingSession(now engine.Time)
	Terminate(now engine.Time)
	LogOut(now engine.Time)

	Online(now engine.Time)
	Offline(now engine.Time)
	Shown(now engine.Time)
	Woke(now engine.Time, gap int64)
	Visited(now engine.Time)

	Token(now engine.Time, token string, failure *engine.Error)
	Respond(now engine.Time, request uint32, ok bool, data []byte)

	Restore(now engine.Time, ops []byte)
	Stored(now engine.Time, ticket uint32, result journal.Result, why durable.Reason)
	Missed(now engine.Time, ops []byte)
	StoreGone(now engine.Time, why durable.Reason)

	Standing(record uint64) tabs.Standing
	TakenOver(now engine.Time, record uint64, epoch uint32)
	Alone(now engine.Time, alone bool)
	Remembered(now engine.Time, record uint64) []byte

	AppendCounters(b []byte) []byte
}
