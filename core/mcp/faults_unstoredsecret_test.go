package mcp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// Fault 175: a store that is slow, and an answer of two megabytes, which is sealed. It
// takes memory like anything else that waits: the stream is not read further until it
// is stored.
func TestFault175_SecretsWaitToo(t *testing.T) {
	a := newAsker(t, true)
	a.chunk(asks("q", 1))
	progress := coretest.Message("",
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":`+a.id+
			`,"progress":1}}`)
	next := func() (reads int, ticket uint32) {
		for e, ok := a.Client.Next(); ok; e, ok = a.Client.Next() {
			switch {
			case e.Kind == engine.Read && e.X == a.x:
				reads++
			case e.Kind == engine.Store:
				ticket = e.Ticket
			}
		}
		return reads, ticket
	}
	a.Client.Chunk(a.Now, a.x, []byte(progress))
	_, slow := next()
	a.Client.Respond(a.Now, a.handles[0], true,
		[]byte(`{"action":"accept","content":{"text":"`+strings.Repeat("x", 2<<20)+`"}}`))
	a.Client.Chunk(a.Now, a.x, []byte(progress))
	if reads, ticket := next(); slow == 0 || reads != 0 || ticket != 0 {
		t.Fatalf("with two megabytes waiting behind commit %d it is read %d times", slow, reads)
	}
	a.Client.Stored(a.Now, slow, journal.ResultOK, 0)
	reads, large := next()
	if reads != 0 || large == 0 {
		t.Fatalf("while commit %d is under way it is read %d times", large, reads)
	}
	a.Client.Stored(a.Now, large, journal.ResultOK, 0)
	if reads, _ := next(); reads != 1 {
		t.Fatalf("once that is stored it is read %d times", reads)
	}
}
