//go:build !js

package e2e

import (
	"bytes"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// transportScript is a page of an app that uses the official client over Holdfast's transport: `open`
// connects one of either major, `begin` makes a call and gathers what comes of it in window.seen.
const transportScript = `
import { majors } from "/officialclients.mjs";
import * as holdfast from "/holdfast.mjs";
import { HoldfastTransport, holdfastError, CALL_KEY } from "/holdfast-transport.mjs";
Object.assign(window, { majors, holdfast, HoldfastTransport, holdfastError, CALL_KEY, told: [], errors: [], asked: [] });
window.open2 = async (major, url, options = {}, clientOptions = {}, prepare = () => {}) => {
	const client = majors[major].make(clientOptions);
	const transport = new HoldfastTransport(url, options);
	client.onerror = (error) => errors.push(String(error));
	client.onclose = () => told.push("closed");
	prepare(client, majors[major]);
	Object.assign(window, { client, transport, major: majors[major] });
	await client.connect(transport);
};
window.begin = (params, options = {}) => {
	const seen = { progress: [], done: false, result: null, error: null };
	window.seen = seen;
	major.call(client, params, { onprogress: ({ progress }) => seen.progress.push(progress), timeout: 2 ** 31 - 1, ...options }).then(
		(result) => { seen.result = result; seen.done = true; },
		(error) => { seen.error = { code: error.code, message: error.message, below: holdfastError(error)?.code ?? "" }; seen.done = true; },
	);
};
window.opened = true;
`

// officialClients bundles both majors of the official client, once.
var officialClients = sync.OnceValues(func() ([]byte, error) {
	return exec.Command("go", "tool", "esbuild", filepath.Join("testdata", "officialclients.mjs"), "--bundle",
		"--format=esm", "--target=es2022", "--log-level=warning").Output()
})

// transportPage opens such a page.
func transportPage(t *testing.T) *chrome.Page {
	t.Helper()
	script, err := officialClients()
	if err != nil {
		t.Fatal("the official clients cannot be bundled: ", err)
	}
	site := chrome.NewSite(t)
	site.File("/officialclients.mjs", string(script))
	page := chrome.NewProfile(t).Open(site.Page("/app", transportScript))
	page.WaitFor(`window.opened`)
	return page
}

// executions counts how often a tool is called at a server.
type executions struct {
	server http.Handler
	calls  atomic.Int32
}

func (e *executions) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if bytes.Contains(body, []byte(`"tools/call"`)) {
			e.calls.Add(1)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	e.server.ServeHTTP(w, r)
}

// once checks that the tool ran once.
func (e *executions) once(t *testing.T) {
	t.Helper()
	if n := e.calls.Load(); n != 1 {
		t.Errorf("the tool was called %d times, want once", n)
	}
}
