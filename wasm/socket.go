//go:build js && wasm && !mcponly

package main

import "github.com/holdfast-mcp/holdfast/core/engine"

// The exports about a WebSocket, which only an agent's machine opens.

//go:wasmexport socketOpened
func exportSocketOpened(handle, x uint32, now float64) (records int32) {
	defer guard(&records)
	c := enterACP(handle)
	if c == nil {
		return none()
	}
	c.agent.SocketOpened(engine.Time(now), engine.ExchangeID(x))
	return c.leave(engine.Time(now))
}

// exportSocketMessage takes a text message: the input is the whole of it.
//
//go:wasmexport socketMessage
func exportSocketMessage(handle, x uint32, n int32, now float64) (records int32) {
	defer guard(&records)
	c := enterACP(handle)
	if c == nil {
		return none()
	}
	c.agent.SocketMessage(engine.Time(now), engine.ExchangeID(x), table.Input(int(n)))
	return c.leave(engine.Time(now))
}

// exportSocketClosed takes the end of a WebSocket: its close code, or one of
// engine's, and as the input the reason that came with it.
//
//go:wasmexport socketClosed
func exportSocketClosed(handle, x uint32, code, n int32, now float64) (records int32) {
	defer guard(&records)
	c := enterACP(handle)
	if c == nil {
		return none()
	}
	c.agent.SocketClosed(engine.Time(now), engine.ExchangeID(x), int(code), string(table.Input(int(n))))
	return c.leave(engine.Time(now))
}
