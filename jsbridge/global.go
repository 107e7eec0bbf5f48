//go:build js && wasm

package jsbridge

import "github.com/hack-pad/safejs"

// global returns the browser's global object. [safejs.Global] is not it in the wasm:
// the loader lends Go an object of its own for what Go's glue defines
// (web/src/runtime/goscope.ts), and functions of the browser refuse it as their this.
func global() (safejs.Value, error) { return safejs.Global().Get("globalThis") }
