//go:build !js

package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// heldCommits is a script that lets a commit with a secret wait at a gate: it waits
// for the cipher, outside of any transaction.
const heldCommits = `
	const { encrypt } = SubtleCrypto.prototype;
	window.hold = () => { window.held = 0; window.gate = new Promise((open) => { window.letGo = () => { window.gate = undefined; open(); }; }); };
	SubtleCrypto.prototype.encrypt = async function (...args) {
		if (window.gate) { window.held++; await window.gate; }
		return encrypt.apply(this, args);
	};`

// TestFault121_ForgottenUnderAStream: twelve times one tab forgets a user while
// another streams, with a commit of it held at a gate; and so with wipe(). Whichever
// lands when, nothing is left on the disk or in localStorage, the call ends as ever,
// and its app hears once that what was stored is gone.
func TestFault121_ForgottenUnderAStream(t *testing.T) {
	t.Parallel()
	for name, logout := range map[string]string{"forget": `mcp.forget()`, "wipe": `holdfast.wipe()`} {
		t.Run(name, func(t *testing.T) {
			row(t)
			text := secrets{"the argument": secret(), "what came later": secret()}
			p := peer.New(t, peer.Options{CORS: peer.CORSResuming()})
			other := peer.New(t, peer.Options{CORS: peer.CORSResuming()})
			p.Tool("note", peer.Script{peer.Prime(0), peer.Progress(1, 3, ""), peer.Gate("go"),
				peer.Progress(2, 3, text["what came later"]), peer.Gate("go"), peer.Text("done")})
			profile, site := chrome.NewProfile(t), chrome.NewSite(t)
			carrier, leaver := candid(profile, site), candid(profile, site)
			chrome.Script[chrome.Void](carrier, heldCommits)
			for round := range 12 {
				connect := `window.mcp = await holdfast.connect(` + chrome.JS(p.URL()) + `, { principal: ` +
					chrome.JS(fmt.Sprintf("ada %d", round)) + ` });`
				chrome.Script[chrome.Void](carrier, connect+`
					window.told = [];
					mcp.on("durability", ({ durability, why }) => told.push(durability + " " + why));
					watch(mcp.callTool("note", { text: `+chrome.JS(text["the argument"])+` }, { ack: "manual" }));`)
				carrier.WaitFor(`call.guarantee === "resumable"`)
				chrome.Script[chrome.Void](leaver, connect)
				if found := text.in([]byte(chrome.Eval[string](leaver, left))); !slices.Contains(
					found, "the argument") {
					t.Fatal("nothing is stored: the search proves nothing")
				}
				chrome.Eval[chrome.Void](carrier, `hold()`)
				p.Pass("go")
				carrier.WaitFor(`held > 0`)
				if round%3 == 2 { // the two meet where they will
					chrome.Eval[chrome.Void](leaver, `void (window.leaving = `+logout+`)`)
					chrome.Eval[chrome.Void](carrier, `letGo()`)
					chrome.Script[chrome.Void](leaver, `await leaving;`)
				} else {
					chrome.Script[chrome.Void](leaver, `await `+logout+`;`)
					chrome.Eval[chrome.Void](carrier, `letGo()`)
				}
				carrier.WaitFor(`mcp.durability === "memory" && call.guarantee === "lost-on-reload" && ` +
					`seen.progress.length === 2`)
				p.Pass("go")
				outcome(t, carrier, "")
				if told := chrome.Eval[[]string](carrier, `told`); !slices.Equal(
					told, []string{"memory closed"}) {
					t.Errorf("round %d: the app is told %q", round, told)
				}
				// What it learns from now on it learns of others.
				chrome.Script[chrome.Void](carrier, `await (await holdfast.connect(`+chrome.JS(other.URL())+
					`, { journal: false })).close();`)
				if remains := chrome.Eval[string](carrier, left); len(text.in([]byte(remains))) > 0 ||
					strings.Contains(remains, p.URL()) {
					t.Fatalf("round %d: there is %v: %.600s", round, text.in([]byte(remains)), remains)
				}
				chrome.Script[chrome.Void](carrier, `await mcp.close();`)
				chrome.Script[chrome.Void](leaver, `await mcp.close();`)
			}
		})
	}
}
