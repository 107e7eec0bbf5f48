package link

import "github.com/holdfast-mcp/holdfast/core/engine"

// Exchanges gives a client's exchanges their ids, and knows the owner of each that
// has not ended: whoever started it, and hears what becomes of it. Its zero value
// has none.
type Exchanges[Owner any] struct {
	last   engine.ExchangeID
	owners map[engine.ExchangeID]Owner
	shut   bool
}

// Shut notes that nothing is to begin any more but what ends something: a logout. Whoever begins an exchange
// asks IsShut.
func (e *Exchanges[Owner]) Shut() { e.shut = true }

// IsShut reports whether Shut was called.
func (e *Exchanges[Owner]) IsShut() bool { return e.shut }

// Begin gives an exchange of that owner its id.
func (e *Exchanges[Owner]) Begin(owner Owner) engine.ExchangeID {
	if e.owners == nil {
		e.owners = map[engine.ExchangeID]Owner{}
	}
	x := e.NewID()
	e.owners[x] = owner
	return x
}

// NewID gives an id to what nobody owns here: a socket.
func (e *Exchanges[Owner]) NewID() engine.ExchangeID {
	e.last++
	return e.last
}

// Last returns the id that was given last, 0 for none.
func (e *Exchanges[Owner]) Last() engine.ExchangeID { return e.last }

// Owner returns the owner of an exchange, the zero Owner for one that has ended.
func (e *Exchanges[Owner]) Owner(x engine.ExchangeID) Owner { return e.owners[x] }

// Live reports whether an exchange has not ended.
func (e *Exchanges[Owner]) Live(x engine.ExchangeID) bool {
	_, live := e.owners[x]
	return live
}

// End forgets an exchange, and reports whether it had not ended before.
func (e *Exchanges[Owner]) End(x engine.ExchangeID) bool {
	live := e.Live(x)
	delete(e.owners, x)
	return live
}

// Len returns how many have not ended.
func (e *Exchanges[Owner]) Len() int { return len(e.owners) }
