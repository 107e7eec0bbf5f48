//go:build !js

package acpserver_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/acpserver"
	"github.com/holdfast-mcp/holdfast/e2e/internal/rawacp"
)

func last(all []rawacp.Message) rawacp.Message { return all[len(all)-1] }

func TestEndsOfTurns(t *testing.T) {
	_, c, session := open(t)
	for prompt, want := range map[string]string{
		"error":        `"stopReason":"error","error":{"code":-32603,"message":"the model is gone"`,
		"stop refusal": `"stopReason":"refusal"`,
		"stop _odd":    `"stopReason":"_odd"`,
	} {
		c.Prompt("s1", prompt)
		if got := string(last(session.Until(rawacp.Idle)).Params); !strings.Contains(got, want) {
			t.Errorf("%s ended with %s", prompt, got)
		}
	}
	if m := last(session.Until(rawacp.Answer(c.Prompt("s1", "refuse this")))); m.Error == nil ||
		m.Error.Code != -32602 {
		t.Errorf("refused with %+v", m)
	}
}

func TestUnpromptedTurn(t *testing.T) {
	s, c, session := open(t)
	c.Prompt("s1", "later")
	session.Until(rawacp.Idle)
	s.Waiting("later")
	s.Release("later")
	all := session.Until(rawacp.Idle)
	if got := rawacp.Kinds(all); !slices.Equal(got,
		[]string{"state_update", "agent_message_chunk", "state_update"}) ||
		rawacp.Text(all, "agent_message_chunk") != "echo unprompted" {
		t.Errorf("by itself came %q", got)
	}
}

func TestPromptIntoARunningTurn(t *testing.T) {
	s, c, session := open(t)
	c.Prompt("s1", "wait @go; count 1")
	s.Waiting("go")
	session.Until(rawacp.Answer(c.Prompt("s1", "now count 2")))
	s.Release("go")
	all := session.Until(rawacp.Idle)
	if got := rawacp.Text(all, "agent_message_chunk"); got != counted(1)+counted(2) {
		t.Errorf("said %q", got)
	}
}

func TestBackgroundWorkIsCancelledByItself(t *testing.T) {
	s, c, session := open(t)
	c.Prompt("s1", "background 2 @never")
	session.Until(rawacp.Idle)
	s.Waiting("never")
	cancel := `{"sessionId":"s1","toolCallId":"c1"}`
	c.Request("s1", "tool_call/cancel", cancel)
	all := session.Until(rawacp.Idle)
	if !slices.ContainsFunc(all,
		func(m rawacp.Message) bool { return strings.Contains(string(m.Params), `"status":"cancelled"`) }) {
		t.Errorf("came %+v", all)
	}
	if m := last(session.Until(rawacp.Answer(c.Request("s1", "tool_call/cancel", cancel)))); m.Error == nil ||
		m.Error.Code != -32602 {
		t.Errorf("once more: %+v", m)
	}
}

func TestListCloseAndDelete(t *testing.T) {
	_, c, connection, session := openBoth(t)
	for range 2 {
		connection.Until(rawacp.Answer(c.Request("", "session/new", `{"cwd":"/w"}`)))
	}
	list := func(params string) string {
		return string(last(connection.Until(rawacp.Answer(c.Request("", "session/list", params)))).Result)
	}
	if got := list(`{"cwd":"/w"}`); strings.Count(got, "sessionId") != 2 ||
		!strings.Contains(got, `"nextCursor":"2"`) {
		t.Errorf("the first page is %s", got)
	}
	if got := list(`{"cursor":"2"}`); strings.Count(got, "sessionId") != 1 ||
		strings.Contains(got, "nextCursor") {
		t.Errorf("the second page is %s", got)
	}
	for _, method := range []string{"session/close", "session/delete"} {
		if m := last(session.Until(rawacp.Answer(c.Request("s1", method, `{"sessionId":"s1"}`)))); m.Error !=
			nil {
			t.Errorf("%s: %+v", method, m.Error)
		}
	}
	if m := last(session.Until(rawacp.Answer(c.Prompt("s1", "count 1")))); m.Error == nil ||
		m.Error.Code != -32002 {
		t.Errorf("a deleted session is answered with %+v", m)
	}
}

func TestConfiguration(t *testing.T) {
	_, c, session := open(t)
	set := func(params string) rawacp.Message {
		return last(session.Until(rawacp.Answer(c.Request("s1", "session/set_config_option", params))))
	}
	if m := set(`{"sessionId":"s1","configId":"model","type":"id","value":"deep"}`); !strings.Contains(
		string(m.Result), `"currentValue":"deep"`) {
		t.Errorf("answered %s", m.Result)
	}
	if m := set(`{"sessionId":"s1","configId":"model","type":"id","value":"odd"}`); m.Error == nil ||
		m.Error.Code != -32602 {
		t.Errorf("an unknown value is answered with %+v", m)
	}
}

func TestForget(t *testing.T) {
	s, c, session := open(t)
	s.Forget(c.Connection)
	if _, err := session.Rest(); err != nil {
		t.Errorf("the stream ended with %v", err)
	}
	if status := c.Post("s1",
		`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s1"}}`); status != 404 {
		t.Errorf("answered %d", status)
	}
	if got := string(s.State("s1")); !strings.Contains(got, `"idle"`) {
		t.Errorf("the session is %s", got)
	}
}

func TestOtherOptions(t *testing.T) {
	s := acpserver.Start(t, acpserver.Options{Versions: []int{1}, Forgetful: true})
	c := rawacp.New(t, s.URL())
	if m := c.Initialize(2); !strings.Contains(string(m.Result), `"protocolVersion":1`) {
		t.Errorf("a server of v1 answers %s", m.Result)
	}
	connection := c.Open("")
	connection.Until(rawacp.Answer(c.Request("", "session/new", `{"cwd":"/w","mcpServers":[]}`)))
	s.Restart()
	again := rawacp.New(t, s.URL())
	again.Initialize(1)
	connection = again.Open("")
	load := again.Request("s1", "session/load", `{"sessionId":"s1","cwd":"/w","mcpServers":[]}`)
	if m := last(connection.Until(rawacp.Answer(load))); m.Error == nil || m.Error.Code != -32002 {
		t.Errorf("the forgotten session is answered with %+v", m)
	}
}

func TestAskOnce(t *testing.T) {
	s := acpserver.Start(t, acpserver.Options{AskOnce: true})
	c := rawacp.New(t, s.URL())
	c.Initialize(2)
	c.Open("").Until(rawacp.Answer(c.Request("", "session/new", `{"cwd":"/w"}`)))
	c.Prompt("s1", "permission")
	c.Open("s1").Until(rawacp.Asks("session/request_permission"))
	again := rawacp.New(t, s.URL())
	again.Initialize(2)
	stream := again.Open("s1")
	all := stream.Until(rawacp.Answer(again.Request("s1", "session/resume", `{"sessionId":"s1","cwd":"/w"}`)))
	if got := rawacp.Kinds(all); !slices.Equal(got, []string{"state_update", "result"}) ||
		!strings.Contains(string(all[0].Params), "requires_action") {
		t.Errorf("resume brought %q", got)
	}
	again.Post("s1", `{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s1"}}`)
	end := stream.Until(rawacp.Idle)
	if slices.ContainsFunc(end, rawacp.Asks("session/request_permission")) ||
		!strings.Contains(string(last(end).Params), "cancelled") {
		t.Errorf("cancelled with %q", rawacp.Kinds(end))
	}
}
