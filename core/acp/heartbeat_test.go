//go:build !js

package acp_test

import (
	"testing"
)

// TestKeepAlivesSetThePace: a host that has shown at which interval it keeps a stream
// open is given up after four of them. Only what was sent for nothing else shows that.
func TestKeepAlivesSetThePace(t *testing.T) {
	const every = 10_000
	event := `data: {"jsonrpc":"2.0","method":"_x"}` + "\n\n"
	for name, test := range map[string]struct {
		bytes string
		learn bool
	}{
		"comments":                  {": beat\n\n", true},
		"events":                    {event, false},
		"a comment before an event": {": beat\n\n" + event, false},
		"a piece of a comment":      {": and on", false},
		"lines that say nothing":    {"\n\n", false},
	} {
		s, _, a := opened(t, quiet())
		s.settle(0)
		opened := func() (n int) {
			for _, r := range a.m.of("GET") {
				if r.Session == a.id {
					n++
				}
			}
			return n
		}
		x := a.m.reading(a.id)
		for range 3 {
			s.settle(every)
			s.Chunk(x, test.bytes)
			s.collect()
			s.pump()
		}
		s.settle(4*every - 1)
		s.expect(opened() == 1, "%s: the stream is given up too soon", name)
		s.settle(10_000) // with the wait before it is opened again
		s.expect((opened() > 1) == test.learn, "%s: the stream was opened %d times", name, opened())
	}
}
