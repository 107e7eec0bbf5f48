package wire

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

func TestVerdictOnRefusal(t *testing.T) {
	const session, blames, taken = true, true, true
	for _, c := range []struct {
		status                 int
		code                   int64
		session, blames, taken bool
		want                   Refusal
	}{
		{401, 0, session, false, false, RefusalAuthorize},
		{401, -32001, false, false, false, RefusalAuthorize},
		{404, 0, session, false, false, RefusalSessionGone},
		{404, -32001, session, false, false, RefusalSessionGone},
		{404, -32001, session, blames, false, RefusalSessionGone},
		{410, 0, session, false, false, RefusalSessionGone},
		{404, MethodNotFound, session, false, false, RefusalRPCError}, // an answer, not a lost session
		{410, MethodNotFound, session, false, false, RefusalRPCError},
		{404, 0, false, false, false, RefusalHTTP},
		{404, -32001, false, false, false, RefusalRPCError},
		{400, serverError, session, blames, false, RefusalSessionGone},
		{400, serverError, session, false, false, RefusalRPCError}, // a tool may have run and failed
		{400, -32602, session, blames, false, RefusalRPCError},
		{400, serverError, false, false, false, RefusalRPCError},
		{400, -32600, session, false, false, RefusalRPCError},
		{400, unsupportedVersion, session, blames, false, RefusalSessionGone},
		{400, unsupportedVersion, false, false, false, RefusalRPCError},
		// nothing was refused before it ran
		{200, unsupportedVersion, session, blames, false, RefusalRPCError},
		{400, HeaderMismatch, session, false, false, RefusalHeaders},
		{400, HeaderMismatch, false, false, false, RefusalHeaders},
		{400, HeaderMismatchRC, session, false, false, RefusalRPCError},
		{409, HeaderMismatch, session, false, false, RefusalRPCError},
		{400, 0, session, false, false, RefusalHTTP},
		{403, 0, session, false, false, RefusalHTTP},
		{405, 0, session, false, false, RefusalHTTP},
		{429, 0, session, false, false, RefusalHTTP},
		{500, -32603, session, false, false, RefusalRPCError},
		{500, 0, session, false, false, RefusalHTTP},
		{503, 0, session, false, false, RefusalHTTP},
		{302, 0, session, false, false, RefusalHTTP},
		{400, -32600, session, false, taken, RefusalDuplicate},
		{409, -32600, false, false, taken, RefusalDuplicate},
		{400, -32600, session, blames, taken, RefusalDuplicate}, // "in this session" blames nothing
	} {
		if got := VerdictOnRefusal(c.status, c.code, c.session, c.blames, c.taken); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

func TestVerdictOnResume(t *testing.T) {
	for status, want := range map[int]ResumeVerdict{
		401: ResumeAuthorize, 404: ResumeSessionGone, 410: ResumeSessionGone, 405: ResumeUnknown,
		501: ResumeUnknown,
		408: ResumeRetry, 409: ResumeRetry, 425: ResumeRetry, 429: ResumeRetry,
		500: ResumeRetry, 502: ResumeRetry, 503: ResumeRetry, 504: ResumeRetry, 599: ResumeRetry,
		200: ResumeLost, 202: ResumeLost, 204: ResumeLost, 400: ResumeLost, 403: ResumeLost, 406: ResumeLost,
		301: ResumeLost,
	} {
		if got := VerdictOnResume(status); got != want {
			t.Errorf("%d: %d, want %d", status, got, want)
		}
	}
}

func TestVerdictOnListen(t *testing.T) {
	const cursor, had = true, true
	for _, c := range []struct {
		status      int
		cursor, had bool
		want        ListenVerdict
	}{
		{401, false, false, ListenAuthorize}, {401, cursor, had, ListenAuthorize},
		{404, false, false, ListenOff}, {410, false, false, ListenOff}, // a server without a GET route
		{404, false, had, ListenSessionGone}, {410, cursor, had, ListenSessionGone},
		{400, cursor, had, ListenWithoutCursor}, {400, false, had, ListenOff},
		{405, false, false, ListenOff}, {501, false, false, ListenOff}, {200, false, false, ListenOff},
		{204, false, false, ListenOff},
		{403, false, had, ListenOff}, {302, false, false, ListenOff},
		{408, false, false, ListenRetry}, {409, cursor, had, ListenRetry}, {425, false, false, ListenRetry},
		{429, false, false, ListenRetry},
		{500, false, false, ListenRetry}, {503, cursor, had, ListenRetry},
	} {
		if got := VerdictOnListen(c.status, c.cursor, c.had); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

// TestNamesSession: what servers say about a session they do not know.
func TestNamesSession(t *testing.T) {
	for text, want := range map[string]bool{
		"Bad Request: No valid session ID provided": true, "Server not initialized": true,
		"SESSION expired": true,
		"the tool failed": false, "": false,
	} {
		m, err := jsonrpc.Parse(
			[]byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"`+text+`"}}`),
			jsonrpc.Limits{})
		if err != nil || BlamesSession(&m) != want {
			t.Errorf("%q: %v, %v", text, !want, err)
		}
	}
	if BlamesSession(nil) {
		t.Error("no message names the session")
	}
}

// TestBlamesRevision: the server names a revision that both speak, and not the one in force.
func TestBlamesRevision(t *testing.T) {
	for text, want := range map[string]bool{
		`{"code":-32022,"message":"x","data":{"supported":["2026-07-28"]}}`: true,
		// it speaks that still
		`{"code":-32022,"message":"x","data":{"supported":["2026-07-28","2025-11-25"]}}`: false,
		`{"code":-32022,"message":"x","data":{"supported":["2099-01-01"]}}`:              false,
		`{"code":-32022,"message":"Unsupported protocol version"}`:                       false,
		`{"code":-32000,"message":"Bad Request: Unsupported protocol version: x"}`:       true,
		`{"code":-32000,"message":"the tool failed"}`:                                    false,
	} {
		m, err := jsonrpc.Parse([]byte(`{"jsonrpc":"2.0","id":null,"error":`+text+`}`), jsonrpc.Limits{})
		if err != nil || BlamesRevision(&m, "2025-11-25") != want {
			t.Errorf("%s: %v, %v", text, !want, err)
		}
	}
	if BlamesRevision(nil, "2025-11-25") {
		t.Error("no message blames the revision")
	}
}

// TestSafeMethods: only what changes nothing when it runs twice is safe.
func TestSafeMethods(t *testing.T) {
	for method, want := range map[string]bool{
		"initialize": true, "ping": true, "tools/list": true, "resources/read": true, "prompts/get": true,
		"completion/complete": true,
		"tools/call":          false, "resources/subscribe": false, "sampling/createMessage": false, "tasks/get": true,
		"tasks/cancel": true, "x": false, "": false, "Tools/list": false,
	} {
		if SafeMethod(method) != want {
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
		if got := ErrorCode(&m); got != want {
			t.Errorf("%s: %d", text, got)
		}
	}
	if ErrorCode(nil) != 0 {
		t.Error("no message has a code")
	}
}
