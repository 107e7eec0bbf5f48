//go:build !js

// Package chrome drives a real, headless Chrome for the stories in e2e.
//
// One browser process serves a whole test binary. Each test gets a profile of
// its own (cookies, storage and service workers are not shared) and each [Site]
// is an origin of its own, so tests may run in any order and in parallel. A
// package that uses it has this TestMain:
//
//	func TestMain(m *testing.M) { chrome.Main(m) }
//
// and a story reads like this:
//
//	func TestCallSurvivesReload(t *testing.T) {
//		site := chrome.NewSite(t)
//		site.Handle("/mcp", peer)
//		page := chrome.Open(t, site.URL)
//
//		chrome.Script[chrome.Void](page, `
//			const { connect } = await import("/holdfast.mjs");
//			window.client = await connect("/mcp");`)
//		page.Reload()
//		page.WaitFor(`window.client?.state === "ready"`)
//		if got := chrome.Eval[int](page, `1 + 1`); got != 2 {
//			t.Errorf("1 + 1 = %d", got)
//		}
//	}
//
// Nothing here sleeps: [Page.WaitFor] asks the page until a predicate holds and
// every command has a deadline of [Patience]. What a page throws and does not
// catch fails its test, unless [Page.AllowExceptions] says otherwise. When a
// test fails, its log shows the console of its pages and where their
// screenshots are.
//
// Set CHROME to the path of a browser to choose one, and CHROME_HEADFUL=1 to
// watch.
package chrome
