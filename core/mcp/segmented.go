package mcp

import (
	"bytes"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// takeSegments takes a partial-content and what came with it.
func (t *call) takeSegments(c *Client, now engine.Time, partial, result []byte) {
	k := t.task
	k.streams = true
	for _, raw := range jsonrpc.Elements(partial) {
		switch k.segments.add(raw, func(raw []byte) { c.deliver(t, engine.EventSegment, raw) }) {
		case segmentDuplicate:
			c.counters.DuplicateSegments++
		case segmentConflict:
			c.integrity("conflicting_segment", nil)
		case segmentInvalid:
			c.integrity("invalid_segment", nil)
		case segmentTooFar:
			c.integrity("distant_segment", nil)
		}
	}
	if done, _ := jsonrpc.Member(result, "isComplete"); string(done) == "true" {
		k.segments.complete = true
		failed, _ := jsonrpc.Member(result, "isError")
		k.segments.failed = k.segments.failed || string(failed) == "true"
	}
	switch {
	case k.segments.complete && k.segments.gapless():
		// structuredContent and _meta are in the whole result only.
		k.final = true
		k.fetch.at = now
	case !k.segments.gapless():
		c.counters.GapsRefetched++
		k.fetch.at = now
	case t.x != 0:
		k.fetch.at = engine.Never // they come by themselves
	}
}

// settleMerged ends a call with what its segments come to.
func (t *call) settleMerged(c *Client, now engine.Time) {
	c.settle(now, t, engine.OutcomeResult, t.task.segments.appendResult(nil), nil)
}

// compare tells the app where the whole result is not what was streamed. The
// whole result stands (RELIABILITY fault 102).
func (t *call) compare(c *Client, result []byte) {
	merged, _ := jsonrpc.Member(t.task.segments.appendResult(nil), "content")
	whole, _ := jsonrpc.Member(result, "content")
	a, b := jsonrpc.Elements(merged), jsonrpc.Elements(whole)
	same := len(a) == len(b)
	for i := 0; same && i < len(a); i++ {
		same = bytes.Equal(a[i], jsonrpc.AppendWithout(nil, b[i], "seqNr"))
	}
	if !same {
		c.integrity("different_result", nil)
	}
}
