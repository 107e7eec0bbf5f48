package mcp_test

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// Fault 43: an event id that no header can carry as it is makes the stream one
// that cannot be resumed. The app hears so at the cut; nothing hangs, and no
// other id is sent in its place.
func TestFault43_UnsendableEventID(t *testing.T) {
	for name, id := range map[string]string{
		"over 8 KiB":     strings.Repeat("x", 8<<10+1),
		"trailing blank": "e1 ",
		"leading blank":  "  e1", // the format takes one blank, the other stays
		"leading tab":    "\te1",
		"trailing tab":   "e1\t",
		"only blanks":    "   ",
	} {
		for _, how := range cuts {
			o := connected(t, mcp.Config{}).primed("p")
			o.say("id: " + id + "\ndata:\n\n")
			o.cut(how)
			o.wantFailure(engine.CodeOutcomeUnknown)
			if x, _ := o.nextFetch(600_000); x != 0 {
				t.Errorf("%s: exchange %d follows", name, x)
			}
			o.wantIdle()
		}
	}
}

// Fault 43: every other id is sent back byte for byte: UTF-8 goes out as it is.
func TestFault43_UTF8EventIDIsSentAsBytes(t *testing.T) {
	for _, id := range []string{
		"\u2026", "caf\u00e9/\U0001f600", strings.Repeat("x", 8<<10), "a b\tc", "e:1", "\x7f",
		"\u00a0x\u00a0", "\x01",
	} {
		o := connected(t, mcp.Config{}).primed("p")
		o.say("id:" + id + "\ndata:\n\n")
		o.cut(engine.EndNetwork)
		if from, _ := o.resume(); from != id {
			t.Errorf("%q is sent as %q", id, from)
		}
	}
}

// Fault 43: should a browser refuse to send an id all the same, trying again
// would get the same answer for ever.
func TestFault43_BrowserRefusesTheID(t *testing.T) {
	o := connected(t, mcp.Config{}).primed("p")
	o.cut(engine.EndNetwork)
	o.resumeStarts()
	o.cut(engine.EndInvalid)
	o.wantFailure(engine.CodeOutcomeUnknown)
	o.wantIdle()
}

// Fault 43: an empty id takes the cursor away (HTML 9.2.6), so there is
// nothing to resume from.
func TestFault43_EmptyIDClearsTheCursor(t *testing.T) {
	o := connected(t, mcp.Config{}).primed("p")
	o.say("id\ndata:\n\n")
	o.cut(engine.EndNetwork)
	o.wantFailure(engine.CodeOutcomeUnknown)

	safe := connected(t, mcp.Config{}).stream("tools/list")
	safe.cut(engine.EndNetwork)
	safe.wantFailure(engine.CodeNetwork) // run twice it changes nothing: the app may retry
	if !safe.call(safe.c).settled.Failure.Retryable {
		t.Error("a request that changes nothing is not retryable")
	}
}
