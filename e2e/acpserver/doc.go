//go:build !js

// Package acpserver runs the official ACP server (@agentclientprotocol/sdk 2.4.0,
// AcpServer behind its Node handlers, which the project's package.json pins) with
// a scripted agent that speaks v2 and v1, over Streamable HTTP and WebSocket on
// one endpoint, with CORS as a careful host sets it: the page's origin, the five
// request headers that ACP needs and authorization, Acp-Connection-Id exposed,
// no credentials.
//
//	s := acpserver.Start(t, acpserver.Options{})
//	... connect a client to s.URL() or s.WebSocketURL(), prompt "count 5 @go" ...
//	s.Waiting("go")                    // the agent got there
//	s.Pass("go", 1)                    // one chunk: ⟨1⟩
//	s.Cut(acpserver.Cut{Session: "s1", How: acpserver.Reset})
//	s.Release("go")                    // the rest
//	s.AwaitKind("idle", 1)             // the turn is over
//	s.Restart()                        // kill -9; sessions are kept, connections are not
//
// # Prompts
//
// A prompt's first text is "command; command; ...". A command is a word and its
// arguments; "@name" among them is a gate at which it waits before every update,
// "pause=5" waits milliseconds instead, for soaks. A word that is no command is
// said back.
//
//	count N        one message of the chunks ⟨1⟩ ... ⟨N⟩
//	whole          a chunk, then agent_message in its place
//	big N          one chunk of N bytes
//	think N        a thought of N chunks
//	plan           three entries, done one by one: four plan_updates
//	tool           pending, in_progress, text, a terminal whose output splits a
//	               character, a diff with patch, completed
//	terminal N     a terminal with N bytes of output, 64 KiB at a time
//	permission     session/request_permission (once, always, no); says the answer
//	ask            elicitation/create, mode form (colour, many, gift); says the answer
//	url            elicitation/create, mode url; elicitation/complete behind the gate
//	begin          before all others: the turn begins when the gate opens
//	hold, wait     nothing until the gate opens ("hold" if none is named)
//	background N   the turn ends at once; N chunks of its tool call while idle; it
//	               can be cancelled with tool_call/cancel
//	later          the turn ends at once; behind the gate ("later") the agent
//	               starts another one by itself, which says "echo unprompted"
//	error          half a sentence, then idle with stopReason error
//	stop REASON    idle with that stopReason
//	facts          usage, session_info, available_commands, notice, config_option
//	compact        a compaction with a summary in two chunks
//	unknown        an update of a kind that nobody knows
//	refuse         (alone) the prompt is answered with -32602, not inserted
//	now COMMANDS   (alone) inserted into the turn that runs; other prompts are
//	               held until it ends
//
// Ids are s1, s2 (sessions), u1 (user messages), a1 (agent messages), t1
// (thoughts), c1 (tool calls), x1 (terminals), p1 (plans), e1 (elicitations), k1
// (compactions), counted per session.
//
// # The agent's ways
//
// Every connection that did session/new, resume, load or prompt hears of the
// session, until it closes it or goes away; a user_message echo goes to all, in
// v1 not to the one it came from. A question goes to all of them; the first
// answer counts, and the others get $/cancel_request. Whoever comes while a
// question waits is asked as well, unless Options.AskOnce. session/resume sends the state, after the
// replay where one is asked for; the cwd must be the session's. session/list has
// two sessions to a page. session/cancel answers what is held with -32800 and
// ends the turn; background work goes on. A turn goes on where its client goes
// away, in v1 too. A turn that Restart interrupted is
// idle with stopReason error.
//
// # The log
//
// [Server.Log] lists what happened, [Entry] what is in it. Kinds: "http" (one per
// request, with its status; GETs and DELETEs too), "open" and "over" (an event
// stream or WebSocket; Text of over is who ended it: client, server or the cut),
// "initialize", "session", "resume", "load", "prompt", "held", "withdrawn",
// "refused", "cancel", "tool-cancel", "ask", "answer", "config", "idle",
// "background", "close", "delete", "peer-closed", and "bug" for what should not
// happen in the agent.
package acpserver
