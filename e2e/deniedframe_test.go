//go:build !js

package e2e

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// blocksFrames is a setting of the user's by which a site may keep nothing: no cookies, and no storage.
const blocksFrames = `{"profile":{"content_settings":{"exceptions":{"cookies":{"localhost,*":{"setting":2}}}}}}`

// TestFault732_AFrameThatIsDeniedStorage: the app is in a frame of another site, and the browser keeps
// storage from such frames. That is told as missing, a logout there is done, and the error of a host that
// cannot be had says that it may be so.
func TestFault732_AFrameThatIsDeniedStorage(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{CORS: peer.CORSResuming()})
	p.Furnish()
	site := chrome.NewSite(t)
	framed := site.Page("/framed", appScript+`
		const said = [];
		const tried = await new Promise((told) => {
			const open = indexedDB.open("probe");
			open.onsuccess = () => told("opened");
			open.onerror = () => told(open.error.name + " " + open.error.message);
		}).catch(String);
		const url = `+chrome.JS(p.URL())+`;
		const mcp = await holdfast.connect(url, { principal: "ada" });
		mcp.on("durability", ({ durability, why }) => said.push(durability + " " + why));
		const call = mcp.callTool("echo", { text: "hi" }, { key: "k" });
		let guarantee = "";
		for await (const event of call) if (event.type === "guarantee") guarantee = event.guarantee + " " + event.why;
		const text = (await call.result).content[0].text;
		const forgot = await attempt(() => mcp.forget());
		const wiped = await attempt(() => holdfast.wipe());
		const shared = await attempt(() => holdfast.connect(url, { principal: "ada", host: "shared" }));
		const worker = await attempt(() => holdfast.connect(url, { principal: "ada", host: "worker" }));
		const again = await attempt(() => holdfast.connect(url, { principal: "ada", host: "shared" }));
		const hints = [shared, worker, again].map((error) => error.hint ?? "none").join("\n");
		const codes = [shared, worker, again].map((error) => error.code).join();
		parent.postMessage({ tried, host: mcp.host, said: said.join(), guarantee, text, forgot: forgot.code, wiped: wiped.code, codes, hints }, "*");
	`)
	around := chrome.NewSite(t)
	address := around.Page("/around", `
		addEventListener("message", ({ data }) => { window.told = data; });
		const frame = document.createElement("iframe");
		frame.src = `+chrome.JS(strings.Replace(framed, "127.0.0.1", "localhost", 1))+`;
		document.body.append(frame);
		window.ready = true;`)
	profile := t.TempDir()
	if err := os.MkdirAll(filepath.Join(profile, "Default"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(profile, "Default", "Preferences"), []byte(blocksFrames),
		0o644); err != nil {
		t.Fatal(err)
	}
	b := startBrowser(t, profile, address)
	got := ask[map[string]string](b, `new Promise(async (told) => { await `+until(`window.told`)+
		`; told(window.told); })`)
	for hint := range strings.Lines(got["hints"]) {
		if !strings.Contains(hint, "denies storage to this page") {
			t.Errorf("a hint of the three hosts is %q", hint)
		}
	}
	delete(got, "hints")
	want := map[string]string{
		// else the browser does not deny it
		"tried": "UnknownError The user denied permission to access the database.",
		"host":  "page", "said": "memory missing", "guarantee": "lost-on-reload missing", "text": "hi",
		"forgot": "", "wiped": "", "codes": "host_unavailable,host_unavailable,host_unavailable",
	}
	if !maps.Equal(got, want) {
		t.Errorf("the frame has %q, want %q", got, want)
	}
}
