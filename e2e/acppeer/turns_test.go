//go:build !js

package acppeer_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/acppeer"
	"github.com/holdfast-mcp/holdfast/e2e/internal/rawacp"
)

func TestTurns(t *testing.T) {
	chunks := []string{"agent_message_chunk", "agent_message_chunk"}
	for _, c := range []struct {
		name    string
		options acppeer.Options
		prompt  string
		want    []string
		end     func(rawacp.Message) bool
		ack     string
	}{
		{"newest", acppeer.Options{}, "count 2",
			slices.Concat([]string{"user_message", "result", "state_update"}, chunks,
				[]string{"state_update"}), rawacp.Idle, `{"messageId":"u1"}`},
		{"August", acppeer.Options{EmptyAck: true}, "count 2",
			slices.Concat([]string{"user_message", "result", "state_update"}, chunks,
				[]string{"state_update"}), rawacp.Idle, `{}`},
		{"seed", acppeer.Options{EmptyAck: true, State: "state_change"}, "count 2",
			slices.Concat([]string{"user_message", "result", "state_change"}, chunks,
				[]string{"state_change"}), changedToIdle, `{}`},
		{"v1", acppeer.Options{Version: 1}, "count 2", slices.Concat(chunks, []string{"result"}),
			rawacp.Answer("2"), `{"stopReason":"end_turn"}`},
		{"v1 with v2 updates", acppeer.Options{Version: 1, OptIn: `{"prompt.v2":true}`}, "count 2",
			slices.Concat([]string{"user_message", "result", "state_update"}, chunks,
				[]string{"state_update"}), rawacp.Idle, `{"messageId":"u1"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := open(t, c.options)
			id := r.c.Prompt("s1", c.prompt)
			all := r.session.Until(c.end)
			if got := rawacp.Kinds(all); !slices.Equal(got, c.want) {
				t.Errorf("the turn was %q, want %q", got, c.want)
			}
			if at := slices.IndexFunc(all, rawacp.Answer(id)); string(all[at].Result) != c.ack {
				t.Errorf("the answer is %s", all[at].Result)
			}
			if said(all) != counted(1, 2) || r.Counted("s1") != 2 ||
				!slices.Equal(r.Prompts(), []string{"count 2"}) {
				t.Errorf("said %q, counted %d, prompts %q", said(all), r.Counted("s1"), r.Prompts())
			}
		})
	}
}

func changedToIdle(m rawacp.Message) bool {
	kind, update := m.Update()
	return kind == "state_change" && strings.Contains(string(update), `"idle"`)
}

func TestOddTurns(t *testing.T) {
	r := open(t, acppeer.Options{})
	r.c.Prompt("s1", "twice 1")
	r.session.Until(rawacp.Idle)
	if again := r.session.Next(); !rawacp.Idle(again) {
		t.Errorf("after idle came %+v", again)
	}
	r.c.Prompt("s1", "nameless 1")
	all := r.session.Until(rawacp.Idle)
	if _, update := all[3].Update(); strings.Contains(string(update), "messageId") || said(all) != "⟨2⟩" {
		t.Errorf("the nameless chunk is %s", update)
	}
	r.c.Prompt("s1", "stranger")
	all = r.session.Until(rawacp.Idle)
	if !slices.ContainsFunc(all,
		func(m rawacp.Message) bool { return strings.Contains(string(m.Params), `"sessionId":"nobody"`) }) {
		t.Error("nothing of the session nobody")
	}
	r.c.Prompt("s1", "terminal 200000")
	all = r.session.Until(rawacp.Idle)
	if n := strings.Count(strings.Join(rawacp.Kinds(all), " "), "terminal_output_chunk"); n != 4 {
		t.Errorf("200,000 bytes came in %d pieces", n)
	}
	r.c.Prompt("s1", "never 1")
	r.session.Until(chunk("⟨3⟩"))
	r.c.Prompt("s1", "hello")
	if all = r.session.Until(rawacp.Idle); said(all) != "hello" {
		t.Errorf("said %q", said(all))
	}
	refused := r.c.Prompt("s1", "refuse")
	if all = r.session.Until(rawacp.Answer(refused)); len(all) != 1 || all[0].Error == nil {
		t.Errorf("refused with %+v", all)
	}
}

func TestEarlyUpdatesComeBeforeTheAnswer(t *testing.T) {
	r := open(t, acppeer.Options{Early: []string{`{"sessionUpdate":"state_update","state":"running"}`}})
	if kind, _ := r.session.Next().Update(); kind != "state_update" {
		t.Errorf("first came %q", kind)
	}
	p := acppeer.New(t, acppeer.Options{EarlyOnConnection: true,
		Early: []string{`{"sessionUpdate":"state_update","state":"running"}`}})
	c := rawacp.New(t, p.URL())
	c.Initialize(2)
	connection := c.Open("")
	if all := connection.Until(rawacp.Answer(c.Request("", "session/new", `{"cwd":"/w"}`))); len(all) != 2 {
		t.Errorf("on the connection's stream came %q", rawacp.Kinds(all))
	}
}

func TestResume(t *testing.T) {
	for _, c := range []struct {
		options acppeer.Options
		want    []string
	}{
		{acppeer.Options{}, []string{"user_message", "agent_message_chunk", "agent_message_chunk",
			"state_update", "result"}},
		{acppeer.Options{NoReplay: true}, []string{"state_update", "result"}},
		{acppeer.Options{EmptyAck: true},
			[]string{"user_message", "agent_message_chunk", "agent_message_chunk", "result"}},
		{acppeer.Options{NoResume: true}, []string{"error"}},
	} {
		r := open(t, c.options)
		r.c.Prompt("s1", "count 2")
		r.session.Until(rawacp.Idle)
		r.Forget("")
		if status := r.c.Post("s1",
			`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s1"}}`); status != 404 {
			t.Errorf("a forgotten connection is answered %d", status)
		}
		again := rawacp.New(t, r.URL())
		again.Initialize(2)
		stream := again.Open("s1")
		id := again.Request("s1", "session/resume",
			`{"sessionId":"s1","cwd":"/w","replayFrom":{"type":"start"}}`)
		if got := rawacp.Kinds(stream.Until(rawacp.Answer(id))); !slices.Equal(got, c.want) {
			t.Errorf("%+v: resume brought %q, want %q", c.options, got, c.want)
		}
	}
}

func TestLoadReplaysTheUser(t *testing.T) {
	r := open(t, acppeer.Options{Version: 1})
	r.session.Until(rawacp.Answer(r.c.Prompt("s1", "count 2")))
	r.connection.Until(
		rawacp.Answer(r.c.Request("s1", "session/load", `{"sessionId":"s1","cwd":"/w","mcpServers":[]}`)))
	all := []rawacp.Message{r.session.Next(), r.session.Next(), r.session.Next()}
	if rawacp.Text(all, "user_message_chunk") != "count 2" || said(all) != counted(1, 2) {
		t.Errorf("the replay was %+v", all)
	}
}

func TestManyMegabytes(t *testing.T) {
	r := open(t, acppeer.Options{})
	r.c.Prompt("s1", fmt.Sprint("terminal ", 64<<20))
	pieces := 0
	r.session.Until(func(m rawacp.Message) bool {
		if len(m.Params) > 1<<16 { // too long to decode it each time
			pieces++
			return false
		}
		return rawacp.Idle(m)
	})
	if pieces != 1024 {
		t.Errorf("64 MiB came in %d pieces", pieces)
	}
}

func TestPromptsTakenBack(t *testing.T) {
	r := open(t, acppeer.Options{})
	r.OnPrompt(func(turn *acppeer.Turn) {
		if turn.Withdrawn() {
			turn.Reject(-32800, "Request cancelled")
		}
	})
	id := r.c.Prompt("s1", "anything")
	r.c.Post("", fmt.Sprintf(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":%s}}`, id))
	if m := r.session.Next(); m.Error == nil || m.Error.Code != -32800 {
		t.Errorf("answered %+v", m)
	}
}

func TestPermission(t *testing.T) {
	r := open(t, acppeer.Options{})
	r.c.Prompt("s1", "permission")
	asked := r.session.Until(rawacp.Asks("session/request_permission"))
	q := asked[len(asked)-1].ID
	answer := fmt.Sprintf(
		`{"jsonrpc":"2.0","id":%s,"result":{"outcome":{"outcome":"selected","optionId":"y"}}}`, q)
	if status := r.c.Post("", answer); status != 400 {
		t.Errorf("without the session's header: %d", status)
	}
	r.Rule(acppeer.Rule{Kind: "RESPONSE", Status: 500, Times: 1})
	if status := r.c.Post("s1", answer); status != 500 || len(r.Answers()) != 0 {
		t.Errorf("refused: %d, %+v", status, r.Answers())
	}
	r.c.Post("s1", answer)
	if got := said(r.session.Until(rawacp.Idle)); !strings.Contains(got, `"optionId":"y"`) {
		t.Errorf("said %q", got)
	}
	r.c.Post("s1", answer)
	if got := r.Answers(); len(got) != 2 || !got[0].Known || got[1].Known {
		t.Errorf("the answers are %+v", got)
	}
}

func TestWithdraw(t *testing.T) {
	r := open(t, acppeer.Options{})
	r.c.Prompt("s1", "withdraw @back")
	asked := r.session.Until(rawacp.Asks("session/request_permission"))
	r.Release("back")
	if m := r.connection.Next(); m.Method != "$/cancel_request" || string(m.Params) != `{"requestId":"q1"}` {
		t.Errorf("withdrawn by %+v", m)
	}
	r.c.Respond("s1", asked[len(asked)-1].ID, `{"outcome":{"outcome":"cancelled"}}`)
	r.session.Until(rawacp.Idle)
}
