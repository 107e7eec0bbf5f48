//go:build !js

package acpserver_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/acpserver"
	"github.com/holdfast-mcp/holdfast/e2e/internal/rawacp"
)

// open starts a server and a client with one session, whose stream is open.
func open(t *testing.T) (*acpserver.Server, *rawacp.Client, *rawacp.Stream) {
	s, c, _, session := openBoth(t)
	return s, c, session
}

func openBoth(t *testing.T) (*acpserver.Server, *rawacp.Client, *rawacp.Stream, *rawacp.Stream) {
	s := acpserver.Start(t, acpserver.Options{})
	c := rawacp.New(t, s.URL())
	c.Initialize(2)
	connection := c.Open("")
	id := c.Request("", "session/new", `{"cwd":"/w"}`)
	connection.Until(rawacp.Answer(id))
	return s, c, connection, c.Open("s1")
}

func counted(n int) string {
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "⟨%d⟩", i+1)
	}
	return text.String()
}

func TestTurn(t *testing.T) {
	s, c, session := open(t)
	prompt := c.Prompt("s1", "count 3")
	all := session.Until(rawacp.Idle)
	want := []string{"user_message", "result", "state_update", "agent_message_chunk", "agent_message_chunk",
		"agent_message_chunk", "state_update"}
	if got := rawacp.Kinds(all); !slices.Equal(got, want) {
		t.Errorf("the turn was %q, want %q", got, want)
	}
	if string(all[1].ID) != prompt || string(all[1].Result) != `{"messageId":"u1"}` {
		t.Errorf("the prompt's answer is %+v", all[1])
	}
	if got := rawacp.Text(all, "agent_message_chunk"); got != counted(3) {
		t.Errorf("said %q", got)
	}
	if kept := s.Updates("s1"); len(kept) != 4 {
		t.Errorf("%d updates are kept, want 4: %s", len(kept), kept)
	}
}

// Every command passes the SDK's validation, which drops or refuses what does
// not fit the schema.
func TestCommands(t *testing.T) {
	_, c, session := open(t)
	c.Prompt("s1", "whole; think; plan; tool; terminal 100000; facts; compact; unknown; hello there")
	all := session.Until(rawacp.Idle)
	count := map[string]int{}
	for _, kind := range rawacp.Kinds(all) {
		count[kind]++
	}
	want := map[string]int{
		"user_message": 1, "result": 1, "state_update": 2, "agent_message": 1, "agent_message_chunk": 2,
		"agent_thought_chunk": 2,
		"plan_update":         4, "tool_call_update": 3, "tool_call_content_chunk": 3, "terminal_update": 4,
		"terminal_output_chunk": 4,
		"usage_update":          1, "session_info_update": 1, "available_commands_update": 1, "notice": 1,
		"config_option_update": 1,
		"compaction_update":    2, "compaction_summary_chunk": 2, "_holdfast.example/weather": 1,
	}
	if fmt.Sprint(count) != fmt.Sprint(want) {
		t.Errorf("saw  %v\nwant %v", count, want)
	}
	if !strings.Contains(string(all[len(all)-1].Params), `"stopReason":"end_turn"`) {
		t.Errorf("ended with %s", all[len(all)-1].Params)
	}
}

func TestReattach(t *testing.T) {
	for _, how := range []string{acpserver.Clean, acpserver.FIN} {
		t.Run(how, func(t *testing.T) {
			s, c, session := open(t)
			c.Prompt("s1", "count 5 @go")
			s.Pass("go", 2)
			session.Until(func(m rawacp.Message) bool {
				return rawacp.Text([]rawacp.Message{m}, "agent_message_chunk") == "⟨2⟩"
			})
			if answer := c.Do(t.Context(), http.MethodGet, "s1", "",
				nil); answer.StatusCode != http.StatusConflict {
				t.Errorf("a second receiver gets %s", answer.Status)
			}
			if n := s.Cut(acpserver.Cut{Session: "s1", How: how}); n != 1 {
				t.Fatalf("cut %d streams", n)
			}
			left, err := session.Rest()
			if len(left) != 0 || (err == nil) != (how == acpserver.Clean) {
				t.Errorf("the stream ended with %v and %v", left, err)
			}
			s.Release("go")
			s.AwaitKind("idle", 1)
			if got := rawacp.Text(c.Open("s1").Until(rawacp.Idle),
				"agent_message_chunk"); got != "⟨3⟩⟨4⟩⟨5⟩" {
				t.Errorf("the new stream brought %q", got)
			}
		})
	}
}

func TestPermission(t *testing.T) {
	for answer, want := range map[string]string{ // with its members as the SDK orders them
		`{"outcome":{"optionId":"once","outcome":"selected"}}`: "allowed: once",
		`{"outcome":{"optionId":"no","outcome":"selected"}}`:   "rejected: no",
		`{"outcome":{"outcome":"cancelled"}}`:                  "rejected: cancelled",
	} {
		t.Run(want, func(t *testing.T) {
			s, c, session := open(t)
			c.Prompt("s1", "permission")
			asked := session.Until(rawacp.Asks("session/request_permission"))
			c.Respond("s1", asked[len(asked)-1].ID, answer)
			if got := rawacp.Text(session.Until(rawacp.Idle), "agent_message_chunk"); got != want {
				t.Errorf("the agent said %q", got)
			}
			if answers := s.Of("answer"); len(answers) != 1 || string(answers[0].Data) != answer {
				t.Errorf("the log has %+v", answers)
			}
		})
	}
}

func TestElicitation(t *testing.T) {
	_, c, session := open(t)
	c.Prompt("s1", "ask; url")
	asked := session.Until(rawacp.Asks("elicitation/create"))
	c.Respond("s1", asked[len(asked)-1].ID, `{"action":"accept","content":{"colour":"red"}}`)
	asked = session.Until(rawacp.Asks("elicitation/create"))
	if got, want := rawacp.Text(asked, "agent_message_chunk"),
		`answer: {"content":{"colour":"red"},"action":"accept"}`; got != want {
		t.Errorf("said %q, want %q", got, want)
	}
	c.Respond("s1", asked[len(asked)-1].ID, `{"action":"decline"}`)
	if got := rawacp.Text(session.Until(rawacp.Idle), "agent_message_chunk"); got != "login: decline" {
		t.Errorf("said %q", got)
	}
}

func TestCancelWithdrawsQuestionsAndHeldPrompts(t *testing.T) {
	_, c, connection, session := openBoth(t)
	c.Prompt("s1", "permission")
	asked := session.Until(rawacp.Asks("session/request_permission"))
	held := c.Prompt("s1", "count 1")
	if status := c.Post("s1",
		`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s1"}}`); status != 202 {
		t.Fatal(status)
	}
	all := session.Until(rawacp.Idle)
	if !strings.Contains(string(all[len(all)-1].Params), `"stopReason":"cancelled"`) {
		t.Errorf("ended with %s", all[len(all)-1].Params)
	}
	refused := slices.IndexFunc(all, rawacp.Answer(held))
	if refused < 0 || all[refused].Error == nil || all[refused].Error.Code != -32800 {
		t.Errorf("the held prompt is not answered: %+v", all)
	}
	// It carries no sessionId, and so it comes on the connection's stream.
	cancelled := connection.Until(rawacp.Asks("$/cancel_request"))
	want := fmt.Sprintf(`{"requestId":%s}`, asked[len(asked)-1].ID)
	if got := string(cancelled[len(cancelled)-1].Params); got != want {
		t.Errorf("withdrew %s, want %s", got, want)
	}
}

func TestHeldPromptIsInsertedLater(t *testing.T) {
	s, c, session := open(t)
	c.Prompt("s1", "hold")
	s.Waiting("hold")
	second := c.Prompt("s1", "count 1")
	s.AwaitKind("held", 1)
	s.Release("hold")
	first := session.Until(rawacp.Idle)
	if slices.ContainsFunc(first, rawacp.Answer(second)) {
		t.Error("the held prompt was answered before the turn's end")
	}
	rest := session.Until(rawacp.Idle)
	if got := rawacp.Kinds(rest); !slices.Equal(got[:3], []string{"user_message", "result", "state_update"}) {
		t.Errorf("then came %q", got)
	}
}

func TestBackground(t *testing.T) {
	s, c, session := open(t)
	c.Prompt("s1", "background 2 @work")
	idle := session.Until(rawacp.Idle)
	if last := string(idle[len(idle)-1].Params); !strings.Contains(
		last, `"background":[{"type":"tool_call","toolCallId":"c1"}]`) {
		t.Errorf("idle with %s", last)
	}
	s.Release("work")
	rest := session.Until(rawacp.Idle)
	want := []string{"tool_call_content_chunk", "tool_call_content_chunk", "tool_call_update", "state_update"}
	if got := rawacp.Kinds(rest); !slices.Equal(got, want) {
		t.Errorf("while idle came %q", got)
	}
	if last := string(rest[3].Params); !strings.Contains(last, `"background":[]`) {
		t.Errorf("then idle with %s", last)
	}
}

func TestResumeReplays(t *testing.T) {
	s, c, session := open(t)
	c.Prompt("s1", "count 3; permission")
	session.Until(rawacp.Asks("session/request_permission"))

	second := rawacp.New(t, s.URL())
	second.Initialize(2)
	stream := second.Open("s1")
	id := second.Request("s1", "session/resume",
		`{"sessionId":"s1","cwd":"/w","replayFrom":{"type":"start"}}`)
	all := stream.Until(rawacp.Asks("session/request_permission"))
	want := []string{
		"user_message", "agent_message_chunk", "agent_message_chunk", "agent_message_chunk",
		"tool_call_update", "state_update",
		"session/request_permission",
	}
	got := slices.DeleteFunc(rawacp.Kinds(all), func(kind string) bool { return kind == "result" })
	if !slices.Equal(got, want) {
		t.Errorf("the replay was %q, want %q", got, want)
	}
	if !strings.Contains(string(all[5].Params), "requires_action") {
		t.Errorf("the state is %s", all[5].Params)
	}
	second.Respond("s1", all[len(all)-1].ID, `{"outcome":{"outcome":"selected","optionId":"once"}}`)
	if got := rawacp.Text(session.Until(rawacp.Idle), "agent_message_chunk"); got != "allowed: once" {
		t.Errorf("the first connection hears %q", got)
	}
	stream.Until(rawacp.Idle)
	wrong := second.Request("s1", "session/resume", `{"sessionId":"s1","cwd":"/other"}`)
	answer := stream.Until(rawacp.Answer(wrong))
	if e := answer[len(answer)-1].Error; e == nil || e.Code != -32602 {
		t.Errorf("another cwd is answered with %+v", answer[len(answer)-1])
	}
	_ = id
}

func TestRestartKeepsSessions(t *testing.T) {
	s, c, session := open(t)
	c.Prompt("s1", "count 3 @go")
	s.Pass("go", 1)
	session.Until(func(m rawacp.Message) bool {
		return rawacp.Text([]rawacp.Message{m}, "agent_message_chunk") == "⟨1⟩"
	})
	s.Restart()
	if status := c.Post("s1",
		`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s1"}}`); status != 404 {
		t.Errorf("the old connection is answered %d", status)
	}
	again := rawacp.New(t, s.URL())
	again.Initialize(2)
	stream := again.Open("s1")
	id := again.Request("s1", "session/resume", `{"sessionId":"s1","cwd":"/w","replayFrom":{"type":"start"}}`)
	all := stream.Until(rawacp.Answer(id))
	if got := rawacp.Kinds(all); !slices.Equal(got,
		[]string{"user_message", "agent_message_chunk", "state_update", "result"}) {
		t.Errorf("the replay was %q", got)
	}
	if !strings.Contains(string(all[2].Params), `"stopReason":"error"`) {
		t.Errorf("the interrupted turn is %s", all[2].Params)
	}
	again.Prompt("s1", "count 1")
	if next := stream.Next(); !strings.Contains(string(next.Params), `"u2"`) {
		t.Errorf("ids do not go on: %s", next.Params)
	}
}

func TestV1(t *testing.T) {
	s := acpserver.Start(t, acpserver.Options{})
	c := rawacp.New(t, s.URL())
	if m := c.Initialize(1); !strings.Contains(string(m.Result), `"protocolVersion":1`) {
		t.Fatalf("initialize: %s", m.Result)
	}
	connection := c.Open("")
	connection.Until(rawacp.Answer(c.Request("", "session/new", `{"cwd":"/w","mcpServers":[]}`)))
	session := c.Open("s1")
	prompt := c.Prompt("s1", "count 3; tool; plan; permission")
	asked := session.Until(rawacp.Asks("session/request_permission"))
	c.Respond("s1", asked[len(asked)-1].ID, `{"outcome":{"outcome":"selected","optionId":"once"}}`)
	all := append(asked, session.Until(rawacp.Answer(prompt))...)
	if got := string(all[len(all)-1].Result); got != `{"stopReason":"end_turn"}` {
		t.Errorf("the turn's end is %s", got)
	}
	kinds := rawacp.Kinds(all)
	if got := rawacp.Text(all, "agent_message_chunk"); got != counted(3)+"allowed: once" ||
		slices.Contains(kinds, "user_message_chunk") {
		t.Errorf("said %q in %q", got, kinds)
	}
	for _, kind := range []string{"tool_call", "tool_call_update", "plan"} {
		if !slices.Contains(kinds, kind) {
			t.Errorf("no %s in %q", kind, kinds)
		}
	}
	load := c.Request("s1", "session/load", `{"sessionId":"s1","cwd":"/w","mcpServers":[]}`)
	connection.Until(rawacp.Answer(load))
	if first, _ := session.Next().Update(); first != "user_message_chunk" {
		t.Errorf("the replay begins with %s", first)
	}
}

// What was not yet handed to a connection is kept for the next one.
func TestCutsBetweenMessagesLoseNothing(t *testing.T) {
	s, c, session := open(t)
	s.CutAtRandom(acpserver.RandomCuts{Seed: 7, Chance: 0.3, Session: "s1",
		Ways: []string{acpserver.Clean, acpserver.FIN}})
	c.Prompt("s1", "count 60")
	s.AwaitKind("idle", 1)
	all, ended := session.UntilEnd(rawacp.Idle)
	for ended {
		var more []rawacp.Message
		more, ended = c.Open("s1").UntilEnd(rawacp.Idle)
		all = append(all, more...)
	}
	if got := rawacp.Text(all, "agent_message_chunk"); got != counted(60) {
		t.Errorf("arrived: %s", got)
	}
	if n := s.RandomCutsMade(); n < 5 {
		t.Errorf("only %d cuts", n)
	}
}

// Some cuts lose what the server takes for sent; the history has it.
func TestReplayMakesGoodWhatCutsLost(t *testing.T) {
	s, c, session := open(t)
	s.CutAtRandom(acpserver.RandomCuts{Seed: 11, Chance: 0.4, Session: "s1"})
	c.Prompt("s1", "count 60")
	s.AwaitKind("idle", 1)
	var seen []rawacp.Message
	for s.RandomCutsMade() < 12 {
		some, _ := session.Rest()
		seen = append(seen, some...)
		session = c.Open("s1")
	}
	s.CutAtRandom(acpserver.RandomCuts{})
	id := c.Request("s1", "session/resume", `{"sessionId":"s1","cwd":"/w","replayFrom":{"type":"start"}}`)
	some, ended := session.UntilEnd(rawacp.Answer(id))
	seen = append(seen, some...)
	if ended {
		seen = append(seen, c.Open("s1").Until(rawacp.Answer(id))...)
	}
	from := len(seen) - 1
	for kinds := rawacp.Kinds(seen); kinds[from] != "user_message"; {
		from--
	}
	if live := rawacp.Text(seen[:from], "agent_message_chunk"); live == counted(60) {
		t.Error("the cuts have lost nothing")
	}
	if got := rawacp.Text(seen[from:], "agent_message_chunk"); got != counted(60) {
		t.Errorf("the replay brought %s", got)
	}
}
