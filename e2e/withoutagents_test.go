//go:build !js

package e2e

import (
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
)

// appWithoutAgents is an app of React's, with what connects, its hooks and its stores. AGENTS stands for what it has of agents.
const appWithoutAgents = `
import { createRoot } from "react-dom/client";
import { createElement } from "react";
import { oauth, preload, wipe } from "holdfast";
import { HoldfastProvider, useCall, useMcp, useTools } from "holdfast/react";
import { observeCalls, sharedConnection } from "holdfast/store";
AGENTS
Object.assign(globalThis, { oauth, preload, wipe, observeCalls, sharedConnection });
const Report = () => createElement("p", {}, useMcp().state, useTools().state, useCall("report").state);
const root = createRoot(document.body.appendChild(document.createElement("div")));
root.render(createElement(HoldfastProvider, { url: "/mcp" }, createElement(Report)));
`

// ofAgents are words that only what is for agents has: its wasm, its store, and what runs in the page or is its side.
var ofAgents = []string{"holdfast-agents", "sharedAgent", "observeAgentSession", "session/prompt", "session/new"}

// TestStoryWithoutAgents: an app that imports nothing of holdfast/agent has no byte of it, as its bundler leaves it:
// not the wasm, no chunk, no word. What runs in a worker is one file, which speaks to both.
func TestStoryWithoutAgents(t *testing.T) {
	t.Parallel()
	tools := map[string]string{}
	for _, name := range []string{"react", "react-dom", "scheduler", "vite", "webpack"} {
		tools[name] = name
	}
	for name, build := range map[string]func(p *project) (folder string){
		"Vite": func(p *project) string {
			p.page("index.html", `type="module" src="./main.js"`)
			p.node(viteBuilds)
			return "dist"
		},
		"webpack": func(p *project) string {
			p.node(webpackBuilds)
			return "out"
		},
		"esbuild": func(p *project) string {
			p.esbuild("main.js", "holdfast/holdfast.wasm", "holdfast/holdfast-worker.mjs", "--format=esm", "--splitting",
				"--minify", "--loader:.wasm=copy", "--entry-names=[name]", "--out-extension:.js=.mjs", "--outdir=out")
			return "out"
		},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "webpack" {
				long(t)
			}
			t.Parallel()
			const agents = `
				import { useAgent, useAgentSession } from "holdfast/agent/react";
				Object.assign(globalThis, { useAgent, useAgentSession });`
			for _, test := range []struct {
				agents string
				want   []string
			}{{"", nil}, {agents, ofAgents}} {
				p := newProject(t, map[string]string{"main.js": strings.Replace(appWithoutAgents, "AGENTS", test.agents, 1)}, tools)
				if found := wordsOf(t, p.path(build(p)), ofAgents); !slices.Equal(found, test.want) {
					t.Errorf("with %q it has %q, want %q", test.agents, found, test.want)
				}
			}
		})
	}
}

// wordsOf returns which of the words the files of a folder have, in their names or within, but for the worker's,
// whatever its bundler calls that.
func wordsOf(t *testing.T, folder string, words []string) []string {
	t.Helper()
	found := map[string]bool{}
	err := fs.WalkDir(os.DirFS(folder), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(os.DirFS(folder), name)
		if strings.Contains(string(text), "onconnect") {
			return err
		}
		for _, word := range words {
			if strings.Contains(name, word) || strings.Contains(string(text), word) {
				found[word] = true
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(slices.Clone(words), func(word string) bool { return !found[word] })
}
