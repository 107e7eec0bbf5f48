//go:build !js

// Package engines drives Firefox, WebKit and Chromium for one row of short
// stories, which every engine runs: see docs/browsers.md.
//
//	go test ./e2e/engines -run TestMatrix -engines firefox,webkit,chromium
//
// A [Browser] is one process on a profile directory of its own; what it stored
// is there when it is started again, also after [Browser.Kill]. A [Tab] is one
// page of it. Chromium is driven as everywhere in e2e, by chromedp. The other two
// have no well-kept client in Go that drives what people have installed:
// playwright-go brings builds of Firefox and WebKit that Playwright has
// patched, and Node; selenium for Go had its last release in 2019 and knows no
// BiDi. So there are two small clients of the documented protocols, with the
// few commands that the stories need:
//
//   - Firefox: WebDriver BiDi over a WebSocket, https://w3c.github.io/webdriver-bidi/.
//     What BiDi lacks (to go offline) is done in Firefox's own scope, which
//     --remote-allow-system-access opens.
//   - WebKitGTK: W3C WebDriver over HTTP, https://www.w3.org/TR/webdriver2/.
//     A session of the driver forgets everything at its end. Where storage has to
//     outlive the browser, MiniBrowser runs without the driver, and is spoken to over the
//     protocol of its inspector.
//
// github.com/coder/websocket carries both protocols: it has no dependencies.
package engines
