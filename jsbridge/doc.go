// Package jsbridge is the border between Go and the browser: typed Go over the
// browser APIs the runtime needs, one file per API, and the memory through
// which bytes cross. It knows no protocol: what a request means, and when to
// make one, is decided in core; package wasm connects the two.
//
// There are two roads across the border.
//
// # The cold road: safejs
//
// Set-up (options, page lifecycle, sleep watch) goes through safejs. A call
// costs microseconds and a callback tens of them, which does not matter there.
//
// # The hot road: one call per chunk, and a table of spans
//
// Requests, chunks, events and results cross in linear memory. JavaScript
// writes an input into Go's buffer and calls one export; Go appends records to
// a table; JavaScript reads the table once the export has returned. No js.Value
// is touched and nothing is allocated per event. The other half is
// web/src/runtime/table.ts; a test on each side pins this layout.
//
// All numbers are little-endian. The header is five 32-bit words at an address
// that never changes:
//
//	word 0  number of records in the table
//	word 1  address of the table
//	word 2  address of the input buffer
//	word 3  bytes of the input buffer
//	word 4  the answer of the last export where it has one (a call's id)
//
// A record is eight words:
//
//	word 0  kind          see Record
//	word 1  client        handle of the client it concerns
//	word 2  id            exchange (Fetch, Read, Abort, Source, Socket, Frame), call or session (Deliver,
//	                      Recall), call (Settle, Replay) or ticket (Store, Tabs)
//	word 3  number        position (Deliver; of the last event, Replay), facts of the connection (State,
//	                      core/mcp), delay in ms (Wake), address of the body (Fetch), characters after which
//	                      a message is cut, or 0 (Socket)
//	word 4  sub           1 for a request that the browser does not send again by itself (Fetch), event kind
//	                      (Deliver), outcome (Settle), 1 for strict and 2 where nobody waits for the end
//	                      (Store), kind of core/tabs (Tabs)
//	word 5  address       of the payload's first byte
//	word 6  length        of the payload in bytes
//	word 7  extra         bytes of the body (Fetch), what a stream does or 0 (Deliver)
//
// A payload is UTF-8 text, except those of Store and Tabs, which are binary and described
// in store.go and tabs.go, and those of Fetch and Socket: a frame. A frame is a list of
// byte strings, each preceded by its length in one word, unaligned. Of Fetch:
// method, URL, then name and value of each header field in turn. Header values
// are bytes, one per character of a JavaScript byte string. Of Socket: URL, then
// each subprotocol. Of Replay: events, each with its kind in one byte, its position
// and the length of its text in one word each, unaligned, then that text.
//
// # Ownership
//
// The table and every address in it are valid until the next export is called,
// so JavaScript decodes all records before it does anything else with them.
// Memory may grow during an export, so views on it are made again when
// memory.buffer changed. Exports never block and start no goroutines: one that
// did would return garbage (golang/go wasm scheduler).
package jsbridge
