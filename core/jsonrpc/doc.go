// Package jsonrpc finds the JSON-RPC 2.0 envelope of a message in place and builds the few messages a client
// sends.
//
// The package does: judging whether a text is JSON (RFC 8259) and a JSON-RPC 2.0 message, naming its kind,
// handing out its id, method, params, result and error as slices of the text, looking up single members of
// such a slice, and appending requests, notifications and replies around payloads that somebody else wrote.
// The package leaves to others: any knowledge of a method's name or of a payload's shape, matching replies to
// requests, HTTP, time. Those live in the packages above.
//
// # Ownership
//
// The parser copies nothing. Every []byte of a [Message], an [ID] or a member lookup aliases the text it was
// found in and is valid as long as the caller leaves that text alone; its capacity ends where it ends, so
// appending to it never writes into the text. The one exception is a method name written with escapes, which
// is decoded into a small copy. Strings returned by [String] are copies. The Append functions write to dst
// only and keep none of their arguments.
//
// # What is accepted
//
// As JSON, exactly what RFC 8259 accepts, with the choices it leaves open made as follows: the text must be
// valid UTF-8 without a byte order mark (8.1), nesting is limited (section 9 permits it; see [DefaultDepth]),
// numbers may be of any length and size, and an escaped lone surrogate is let through. The nesting is
// counted, never recursed into.
//
// As JSON-RPC, version 2.0, with these lines drawn. Keys are compared case-sensitively; a key that the
// envelope does not know is left alone; one of the six it knows, written twice, refuses the message, also if
// one of the two is spelled with escapes. A result must have an id, and not null, or it answers nothing. An
// error may lack one (MCP's schema since
// 2025-11-25), and of the error itself only its being an object is checked, because a poor error still ends
// the call it answers. Params that are null count as none. An id that is null is reported as such in a
// request: JSON-RPC allows it, MCP and ACP v2 do not, so the caller judges. Params in a reply are not
// reported.
//
// # Where the browser's JSON.parse is the last judge
//
// Payloads reach JavaScript as text. What this package leaves to JSON.parse: the precision of numbers (a
// number beyond
// 2^53 is passed on untouched), lone surrogates (kept by JSON.parse, replaced by U+FFFD by [String]), and
// duplicate keys inside a payload (the last one wins there; a lookup here reports such a key as absent, so
// that the state machine never acts on a value which the page does not see).
package jsonrpc
