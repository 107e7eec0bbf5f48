//go:build !js

package transcript

import "strings"

func userSays(id, text string) string {
	return `{"sessionUpdate":"user_message","messageId":"` + id + `","content":[{"type":"text","text":"` +
		text + `"}]}`
}

func chunkOf(kind, id, text string) string {
	named := ""
	if id != "" {
		named = `"messageId":"` + id + `",`
	}
	return `{"sessionUpdate":"` + kind + `_chunk",` + named + `"content":{"type":"text","text":"` + text +
		`"}}`
}

const sendHi = `{"prompt":1,"content":[{"type":"text","text":"hi"}]}`

// vectors are conversations whose every operation is pinned, in the golden file. READ it when it changes.
var vectors = []struct {
	name    string
	version int
	updates []string
}{
	{"messages, whole and in chunks", 2, []string{
		userSays("u1", "hi"), chunkOf("agent_thought", "x", "Hm"), chunkOf("agent_message", "x", "He"),
		chunkOf("agent_message", "x", "llo"),
		`{"sessionUpdate":"agent_message","messageId":"x","content":[{"type":"text","text":"Hello"}]}`,
		chunkOf("agent_message", "x", "!"),
	}},
	{"a patch has three states, _meta by key", 2, []string{
		`{"sessionUpdate":"agent_message","messageId":"a","content":[{"type":"text","text":"1"}],` +
			`"_meta":{"a":1,"b":{"c":2}}}`,
		`{"sessionUpdate":"agent_message","messageId":"a","_meta":{"a":null,"b":{"d":3}}}`,
		`{"sessionUpdate":"agent_message","messageId":"a"}`,
		`{"sessionUpdate":"agent_message","messageId":"a","content":null}`,
		chunkOf("agent_message", "a", "2"),
		`{"sessionUpdate":"agent_message","messageId":"a","_meta":null}`,
	}},
	{"a tool call with a diff and a terminal", 2, []string{
		`{"sessionUpdate":"tool_call_update","toolCallId":"c","title":"Edit","kind":"edit",` +
			`"status":"in_progress","rawInput":{"path":"/a"},"locations":[{"path":"/a","line":3}]}`,
		`{"sessionUpdate":"tool_call_content_chunk","toolCallId":"c","content":{"type":"diff",` +
			`"changes":[{"operation":"modify","path":"/a"}],"patch":{"format":"git_patch","text":"--- a"}}}`,
		`{"sessionUpdate":"terminal_update","terminalId":"t","command":"make","cwd":"/w","size":{"cols":80,` +
			`"rows":24}}`,
		`{"sessionUpdate":"tool_call_content_chunk","toolCallId":"c","content":{"type":"terminal",` +
			`"terminalId":"t"}}`,
		`{"sessionUpdate":"terminal_output_chunk","terminalId":"t","data":"4oI="}`,
		`{"sessionUpdate":"terminal_output_chunk","terminalId":"t","data":"rA"}`,
		`{"sessionUpdate":"terminal_output_chunk","terminalId":"t","data":"\/\/8="}`,
		`{"sessionUpdate":"terminal_update","terminalId":"t","exitStatus":{"exitCode":0,"signal":null},` +
			`"command":null}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"c","status":null,"kind":null,"locations":null}`,
		`{"sessionUpdate":"terminal_update","terminalId":"t","output":{"data":"b2s="}}`,
		`{"sessionUpdate":"terminal_output_chunk","terminalId":"t","data":"IQ=="}`,
		`{"sessionUpdate":"terminal_output_chunk","terminalId":"n","data":"IQ=="}`,
		`{"sessionUpdate":"terminal_update","terminalId":"n","output":null}`,
		`{"sessionUpdate":"tool_call_content_chunk","toolCallId":"early","content":{"type":"content",` +
			`"content":{"type":"text","text":"x"}}}`,
	}},
	{"plans are replaced, of other kinds kept raw", 2, []string{
		`{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","entries":[{"content":"one",` +
			`"priority":"high","status":"pending"}],"_meta":{"a":1}}}`,
		`{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","entries":[]},"_meta":{"b":1}}`,
		`{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"p","content":"# Plan"}}`,
		`{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p"}}`,
	}},
	{"a compaction stands where it began", 2, []string{
		`{"sessionUpdate":"compaction_summary_chunk","compactionId":"k","content":{"type":"text",` +
			`"text":"We"}}`, chunkOf("agent_message", "a", "x"),
		`{"sessionUpdate":"compaction_summary_chunk","compactionId":"k","content":{"type":"text",` +
			`"text":" did"}}`,
		`{"sessionUpdate":"compaction_update","compactionId":"k","status":"failed","error":"no room",` +
			`"summary":[{"type":"text","text":"We did"}]}`,
		`{"sessionUpdate":"compaction_update","compactionId":"k","status":"completed","error":null}`,
	}},
	{"values of the session", 2, []string{
		`{"sessionUpdate":"available_commands_update","availableCommands":[{"type":"command","name":"web",` +
			`"description":"look","input":{"type":"text","hint":"what"}}]}`,
		`{"sessionUpdate":"config_option_update","configOptions":[{"type":"select","configId":"model"}]}`,
		`{"sessionUpdate":"session_info_update","title":"One","updatedAt":"2026-11-21T00:00:00Z",` +
			`"_meta":{"a":1,"b":2}}`,
		`{"sessionUpdate":"session_info_update","title":null,"_meta":{"a":null}}`,
		`{"sessionUpdate":"usage_update","used":1,"size":100,"cost":{"amount":0.5,"currency":"USD"}}`,
		`{"sessionUpdate":"usage_update","used":2,"size":100}`,
		`{"sessionUpdate":"available_commands_update","availableCommands":{}}`,
		`{"sessionUpdate":"session_info_update","title":5}`,
	}},
	{"a cost that is cleared", 2, []string{
		`{"sessionUpdate":"usage_update","used":1,"size":100,"cost":{"amount":1,"currency":"EUR"}}`,
		`{"sessionUpdate":"usage_update","used":2,"size":100,"cost":null}`,
		`{"sessionUpdate":"usage_update","used":3,"size":100}`,
	}},
	{"notices, states and what nobody knows", 2, []string{
		`{"sessionUpdate":"notice","severity":"warning","title":"Slow","description":null}`,
		`{"sessionUpdate":"notice","severity":"warning","title":"Slow"}`,
		`{"sessionUpdate":"state_update","state":"running"}`,
		`{"sessionUpdate":"state_change","state":"idle"}`,
		`{"sessionUpdate":"_acme/confetti","colours":["red"],"_meta":null}`,
		`{"sessionUpdate":"replay_complete"}`,
	}},
	{"version 1: runs are messages, null is nothing", 1, []string{
		chunkOf("agent_thought", "", "Hm"), chunkOf("agent_message", "", "He"),
		chunkOf("agent_message", "", "llo"),
		`{"sessionUpdate":"tool_call","toolCallId":"c","title":"Read","kind":"read","status":"pending"}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed","title":null,` +
			`"content":[{"type":"diff","path":"/a","oldText":null,"newText":"b"}]}`,
		chunkOf("agent_message", "", "Done"),
		`{"sessionUpdate":"plan","entries":[{"content":"one","priority":"low","status":"pending"}]}`,
		`{"sessionUpdate":"plan","entries":[]}`,
		chunkOf("agent_message", "", "And"), `{"sessionUpdate":"notice","severity":"info","title":"n"}`,
		chunkOf("agent_message", "", " more"),
		chunkOf("agent_message", "m", "named"),
		`{"sessionUpdate":"current_mode_update","currentModeId":"code"}`,
	}},
	{"an answer, then the echo", 2,
		[]string{sendHi, `{"accepted":1,"messageId":"u1"}`, userSays("u1", "hi"), `{"idle":true}`}},
	{"the echo, then an answer", 2,
		[]string{sendHi, userSays("u1", "hi"), `{"accepted":1,"messageId":"u1"}`, `{"idle":true}`}},
	{"an August agent's echo in chunks", 2, []string{
		sendHi, `{"accepted":1}`, chunkOf("user_message", "u1", "h"), chunkOf("user_message", "u1", "i"),
		`{"idle":true}`,
	}},
	{"somebody else said the same", 2,
		[]string{sendHi, userSays("u1", "hi"), `{"accepted":1,"messageId":"u2"}`, userSays("u2", "hi"),
			`{"idle":true}`}},
	{"an agent that does not echo", 2,
		[]string{sendHi, `{"accepted":1,"messageId":"u1"}`, `{"idle":true}`,
			chunkOf("user_message", "u1", "hi")}},
	{"an August agent that echoes late", 2,
		[]string{sendHi, `{"accepted":1}`, `{"idle":true}`, userSays("u1", "hi"), `{"idle":true}`}},
	{"a prompt that is refused", 2, []string{sendHi, `{"unsent":1}`, `{"idle":true}`}},
	{"version 1 shows a prompt at once", 1,
		[]string{sendHi, chunkOf("agent_message", "", "Hello"), `{"accepted":1}`, `{"idle":true}`}},
	{"version 1 with an echo", 1, []string{sendHi, chunkOf("user_message", "", "h"),
		chunkOf("user_message", "", "i"), chunkOf("agent_message", "", "Hello"), `{"idle":true}`}},
	{"a replay while a prompt waits", 2, []string{
		userSays("u1", "hi"), chunkOf("agent_message", "a1", "Hello"), sendHi, `{"reset":true}`,
		userSays("u1", "hi"), chunkOf("agent_message", "a1", "Hel"), chunkOf("agent_message", "a1", "lo"),
		userSays("u2", "hi"), `{"accepted":1,"messageId":"u2"}`,
	}},
	{"a message without end", 2, []string{
		chunkOf("agent_message", "a", strings.Repeat("x", 300)),
		chunkOf("agent_message", "a", strings.Repeat("y", 300)), chunkOf("agent_message", "a", "z"),
		`{"sessionUpdate":"agent_message","messageId":"a","content":[{"type":"text","text":"short"}]}`,
		chunkOf("agent_message", "a", "!"),
	}},
	{"a terminal without end", 2, []string{
		`{"sessionUpdate":"terminal_output_chunk","terminalId":"t","data":"` + strings.Repeat("AAAA", 100) +
			`"}`,
		`{"sessionUpdate":"terminal_output_chunk","terminalId":"t","data":"` + strings.Repeat("AAAA", 100) +
			`"}`,
		`{"sessionUpdate":"terminal_output_chunk","terminalId":"t","data":"AAAA"}`,
		`{"sessionUpdate":"terminal_update","terminalId":"t","output":{"data":"` +
			strings.Repeat("BBBB", 200) + `"}}`,
		`{"sessionUpdate":"terminal_update","terminalId":"t","output":{"data":"AAAA"}}`,
	}},
	{"rules that are broken", 2, []string{
		`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"}}`,
		`{"sessionUpdate":"agent_message_chunk","messageId":"a"}`,
		`{"sessionUpdate":"agent_message","messageId":null}`,
		`{"sessionUpdate":"agent_message","messageId":7}`, `{"sessionUpdate":7}`, `{}`, `[]`,
		`{"sessionUpdate":"agent_message","messageId":"a","content":"x","_meta":[],` +
			`"__proto__":{"polluted":true},"type":"plan","id":"b","name":"kept"}`,
		`{"sessionUpdate":"agent_message","messageId":"a","content":[],"content":[{}]}`,
		`{"sessionUpdate":"agent_message","messageId":"a","content":[{"type":"text","text":"x"},null,5,"x"]}`,
		`{"sessionUpdate":"terminal_output_chunk","terminalId":"t","data":"!"}`,
		`{"sessionUpdate":"terminal_update","terminalId":"t","command":"c","output":{"data":"A"}}`,
	}},
	{"ids that are names in JavaScript", 2, []string{
		chunkOf("agent_message", "__proto__", "a"), chunkOf("user_message", "__proto__", "b"),
		chunkOf("agent_message", "__proto__", "c"),
		chunkOf("agent_message", "constructor", "d"), chunkOf("agent_message", "", "e"),
		chunkOf("agent_message", `\u005f_proto__`, "f"),
		`{"sessionUpdate":"agent_message","messageId":"toString","_meta":{"__proto__":{"polluted":true},` +
			`"constructor":1}}`,
		`{"sessionUpdate":"__proto__","__proto__":{"polluted":true}}`,
	}},
}
