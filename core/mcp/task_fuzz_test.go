//go:build !js

package mcp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// FuzzSegments gives a streamed task partial results of any kind, by its own
// stream and by tasks/result, with reloads between. Segments are told in the order
// of their numbers, from 1 and without a hole; what is asked from is what is
// stored; requests stay few; and close() leaves nothing.
func FuzzSegments(f *testing.F) {
	for _, members := range []string{
		`"partial-content":[{"seqNr":1},{"seqNr":2}],"isComplete":false`,
		`"partial-content":[{"seqNr":3},{"seqNr":1},{"seqNr":1,"x":1}],"isComplete":true,"isError":true`,
		`"partial-content":[{"seqNr":9007199254740991},{"seqNr":-1},{"seqNr":1.5},null,[],{"seqNr":"2"}],` +
			`"isComplete":"true"`,
		`"partial-content":{},"content":[],"task":{"taskId":"T"}`,
		`"partial-content":[{"seqNr":1,"seqNr":2}],` +
			`"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"U"}}`,
		`"task":{"taskId":"T","status":"completed"}`, `"content":[]`,
	} {
		f.Add(members, `"partial-content":[{"seqNr":2},{"seqNr":4}]`,
			[]byte("\x00\x01\x02\x00\x03\x02\x05\x04\x01\x02\x06\x00\x02\x02\x03\x04\x05"))
		f.Add(members, `"partial-content":[],"isComplete":true`,
			[]byte("\x01\x02\x06\x04\x02\x03\x02\x04\x02\x03\x02\x07\x04\x02\x03"))
	}
	f.Fuzz(func(t *testing.T, first, second string, script []byte) {
		if len(script) > 200 || len(first)+len(second) > 20<<10 || strings.ContainsAny(first+second, "\r\n") {
			return
		}
		c := &segmentFuzz{fuzzed: fuzzed{script: script, rig: connected(t, withDisk)},
			results: []string{"{" + first + "}", "{" + second + "}"}}
		o := newStreamed(c.rig, 1)
		c.c, c.x, c.id = o.c, o.x, o.id
		for len(c.script) > 0 {
			c.step()
			c.check()
		}
		c.store()
		c.close()
		c.store()
		c.Advance(24 * hour)
		c.wantIdle()
	})
}

type segmentFuzz struct {
	fuzzed
	results []string
	c       engine.CallID
	x       engine.ExchangeID
	id      string
	checked engine.ExchangeID
	told    uint64
	seen    int
	waited  int64
}

func (c *segmentFuzz) check() {
	c.store()
	for _, e := range c.calls[c.c].events[c.seen:] {
		c.seen++
		if e.Event != engine.EventSegment {
			continue
		}
		value, _ := jsonrpc.Member(e.Data, "seqNr")
		if n, _ := jsonrpc.Uint(value); n != c.told+1 {
			c.fatal("segment %s follows %d", e.Data, c.told)
		}
		c.told++
	}
	for ; c.checked < c.Newest(); c.checked++ {
		if body := c.body(c.checked + 1); strings.Contains(body, `"lastSeqNr"`) &&
			uint64(lastSeqNr(body)) > c.told {
			c.fatal("asked with %s", body)
		}
	}
	if int64(len(c.Exchanges())) > 60+3*int64(len(c.Trace))/2+c.waited/100 {
		c.fatal("%d exchanges in %d ms", len(c.Exchanges()), c.waited)
	}
}

func (c *segmentFuzz) step() {
	switch c.next() % 9 {
	case 0, 1:
		if e := c.Exchange(c.x); e != nil && e.Reading && !e.Over {
			c.Chunk(c.x, coretest.Message("", coretest.Result(c.id, c.results[c.next()%2])))
		}
	case 2, 3:
		if x := c.waits([]string{"tasks/result", "tasks/get", "tasks/continue"}[c.next()%3]); x != 0 {
			id := coretest.RequestID(c.Exchange(x).Request)
			switch n := c.next() % 8; n {
			case 0, 1, 2:
				c.json(x, coretest.Result(id, c.results[n%2]))
			case 3:
				c.json(x, coretest.Result(id, `{"taskId":"T","status":"working"}`))
			case 4:
				c.json(x, coretest.Result(id, `{"taskId":"T","status":"completed"}`))
			default:
				c.json(x, `{"jsonrpc":"2.0","id":`+id+`,"error":{"code":`+
					[]string{"-32603", "-32602", "-32601"}[n-5]+`,"message":"no"}}`)
			}
		}
	case 4:
		ms := int64(c.next()) * []int64{1, 100}[c.next()%2]
		c.waited += ms
		c.Advance(ms)
	case 5:
		if x, ok := c.exchange(); ok {
			c.End(x, engine.Ending(1+c.next()%2))
		}
	case 6:
		if x, ok := c.exchange(); ok && !c.Exchange(x).Head {
			c.Head(x, statuses[c.next()%len(statuses)], "content-type", coretest.JSON)
		}
	case 7:
		c.woke(int64(c.next()) * 1000)
	case 8:
		if c.calls[c.c].settled == nil && c.next()%4 == 0 {
			o := (&onStream{rig: c.rig, c: c.c, x: c.x, id: c.id}).reload(0, 0)
			c.rig, c.c, c.x, c.seen, c.told, c.checked = o.rig, o.c, 0, 0, 0, 0
		}
	}
}
