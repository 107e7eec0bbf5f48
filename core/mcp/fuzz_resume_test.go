//go:build !js

package mcp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// FuzzResumePolicy gives a durable call a resume policy of any kind, then a
// server, a network and an app of any mood. The client holds to its contract
// (rig.audit, World.Advance), one exchange at most carries the call, requests
// stay few, a resume has the call's id and a token that was given, nothing that
// the app was told is missing on disk then, and close() leaves nothing.
func FuzzResumePolicy(f *testing.F) {
	for _, members := range []string{
		`"requestId":$,"resumeToken":"t"`, `"requestId":$,"resumeToken":"t","minWait":5,"maxWait":600`,
		`"requestId":$,"resumeToken":"t","maxWait":0.001`,
		`"requestId":$,"resumeToken":"\n","minWait":1e12,"maxWait":-1`,
		`"requestId":"$","resumeToken":7,"maxWait":"soon"`,
		`"requestId":$,"resumeToken":"t","minWait":1e400,"maxWait":1e400`,
	} {
		f.Add(members, []byte("\x01\x02\x03\x00\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c"))
		f.Add(members,
			[]byte("\x01\x03\x10\x05\x03\x10\x06\x03\x20\x02\x03\x20\x07\x03\xff\x00\x01\x03\x20\x08"))
	}
	f.Fuzz(func(t *testing.T, members string, script []byte) {
		if len(script) > 300 || len(members) > 20<<10 || strings.ContainsAny(members, "\r\n") {
			return
		}
		c := &resumeFuzz{fuzzed: fuzzed{script: script, rig: connected(t, withDisk)}}
		c.call = c.Call("tools/call", `{"name":"work"}`, durably)
		c.store()
		c.id = coretest.RequestID(c.Exchange(c.Newest()).Request)
		c.policy = `{"jsonrpc":"2.0","method":"notifications/requests/resumePolicy","params":{` +
			strings.ReplaceAll(members, "$", c.id) + `}}`
		c.Head(c.Newest(), 200, "content-type", coretest.Stream)
		c.Chunk(c.Newest(), coretest.Message("", c.policy))
		for len(c.script) > 0 {
			c.step()
			c.check()
		}
		c.close()
		c.store()
		c.Advance(24 * hour)
		c.wantIdle()
	})
}

type resumeFuzz struct {
	fuzzed
	call    engine.CallID
	id      string
	policy  string
	n       int // progress events sent
	checked engine.ExchangeID
	waited  int64
}

// check looks at the exchanges that are new, and at those that are open.
func (c *resumeFuzz) check() {
	for ; c.checked < c.Newest(); c.checked++ {
		r := c.Exchange(c.checked + 1).Request
		if !strings.Contains(string(r.Body), `"requests/resume"`) {
			continue
		}
		if want := `{"jsonrpc":"2.0","id":` + c.id +
			`,"method":"requests/resume","params":{"resumeToken":"`; !strings.HasPrefix(
			string(r.Body), want) {
			c.fatal("resumed with %s", r.Body)
		}
		known := c.calls[c.call]
		if calls := c.Store.Calls(); !strings.Contains(c.Log(), `"durability":"memory"`) &&
			(len(calls) != 1 || c.Store.Record(calls[0]).Position < known.position) {
			c.fatal("resumed before event %d was on disk", known.position)
		}
	}
	carrying := 0
	for _, x := range c.UnderWay() {
		if body := string(c.Exchange(x).Request.Body); strings.Contains(body, "requests/resume") ||
			strings.Contains(body, "tools/call") {
			carrying++
		}
	}
	if carrying > 1 {
		c.fatal("%d exchanges carry the call", carrying)
	}
	if int64(len(c.Exchanges())) > 200+4*int64(len(c.Trace))/3+c.waited/1000 {
		c.fatal("%d exchanges in %d ms", len(c.Exchanges()), c.waited)
	}
}

func (c *resumeFuzz) step() {
	switch c.next() % 14 {
	case 0, 1:
		c.store()
	case 2:
		if x, ok := c.exchange(); ok {
			c.End(x, engine.Ending(1+c.next()%3))
		}
	case 3, 4:
		ms := int64(c.next()) * []int64{1, 100, 10_000}[c.next()%3]
		c.waited += ms
		c.Advance(ms)
	case 5:
		if x, ok := c.exchange(); ok && !c.Exchange(x).Head {
			c.Head(x, statuses[c.next()%len(statuses)], "content-type",
				[]string{coretest.Stream, coretest.JSON, ""}[c.next()%3])
		}
	case 6, 7:
		if x, ok := c.exchange(); ok && c.Exchange(x).Reading {
			c.n++
			id := coretest.RequestID(c.Exchange(x).Request)
			c.Chunk(x, []string{
				coretest.Message("", c.policy),
				coretest.Message(strings.Repeat("e", c.n%5), coretest.Progress(c.id, c.n)),
				`{"jsonrpc":"2.0","id":` + id + `,"result":{"status":"processing"}}`,
				`{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32602,"message":"no"}}`,
				coretest.Message("", `{"jsonrpc":"2.0","id":`+c.id+
					`,"error":{"code":-32000,"message":"no"}}`),
				": \n\n",
			}[c.next()%6])
		}
	case 8:
		c.park(c.call, c.next()%2 == 0)
	case 9:
		c.online()
	case 10:
		c.offline()
	case 11:
		c.woke(int64(c.next()) * 1000)
	case 12:
		if c.Store.Flying() != 0 {
			c.Stored([]journal.Result{journal.ResultOK, journal.ResultUnsealed}[c.next()%2], 0)
			c.audit()
		}
	case 13:
		c.pause(c.call, c.next()%2 == 0)
	}
}
