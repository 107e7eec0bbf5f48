//go:build js && wasm

package main

import (
	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
	"github.com/holdfast-mcp/holdfast/core/link"
	"github.com/holdfast-mcp/holdfast/core/mcp"
	"github.com/holdfast-mcp/holdfast/core/tabs"
	"github.com/holdfast-mcp/holdfast/jsbridge"
)

// The inputs that do not go to a machine as they are: what they come with is read here, or core/tabs takes
// them, which is beside each client that stores something.

// Head takes a response head.
func (c *client) Head(now engine.Time, x engine.ExchangeID, status int, fields [][]byte) {
	c.machine.Head(now, x, engine.Head{Status: status, Header: fieldsOf(fields)})
}

// fieldsOf reads names and values of header fields.
func fieldsOf(parts [][]byte) (header []engine.Field) {
	for i := 0; i+1 < len(parts); i += 2 {
		header = append(header, engine.Field{Name: string(parts[i]), Value: string(parts[i+1])})
	}
	return header
}

// lateTimer is how late a timer may be, in ms, before it means that the machine
// slept: the timers of a tab hidden for long run once a minute.
const lateTimer = 75_000

// Fired takes that the timer has fired.
func (c *client) Fired(now engine.Time) {
	if late := c.driver.Overdue(now); late > lateTimer {
		c.machine.Woke(now, late) // before deadlines are looked at that nobody could keep
	}
	c.driver.Fired(now)
}

// Restore takes what the store holds, or what other tabs have stored.
func (c *client) Restore(now engine.Time, ops []byte) {
	if c.tabs != nil {
		c.tabs.Load(now, ops)
	}
	c.machine.Restore(now, ops)
}

// Stored takes what became of a commit.
func (c *client) Stored(now engine.Time, ticket uint32, result journal.Result, why durable.Reason) {
	if c.tabs != nil {
		c.tabs.Stored(now, ticket, result, why)
	} else {
		c.machine.Stored(now, ticket, result, why)
	}
}

// Tabs takes an input of core/tabs.
func (c *client) Tabs(now engine.Time, what tabs.InputKind, ticket uint32, tab string, ops []byte) {
	if c.tabs != nil {
		c.tabs.Report(now, &tabs.Input{Kind: what, Ticket: ticket, Tab: tab, Ops: ops})
	}
}

// Token takes the token provider's answer.
func (c *client) Token(now engine.Time, answer link.TokenAnswer, text string) {
	token, failure := answer.Read(text)
	c.machine.Token(now, token, failure)
}

// Release forgets the client.
func (c *client) Release() { delete(clients, c.handle) }

// How a call is made: the bits of journal.Flags, and these.
const (
	callDurable   = 1 << 8  // it is written to the journal
	callNotify    = 1 << 9  // it is a notification
	callConnected = 1 << 10 // the page has a connection for it
)

// wishShift is from which bit on that has an mcp.TaskWish.
const wishShift = 11

// Request makes a call, or sends a notification. The machine copies what it keeps of it.
func (c *client) Request(
	now engine.Time, how uint32, answer, idle, total, send, made float64,
	method string, params, meta []byte, key string, task, refused []byte,
) engine.CallID {
	options := mcp.CallOptions{
		Meta:      meta,
		Key:       key,
		Durable:   how&callDurable != 0,
		Connected: how&callConnected != 0,
		Flags:     journal.Flags(how),
		Timeouts:  mcp.Timeouts{Answer: int64(answer), Idle: int64(idle), Total: int64(total), Send: int64(send)},
		Made:      int64(made),
		Wish:      mcp.TaskWish(how >> wishShift),
		Task:      task,
		Refused:   refused,
	}
	if how&callNotify != 0 {
		return c.mcp.Notify(now, method, params, options)
	}
	id := c.mcp.Call(now, method, params, options)
	c.value(id, c.mcp.MirroredIn(id))
	return id
}

// value adds a record of header fields: a JSON array of names and values in turn.
func (c *client) value(call engine.CallID, header []engine.Field) {
	if len(header) == 0 {
		return
	}
	var text []byte
	for _, f := range header {
		text = jsonrpc.AppendString(append(text, ','), f.Name)
		text = jsonrpc.AppendString(append(text, ','), f.Value)
	}
	text[0] = '['
	record := jsbridge.Record{Kind: jsbridge.KindValue, Client: c.handle, ID: uint32(call)}
	table.Add(record, table.Keep(append(text, ']')))
}

// CancelRecord ends a call that another tab wants to be ended, where this one carries it.
func (c *client) CancelRecord(now engine.Time, record uint64, reason string) {
	if c.tabs != nil && c.tabs.Carries(record) {
		c.mcp.CancelRecord(now, record, reason)
	}
}

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
		table.Tabs(c.handle, uint32(e.Kind), e.Ticket, e.Payload())
	}
}

// quarantined passes on that the client cannot read a call.
func (c *client) quarantined(text []byte) {
	value, _ := jsonrpc.Member(text, "record")
	record, _ := jsonrpc.Uint(value)
	c.tabs.Quarantined(c.now, record)
}
