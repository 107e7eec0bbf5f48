//go:build !js

package e2e

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// quit ends the browser as its user does.
func (b *ownBrowser) quit() {
	b.t.Helper()
	ctx, done := context.WithTimeout(b.ctx, chrome.Patience)
	defer done()
	if err := chromedp.Cancel(ctx); err != nil {
		b.t.Fatal(err)
	}
	b.release()
}

// files reads what a browser has left in its profile, by path.
func files(t *testing.T, profile string) map[string][]byte {
	t.Helper()
	content := map[string][]byte{}
	err := filepath.WalkDir(profile, func(path string, entry fs.DirEntry, err error) error {
		// What the browser leaves behind may still be on its way out.
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		bytes, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		content[strings.TrimPrefix(path, profile)] = wholeRecords(path, bytes)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// searchDisk reports the files that show a secret, and whether what is plain was found.
func searchDisk(t *testing.T, profile string, known, plain secrets) {
	t.Helper()
	searchFiles(t, files(t, profile), known, plain)
}

// searchFiles does so in these of them.
func searchFiles(t *testing.T, all map[string][]byte, known, plain secrets) {
	t.Helper()
	var seen []string
	size := 0
	for path, content := range all {
		size += len(content)
		if found := known.in(content); len(found) > 0 {
			t.Errorf("%s shows %v", path, found)
		}
		seen = append(seen, plain.in(content)...)
	}
	t.Logf("searched %.1f MB", float64(size)/1e6)
	for name := range plain {
		if !slices.Contains(seen, name) {
			t.Errorf("what is plain was not found: %s; the search for secrets proves nothing", name)
		}
	}
}

// TestFault115_SecretsOnDisk: the files of the profile show what an app wrote and
// what a call says, and no secret: not after the browser was killed, nor after
// it was closed. The next one has them all the same.
func TestFault115_SecretsOnDisk(t *testing.T) {
	t.Parallel()
	known := secrets{"bearer token": secret(), "event id": secret(), "requestState": secret()}
	plain := secrets{"an app's own": secret(), "a call's argument": secret()}

	cursors := peer.New(t, peer.Options{CORS: peer.CORSResuming()})
	cursors.Unauthorized(func(token string) bool { return token != known["bearer token"] })
	cursors.Tool("steps", peer.Script{peer.ID(known["event id"]), peer.Progress(1, 2, ""), peer.Gate("go"),
		peer.Progress(2, 2, ""), peer.Text("done")})
	tokens := peer.New(t, peer.Options{CORS: peer.CORSResuming()})
	tokens.Counting(nil, peer.Resumable(peer.ResumePolicy{MaxWait: 600}))
	states := peer.New(t, peer.Options{Revision: peer.Revision20260728})
	states.ToolFunc("ask", func(c peer.Call) peer.Script {
		if c.RequestState == "" {
			return peer.Script{
				peer.InputRequired(`{"who":`+peer.Elicitation("Who?", `{"type":"object","properties":{}}`)+
					`}`, known["requestState"])}
		}
		return peer.Script{peer.Text("done")}
	})

	site, profile := chrome.NewSite(t), t.TempDir()
	address := site.Page("/app", candidScript+`
		window.begin = async (bearer) => { // not in this file, which the browser caches
			window.answering = new Promise((resolve) => { window.answer = () => resolve({ action: "accept", content: {} }); });
			const connect = (url, options) => holdfast.connect(url, options);
			window.clients = await Promise.all([
				connect(`+chrome.JS(cursors.URL())+`, { principal: "ada", token: () => bearer }),
				connect(`+chrome.JS(tokens.URL())+`),
				connect(`+chrome.JS(states.URL())+`, { handlers: { elicitation: () => answering } }),
			]);
		};
		window.soon = async (holds) => { while (!await holds()) await new Promise((resolve) => setTimeout(resolve, 5)); return true; };
		window.ready = true;`)

	begin := "begin(" + chrome.JS(known["bearer token"]) + ")"
	first := startBrowser(t, profile, address)
	ask[bool](first, begin+`.then(async () => {
		localStorage.setItem("app", `+chrome.JS(plain["an app's own"])+`);
		window.calls = [
			clients[0].callTool("steps"),
			clients[1].callTool("count", { n: 2, call: "a", gate: "go" }),
			clients[2].callTool("ask", { note: `+chrome.JS(plain["a call's argument"])+` }),
		];
		return soon(() => calls.every((call) => call.guarantee === "resumable"));
	})`)
	known["first session id"], known["second session id"] = sessionOf(t, cursors), sessionOf(t, tokens)
	known["resume token"] = strings.TrimPrefix(tokens.Oracle().Tokens("a")[0].Token, "resume-")
	first.kill()
	searchDisk(t, profile, known, secrets{"a call's argument": plain["a call's argument"]})

	second := startBrowser(t, profile, address)
	ask[bool](second, begin+`.then(async () => {
		window.calls = (await Promise.all(clients.map((client) => client.calls()))).flat();
		localStorage.setItem("app", `+chrome.JS(plain["an app's own"])+`);
		return soon(() => calls.length === 3 && calls.every((call) => call.guarantee === "resumable"));
	})`)
	second.quit()
	searchDisk(t, profile, known, plain)

	third := startBrowser(t, profile, address)
	eventually(t, "the streams to end", func() bool { return tokens.Oracle().OpenStreams("a") == 0 })
	cursors.Release("go")
	tokens.Release("go")
	texts := ask[[]string](third, begin+`.then(async () => {
		answer();
		const calls = (await Promise.all(clients.map((client) => client.calls()))).flat();
		return Promise.all(calls.map((call) => call.result.then((result) => result.content[0].text)));
	})`)
	if !slices.Equal(texts, []string{"done", "counted 2", "done"}) {
		t.Errorf("the calls ended with %q", texts)
	}
	third.quit()
	searchDisk(t, profile, known, plain)
}
