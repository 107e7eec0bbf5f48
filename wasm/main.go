//go:build js && wasm

// Package main is the WebAssembly program: the only place that knows both the protocol core and the browser. It puts
// core's state machines on jsbridge (host.go), takes what happens by one export (door.go, inputs.go), answers
// questions (questions.go), has functions for set-up (connect.go, agent.go), and passes on what happens to the page
// (page.go). Rules of MCP and ACP do not belong here, nor does anything that an app sees: that is TypeScript, in
// web/src.
//
// It is built twice: with the tag mcponly as holdfast.wasm, which speaks MCP alone, and
// without it as holdfast-agents.wasm, which speaks both. A page that asks for no agent does
// not pay for them: 100 KB as they are sent.
package main

import "github.com/hack-pad/safejs"

// stamp has the version, and is set by the build (-X main.stamp=...). The loader refuses a wasm of
// another version than its own. Of one that must not run it finds the version by what is around it.
var stamp = stampBefore + stampAfter

const stampBefore, stampAfter = "holdfast-wasm/", ";"

// hostName is under which name the loader lends this program an object to fill: a
// global of Go's alone, not of the page (web/src/runtime/goscope.ts).
const hostName = "__holdfast"

// setUps are the functions of the cold road: one for each protocol that is built in.
var setUps = map[string]func(safejs.Value, []safejs.Value) any{"connect": connect}

// ready tells the loader that exports may be called from now on.
//
//go:wasmimport holdfast ready
func ready()

func main() {
	if err := publish(); err != nil {
		panic(err)
	}
	ready()
	select {} // exports are called from here on; ending main would end them
}

// publish hands the set-up functions to the loader.
func publish() error {
	host, err := safejs.Global().Get(hostName)
	if err != nil {
		return err
	}
	if err := host.Set("version", stamp[len(stampBefore):len(stamp)-len(stampAfter)]); err != nil {
		return err
	}
	for name, f := range setUps {
		function, err := safejs.FuncOf(f)
		if err != nil {
			return err
		}
		if err := host.Set(name, function.Value()); err != nil {
			return err
		}
	}
	return watchPage()
}
