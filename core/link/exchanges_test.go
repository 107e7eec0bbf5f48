package link

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
)

// An exchange has an owner from its beginning to its end, and an id that no other has.
func TestExchanges(t *testing.T) {
	var e Exchanges[string]
	if e.Live(1) || e.End(1) || e.Owner(1) != "" || e.Last() != 0 {
		t.Error("an exchange is known before any has begun")
	}
	a, socket, b := e.Begin("a"), e.NewID(), e.Begin("b")
	if a == 0 || a == socket || b == socket || a == b || e.Last() != b || e.Len() != 2 {
		t.Errorf("ids %d, %d, %d, %d of them live", a, socket, b, e.Len())
	}
	for x, owner := range map[engine.ExchangeID]string{a: "a", socket: "", b: "b"} {
		if e.Owner(x) != owner || e.Live(x) != (owner != "") {
			t.Errorf("exchange %d belongs to %q, want %q", x, e.Owner(x), owner)
		}
	}
	if !e.End(a) || e.End(a) || e.Owner(a) != "" || e.Len() != 1 {
		t.Error("an exchange ends once, and is forgotten then")
	}
	if c := e.Begin("c"); c == a || c <= b {
		t.Errorf("the id %d is given a second time", c)
	}
}
