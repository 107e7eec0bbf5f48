package coretest

import (
	"fmt"

	"github.com/holdfast-mcp/holdfast/core/engine"
)

// contract is what a machine owes its host, and what the host knows to hold it to
// that: ids of exchanges grow; a Read is asked of an exchange that is under way, has a
// head and no other Read (a source pushes its events: of one, it is only a sign that
// more is wanted); an Abort is of one that is under way, a Frame of a socket
// that is.
type contract struct {
	exchanges map[engine.ExchangeID]*exchange
	newest    engine.ExchangeID
}

// exchange is what a host knows of one.
type exchange struct {
	kind                engine.Kind // Fetch, Source or Socket
	request             *engine.Request
	head, reading, over bool
}

// effect takes an effect; it returns what is wrong with it, "" for nothing.
func (c *contract) effect(e engine.Effect) string {
	x := c.exchanges[e.X]
	switch e.Kind {
	case engine.Fetch, engine.Source, engine.Socket:
		if e.X <= c.newest {
			return fmt.Sprintf("exchange %d is started after %d", e.X, c.newest)
		}
		if c.exchanges == nil {
			c.exchanges = map[engine.ExchangeID]*exchange{}
		}
		c.newest = e.X
		c.exchanges[e.X] = &exchange{kind: e.Kind, request: e.Request}
	case engine.Read:
		if x == nil || x.kind == engine.Socket || x.over || x.kind == engine.Fetch && (!x.head || x.reading) {
			return fmt.Sprintf("a Read of exchange %d, which is %+v", e.X, x)
		}
		x.reading = true
	case engine.Frame:
		if x == nil || x.kind != engine.Socket || x.over {
			return fmt.Sprintf("a Frame on exchange %d, which is %+v", e.X, x)
		}
	case engine.Abort:
		if x == nil || x.over {
			return fmt.Sprintf("an Abort of exchange %d, which is not under way", e.X)
		}
		x.over = true
	}
	return ""
}

// head, chunk and end book what the host reports.
func (c *contract) head(id engine.ExchangeID) {
	if x := c.exchanges[id]; x != nil {
		x.head = true
	}
}

func (c *contract) chunk(id engine.ExchangeID) {
	if x := c.exchanges[id]; x != nil {
		x.reading = false
	}
}

func (c *contract) end(id engine.ExchangeID) {
	if x := c.exchanges[id]; x != nil {
		x.over = true
	}
}

// open counts the requests that are under way.
func (c *contract) open() (n int) {
	for _, x := range c.exchanges {
		if x.kind == engine.Fetch && !x.over {
			n++
		}
	}
	return n
}
