package mcp

import "github.com/holdfast-mcp/holdfast/core/engine"

// resultState is what is there of a task's result, where segments of it are streamed
// (SEP-1905), and with that how the rest is asked for. enter alone changes it.
type resultState uint8

const (
	resultAwaited  resultState = iota // no segment has come: it comes as a whole
	resultStreamed                    // its segments come, by themselves or from a number
	// nothing follows, says a server that may have begun again: the next poll tells
	resultDoubted
	resultWhole    // it is asked for as a whole: its segments have a gap that stays
	resultComplete // all segments are there; the rest is in the whole result only
)

// resultTransitions are the states that may follow each.
var resultTransitions = engine.Transitions{
	resultAwaited:  1 << resultStreamed,
	resultStreamed: 1<<resultWhole | 1<<resultComplete,
	resultDoubted:  1<<resultWhole | 1<<resultComplete,
	resultWhole:    1 << resultComplete,
	resultComplete: 1 << resultDoubted,
}

// enter has another state say what is there of the result.
func (k *task) enter(c *Client, next resultState) {
	engine.Enter(&resultTransitions, &k.result, next, &c.illegalTransitions)
}

// askWhole has the result asked for as a whole from here on, not from a number; not one
// that is complete, or about to be found so.
func (k *task) askWhole(c *Client) {
	if k.result == resultStreamed {
		k.enter(c, resultWhole)
	}
}

// streams reports whether segments have come.
func (k *task) streams() bool { return k.result != resultAwaited }
