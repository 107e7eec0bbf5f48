//go:build !js

package demosite

import (
	"io"
	"net/http"
)

// visitPage is where the tool harbour_pass sends people. The page that was open
// before gets no handle on it, nor this one on that (noopener).
const visitPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>The harbour log</title>
<style>
body { max-width: 34em; margin: 15vh auto 0; padding: 0 24px; font: 17px/1.5 system-ui, sans-serif; }
h1 { font-size: 26px; line-height: 1.2; text-wrap: balance; }
</style>
<h1>The harbour log is signed</h1>
<p>On a real server you would have logged in here, or paid, or agreed to something, without the page you came from seeing any of it.</p>
<p>You can close this tab. Your pass is in the other one.</p>
</html>
`

func visit(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", types[".html"])
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("Content-Security-Policy",
		"default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'")
	io.WriteString(w, visitPage)
}
