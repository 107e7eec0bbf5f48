package mcp

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

func TestVerdictOnRefusal(t *testing.T) {
	const session, blames = true, true
	for _, c := range []struct {
		status          int
		code            int64
		session, blames bool
		want            refusal
	}{
		{401, 0, session, false, refusalAuthorize},
		{401, -32001, false, false, refusalAuthorize},
		{404, 0, session, false, refusalSessionGone},
		{404, -32001, session, false, refusalSessionGone},
		{404, -32001, session, blames, refusalSessionGone},
		{410, 0, session, false, refusalSessionGone},
		{404, methodNotFound, session, false, refusalRPCError}, // an answer, not a lost session
		{410, methodNotFound, session, false, refusalRPCError},
		{404, 0, false, false, refusalHTTP},
		{404, -32001, false, false, refusalRPCError},
		{400, serverError, session, blames, refusalSessionGone},
		{400, serverError, session, false, refusalRPCError}, // a tool may have run and failed
		{400, -32602, session, blames, refusalRPCError},
		{400, serverError, false, false, refusalRPCError},
		{400, -32600, session, false, refusalRPCError},
		{400, headerMismatch, session, false, refusalHeaders},
		{400, headerMismatch, false, false, refusalHeaders},
		{400, headerMismatchRC, session, false, refusalRPCError},
		{409, headerMismatch, session, false, refusalRPCError},
		{400, 0, session, false, refusalHTTP},
		{403, 0, session, false, refusalHTTP},
		{405, 0, session, false, refusalHTTP},
		{429, 0, session, false, refusalHTTP},
		{500, -32603, session, false, refusalRPCError},
		{500, 0, session, false, refusalHTTP},
		{503, 0, session, false, refusalHTTP},
		{302, 0, session, false, refusalHTTP},
	} {
		if got := verdictOnRefusal(c.status, c.code, c.session, c.blames); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

func TestVerdictOnResume(t *testing.T) {
	for status, want := range map[int]resumeVerdict{
		401: resumeAuthorize, 404: resumeSessionGone, 410: resumeSessionGone, 405: resumeUnknown, 501: resumeUnknown,
		408: resumeAgain, 409: resumeAgain, 425: resumeAgain, 429: resumeAgain,
		500: resumeAgain, 502: resumeAgain, 503: resumeAgain, 504: resumeAgain, 599: resumeAgain,
		200: resumeLost, 202: resumeLost, 204: resumeLost, 400: resumeLost, 403: resumeLost, 406: resumeLost, 301: resumeLost,
	} {
		if got := verdictOnResume(status); got != want {
			t.Errorf("%d: %d, want %d", status, got, want)
		}
	}
}

func TestVerdictOnListen(t *testing.T) {
	const cursor, had = true, true
	for _, c := range []struct {
		status      int
		cursor, had bool
		want        listenVerdict
	}{
		{401, false, false, listenAuthorize}, {401, cursor, had, listenAuthorize},
		{404, false, false, listenOff}, {410, false, false, listenOff}, // a server without a GET route
		{404, false, had, listenSessionGone}, {410, cursor, had, listenSessionGone},
		{400, cursor, had, listenAnew}, {400, false, had, listenOff},
		{405, false, false, listenOff}, {501, false, false, listenOff}, {200, false, false, listenOff}, {204, false, false, listenOff},
		{403, false, had, listenOff}, {302, false, false, listenOff},
		{408, false, false, listenAgain}, {409, cursor, had, listenAgain}, {425, false, false, listenAgain}, {429, false, false, listenAgain},
		{500, false, false, listenAgain}, {503, cursor, had, listenAgain},
	} {
		if got := verdictOnListen(c.status, c.cursor, c.had); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

// TestNamesSession: what servers say about a session they do not know.
func TestNamesSession(t *testing.T) {
	for text, want := range map[string]bool{
		"Bad Request: No valid session ID provided": true, "Server not initialized": true, "SESSION expired": true,
		"the tool failed": false, "": false,
	} {
		m, err := jsonrpc.Parse([]byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"`+text+`"}}`), jsonrpc.Limits{})
		if err != nil || namesSession(&m) != want {
			t.Errorf("%q: %v, %v", text, !want, err)
		}
	}
	if namesSession(nil) {
		t.Error("no message names the session")
	}
}

// TestSafeMethods: only what changes nothing when it runs twice is safe.
func TestSafeMethods(t *testing.T) {
	for method, want := range map[string]bool{
		"initialize": true, "ping": true, "tools/list": true, "resources/read": true, "prompts/get": true, "completion/complete": true,
		"tools/call": false, "resources/subscribe": false, "sampling/createMessage": false, "tasks/get": true, "tasks/cancel": true, "x": false, "": false, "Tools/list": false,
	} {
		if safeMethod(method) != want {
			t.Errorf("%q: %v", method, !want)
		}
	}
}

func TestRPCCode(t *testing.T) {
	for text, want := range map[string]int64{
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":""}}`:  -32601,
		`{"jsonrpc":"2.0","id":null,"error":{"code":7}}`:                 7,
		`{"jsonrpc":"2.0","id":1,"error":{"code":"-32601"}}`:             0,
		`{"jsonrpc":"2.0","id":1,"error":{}}`:                            0,
		`{"jsonrpc":"2.0","id":1,"result":{"error":{"code":-32601}}}`:    0,
		`{"jsonrpc":"2.0","method":"x","params":{"code":-32601}}`:        0,
		`{"jsonrpc":"2.0","id":1,"error":{"data":{"code":5},"code":-1}}`: -1,
	} {
		m, err := jsonrpc.Parse([]byte(text), jsonrpc.Limits{})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if got := rpcCode(&m); got != want {
			t.Errorf("%s: %d", text, got)
		}
	}
	if rpcCode(nil) != 0 {
		t.Error("no message has a code")
	}
}
