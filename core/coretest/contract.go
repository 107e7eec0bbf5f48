package coretest

import (
	"bytes"
	"fmt"

	"github.com/holdfast-mcp/holdfast/core/engine"
)

// contract is what a machine owes its host, and what the host knows to hold it to
// that: ids of exchanges grow; a Read is asked of an exchange that is under way, has a
// head and no other Read (a source pushes its events: of one, it is only a sign that
// more is wanted); an Abort is of one that is under way, a Frame of a socket
// that is; that an event says what a stream does in a number as its text does; and that
// behind a logout nothing begins but what ends something (fault 718).
type contract struct {
	loggedOut bool
	exchanges map[engine.ExchangeID]*Exchange
	newest    engine.ExchangeID
}

// Exchange is what a host knows of one.
type Exchange struct {
	Kind    engine.Kind // Fetch, Source or Socket
	Request *engine.Request
	Head    bool // has come
	Reading bool // a Read waits for bytes
	Over    bool // ended, or aborted
}

// effect takes an effect; it returns what is wrong with it, "" for nothing.
func (c *contract) effect(e engine.Effect) string {
	x := c.exchanges[e.X]
	if c.loggedOut && begins(e) {
		return fmt.Sprintf("behind a logout: %+v %+v", e, e.Request)
	}
	switch e.Kind {
	case engine.Fetch, engine.Source, engine.Socket:
		if e.X <= c.newest {
			return fmt.Sprintf("exchange %d is started after %d", e.X, c.newest)
		}
		if c.exchanges == nil {
			c.exchanges = map[engine.ExchangeID]*Exchange{}
		}
		c.newest = e.X
		c.exchanges[e.X] = &Exchange{Kind: e.Kind, Request: e.Request}
	case engine.Read:
		if x == nil || x.Kind == engine.Socket || x.Over || x.Kind == engine.Fetch && (!x.Head || x.Reading) {
			return fmt.Sprintf("a Read of exchange %d, which is %+v", e.X, x)
		}
		x.Reading = true
	case engine.Frame:
		if x == nil || x.Kind != engine.Socket || x.Over {
			return fmt.Sprintf("a Frame on exchange %d, which is %+v", e.X, x)
		}
	case engine.Abort:
		if x == nil || x.Over {
			return fmt.Sprintf("an Abort of exchange %d, which is not under way", e.X)
		}
		x.Over = true
	case engine.Deliver:
		c.loggedOut = c.loggedOut || e.Event == engine.EventDurability &&
			bytes.Contains(e.Data, []byte(`"why":"closed"`))
		if !streamFits(e) {
			return fmt.Sprintf("an event of kind %d with stream state %d: %s", e.Event, e.Stream, e.Data)
		}
	}
	return ""
}

// withdrawing are the messages that end something.
var withdrawing = []string{"notifications/cancelled", "tasks/cancel", "session/cancel", "$/cancel_request",
	"tool_call/cancel", "terminal/cancel"}

// begins reports whether an effect asks something of a server, or of whoever has tokens, but to end
// something.
func begins(e engine.Effect) bool {
	message := e.Data
	switch e.Kind {
	case engine.Source, engine.Socket, engine.Token, engine.Handshake:
		return true
	case engine.Fetch:
		if e.Request.Method == "DELETE" {
			return false
		}
		message = e.Request.Body
	case engine.Frame:
	default:
		return false
	}
	for _, method := range withdrawing {
		if bytes.Contains(message, []byte(`"method":"`+method+`"`)) {
			return false
		}
	}
	return true
}

// streamFits reports whether an event has the state of a stream that its kind and its text ask for.
func streamFits(e engine.Effect) bool {
	switch e.Event {
	case engine.EventStatus:
		return e.Stream != 0 && bytes.HasPrefix(e.Data, []byte(`{"state":"`+e.Stream.String()+`"`))
	case engine.EventTask:
		asks := bytes.HasPrefix(e.Data, []byte(`{"status":"input_required"`))
		return asks && e.Stream == engine.StreamNeeded || !asks && e.Stream == engine.StreamSpare
	}
	return e.Stream == 0
}

// head, chunk and end book what the host reports.
func (c *contract) head(id engine.ExchangeID) {
	if x := c.exchanges[id]; x != nil {
		x.Head = true
	}
}

func (c *contract) chunk(id engine.ExchangeID) {
	if x := c.exchanges[id]; x != nil {
		x.Reading = false
	}
}

func (c *contract) end(id engine.ExchangeID) {
	if x := c.exchanges[id]; x != nil {
		x.Over = true
	}
}

// open counts the requests that are under way.
func (c *contract) open() (n int) {
	for _, x := range c.exchanges {
		if x.Kind == engine.Fetch && !x.Over {
			n++
		}
	}
	return n
}
