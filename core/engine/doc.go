// Package engine is the reactor contract that every state machine in core
// is written to: Time, Effect, Machine, Host and the Driver between them.
//
// A Machine takes inputs as methods (now first), changes its own state and
// appends effects. It never calls out, reads a clock, draws a random number,
// starts a goroutine or blocks. The Driver drains effects in the order they
// were appended into a Host, and keeps the machine's single timer:
//
//	bytes, clicks, timers ──► Machine ──► Effect, Effect, … ──► Host
//	        (inputs)            │                            (browser, net/http,
//	                            └── Deadline ──► one timer     or a test)
//
// # Ownership
//
// A []byte passed to an input is lent for that call. A []byte in an Effect is
// valid until the next input to the same Machine: a Host that needs it longer
// copies it. So a payload travels from the network's buffer to the browser's
// JSON.parse without being copied on the way.
//
// # What belongs here
//
// Only what every protocol shares: identifiers, time, effects, errors and the
// loop. No protocol knowledge: a word that only MCP or ACP has does not belong
// here, nor anything that parses.
package engine
