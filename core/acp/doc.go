// Package acp is the client of the Agent Client Protocol: one connection to one
// agent over Streamable HTTP or a WebSocket, its sessions, their turns and
// transcripts, what the agent asks on the way, and all of it over cuts, reloads
// and other tabs. Sources: spec/acp.md, which quotes the RFDs and the schema; the
// prompt lifecycle RFD of version 2; RELIABILITY faults 119 and 120.
//
// The Client is an engine.Machine. How its parts hang together:
//
//	client.go      inputs, effects, where the client stands
//	connection.go  a connection at the agent: initialize, reattach, loss
//	httpstream.go  the connection's and the sessions' event streams
//	websocket.go   the same over a socket
//	post.go        one message to the agent by HTTP
//	request.go     a request of the app's, from its sending to its answer
//	session.go     a session: what is known of it, its updates
//	early.go       updates of sessions that are not known yet
//	turn.go        who is at work, from state updates or, in version 1, prompts
//	transcript/    what was said, as operations for the page: a package with no client in it
//	replay.go      the history anew, after a cut or a reload
//	question.go    what the agent asks, answered once
//	record.go      what is written to the journal, restore.go read back
//
// An agent's frames have no ids, so a stream that was cut may have lost some:
// after each cut the session is replayed by the agent and swapped in whole
// (spec/acp.md 2.3), and where an agent cannot, the app is told of the gap.
package acp
