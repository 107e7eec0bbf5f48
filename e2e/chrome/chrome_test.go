//go:build !js

package chrome

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestPageAndSite(t *testing.T) {
	site := NewSite(t)
	page := Open(t, site.Page("/hello", `document.title = "hello"; window.answer = 42;`))

	if got := Eval[string](page, `document.title`); got != "hello" {
		t.Errorf("title = %q", got)
	}
	if got := Eval[int](page, `Promise.resolve(answer)`); got != 42 {
		t.Errorf("awaited answer = %d", got)
	}
	if got := Script[string](page,
		`const r = await fetch("/hello"); return r.headers.get("content-type");`); !strings.HasPrefix(
		got, "text/html") {
		t.Errorf("content type = %q", got)
	}
	if _, err := TryScript[Void](page, `throw new Error("no")`); err == nil ||
		!strings.Contains(err.Error(), "no") {
		t.Errorf("a throw gives %v", err)
	}
	Script[Void](page, `setTimeout(() => { window.late = { text: `+JS("a\"\u2028😀")+` } }, 30)`)
	if got := Wait[string](page, `late.text`); got != "a\"\u2028😀" {
		t.Errorf("waited for %q", got)
	}
}

func TestSiteFiles(t *testing.T) {
	site := NewSite(t)
	site.File("/m.wasm", "\x00asm\x01\x00\x00\x00")
	site.File("/m.mjs", `export const one = 1`)
	site.Handle("/peer", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Write([]byte("peer"))
	}))
	page := Open(t, site.URL)
	Script[Void](page, `await WebAssembly.instantiateStreaming(fetch("/m.wasm"))`)
	if got := Eval[int](page, `import("/m.mjs").then(m => m.one)`); got != 1 {
		t.Errorf("module = %d", got)
	}
	if got := Eval[string](page, `fetch("/peer").then(r => r.text())`); got != "peer" {
		t.Errorf("peer = %q", got)
	}
	if got := Eval[int](page, `fetch("/missing").then(r => r.status)`); got != 404 {
		t.Errorf("missing = %d", got)
	}

	site.Header(func(path string, header http.Header) {
		if strings.HasSuffix(path, ".wasm") {
			header.Set("Content-Type", "text/plain")
		}
	})
	if _, err := TryScript[Void](page, `await WebAssembly.instantiateStreaming(fetch("/m.wasm"))`); err ==
		nil {
		t.Error("a wrong content type was accepted")
	}
}

func TestContentSecurityPolicy(t *testing.T) {
	site := NewSite(t)
	site.Header(func(_ string, header http.Header) {
		header.Set("Content-Security-Policy",
			"default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src *")
	})
	page := Open(t, site.Page("/strict", `setTimeout(() => { window.ran = true }, 20)`))
	page.WaitFor(`window.ran`)
}

func TestReloadKeepsStorage(t *testing.T) {
	page := Open(t, NewSite(t).URL)
	Eval[Void](page, `localStorage.setItem("k", "v")`)
	page.Reload()
	if got := Eval[string](page, `localStorage.getItem("k")`); got != "v" {
		t.Errorf("after a reload: %q", got)
	}
}

func TestProfilesAndOriginsAreApart(t *testing.T) {
	site := NewSite(t)
	first := Open(t, site.URL)
	Eval[Void](first, `localStorage.setItem("k", "v")`)

	sibling := first.Profile().Open(site.URL)
	if got := Eval[*string](sibling, `localStorage.getItem("k")`); got == nil {
		t.Error("a tab of the same profile does not share storage")
	}
	for who, page := range map[string]*Page{
		"another profile": Open(t, site.URL),
		"another origin":  first.Profile().Open(NewSite(t).URL),
	} {
		if got := Eval[*string](page, `localStorage.getItem("k")`); got != nil {
			t.Errorf("%s sees %q", who, *got)
		}
	}
	for i, page := range []*Page{first, sibling} {
		if got := Eval[string](page, `document.visibilityState`); got != "visible" {
			t.Errorf("tab %d is %s", i, got)
		}
	}
	first.Close()
	if got := Eval[string](sibling, `localStorage.getItem("k")`); got != "v" {
		t.Errorf("after the first tab closed: %q", got)
	}
}

func TestTabsWithAndWithoutAWindow(t *testing.T) {
	profile := NewProfile(t)
	url := NewSite(t).URL
	without := profile.Open(url)
	with := profile.InWindows().Open(url)
	for _, page := range []*Page{without, with} {
		page.WaitFor(`document.visibilityState === "visible"`)
	}
	with.WaitFor(`new Promise((drawn) => requestAnimationFrame(() => drawn(true)))`)
}

func TestWhatIsNotBuiltIsNamed(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "there"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if got := missing(root, []string{"there", "not/built"}); got != "not/built" {
		t.Errorf("missing: %q", got)
	}
	if got := missing(root, []string{"there"}); got != "" {
		t.Errorf("missing: %q", got)
	}
}

func TestConsoleAndExceptions(t *testing.T) {
	page := Open(t, NewSite(t).URL)
	page.AllowExceptions("meant")
	Script[Void](page, `
		console.log("hello %s", "you", { code: 7 });
		const script = document.createElement("script");
		script.textContent = 'throw new Error("meant")';
		document.head.append(script);`)
	lines := page.Console()
	if !slices.ContainsFunc(lines,
		func(line string) bool { return strings.HasPrefix(line, "log: hello you") }) {
		t.Errorf("console = %q", lines)
	}
	if thrown := page.Exceptions(); len(thrown) != 1 || !strings.Contains(thrown[0], "meant") {
		t.Errorf("exceptions = %q", thrown)
	}
}

func TestExceptionsFailTheirTest(t *testing.T) {
	page := Open(t, NewSite(t).URL)
	Script[Void](page, `Promise.reject(new Error("stray"))`)
	page.WaitFor(`true`)

	caught := &recorder{TB: t}
	spied := *page
	spied.t = caught
	spied.checkExceptions()
	if !strings.Contains(caught.text, "stray") {
		t.Errorf("reported %q", caught.text)
	}
	page.AllowExceptions()
}

func TestWaitSurvivesNavigation(t *testing.T) {
	site := NewSite(t)
	site.Page("/second", `setTimeout(() => { window.there = true }, 50)`)
	page := OpenWindow(t, site.URL)
	Eval[Void](page, `setTimeout(() => { location.href = "/second" }, 30)`)
	page.WaitFor(`there`)
	page.Back()
	page.WaitFor(`location.pathname === "/"`)
}

func TestBackFromTheCache(t *testing.T) {
	site := NewSite(t)
	page := OpenWindow(t, site.URL)
	Eval[Void](page, `addEventListener("pageshow", (event) => { window.restored = event.persisted })`)
	page.Navigate(site.Page("/second", ``))
	page.Back()
	page.WaitFor(`restored`)
	if lines := page.Console(); len(lines) > 0 {
		t.Errorf("console = %q", lines)
	}
}

func TestFreezeAndThaw(t *testing.T) {
	page := Open(t, NewSite(t).URL)
	Eval[Void](page, `
		window.seen = [];
		for (const type of ["freeze", "resume"]) document.addEventListener(type, () => seen.push(type));`)
	page.Freeze()
	page.WaitFor(`seen.join() === "freeze"`)
	page.Thaw()
	page.WaitFor(`seen.join() === "freeze,resume"`)
}

func TestOffline(t *testing.T) {
	site := NewSite(t)
	held := make(chan struct{})
	site.Handle("/stream", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		select {
		case <-r.Context().Done():
		case <-held:
		}
	}))
	t.Cleanup(func() { close(held) })
	page := Open(t, site.URL)
	Script[Void](page, `
		window.seen = [];
		for (const type of ["offline", "online"]) addEventListener(type, () => seen.push(type));
		const stream = await fetch("/stream");
		stream.text().catch(() => seen.push("cut"));`)

	page.Offline(true)
	page.WaitFor(`!navigator.onLine && seen.join() === "offline"`)
	site.Cut()
	page.WaitFor(`seen.join() === "offline,cut"`)
	if _, err := TryEval[Void](page, `fetch("/")`); err == nil {
		t.Error("a request got through while offline")
	}
	page.Offline(false)
	page.WaitFor(`navigator.onLine && seen.join() === "offline,cut,online"`)
	Eval[Void](page, `fetch("/")`)
}

func TestViewport(t *testing.T) {
	page := OpenWindow(t, NewSite(t).URL)
	page.Viewport(390, 844, true)
	page.WaitFor(`screen.width === 390 && matchMedia("(prefers-color-scheme: dark)").matches`)
	page.Viewport(1280, 800, false)
	page.WaitFor(
		`innerWidth === 1280 && innerHeight === 800 && matchMedia("(prefers-color-scheme: light)").matches`)
}

func TestInput(t *testing.T) {
	site := NewSite(t)
	site.File("/form", `<!doctype html><link rel="icon" href="data:,"><input id="name"><button id="go">Go</button>
		<script>document.getElementById("go").onclick = () => { window.clicked = document.getElementById("name").value }</script>`)
	page := OpenWindow(t, site.URL+"/form")
	page.Type("#name", "Ada")
	page.Click("#go")
	page.WaitFor(`window.clicked === "Ada"`)
}

func TestScreenshot(t *testing.T) {
	page := OpenWindow(t, NewSite(t).URL)
	path := filepath.Join(t.TempDir(), "deep", "shot.png")
	page.Screenshot(path)
	image, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(image, []byte("\x89PNG\r\n\x1a\n")) {
		t.Errorf("not a PNG: % x", image[:min(8, len(image))])
	}
}

// recorder stands in for a test that is expected to fail.
type recorder struct {
	testing.TB
	text string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	for _, arg := range args {
		if text, ok := arg.(string); ok {
			r.text += text
		}
	}
}
