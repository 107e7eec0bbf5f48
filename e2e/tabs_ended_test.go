//go:build !js

package e2e

import (
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestFault131_EndedWhileATabLoads: a tab loads while another one's call runs, and
// is not heard of before that call has ended and its app is done with it. It is told
// that the call has ended, not that it is lost; of one whose outcome is still kept it
// gets that.
func TestFault131_EndedWhileATabLoads(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	s := newTabs(t, p, "")
	owner, late := s.open(), s.blank()
	chrome.Eval[chrome.Void](owner,
		`(() => { count("a", { n: 2, gate: "a" }); count("b", { n: 2, gate: "b" }); })()`)
	s.pass("a", 1)
	has(owner, "a", 1)
	chrome.Eval[chrome.Void](late, `(() => {
		const held = [], post = BroadcastChannel.prototype.postMessage;
		BroadcastChannel.prototype.postMessage = function (message) { held.push([this, message]); };
		window.release = () => {
			BroadcastChannel.prototype.postMessage = post;
			for (const [channel, message] of held) channel.postMessage(message);
		};
	})()`)
	s.begin(late)
	late.WaitFor(`tracked.a?.call.followed && tracked.b?.call.followed`)
	s.pass("a", 2)
	s.pass("b", 3)
	s.counted(owner, "a", 2)
	s.counted(owner, "b", 2)
	chrome.Script[chrome.Void](owner, `await tracked.a.call.ack();`)
	owner.WaitFor(`mcp.calls().then((calls) => calls.length === 1)`)
	if chrome.Eval[bool](late, `tracked.a.done || tracked.b.done`) {
		t.Error("the tab was heard of: the story shows nothing")
	}
	chrome.Eval[chrome.Void](late, `release()`)
	late.WaitFor(`tracked.a.done`)
	if got := chrome.Eval[string](late, `tracked.a.code`); got != "acknowledged" {
		t.Errorf("a call that has ended and was acknowledged is told as %q", got)
	}
	s.counted(late, "b", 2)
	late.WaitFor(`mcp.calls().then((calls) => calls.length === 1)`)
	s.once("a")
	s.once("b")
}
