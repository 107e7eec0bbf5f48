//go:build !js

package e2e

import (
	"fmt"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/acpserver"
	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// TestAgentSixSessions: over HTTP/1.1 Chrome has six connections for an origin, and
// each session needs a stream. Six sessions of a page are asked at once, and are all
// at work at once: every prompt leaves, and nothing that is said to any of them is
// lost.
func TestAgentSixSessions(t *testing.T) {
	t.Parallel()
	server := acpserver.Start(t, acpserver.Options{})
	page := openChat(t, server.URL())
	ids := []string{"s1"}
	for len(ids) < 6 {
		ids = append(ids, beginChat(page))
	}
	for _, id := range ids {
		chrome.Eval[chrome.Void](page, fmt.Sprintf(`prompt(%q, "count 3 @%[1]s")`, id))
	}
	for _, id := range ids {
		server.Waiting(id) // it is at work
	}
	for _, id := range ids {
		server.Release(id)
	}
	for _, id := range ids {
		page.WaitWithin(roundLimit, fmt.Sprintf(`chats[%q].prompts[0].settled && text(%[1]q) === %q`, id,
			chunks(1, 3)))
	}
	quietly(t, server, 1, 6)
	if parked := chrome.Eval[bool](page,
		`Object.values(chats).some(({ status }) => status.includes("parked"))`); !parked {
		t.Error("no session was told that it is parked")
	}
}
