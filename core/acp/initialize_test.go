//go:build !js

package acp_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

// TestInitializeMayTakeLonger than any other message: the agent itself answers it, of
// the others its host says that it has them.
func TestInitializeMayTakeLonger(t *testing.T) {
	m := newModel()
	m.silent["POST"] = true
	s := newSim(t, acp.Config{Timeouts: acp.Timeouts{Answer: 90_000}}, m)
	posts := func(method string) (n int) {
		for _, e := range s.Exchanges() {
			if bytes.Contains(e.Request.Body, []byte(`"`+method+`"`)) {
				n++
			}
		}
		return n
	}
	s.settle(89_999)
	s.expect(posts("initialize") == 1, "initialize was sent %d times in 90 s", posts("initialize"))
	m.silent["POST"] = false
	s = newSim(t, acp.Config{}, m)
	handle, _ := s.session()
	m.silent["POST"] = true
	call := s.request(handle, "session/set_config_option", `{"configId":"c","value":"v"}`)
	s.settle(29_999)
	s.expect(posts("session/set_config_option") == 1, "another message is given up before 30 s")
	s.settle(20_000)
	s.expect(posts("session/set_config_option") == 2, "another message was sent %d times in 50 s",
		posts("session/set_config_option"))
	m.silent["POST"] = false
	s.settle(120_000)
	s.settled(call)
}

// TestInitializeIsRefused: the app is told why, by the codes of the protocol.
func TestInitializeIsRefused(t *testing.T) {
	for code, want := range map[int]engine.Code{
		-32000: engine.CodeUnauthorized, -32022: acp.CodeNoVersion,
		32000: engine.CodeProtocol, 32022: engine.CodeProtocol, -32603: engine.CodeProtocol,
		0: engine.CodeProtocol,
	} {
		s := newSim(t, acp.Config{Transport: acp.TransportWebSocket}, newModel())
		x := s.find(func(e engine.Effect) bool { return e.Kind == engine.Socket })[0].X
		s.do("opened", func(c *acp.Client, now engine.Time) { c.SocketOpened(now, x) })
		s.do("refused", func(c *acp.Client, now engine.Time) {
			c.SocketMessage(now, x,
				fmt.Appendf(nil, `{"jsonrpc":"2.0","id":16777217,"error":{"code":%d,"message":"no"}}`, code))
		})
		names, failure := s.states()
		s.expect(failure != nil && failure.Code == want, "code %d: states %v, %v, want %s", code, names,
			failure, want)
	}
}

// TestClosedAlready: a session that the agent does not know is as good as closed; any
// other refusal is told.
func TestClosedAlready(t *testing.T) {
	for code, want := range map[int]engine.Outcome{-32002: engine.OutcomeResult,
		32002: engine.OutcomeRPCError, -32603: engine.OutcomeRPCError} {
		s, handle, a := opened(t, quiet())
		a.m.silent["session/close"] = true
		call := s.request(handle, "session/close", "{}")
		s.settle(0)
		a.conn.say(a.id, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"no"}}`,
			a.m.of("session/close")[0].ID, code)
		s.settle(0)
		s.expect(s.settled(call).Outcome == want, "code %d: it ends with %+v", code, s.settled(call))
	}
}
