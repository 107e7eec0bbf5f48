//go:build !js

package e2e

import (
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// TestTabsFollow: what one tab calls, the others see, event by event, those that
// are opened later too; any of them cancels, and any of them acknowledges.
func TestTabsFollow(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	s := newTabs(t, p, "")
	one, two := s.open(), s.open()
	chrome.Eval[chrome.Void](one, `void count("a", { n: 12, gate: "a" })`)
	two.WaitFor(`tracked.a?.call.followed && tracked.a.call.restored`)
	s.pass("a", 5)
	has(one, "a", 5)
	has(two, "a", 5)
	two.WaitFor(`tracked.a.call.guarantee === "resumable"`)
	three := s.open()
	has(three, "a", 5)
	s.pass("a", 8)
	for _, page := range []*chrome.Page{one, two, three} {
		s.counted(page, "a", 12)
	}
	s.once("a")

	// Acknowledged anywhere, it is gone everywhere.
	four := s.open()
	s.counted(four, "a", 12)
	chrome.Eval[chrome.Void](two, `tracked.a.call.ack()`)
	for _, page := range []*chrome.Page{one, two, three, four} {
		page.WaitFor(`mcp.calls().then((calls) => calls.length === 0)`)
	}

	// A follower cancels: the owner does.
	chrome.Eval[chrome.Void](one, `void count("b", { n: 3, gate: "b" })`)
	two.WaitFor(`tracked.b?.call.followed`)
	s.pass("b", 1)
	has(two, "b", 1)
	chrome.Eval[chrome.Void](two, `tracked.b.call.cancel("enough")`)
	for _, page := range []*chrome.Page{one, two, three, four} {
		page.WaitFor(`tracked.b.done && tracked.b.code === "cancelled"`)
	}
	// A follower is done with some events.
	chrome.Eval[chrome.Void](one, `void count("c", { n: 3, gate: "c" })`)
	two.WaitFor(`tracked.c?.call.followed`)
	s.pass("c", 2)
	has(two, "c", 2)
	chrome.Eval[chrome.Void](two, `tracked.c.call.ack(tracked.c.positions[0])`)
	five := s.open()
	has(five, "c", 2)
	s.pass("c", 2)
	s.counted(five, "c", 3)
	if p.Oracle().Initializes() != 1 {
		t.Errorf("%d initializes", p.Oracle().Initializes())
	}
	if v := p.Violations(); len(v) > 0 {
		t.Errorf("violations: %v", v)
	}
}

// TestTabsTellNoSecrets: what tabs tell each other holds no session id and no
// event id; and one that is alone says nothing but that it is there.
func TestTabsTellNoSecrets(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Counting(nil)
	s := newTabs(t, p, "")
	one := s.blank()
	chrome.Eval[chrome.Void](one, `(() => {
		window.told = [];
		const post = BroadcastChannel.prototype.postMessage;
		BroadcastChannel.prototype.postMessage = function (message) {
			told.push(JSON.stringify(message, (_, value) => (value instanceof Uint8Array ? new TextDecoder("latin1").decode(value) : value)));
			return post.call(this, message);
		};
	})()`)
	s.begin(one)
	one.WaitFor(`window.begun`)
	chrome.Eval[chrome.Void](one, `void count("alone", { n: 5 })`)
	s.counted(one, "alone", 5)
	if got := chrome.Eval[[]string](one, `told`); len(got) != 1 {
		t.Errorf("a tab that is alone says %q", got)
	}
	two := s.open()
	chrome.Eval[chrome.Void](one, `void count("a", { n: 5 })`)
	s.counted(two, "a", 5)
	told := chrome.Eval[string](one, `told.join("\n")`)
	if !strings.Contains(told, "a#1:5") {
		t.Errorf("the events are not among what it says: the search for secrets proves nothing")
	}
	secrets := p.Oracle().Sessions()
	for _, message := range p.Oracle().Messages("a") {
		secrets = append(secrets, message.EventID)
	}
	for _, secret := range secrets {
		if strings.Contains(told, secret) {
			t.Errorf("it tells %q", secret)
		}
	}
}
