package mcp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// stormChunk is as many bytes as a host hands over in one input.
const stormChunk = 64 << 10

// chunked hands text to the stream as a host does, and returns for each chunk how many effects of that kind
// it had.
func (o *onStream) chunked(text string, kind engine.Kind) (each []int) {
	o.t.Helper()
	for len(text) > 0 {
		n := min(len(text), stormChunk)
		o.say(text[:n])
		text = text[n:]
		effects := o.Effects
		o.store()
		had := 0
		for _, e := range effects {
			if e.Kind == kind {
				had++
			}
		}
		each = append(each, had)
	}
	return each
}

// journaled is a call that is stored, on a stream.
func journaled(t *testing.T) *onStream {
	r := connected(t, mcp.Config{NoListen: true, Journal: true})
	c := r.Call("tools/call", `{"name":"work"}`, mcp.CallOptions{Durable: true})
	r.store()
	o := &onStream{rig: r, c: c, x: r.Newest(), id: coretest.RequestID(r.Exchange(r.Newest()).Request)}
	o.Head(o.x, 200, "content-type", coretest.Stream)
	o.store()
	return o
}

// Fault 739: what a storm of pings costs, counted. No chunk has more than eight requests leave, and what
// waits of a flood is a thousand answers with the longest ids there are. Of a chunk its cursor is stored.
func TestFault739_WhatPingsCost(t *testing.T) {
	o := journaled(t)
	var flood strings.Builder
	for n := range 5_000 {
		ping := fmt.Sprintf(`{"jsonrpc":"2.0","id":"%0*d","method":"ping"}`, jsonrpc.MaxID-2, n)
		flood.WriteString(coretest.Message(fmt.Sprint(n), ping))
	}
	stored := o.Store.Bytes()
	leave, chunks := 0, o.chunked(flood.String(), engine.Fetch)
	for _, n := range chunks {
		if leave += n; n > 8 {
			o.fatal("%d requests leave in one task", n)
		}
	}
	if leave != 8 {
		o.fatal("%d requests leave at once", leave)
	}
	kept := 0
	for d := int64(0); d >= 0 && d <= 1_000; d = o.NextDeadline() {
		o.Advance(d)
		for _, x := range o.UnderWay() {
			if x != o.x {
				kept += len(o.Exchange(x).Request.Body)
				o.Head(x, 202)
				o.endIfLive(x)
			}
		}
	}
	if most := 1_008 * (jsonrpc.MaxID + 64); kept > most || kept < most/2 {
		o.fatal("%d bytes of answers were kept, of %d at most", kept, most)
	}
	if n := o.Store.Bytes() - stored; n > len(chunks)<<10 {
		o.fatal("%d bytes are stored of %d chunks", n, len(chunks))
	}
}

// Fault 739: what a storm of changes costs, counted. Each is one event to the app; nothing leaves, and
// nothing is stored.
func TestFault739_WhatChangesCost(t *testing.T) {
	r := newRig(t, mcp.Config{Journal: true}).connectListening()
	o := &onStream{rig: r, x: r.Newest()}
	const changes = 5_000
	one := coretest.Message("", `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
	stored, exchanges := o.Store.Bytes(), len(o.Exchanges())
	told := 0
	for _, n := range o.chunked(strings.Repeat(one, changes), engine.Deliver) {
		if told += n; n > stormChunk/len(one)+1 {
			o.fatal("%d events of one chunk", n)
		}
	}
	if n := o.Store.Bytes(); told != changes || n != stored || len(o.Exchanges()) != exchanges {
		o.fatal("%d events, %d bytes stored, %d requests", told, n-stored, len(o.Exchanges())-exchanges)
	}
}

// Fault 739: what a stream costs that ends after each event, counted. Each connection is one request, and no
// more is stored than came.
func TestFault739_WhatCutsCost(t *testing.T) {
	o := journaled(t)
	o.say("retry: 0\nid: p\ndata:\n\n")
	requests, stored, told := len(o.Exchanges()), o.Store.Bytes(), 0
	const cuts = 200
	for n := 1; n <= cuts; n++ {
		o.progress(n)
		o.store()
		told += len(coretest.Progress(o.id, n))
		o.cut(engine.EndNetwork)
		o.resume()
		o.store()
	}
	if n := len(o.Exchanges()) - requests; n != cuts {
		o.fatal("%d requests for %d connections", n, cuts)
	}
	if n := o.Store.Bytes() - stored; n > told {
		o.fatal("%d bytes stored of %d that came", n, told)
	}
}
