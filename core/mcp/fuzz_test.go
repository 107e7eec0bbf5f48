//go:build !js

package mcp_test

// In a browser there is no corpus folder, and a fuzz test that cannot list it
// fails. TestHistories runs there.

import (
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// phrases are what a fuzzed server says beside bytes without sense. $ is the
// id of some request.
var phrases = []string{
	"\n", "\r", "\n\n", ": \n", "id", "id: 1\n", "id: 2\n", "id:\n", "retry: 0\n", "retry: 99999999999\n",
	"event: x\n", "data:\n\n", "data: ",
	coretest.Message("", coretest.Result("$", `{"protocolVersion":"2025-11-25","capabilities":{}}`)),
	coretest.Message("3", coretest.Result("$", `{"protocolVersion":"2025-03-26"}`)),
	coretest.Message("4", coretest.Progress("$", 1)), coretest.Message("", coretest.Progress("$", 2)),
	coretest.Message("5", `{"jsonrpc":"2.0","id":$,"error":{"code":-32000,"message":"x"}}`),
	coretest.Message("6", `{"jsonrpc":"2.0","id":7,"method":"ping"}`),
	coretest.Message("7", `{"jsonrpc":"2.0","id":8,"method":"roots/list"}`),
	coretest.Message("8", `{"jsonrpc":"2.0","method":"notifications/message","params":{}}`),
	coretest.Message("9", `[`+coretest.Result("$", `{}`)+`,`+coretest.Progress("$", 1)+`]`),
	coretest.Result("$", `{"protocolVersion":"2025-06-18"}`),
	`{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":""}}`,
}

var statuses = []int{200, 200, 200, 200, 202, 204, 400, 401, 403, 404, 405, 409, 410, 429, 500, 503, 206}

// FuzzClient gives a client inputs without rhyme or reason. Whatever they are,
// it does not panic, holds to its contract with the host (rig.audit), never
// leaves a deadline in the past (World.Advance), and after close() nothing is left.
func FuzzClient(f *testing.F) {
	f.Add([]byte{0, 4, 0, 0, 5, 0, 13, 6, 0, 0, 1, 4, 1, 4, 2, 0, 5, 2, 15})
	f.Add(
		[]byte(
			"\x00\x01\x04\x00\x00\x01\x05\x00\x0d\x06\x00\x00\x04\x01\x04\x01\x04\x03\x01\x07\xff\x05\x02\x0f\x06\x02\x01\x07\x20"))
	f.Add([]byte{16, 0, 9, 0, 1, 8, 0, 10, 0, 11, 12, 13, 0, 14, 0, 7, 200, 2, 0, 3, 15, 255, 255, 7, 9})
	f.Add(
		[]byte(
			"\x03\x01\x04\x00\x00\x01\x05\x00\x0d\x06\x00\x00\x04\x01\x04\x07\x04\x03\x07\x07\xff\x05\x07\x0f\x06\x02\x01\x07\x20"))
	f.Fuzz(func(t *testing.T, script []byte) {
		if len(script) > 400 {
			return
		}
		p := &fuzzed{script: script}
		first := p.next()
		cfg := mcp.Config{HasTokenProvider: first%2 == 1, SignIn: first%4 == 3}
		if cfg.HasTokenProvider {
			cfg.Timeouts.Total = 50_000
		}
		p.rig = newRig(t, cfg)
		for len(p.script) > 0 {
			p.step()
		}
		p.close()
		p.Advance(24 * hour) // the DELETE is waited for, longer after each thaw
		p.wantIdle()
		for c, known := range p.calls {
			if known.settled == nil {
				p.fatal("call %d has not settled", c)
			}
		}
	})
}

// fuzzed reads a script of inputs.
type fuzzed struct {
	*rig
	script []byte
}

func (p *fuzzed) next() int {
	if len(p.script) == 0 {
		return 0
	}
	b := p.script[0]
	p.script = p.script[1:]
	return int(b)
}

// exchange picks one under way; ok is false where there is none.
func (p *fuzzed) exchange() (x engine.ExchangeID, ok bool) {
	n, live := p.next(), p.UnderWay()
	if len(live) == 0 {
		return 0, false
	}
	return live[n%len(live)], true
}

func (p *fuzzed) call() engine.CallID { return engine.CallID(1 + p.next()%4) }

// requestID picks the id of a request that was sent.
func (p *fuzzed) requestID() string { return fmt.Sprint(1<<24 + 1 + p.next()%6) }

func (p *fuzzed) step() {
	switch op := p.next() % 17; op {
	case 0:
		p.Start()
	case 1:
		p.Call([]string{"tools/call", "tools/list"}[p.next()%2], `{"name":"x"}`, mcp.CallOptions{})
	case 2, 3:
		if x, ok := p.exchange(); ok {
			p.End(x, engine.Ending(1+p.next()%3))
		}
	case 4:
		if x, ok := p.exchange(); ok && !p.Exchange(x).Head {
			media := []string{coretest.Stream, coretest.JSON, "text/html", ""}[p.next()%4]
			p.Head(x, statuses[p.next()%len(statuses)], "content-type", media, "mcp-session-id",
				[]string{"s", "", "\x01"}[p.next()%3])
		}
	case 5, 6:
		if x, ok := p.exchange(); ok && p.Exchange(x).Reading {
			p.Chunk(x, strings.ReplaceAll(phrases[p.next()%len(phrases)], "$", p.requestID()))
		}
	case 15:
		if x, ok := p.exchange(); ok && p.Exchange(x).Reading {
			n := min(1+p.next()%16, len(p.script))
			text := string(p.script[:n])
			p.script = p.script[n:]
			p.Chunk(x, text)
		}
	case 7:
		p.Advance(int64(p.next()) * 500)
	case 8:
		p.token([]string{"t", ""}[p.next()%2])
	case 9:
		p.tokenFails()
	case 10:
		p.cancel(p.call())
	case 11:
		p.offline()
	case 12:
		p.online()
	case 13:
		p.pause(p.call(), p.next()%2 == 0)
	case 14:
		p.woke(int64(p.next()) * 1000)
	case 16:
		switch p.next() % 8 {
		case 0:
			p.close()
		default:
			p.notify("notifications/x")
		}
	}
}
