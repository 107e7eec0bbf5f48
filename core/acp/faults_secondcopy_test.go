//go:build !js

package acp_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/coretest"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

// secondCopy is a client of version 2 with a session, one of whose messages its server refuses.
type secondCopy struct {
	coretest.ACP
	t      *testing.T
	stream engine.ExchangeID // the session's
}

func newSecondCopy(t *testing.T) *secondCopy {
	w := &secondCopy{ACP: coretest.NewACP(t, acp.Config{}), t: t}
	w.Handshake("2")
	_, effects := w.Call(0, "session/new", `{"cwd":"/w","mcpServers":[]}`)
	id := coretest.RequestID(effects[0].Request)
	w.Head(effects[0].X, 202)
	w.End(effects[0].X, engine.EndClean)
	w.Chunk(2, "data: "+coretest.Result(id, `{"sessionId":"s1"}`)+"\n\n")
	w.stream = w.Fetched()
	w.Head(w.stream, 200, "content-type", coretest.Stream)
	return w
}

// refuse answers an exchange with a JSON-RPC error.
func (w *secondCopy) refuse(x engine.ExchangeID, status, code int, words string) {
	id := coretest.RequestID(w.Request(x))
	w.Head(x, status, "content-type", coretest.JSON)
	w.Chunk(x, `{"jsonrpc":"2.0","id":`+id+`,"error":{"code":`+strconv.Itoa(code)+`,"message":"`+words+`"}}`)
	w.End(x, engine.EndClean)
}

const takenAlready = "Request id is already in flight for this connection"

// Fault 765: the browser has sent a prompt again by itself, whose connection died before its 202, and the
// agent's server refuses the second copy. The first one may be answered, and nobody knows it: the prompt is
// not refused.
func TestFault765_ASecondCopyIsNoRefusal(t *testing.T) {
	for _, c := range []struct {
		status, code int
		words        string
		want         engine.Code
	}{
		{409, -32600, takenAlready, engine.CodeOutcomeUnknown},
		{400, -32600, "duplicate in-flight request ID 3", engine.CodeOutcomeUnknown},
		{400, -32600, "Invalid Request", engine.CodeHTTP},
		{400, -32602, takenAlready, engine.CodeHTTP},
		{422, -32600, takenAlready, engine.CodeHTTP},
	} {
		w := newSecondCopy(t)
		call, _ := w.Call(1, "session/prompt", `{"prompt":[{"type":"text","text":"Hello"}]}`)
		w.refuse(w.Fetched(), c.status, c.code, c.words)
		w.Advance(20_000)
		if !strings.Contains(w.Log(), fmt.Sprintf("settle c%d %s", call, c.want)) {
			t.Errorf("%d %d %q: the prompt does not end with %s\n%s", c.status, c.code, c.words, c.want,
				w.Log())
		}
		if n := strings.Count(w.Log(), `"session/prompt"`); n != 1 {
			t.Errorf("sent %d times", n)
		}
	}
}

// Fault 765: the first copy's answer comes on the stream, and is the prompt's.
func TestFault765_TheFirstCopyIsAnswered(t *testing.T) {
	w := newSecondCopy(t)
	call, _ := w.Call(1, "session/prompt", `{"prompt":[{"type":"text","text":"Hello"}]}`)
	x := w.Fetched()
	id := coretest.RequestID(w.Request(x))
	w.refuse(x, 409, -32600, takenAlready)
	if strings.Contains(w.Log(), fmt.Sprintf("settle c%d", call)) {
		t.Fatalf("the prompt has ended already\n%s", w.Log())
	}
	w.Chunk(w.stream, "data: "+coretest.Result(id, `{}`)+"\n\n")
	w.Advance(20_000)
	if !strings.Contains(w.Log(), fmt.Sprintf("settle c%d result", call)) {
		t.Errorf("the prompt has no result\n%s", w.Log())
	}
}

// Fault 765: what asks for nothing has been taken, if its server has it already: a copy is no refusal of it
// either.
func TestFault765_ANotificationsSecondCopy(t *testing.T) {
	for words, want := range map[string]string{takenAlready: "result null", "no": string(engine.CodeHTTP)} {
		w := newSecondCopy(t)
		var call engine.CallID
		w.Input("notify", func(c *acp.Client, now engine.Time) {
			call = c.Notify(now, 1, "session/cancel", []byte(`{}`))
		})
		x := w.Fetched()
		w.Head(x, 409, "content-type", coretest.JSON)
		w.Chunk(x, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"`+words+`"}}`)
		w.End(x, engine.EndClean)
		if !strings.Contains(w.Log(), fmt.Sprintf("settle c%d %s", call, want)) {
			t.Errorf("%q: not settled with %s\n%s", words, want, w.Log())
		}
	}
}
