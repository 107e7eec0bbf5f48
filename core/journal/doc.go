// Package journal is the format of what is durable: how a call, or a session with an
// agent, is written down and read back.
//
// A call is a head and a log. The head holds the request as the app made it and
// never changes. The log is appended to: each row holds, as entries, what came
// in one commit (events, the cursor that covers them, input that was asked for,
// answers, the outcome). What they come to, folded in their order, is with the protocol
// (core/mcp/recorded, core/acp/store_fold.go), and what both share in core/durable.
//
//	head   {key, method, params, annotations}          one a call
//	row    {entry, entry, …}  [secret entries]          one a commit
//	server {revision, handshake} [session id]           one a server
//
// A row has two parts. Entries whose bytes let somebody take over the call
// (resume tokens, cursors, requestState) go into its secret part, which the host
// seals before it writes; the rest is plain. A commit holds one row for each
// call that it touches, and one commit is one transaction: a cursor is never
// stored without the events that it covers, nor ahead of them.
//
// What is read back is as untrusted as what comes from the network: any page of
// the origin can write there. A row that cannot be read, or that a newer version
// wrote in a way this one cannot follow, fails its call and no other.
//
// The package knows no protocol: methods, params and messages are opaque bytes.
package journal
