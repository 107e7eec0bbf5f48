//go:build !js

package e2e

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/holdfast-mcp/holdfast/e2e/chrome"
)

// The page is drawn on a server, where the module is imported as well, and runs main.js in the browser.
var nextFiles = map[string]string{
	"app/layout.jsx": `export default function Layout({ children }) {
  return <html lang="en"><head><link rel="icon" href="data:," /></head><body>{children}</body></html>;
}
`,
	"app/page.jsx": `import { Runs } from "./runs.jsx";

export default function Page() {
  return <main><h1>Drawn on the server</h1><Runs /></main>;
}
`,
	"app/runs.jsx": `"use client";

import { HoldfastError } from "holdfast";
import { useEffect } from "react";

export function Runs() {
  useEffect(() => void import("../main.js"), []);
  return <p>HoldfastError is a {typeof HoldfastError}.</p>;
}
`,
}

// nextServes serves the app by Next's own handler, in development or as it was built, on a free port.
const nextServes = `
process.env.NEXT_TELEMETRY_DISABLED = "1";
const { log } = console;
console.log = console.error; // Next has things to say; the address is the first line
const { createServer } = await import("node:http");
const { default: next } = await import("next");
const dir = import.meta.dirname;
const server = createServer().listen(0, "localhost");
await new Promise((resolve) => server.once("listening", resolve));
const { port } = server.address();
const app = next({ dev: DEV, turbopack: true, dir, hostname: "localhost", port, quiet: true });
await app.prepare();
server.on("request", app.getRequestHandler());
server.on("upgrade", app.getUpgradeHandler());
log("http://localhost:" + port + "/");
`

const nextBuilds = `
import { spawnSync } from "node:child_process";
const { status, stdout, stderr } = spawnSync("node", ["node_modules/next/dist/bin/next", "build", ...FLAGS], {
	cwd: import.meta.dirname, env: { ...process.env, NEXT_TELEMETRY_DISABLED: "1" }, encoding: "utf8",
});
if (status !== 0) throw new Error(stdout + stderr);
`

// nextApp puts the files of the app into the project, and Next beside Holdfast. Turbopack reads nothing
// outside of the project, so that links do not do.
func (p *project) nextApp() {
	p.t.Helper()
	for name, text := range nextFiles {
		p.write(name, text)
	}
	installed := filepath.Join(p.root, "web", "build", "nextapp", "node_modules")
	if _, err := os.Stat(filepath.Join(installed, "next")); err != nil {
		p.t.Fatalf("%v: make bundlers installs it", err)
	}
	// on another disk
	if _, err := output(p.root, "cp", "-al", installed+"/.", p.path("node_modules")); err != nil {
		run(p.t, p.root, "cp", "-a", installed+"/.", p.path("node_modules"))
	}
}

func nextServed(p *project) string { return p.nextAt("true") }

func nextBuilt(flags ...string) func(p *project) string {
	return func(p *project) string {
		p.node(strings.Replace(nextBuilds, "...FLAGS", "..."+chrome.JS(append([]string{}, flags...)), 1))
		return p.nextAt("false")
	}
}

// nextAt serves the app, whose page has been drawn before it comes to the browser.
func (p *project) nextAt(dev string) string {
	p.t.Helper()
	url := p.serves(strings.Replace(nextServes, "DEV", dev, 1))
	response, err := http.Get(url)
	if err != nil {
		p.t.Fatal(err)
	}
	defer response.Body.Close()
	if text, err := io.ReadAll(response.Body); err != nil ||
		!strings.Contains(string(text), "HoldfastError is a <!-- -->function") {
		p.t.Fatalf("status %d, %v: %.400s", response.StatusCode, err, text)
	}
	return url
}
