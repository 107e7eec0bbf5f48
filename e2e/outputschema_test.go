//go:build !js

package e2e

import (
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
	"github.com/holdfast-mcp/holdfast/e2e/peer"
)

// validator is the chunk that validates results.
const validator = "/holdfast-validate.mjs"

// strictSite is an origin whose policy allows nothing that docs/api.md does not
// name, and counts how often its validator is asked for.
func strictSite(t *testing.T) (site *chrome.Site, loads *atomic.Int32) {
	t.Helper()
	loads = new(atomic.Int32)
	site = chrome.NewSite(t)
	site.Header(func(path string, h http.Header) {
		if path == validator {
			loads.Add(1)
		}
		h.Set("Content-Security-Policy",
			"default-src 'none'; img-src data:; connect-src *; script-src 'self' 'wasm-unsafe-eval'; "+
				"require-trusted-types-for 'script'")
	})
	return site, loads
}

// ending is how a call of a tool ended.
type ending struct {
	Code string
	// Result is the text of the first content, wherever the result was found.
	Result string
	// At and Keyword are where the result does not fit.
	At, Keyword string
}

// outputScript adds window.use(tool) to appScript: it calls a tool, and tells
// how that ended.
const outputScript = appScript + `
window.violations = [];
addEventListener("securitypolicyviolation", (e) => violations.push(e.violatedDirective));
window.use = async (tool, client = mcp) => {
	try {
		return { code: "", result: (await client.callTool(tool).result).content[0].text };
	} catch (error) {
		return { code: error.code ?? String(error), result: error.invalid?.result.content[0].text ?? "", ...error.invalid };
	}
};
`

// used calls a tool and compares how that ended, leaving the result out of it
// where want has none.
func used(t *testing.T, page *chrome.Page, tool string, want ending) {
	t.Helper()
	got := chrome.Script[ending](page, `const { code, result, at = "", keyword = "" } = await use(`+chrome.JS(tool)+`);
		return { Code: code, Result: typeof result === "string" ? result : result.content[0].text, At: at, Keyword: keyword };`)
	if want.Result == "" {
		got.Result = ""
	}
	if got != want {
		t.Errorf("%s ended with %+v, want %+v", tool, got, want)
	}
}

// TestOutputSchemaIsChecked: results are validated against what the tool list
// says of them (server/tools: clients SHOULD), by a chunk that is loaded with the
// first result that needs it, under the strict policy, through both doors.
func TestOutputSchemaIsChecked(t *testing.T) {
	t.Parallel()
	for _, revision := range []string{peer.Revision20251125, peer.Revision20260728} {
		for _, door := range []string{"module", "script tag"} {
			t.Run(revision+" "+door, func(t *testing.T) {
				row(t)
				var fetched atomic.Int32
				elsewhere := chrome.NewSite(t)
				elsewhere.Handle("/schema.json",
					http.HandlerFunc(func(http.ResponseWriter, *http.Request) { fetched.Add(1) }))
				p := peer.New(t, peer.Options{Revision: revision})
				p.Furnish()
				said := peer.Script{
					peer.Result(`{"content":[{"type":"text","text":"said"}],"structuredContent":{"a":"` +
						strings.Repeat("a", 50) + `!"}}`)}
				p.Tool("refers", said, peer.AsJSON,
					peer.Output(`{"type":"object","$ref":"`+elsewhere.URL+`/schema.json"}`))
				p.Tool("hangs", said, peer.AsJSON,
					peer.Output(`{"type":"object","properties":{"a":{"pattern":"^(a+)+$"}}}`))
				p.Tool("fails",
					peer.Script{peer.Result(`{"content":[{"type":"text","text":"no rope"}],"isError":true}`)},
					peer.AsJSON, peer.Output(`{"type":"object","required":["depth"]}`))

				site, loads := strictSite(t)
				address := site.Page("/app", outputScript)
				if door == "script tag" {
					site.File("/app.mjs", strings.Replace(outputScript,
						`import * as holdfast from "/holdfast.mjs";`, `const holdfast = globalThis.holdfast;`,
						1))
					site.File("/app", `<!doctype html><link rel="icon" href="data:,`+
						`"><script src="/holdfast.js"></script><script type="module" src="/app.mjs"></script>`)
				}
				page := chrome.Open(t, address)
				page.WaitFor(`window.use`)
				chrome.Script[chrome.Void](page, `window.mcp = await holdfast.connect(`+chrome.JS(p.URL())+`);
					mcp.on("integrity", ({ what, cause }) => integrity.push(what + " " + cause));`)

				used(t, page, "mismeasure", ending{}) // nobody has listed it
				chrome.Script[chrome.Void](page, `await mcp.listTools();`)
				used(t, page, "chatty", ending{}) // has no schema
				used(t, page, "fails", ending{Result: "no rope"})
				used(t, page, "measure_nothing",
					ending{Code: "invalid_structured_content", Result: "no structure"})
				if n := loads.Load(); n != 0 {
					t.Errorf("the validator was loaded %d times before it was needed", n)
				}
				chrome.Script[chrome.Void](page, `const all = await Promise.all(["measure", "measure"].map((tool) => use(tool)));
					if (all.some(({ code }) => code !== "")) throw new Error(JSON.stringify(all));`)
				used(t, page, "measure", ending{Result: `{"depth":12.5}`})
				used(t, page, "mismeasure", ending{
					Code: "invalid_structured_content", Result: `{"depth":"deep","extra":true}`, At: "/depth",
					Keyword: "type",
				})
				used(t, page, "hangs", ending{Code: "invalid_structured_content", Result: "said", At: "/a",
					Keyword: "pattern"})
				used(t, page, "anything", ending{})
				if told := chrome.Eval[[]string](page, `integrity`); len(told) != 0 {
					t.Errorf("told of %v", told)
				}
				used(t, page, "refers", ending{Result: "said"})
				page.WaitFor(`integrity.length === 1`)
				if told := chrome.Eval[string](page, `integrity[0]`); told !=
					"unchecked_output refers: the output schema has a $ref that leads out of it" {
					t.Errorf("told of %s", told)
				}
				want := int32(1)
				if host := chrome.Eval[string](page, `mcp.host`); host != "page" {
					want = 2 // a worker asks first whether it is redirected (fault 722)
				}
				if n := loads.Load(); n != want {
					t.Errorf("the validator was asked for %d times", n)
				}
				if n := fetched.Load(); n != 0 {
					t.Errorf("the schema that a $ref names was fetched %d times", n)
				}
				if v := chrome.Eval[[]string](page, `violations`); len(v) > 0 {
					t.Errorf("violations %v", v)
				}
				blameless(t, p)
			})
		}
	}
}

// TestOutputSchemaPolicies: an app may have what does not fit delivered and be
// told of it, or have nobody look.
func TestOutputSchemaPolicies(t *testing.T) {
	t.Parallel()
	for policy, want := range map[string]struct {
		loads int32
		told  []string
	}{
		`"report"`: {1, []string{
			"invalid_output measure_nothing: the result has no structuredContent, and the tool has an " +
				"outputSchema",
			"invalid_output mismeasure: the structuredContent does not fit the tool's outputSchema (type)",
		}},
		`false`: {0, []string{}},
	} {
		t.Run(policy, func(t *testing.T) {
			p := peer.New(t, peer.Options{})
			p.Furnish()
			site, loads := strictSite(t)
			page := chrome.Open(t, site.Page("/app", outputScript))
			page.WaitFor(`window.use`)
			chrome.Script[chrome.Void](page, `window.mcp = await holdfast.connect(`+chrome.JS(p.URL())+`, { validate: `+policy+` });
				mcp.on("integrity", ({ what, cause }) => integrity.push(what + " " + cause));
				await mcp.listTools();`)
			for _, tool := range []string{"measure", "measure_nothing", "mismeasure"} {
				used(t, page, tool, ending{})
			}
			page.WaitFor(`integrity.length === ` + chrome.JS(len(want.told)))
			if told := chrome.Eval[[]string](page, `integrity`); !slices.Equal(told, want.told) {
				t.Errorf("told of %v, want %v", told, want.told)
			}
			if n := loads.Load(); n != want.loads {
				t.Errorf("the validator was loaded %d times, want %d", n, want.loads)
			}
		})
	}
}

// TestOutputSchemaWithoutValidator: a site that lacks the chunk, or has that of
// another version, still gets its results.
func TestOutputSchemaWithoutValidator(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ content, why string }{
		"missing": {"", "the validator could not be loaded: "},
		"another version": {`export const version = "0.0.0";`,
			"the validator could not be loaded: it is version 0.0.0, "},
	} {
		t.Run(name, func(t *testing.T) {
			p := peer.New(t, peer.Options{})
			p.Furnish()
			site := chrome.NewSite(t)
			site.Handle(validator, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if test.content == "" {
					http.NotFound(w, r)
					return
				}
				w.Header().Set("Content-Type", "text/javascript")
				w.Write([]byte(test.content))
			}))
			page := chrome.Open(t, site.Page("/app", outputScript))
			page.WaitFor(`window.use`)
			chrome.Script[chrome.Void](page, `window.mcp = await holdfast.connect(`+chrome.JS(p.URL())+`);
				mcp.on("integrity", ({ what, cause }) => integrity.push(what + " " + cause));
				await mcp.listTools();`)
			used(t, page, "mismeasure", ending{Result: `{"depth":"deep","extra":true}`})
			page.WaitFor(`integrity.length === 1`)
			if told := chrome.Eval[string](page, `integrity[0]`); !strings.HasPrefix(
				told, "unchecked_output mismeasure: "+test.why) {
				t.Errorf("told of %s", told)
			}
		})
	}
}

// TestOutputSchemaValidatorElsewhere: an app may say where the chunk is, for a page anywhere; a slip
// in that is found at once.
func TestOutputSchemaValidatorElsewhere(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Furnish()
	chunk, err := os.ReadFile(filepath.Join("..", "web", "dist", path.Base(validator)))
	if err != nil {
		t.Fatal(err)
	}
	site, loads := strictSite(t)
	site.File("/assets/validate.mjs", string(chunk))
	page := chrome.Open(t, site.Page("/app", outputScript))
	page.WaitFor(`window.use`)
	chrome.Script[chrome.Void](page, `window.mcp = await holdfast.connect(`+chrome.JS(p.URL())+`, { host: "page", validator: "/assets/validate.mjs" });
		await mcp.listTools();`)
	used(t, page, "mismeasure", ending{Code: "invalid_structured_content", At: "/depth", Keyword: "type"})
	if n := loads.Load(); n != 0 {
		t.Errorf("the validator beside the module was loaded %d times", n)
	}
	for option, names := range map[string]string{`{ validate: true }`: "validate",
		`{ validator: "http://" }`: "validator"} {
		refused := chrome.Script[failure](page, `return attempt(() => holdfast.connect("/mcp", `+option+`));`)
		if refused.Code != "bad_argument" || !strings.Contains(refused.Message, names+" ") {
			t.Errorf("%s ends with %+v", option, refused)
		}
	}
}

// TestOutputSchemaOfChangedTools: a tool that may have changed has no known
// schema until it is listed again.
func TestOutputSchemaOfChangedTools(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{Revision: peer.Revision20260728})
	p.Furnish()
	site, _ := strictSite(t)
	page := chrome.Open(t, site.Page("/app", outputScript))
	page.WaitFor(`window.use`)
	chrome.Script[chrome.Void](page, `window.changed = [];
		window.mcp = await holdfast.connect(`+chrome.JS(p.URL())+`);
		mcp.on("changed", ({ what }) => changed.push(what));
		await mcp.listTools();`)
	used(t, page, "mismeasure", ending{Code: "invalid_structured_content", At: "/depth", Keyword: "type"})
	eventually(t, "a listener", func() bool { return p.Listeners() == 1 })
	p.Push("notifications/tools/list_changed", "{}")
	page.WaitFor(`changed.includes("tools")`)
	used(t, page, "mismeasure", ending{})
	chrome.Script[chrome.Void](page, `await mcp.listTools();`)
	used(t, page, "mismeasure", ending{Code: "invalid_structured_content", At: "/depth", Keyword: "type"})
}

// TestOutputSchemaOfCancelledCall: a result that is here is not cancelled any
// more, however long its validator takes to come.
func TestOutputSchemaOfCancelledCall(t *testing.T) {
	t.Parallel()
	p := peer.New(t, peer.Options{})
	p.Furnish()
	site := chrome.NewSite(t)
	chunk, release := make(chan struct{}), make(chan struct{})
	site.Handle(validator, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(chunk)
		<-release
		http.NotFound(w, r)
	}))
	page := chrome.Open(t, site.Page("/app", outputScript))
	page.WaitFor(`window.use`)
	chrome.Script[chrome.Void](page, `window.mcp = await holdfast.connect(`+chrome.JS(p.URL())+`);
		await mcp.listTools();
		watch(mcp.callTool("measure"));`)
	<-chunk
	chrome.Script[chrome.Void](page, `call.cancel(); await mcp.close();`)
	close(release)
	outcome(t, page, "")
	if n := len(p.Of("notifications/cancelled")); n != 0 {
		t.Errorf("%d cancellations of a call that had been answered", n)
	}
}

// TestRootsChanged: an app whose folders changed can say so, to the servers that
// have a word for it (client/roots; gone in 2026-07-28).
func TestRootsChanged(t *testing.T) {
	t.Parallel()
	for revision, want := range map[string]int{peer.Revision20251125: 1, peer.Revision20260728: 0} {
		t.Run(revision, func(t *testing.T) {
			p := peer.New(t, peer.Options{Revision: revision})
			page := app(t, p.URL(), `{ handlers: { roots: () => [] } }`)
			chrome.Script[chrome.Void](page, `await mcp.rootsChanged();`)
			if n := len(p.Of("notifications/roots/list_changed")); n != want {
				t.Errorf("%d notifications, want %d", n, want)
			}
			for _, r := range p.Of("initialize") {
				if !strings.Contains(string(r.Body), `"roots":{"listChanged":true}`) {
					t.Errorf("the capability is not declared: %s", r.Body)
				}
			}
			refused := chrome.Script[failure](page, `return attempt(async () => (await holdfast.connect(`+
				chrome.JS(p.URL())+`)).rootsChanged());`)
			if refused.Code != "bad_argument" || !strings.Contains(refused.Message, "handlers.roots") {
				t.Errorf("without a handler it ends with %+v", refused)
			}
			blameless(t, p)
		})
	}
}
