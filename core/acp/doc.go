// Package acp is the client of the Agent Client Protocol: one connection to one
// agent over Streamable HTTP or a WebSocket, its sessions, their turns and
// transcripts, what the agent asks on the way, and all of it over cuts, reloads
// and other tabs. Sources: ACP's pages and schemas of version 1 and 2, its RFDs
// streamable-http-websocket-transport and v2/prompt (CONTRIBUTING.md says where they are),
// and what the server of the official SDK does.
//
// The Client is an engine.Machine. The files are named by what they belong to:
//
//	client_*      inputs, effects, what a page does to a client, its end, its token
//	connection_*  a connection at the agent: initialize, reattach, loss; over a WebSocket
//	stream_*      event streams of connections and sessions, and how tabs share them out
//	session_*     what is known of a session, its turns, replays of its history
//	request_*     a request of the app's, from its sending to its answer, and in doubt
//	question_*    what the agent asks, answered once, and drafts of the answer
//	store_*       what is written to the journal, and read back
//	message_*     one message to the agent by HTTP
//	transcript/   what was said, as operations for the page: a package with no client
//
// config.go has what a client is made from, errors.go the codes that only ACP has,
// counters.go what was dropped or repaired, standing.go what core/tabs may know of a
// session, and withdrawal.go why nobody waits for an answer any more.
//
// An agent's frames have no ids, so a stream that was cut may have lost some:
// after each cut the session is replayed by the agent and swapped in whole,
// and where an agent cannot, the app hears of the gap.
package acp
