//go:build !js

package authserver

import (
	"html/template"
	"net/http"
	"net/url"
)

// head is the beginning of both pages.
const head = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>Sign in to the harbour</title>
<style>
:root { --ink: #16211e; --ink-2: #46544f; --paper: #eef0f6; --card: #fff; --edge: #818b85; --mark: #3b4fa8; --on: #fff; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6eeeb; --ink-2: #b1c0bb; --paper: #10131c; --card: #181c28; --edge: #6a7b74; --mark: #9fb0ff; --on: #10131c; } }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 20px; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { width: min(100%, 400px); padding: 28px 28px 24px; border-radius: 14px; background: var(--card); border-top: 5px solid var(--mark); }
h1 { margin: 0 0 6px; font-size: 24px; line-height: 1.2; }
p { margin: 0 0 14px; color: var(--ink-2); }
strong { color: var(--ink); }
form { display: grid; gap: 10px; margin: 18px 0; }
button { min-height: 46px; border: 1px solid var(--mark); border-radius: 9px; background: var(--mark); color: var(--on); font: inherit; font-weight: 600; cursor: pointer; }
button.no { background: none; border-color: var(--edge); color: inherit; }
:focus-visible { outline: 2px solid var(--mark); outline-offset: 2px; }
small { color: var(--ink-2); }
</style>
<main>
`

var choicePage = template.Must(template.New("choice").Parse(head + `<h1>Who are you?</h1>
<p><strong>{{.Client}}</strong> wants to {{range $i, $w := .Words}}{{if $i}} and {{end}}<strong>{{$w}}</strong>{{end}} for you.</p>
<form method="post" action="authorize">
<input type="hidden" name="request" value="{{.ID}}">
{{range .People}}<button name="person" value="{{.}}">I am {{.}}</button>
{{end}}<button class="no" name="person" value="">No</button>
</form>
<small>This authorization server is for the demo only: nobody asks for a password.</small>
</main>
</html>
`))

var errorPage = template.Must(template.New("error").Parse(head + `<h1>That did not work</h1>
<p>This page was used already, or is not what the app has registered. Close it, and begin again in the app.</p>
</main>
</html>
`))

// showPage writes a page that nobody can frame; redirect is where its form leads in the end.
func showPage(w http.ResponseWriter, status int, redirect string, page *template.Template, data any) {
	forms := "'none'"
	if to, err := url.Parse(redirect); err == nil && redirect != "" {
		forms = "'self' " + to.Scheme + "://" + to.Host
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; img-src "+
		"data:; frame-ancestors 'none'; base-uri 'none'; form-action "+forms)
	w.WriteHeader(status)
	page.Execute(w, data)
}
