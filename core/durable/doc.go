// Package durable is what MCP and ACP share above the journal: how work outlives the
// page. It knows no protocol: a call and a session with an agent are both a head and a
// log here.
//
//	reader.go      what the host restores: records, rows, and what is missing or corrupt
//	position.go    how far a log is read or written, and which row is the next
//
// Like all of core it is a state machine: inputs have the time in them, and nothing in
// here waits, reads a clock or draws chance.
package durable
