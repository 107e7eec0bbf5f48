//go:build js && wasm

package main

import (
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
	"github.com/holdfast-mcp/holdfast/core/tabs"
)

// Who carries a call: core/tabs beside each client that stores something.

// carryOut writes what is asked of the other tabs into the table.
func (c *client) carryOut() {
	if c.tabs == nil {
		return
	}
	for {
		e := c.tabs.Next()
		if e == nil {
			return
		}
		payload := e.Ops
		switch {
		case e.Tab != "":
			payload = []byte(e.Tab)
		case e.Call != 0:
			payload = append(journal.AppendOp(nil, journal.Op{Kind: journal.OpCall, Call: e.Call, Epoch: e.Epoch, N: e.N}), e.Ops...)
		}
		table.Tabs(c.handle, uint32(e.Kind), e.Ticket, payload)
	}
}

// quarantined passes on that the client cannot read a call.
func (c *client) quarantined(text []byte) {
	value, _ := jsonrpc.Member(text, "record")
	record, _ := jsonrpc.Uint(value)
	c.tabs.Quarantined(c.now, record)
}

// exportTabs takes an input of core/tabs. Up to Missed the first number bytes are the name
// of a tab, and operations are behind it; else there is no name, and number is a ticket.
//
//go:wasmexport tabs
func exportTabs(handle, what, number uint32, n int32, now float64) (records int32) {
	defer guard(&records)
	c := enter(handle)
	if c == nil || c.tabs == nil {
		return none()
	}
	in := &tabs.Input{Kind: tabs.InputKind(what), Ticket: number, Ops: table.Input(int(n))}
	if in.Kind <= tabs.Missed {
		in.Tab, in.Ops = string(in.Ops[:number]), in.Ops[number:]
	}
	c.tabs.Report(engine.Time(now), in)
	return c.leave(engine.Time(now))
}

// exportFollowing returns how many calls without an outcome other tabs carry.
//
//go:wasmexport following
func exportFollowing(handle uint32) int32 {
	if c := clients[handle]; c != nil && c.tabs != nil && !panicked {
		return int32(c.tabs.Following())
	}
	return 0
}

// exportReads returns 1 where a call that is stored could be read.
//
//go:wasmexport reads
func exportReads(handle uint32, record float64) int32 {
	if c := clients[handle]; c != nil && c.tabs != nil && !panicked && c.tabs.Reads(uint64(record)) {
		return 1
	}
	return 0
}
