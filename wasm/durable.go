//go:build js && wasm

package main

import (
	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// The exports about what is stored.

// exportRestore takes what the store holds, or what other tabs have stored: the
// input is a list of operations (jsbridge/store.go).
//
//go:wasmexport restore
func exportRestore(handle uint32, n int32, now float64) (records int32) {
	defer guard(&records)
	c := enter(handle)
	if c == nil {
		return none()
	}
	ops := table.Input(int(n))
	if c.tabs != nil {
		c.tabs.Load(engine.Time(now), ops)
	}
	c.machine.Restore(engine.Time(now), ops)
	return c.leave(engine.Time(now))
}

// exportStored takes what became of a commit: result is a journal.Result, why
// a durable.Reason.
//
//go:wasmexport stored
func exportStored(handle, ticket uint32, result, why int32, now float64) (records int32) {
	defer guard(&records)
	c := enter(handle)
	if c == nil {
		return none()
	}
	if reason := durable.Reason(why); c.tabs != nil {
		c.tabs.Stored(engine.Time(now), ticket, journal.Result(result), reason)
	} else {
		c.machine.Stored(engine.Time(now), ticket, journal.Result(result), reason)
	}
	return c.leave(engine.Time(now))
}

// exportStoreGone notes that nothing is stored any more; why is a durable.Reason. After
// ReasonClosed nothing ever is.
//
//go:wasmexport storeGone
func exportStoreGone(handle uint32, why int32, now float64) (records int32) {
	defer guard(&records)
	c := enter(handle)
	if c == nil {
		return none()
	}
	c.machine.StoreGone(engine.Time(now), durable.Reason(why))
	return c.leave(engine.Time(now))
}

// exportAck notes that the app has done with a call's events up to a position, 0
// for all of them. EventAcked answers the ticket, where that is not 0.
//
//go:wasmexport ack
func exportAck(handle, id, position, ticket uint32, now float64) (records int32) {
	defer guard(&records)
	c := enterMCP(handle)
	if c == nil {
		return none()
	}
	c.mcp.Ack(engine.Time(now), engine.CallID(id), position, ticket)
	return c.leave(engine.Time(now))
}

// exportHanded notes that a call's outcome was handed to its app.
//
//go:wasmexport handed
func exportHanded(handle, id uint32, now float64) (records int32) {
	defer guard(&records)
	c := enterMCP(handle)
	if c == nil {
		return none()
	}
	c.mcp.Handed(engine.Time(now), engine.CallID(id))
	return c.leave(engine.Time(now))
}

// exportHide notes that the page is being left.
//
//go:wasmexport hide
func exportHide(handle uint32, now float64) (records int32) {
	defer guard(&records)
	c := enterMCP(handle)
	if c == nil {
		return none()
	}
	c.mcp.Hide(engine.Time(now))
	return c.leave(engine.Time(now))
}

// exportVisited notes that a page has come to a client that outlives its pages.
//
//go:wasmexport visited
func exportVisited(handle uint32, now float64) (records int32) {
	defer guard(&records)
	c := enter(handle)
	if c == nil {
		return none()
	}
	c.machine.Visited(engine.Time(now))
	return c.leave(engine.Time(now))
}

//go:wasmexport park
func exportPark(handle, id uint32, parked int32, now float64) (records int32) {
	defer guard(&records)
	c := enterMCP(handle)
	if c == nil {
		return none()
	}
	c.mcp.Park(engine.Time(now), engine.CallID(id), parked != 0)
	return c.leave(engine.Time(now))
}

// exportRevoke takes back a call that has not left.
//
//go:wasmexport revoke
func exportRevoke(handle, id uint32, now float64) (records int32) {
	defer guard(&records)
	c := enterMCP(handle)
	if c == nil {
		return none()
	}
	c.mcp.Revoke(engine.Time(now), engine.CallID(id))
	return c.leave(engine.Time(now))
}

// exportLogOut ends what has not left, since its user logs out here.
//
//go:wasmexport logOut
func exportLogOut(handle uint32, now float64) (records int32) {
	defer guard(&records)
	c := enter(handle)
	if c == nil {
		return none()
	}
	c.machine.LogOut(engine.Time(now))
	return c.leave(engine.Time(now))
}

// exportHandshake gives leave to make a new session.
//
//go:wasmexport handshake
func exportHandshake(handle uint32, now float64) (records int32) {
	defer guard(&records)
	c := enterMCP(handle)
	if c == nil {
		return none()
	}
	c.mcp.Handshake(engine.Time(now))
	return c.leave(engine.Time(now))
}

// exportCloseKeepingSession closes a client without ending its session.
//
//go:wasmexport closeKeepingSession
func exportCloseKeepingSession(handle uint32, now float64) (records int32) {
	defer guard(&records)
	c := enter(handle)
	if c == nil {
		return none()
	}
	c.machine.CloseKeepingSession(engine.Time(now))
	return c.leave(engine.Time(now))
}

// exportTerminate closes a client and ends its session, or the connection to its agent,
// with whatever goes on in it.
//
//go:wasmexport terminate
func exportTerminate(handle uint32, now float64) (records int32) {
	defer guard(&records)
	c := enter(handle)
	if c == nil {
		return none()
	}
	c.machine.Terminate(engine.Time(now))
	return c.leave(engine.Time(now))
}

// exportCancelRecord ends the call of that record, which another tab asks for, where this
// tab carries it. The
// number is a float since an id takes up to 53 bits.
//
//go:wasmexport cancelRecord
func exportCancelRecord(handle uint32, record float64, n int32, now float64) (records int32) {
	defer guard(&records)
	c := enterMCP(handle)
	if c == nil || c.tabs == nil {
		return none()
	}
	if c.tabs.Carries(uint64(record)) {
		c.mcp.CancelRecord(engine.Time(now), uint64(record), string(table.Input(int(n))))
	}
	return c.leave(engine.Time(now))
}

// exportFresh returns for how long from now on a result may be used, in ms, as durable.Fresh does.
//
//go:wasmexport fresh
func exportFresh(at, ttl, latest, wall, ran float64) int32 {
	return int32(durable.Fresh(ms(at), ms(ttl), ms(latest), ms(wall), ms(ran)))
}

// ms makes whole ms of a number; 0 of one that is none, and of one that no clock shows.
func ms(n float64) int64 {
	if n > -1<<53 && n < 1<<53 {
		return int64(n)
	}
	return 0
}
