//go:build !js

package e2e

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/acppeer"
	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// lastBuildsKey is the key of a store as the last build made it: with the whole path.
func lastBuildsKey(t *testing.T, address, principal string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	search := ""
	if u.RawQuery != "" {
		search = "?" + u.RawQuery
	}
	hidden, _ := json.Marshal([]string{"", "", search, principal})
	return fmt.Sprintf("%s://%s%s#%x", u.Scheme, u.Host, u.Path, sha256.Sum256(hidden))
}

// TestFault163_ForgetAfterAnUpdate: the last build has stored calls of this user under
// another key, or under nobody's name. forget() deletes them, whether this build keeps
// anything for the user or not, and leaves another user's store alone.
func TestFault163_ForgetAfterAnUpdate(t *testing.T) {
	t.Parallel()
	r := storeRig(t, `
		window.servers = async () => {
			const found = new Set();
			await raw("readonly", async (tx, got) => {
				for (const name of ["ids", "servers", "calls", "log"]) for (const [server] of await got(tx.objectStore(name).getAllKeys())) found.add(server);
			});
			return [...found];
		};`)
	agent := acppeer.New(t, acppeer.Options{}).URL()
	page := r.open()
	for name, connect := range map[string]string{
		"server, known user":   `holdfast.connect(MCP, { principal: "ada" })`,
		"server, unknown user": `holdfast.connect(MCP, { token: () => "opaque" })`,
		"agent, known user":    `holdfast.connectAgent(ACP, { principal: "ada" })`,
		"agent, unknown user":  `holdfast.connectAgent(ACP, { token: () => "opaque" })`,
	} {
		t.Run(name, func(t *testing.T) {
			row(t)
			connect := strings.NewReplacer("MCP", chrome.JS(r.p.URL()), "ACP", chrome.JS(agent)).Replace(connect)
			kind, at, prefix := "connect", r.p.URL(), ""
			if strings.HasPrefix(name, "agent") {
				kind, at, prefix = "connectAgent", agent, "acp:"
			}
			former := []string{prefix + lastBuildsKey(t, at, "")}
			if strings.Contains(name, "known user") && !strings.Contains(name, "unknown") {
				former = append(former, prefix+lastBuildsKey(t, at, "ada"))
			}
			before := chrome.Script[[]string](page, `
				await holdfast.wipe();
				const bob = await holdfast.`+kind+`(`+chrome.JS(at)+`, { principal: "bob" });
				await bob.close();
				const before = await servers();
				localStorage.setItem("holdfast:revisions", JSON.stringify([["https://a.test/hunter2/mcp", "2025-06-18"]]));
				await raw("readwrite", async (tx) => {
					for (const server of `+chrome.JS(former)+`) {
						tx.objectStore("ids").put({ server, epoch: 1 });
						tx.objectStore("calls").put({ server, call: 1, epoch: 1, owner: "gone", sealed: [], plain: Uint8Array.of(1) });
						tx.objectStore("log").put({ server, call: 1, epoch: 1, n: 1, plain: Uint8Array.of(1), secret: null });
					}
				});
				const client = await `+connect+`;
				await client.forget();
				return before;`)
			after := chrome.Script[[]string](page, `return servers();`)
			slices.Sort(before)
			slices.Sort(after)
			if !slices.Equal(before, after) || len(before) == 0 {
				t.Errorf("there was %q of bob, and after the logout there is %q", before, after)
			}
			if kind == "connect" {
				if text := chrome.Eval[string](page, `localStorage.getItem("holdfast:revisions") ?? ""`); strings.Contains(text, "hunter2") {
					t.Errorf("localStorage has %s", text)
				}
			}
		})
	}
}
