//go:build !js

package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/acpserver"
	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// fetched are the chunks that the page has asked for.
const fetched = `performance.getEntriesByType("resource").map((e) => e.name).filter((name) => ` +
	`name.includes("diagnosis"))`

// diagnosisChunk is the path of the chunk that looks for the cause of a failure.
func diagnosisChunk(t *testing.T) string { return chunkPath(t, "diagnosis") }

// chunkPath is the path of the chunk of that name.
func chunkPath(t *testing.T, name string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join("..", "web", "dist", "holdfast-"+name+"-????????.mjs"))
	if err != nil || len(found) != 1 {
		t.Fatalf("web/dist has the chunks %v, %v: run make build", found, err)
	}
	return "/" + filepath.Base(found[0])
}

// serveChunk serves the chunk of that name; answer is asked first, for each visit from 1 on, and
// reports whether it has answered itself. It returns how often the chunk was asked for so far.
func serveChunk(t *testing.T, site *chrome.Site, name string,
	answer func(visit int32, w http.ResponseWriter, r *http.Request) bool) *atomic.Int32 {
	t.Helper()
	chunk := chunkPath(t, name)
	code := read(t, filepath.Join("..", "web", "dist", chunk))
	visits := new(atomic.Int32)
	site.Handle(chunk, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !answer(visits.Add(1), w, r) {
			w.Header().Set("Content-Type", "text/javascript")
			_, _ = w.Write([]byte(code))
		}
	}))
	return visits
}

// onVisits is what goes wrong for which visits: it answers none of the others.
func onVisits(wrong map[int32]http.HandlerFunc) func(
	visit int32, w http.ResponseWriter, r *http.Request) bool {
	return func(visit int32, w http.ResponseWriter, r *http.Request) bool {
		handler := wrong[visit]
		if handler != nil {
			handler(w, r)
		}
		return handler != nil
	}
}

// neverAnswers holds a request until whoever made it gives up.
func neverAnswers(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// opening returns what opens the page of an app at a site, each time in a document of its own.
func opening(t *testing.T, site *chrome.Site) func() *chrome.Page {
	url, profile := site.Page("/app", appScript), chrome.NewProfile(t)
	return func() *chrome.Page {
		page := profile.Open(url)
		page.WaitFor(`window.holdfast`)
		return page
	}
}

// TestStoryPageHostIsAChunk: what runs the wasm is loaded where the runtime is in the page,
// at the same time as the wasm, and not where it is in a worker.
func TestStoryPageHostIsAChunk(t *testing.T) {
	t.Parallel()
	connect := func(host string) string {
		return `
			const { connect } = await import("/holdfast.mjs");
			const mcp = await connect("/mcp", { host: "` + host + `" });
			const { structuredContent } = await mcp.callTool("add", { a: 20, b: 22 }).result;
			return structuredContent.sum;`
	}
	t.Run("page", func(t *testing.T) {
		row(t)
		t.Parallel()
		site := sdkSite(t)
		chunk := chunkPath(t, "connect")
		asked := make(chan struct{})
		wasm := read(t, filepath.Join("..", "web", "dist", "holdfast.wasm"))
		site.Handle("/holdfast.wasm", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			close(asked) // once: a second request would panic
			w.Header().Set("Content-Type", "application/wasm")
			_, _ = w.Write([]byte(wasm))
		}))
		code := read(t, filepath.Join("..", "web", "dist", chunk))
		site.Handle(chunk, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			select { // the chunk comes only when the wasm has been asked for
			case <-asked:
			case <-r.Context().Done():
			}
			w.Header().Set("Content-Type", "text/javascript")
			_, _ = w.Write([]byte(code))
		}))
		page := chrome.Open(t, site.URL+"/")
		if sum := chrome.Script[float64](page, connect("page")); sum != 42 {
			t.Errorf("sum %v", sum)
		}
		all := chrome.Eval[[]string](page, `performance.getEntriesByType("resource").map((e) => new `+
			`URL(e.name).pathname).filter((path) => path.endsWith(".mjs"))`)
		slices.Sort(all)
		all = slices.Compact(all) // the page has preloaded the module
		if len(all) != 3 || all[2] != "/holdfast.mjs" || all[1] != chunk ||
			!strings.HasPrefix(all[0], "/holdfast-chunk-") {
			t.Errorf("beside the module and its own part the page has loaded %v", all)
		}
	})
	t.Run("shared", func(t *testing.T) {
		row(t)
		t.Parallel()
		site := sdkSite(t)
		page := chrome.Open(t, site.URL+"/")
		if sum := chrome.Script[float64](page, connect("shared")); sum != 42 {
			t.Errorf("sum %v", sum)
		}
		all := chrome.Eval[[]string](page,
			`performance.getEntriesByType("resource").map((e) => new URL(e.name).pathname)`)
		if slices.Contains(all, chunkPath(t, "connect")) || slices.Contains(all, "/holdfast.wasm") ||
			!slices.Contains(all, "/holdfast.mjs") {
			t.Errorf("the page has loaded %v", all)
		}
	})
}

// TestStoryPageSideIsAChunk: what a page needs of a client in a worker is loaded while the worker starts:
// neither waits for the other. A page that only imports the module has nothing of it.
func TestStoryPageSideIsAChunk(t *testing.T) {
	t.Parallel()
	agent := acpserver.Start(t, acpserver.Options{})
	for _, test := range []struct{ host, chunk, connect string }{
		{"shared", "connectthere", `connect("/mcp", { host: "shared" })`},
		{"worker", "connectthere", `connect("/mcp", { host: "worker" })`},
		{"shared", "connectagentthere", `connectAgent(` + chrome.JS(agent.URL()) + `, { host: "shared" })`},
	} {
		t.Run(test.chunk+" "+test.host, func(t *testing.T) {
			row(t)
			t.Parallel()
			site := sdkSite(t)
			chunk, worker := chunkPath(t, test.chunk), "/holdfast-worker.mjs"
			asked := map[string]chan struct{}{chunk: make(chan struct{}), worker: make(chan struct{})}
			for path, other := range map[string]string{chunk: worker, worker: chunk} {
				code := read(t, filepath.Join("..", "web", "dist", path))
				site.Handle(path, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					close(asked[path]) // once: a second request would panic
					select {           // each comes only when the other has been asked for
					case <-asked[other]:
					case <-r.Context().Done():
					}
					w.Header().Set("Content-Type", "text/javascript")
					_, _ = w.Write([]byte(code))
				}))
			}
			page := chrome.Open(t, site.Page("/app", withAgents(appScript)))
			page.WaitFor(`window.holdfast`)
			const loaded = `performance.getEntriesByType("resource").map((e) => new URL(e.name).pathname)`
			if all := chrome.Eval[[]string](page, loaded); slices.Contains(all, chunk) ||
				!slices.Contains(all, "/holdfast.mjs") {
				t.Errorf("before it connects the page has loaded %v", all)
			}
			if host := chrome.Script[string](page, `return (await holdfast.`+test.connect+`).host;`); host !=
				test.host {
				t.Errorf("host %s", host)
			}
			parts := func(path string) bool { return !strings.HasPrefix(path, "/holdfast-chunk-") }
			if all := slices.DeleteFunc(chrome.Eval[[]string](page, loaded), parts); len(all) != 1 {
				t.Errorf("beside its chunk and the module's own part the page has loaded %v", all)
			}
		})
	}
}

// TestModuleIsBuiltWithoutNode: the README's first command needs Go, and no Node.
func TestModuleIsBuiltWithoutNode(t *testing.T) {
	t.Parallel()
	build := exec.Command("make", "-n", "-B", "web/dist/holdfast.mjs")
	build.Dir = ".."
	steps, err := build.CombinedOutput()
	if err != nil {
		t.Fatalf("make: %v\n%s", err, steps)
	}
	if !strings.Contains(string(steps), "go tool esbuild") ||
		regexp.MustCompile(`(?m)^\s*(node|npm|npx) `).Match(steps) {
		t.Errorf("it is built by\n%s", steps)
	}
}

// kept is what a module keeps for the page as a whole.
var kept = regexp.MustCompile(`(?m)^((export )?(let |var |const \w+(: \w+<[^=]*>)? = new (Map|Set|WeakMap|` +
	`WeakSet)\b(<[^(]*>)?\(\))|\s+static (readonly )?#?\w+(: \w+<[^=]*>)? = new (Map|Set|WeakMap|` +
	`WeakSet)\b.*)`)

// keptTwice are modules that keep something, and may keep it in each chunk that has them.
var keptTwice = map[string]string{
	"base/forbidden.ts":     "each hears what a policy keeps in the browser, and asks its own",
	"client/unkept.ts":      "whether the console has been told, which has been told twice then",
	"runtime/bodypieces.ts": "a buffer that is free",
	"storage/write.ts":      "nothing: an empty map",
	"tabs/channel.ts":       "those that share a store in the page's memory, which clients of one kind do",
	"tabs/lockqueries.ts":   "what the browser calls the page, which is the same for all",
	"tabs/locks.ts":         "what a browser says of its locks it says to each",
	"tabs/protocols.ts":     "by which protocol a server answers, which each sees",
}

// private is what reaches into an object by its name: a private member is its own class's, and that of
// another copy is none.
var private = regexp.MustCompile(`\b(\w+)[!?]?\.#`)

// madeHere are modules that reach into another object than their own, which one of another copy never is.
var madeHere = map[string]string{
	"client/call.ts":        "calls of one client",
	"connect/userstores.ts": "what two pages of a worker have of one client",
	"host/page/hostlink.ts": "the one that it makes",
	"tabs/channel.ts":       "those that the module keeps itself",
	"tabs/journal.ts":       "the one that it makes",
	"tabs/tab.ts":           "the one that it makes",
}

// TestChunksKeepNothingTwice: each chunk of the module has a copy of what it needs (web/scripts/joinchunks).
// So a page may have a module twice, and none of them keeps anything that there has to be once, or reaches
// into what another copy has made (fault 712).
func TestChunksKeepNothingTwice(t *testing.T) {
	t.Parallel()
	maps, err := filepath.Glob(filepath.Join("..", "web", "dist", "holdfast-*-????????.mjs.map"))
	if err != nil || len(maps) < 8 {
		t.Fatalf("the chunks are %v, %v", maps, err)
	}
	within := make(map[string]int)
	for _, file := range maps {
		var chunk struct{ Sources []string }
		if err := json.Unmarshal([]byte(read(t, file)), &chunk); err != nil {
			t.Fatal(err)
		}
		for _, source := range chunk.Sources {
			within[source]++
		}
	}
	several := 0
	for source, chunks := range within {
		if chunks < 2 {
			continue
		}
		several++
		_, name, _ := strings.Cut(source, "/src/")
		code := read(t, filepath.Join("..", "web", "dist", source))
		if found := kept.FindString(code); found != "" && keptTwice[name] == "" {
			t.Errorf("%d chunks have %s, which keeps something: %s", chunks, name, found)
		}
		for _, found := range private.FindAllStringSubmatch(code, -1) {
			if found[1] != "this" && madeHere[name] == "" {
				t.Errorf("%d chunks have %s, which reaches into another object: %s", chunks, name, found[0])
			}
		}
	}
	if several < 50 {
		t.Errorf("%d modules are in several chunks", several)
	}
}

// TestFault221_PageSideCannotBeLoaded: the chunk with a page's side of a worker does not come. connect says
// so and what to do, the next connect has it, in the same page too, and an app that gives up hears of it at
// once.
func TestFault221_PageSideCannotBeLoaded(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"shared", "worker"} {
		t.Run(host, func(t *testing.T) {
			row(t)
			t.Parallel()
			site := sdkSite(t)
			serveChunk(t, site, "connectthere",
				onVisits(map[int32]http.HandlerFunc{1: http.NotFound, 3: neverAnswers}))
			open := opening(t, site)
			page := open()
			got := chrome.Script[failure](page, `return attempt(() => holdfast.connect("/mcp", { host: "`+
				host+`" }));`)
			if got.Code != "load_failed" || !strings.Contains(got.Hint, "Load the page again") {
				t.Errorf("without the chunk: %+v", got)
			}
			add := `const connect = (url) => holdfast.connect(url, { host: "` + host + `" });` + addScript
			if sum := chrome.Script[float64](page, add); sum != 42 {
				t.Errorf("the next connection: sum %v", sum)
			}
			page.Close()
			page = open()
			got = chrome.Script[failure](page, `
				const giveUp = new AbortController();
				const connecting = attempt(() => holdfast.connect("/mcp", { host: "`+host+`", signal: giveUp.signal }));
				giveUp.abort();
				return connecting;`)
			if got.Code != "cancelled" {
				t.Errorf("given up: %+v", got)
			}
		})
	}
}

// TestFault221_PageHostCannotBeLoaded: the chunk of the page's own host does not come. connect says
// so, an app that gives up hears of it at once, and the next connect works.
func TestFault221_PageHostCannotBeLoaded(t *testing.T) {
	long(t)
	t.Parallel()
	site := sdkSite(t)
	serveChunk(t, site, "connect", onVisits(map[int32]http.HandlerFunc{1: http.NotFound, 2: neverAnswers}))
	open := opening(t, site)
	got := chrome.Script[failure](open(), `return attempt(() => holdfast.connect("/mcp", { host: "page" }));`)
	if got.Code != "load_failed" {
		t.Errorf("without the chunk: %+v", got)
	}
	got = chrome.Script[failure](open(), `
		const giveUp = new AbortController();
		const connecting = attempt(() => holdfast.connect("/mcp", { host: "page", signal: giveUp.signal }));
		giveUp.abort();
		return connecting;`)
	if got.Code != "cancelled" {
		t.Errorf("given up: %+v", got)
	}
	page := open()
	if sum := chrome.Script[float64](page, `const { connect } = holdfast;`+addScript); sum != 42 {
		t.Errorf("the next connection: sum %v", sum)
	}
}

// TestFault253_ChunkRefusedOnce: the server answers once with an error for the chunk of the page's own host.
// Chromium asks for no such module again in that document; the next connect has it all the same, and what it
// gives is of the classes that the module exports.
func TestFault253_ChunkRefusedOnce(t *testing.T) {
	t.Parallel()
	site := sdkSite(t)
	refuse := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }
	visits := serveChunk(t, site, "connect", onVisits(map[int32]http.HandlerFunc{1: refuse}))
	page := opening(t, site)()
	got := chrome.Script[failure](page, `return attempt(() => holdfast.connect("/mcp", { host: "page" }));`)
	if got.Code != "load_failed" || !got.Retryable || got.Hint == "" {
		t.Errorf("without the chunk: %+v", got)
	}
	same := chrome.Script[bool](page, `
		const mcp = await holdfast.connect("/mcp", { host: "page" });
		const { structuredContent } = await mcp.callTool("add", { a: 20, b: 22 }).result;
		await mcp.close();
		const error = await mcp.callTool("add", {}).result.catch((error) => error);
		return structuredContent.sum === 42 && error instanceof holdfast.HoldfastError;`)
	if !same || visits.Load() != 2 {
		t.Errorf("the same classes: %v, after %d requests", same, visits.Load())
	}
}

// TestStoryChunks: a page whose connection works fetches no chunk; one that fails
// does, and where the chunk is not to be had the error comes without its hint.
func TestStoryChunks(t *testing.T) {
	t.Parallel()
	fail := `return attempt(() => holdfast.connect("/nothing"));`
	t.Run("works", func(t *testing.T) {
		row(t)
		page := chrome.Open(t, sdkSite(t).URL+"/")
		if sum := chrome.Script[float64](page, `const { connect } = await import("/holdfast.mjs");`+
			addScript); sum != 42 {
			t.Errorf("sum %v", sum)
		}
		if got := chrome.Eval[[]string](page, fetched); len(got) > 0 {
			t.Errorf("fetched %v", got)
		}
	})
	t.Run("fails", func(t *testing.T) {
		row(t)
		site := sdkSite(t)
		page := chrome.Open(t, site.Page("/app", appScript))
		page.WaitFor(`window.holdfast`)
		if got := chrome.Script[failure](page, fail); got.Code != "http_error" ||
			!strings.Contains(got.Hint, "There is no MCP endpoint") {
			t.Errorf("connect ended with %+v", got)
		}
		if got := chrome.Eval[[]string](page, fetched); len(got) != 1 ||
			got[0] != site.URL+diagnosisChunk(t) {
			t.Errorf("fetched %v", got)
		}
	})
	t.Run("gone", func(t *testing.T) {
		row(t)
		site := sdkSite(t)
		site.Handle(diagnosisChunk(t), http.NotFoundHandler())
		page := chrome.Open(t, site.Page("/app", appScript))
		page.WaitFor(`window.holdfast`)
		if got := chrome.Script[failure](page, fail); got.Code != "http_error" || got.Hint != "" {
			t.Errorf("connect ended with %+v", got)
		}
		if sum := chrome.Script[float64](page, `const { connect } = holdfast;`+addScript); sum != 42 {
			t.Errorf("the next connection: sum %v", sum)
		}
	})
	t.Run("script tag", func(t *testing.T) {
		row(t)
		site := sdkSite(t)
		site.Handle(diagnosisChunk(t), http.NotFoundHandler())
		site.File("/page.html",
			`<!doctype html><link rel="icon" href="data:,"><script src="holdfast.js"></script>`)
		page := chrome.Open(t, site.URL+"/page.html")
		if hint := chrome.Script[string](page,
			`return holdfast.connect("/nothing").catch((error) => error.hint);`); !strings.Contains(
			hint, "There is no MCP endpoint") {
			t.Errorf("hint %q", hint)
		}
	})
}

// TestStoryBundled: an app's bundler takes the package as it is, with code
// splitting and without; the wasm is what it has to lay beside the bundle.
func TestStoryBundled(t *testing.T) {
	t.Parallel()
	for name, flags := range map[string][]string{
		"in one file": nil,
		"in chunks":   {"--splitting"},
	} {
		t.Run(name, func(t *testing.T) {
			row(t)
			folder := t.TempDir()
			app := filepath.Join(folder, "app.ts")
			if err := os.WriteFile(app, []byte(`export { connect } from "holdfast";`), 0o644); err != nil {
				t.Fatal(err)
			}
			dist, err := filepath.Abs(filepath.Join("..", "web", "dist"))
			if err != nil {
				t.Fatal(err)
			}
			out := filepath.Join(folder, "out")
			build := exec.Command("go", append([]string{"tool", "esbuild", app, "--bundle", "--minify",
				"--format=esm",
				"--log-level=warning", "--alias:holdfast=" + filepath.Join(dist, "holdfast.mjs"),
				"--outdir=" + out}, flags...)...)
			if text, err := build.CombinedOutput(); err != nil || len(text) > 0 {
				t.Fatalf("esbuild: %v\n%s", err, text)
			}
			site := sdkSite(t)
			files, err := filepath.Glob(filepath.Join(out, "*.js"))
			if err != nil {
				t.Fatal(err)
			}
			if split := len(flags) > 0; split != (len(files) > 1) {
				t.Errorf("the bundle is in %d files", len(files))
			}
			for _, file := range append(files, filepath.Join(dist, "holdfast.wasm")) {
				content, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				site.File("/assets/"+filepath.Base(file), string(content))
			}
			page := chrome.Open(t, site.URL+"/")
			if sum := chrome.Script[float64](page, `const { connect } = await import("/assets/app.js");`+
				addScript); sum != 42 {
				t.Errorf("sum %v", sum)
			}
			hint := chrome.Script[string](page, `
				const { connect } = await import("/assets/app.js");
				return connect("/nothing").catch((error) => error.hint);`)
			if !strings.Contains(hint, "There is no MCP endpoint") {
				t.Errorf("hint %q", hint)
			}
		})
	}
}
