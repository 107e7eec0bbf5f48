/** @internal */
import { defineGo } from "../../build/wasm_exec.mjs";
import type { GoHost } from "./setup.js";

/** The Go program that wasm_exec.js makes, ready to run. */
export interface GoProgram {
  importObject: WebAssembly.Imports & Record<string, Record<string, unknown>>;
  exit: (code: number) => void;
  /** Runs what waits in Go; called by every function that Go gave to JavaScript. */
  _resume: () => void;
  run(instance: WebAssembly.Instance): Promise<void>;
}

/**
 * Makes a Go program, and leaves the page's globals alone. wasm_exec.js defines Go,
 * and fs, process and path where the global object has none: a library would take the
 * page for Node. It gets an object of ours for the global one. What is set there stays
 * there; what is not is read from the real one.
 *
 * @param host the object that the program fills while it starts (wasm/main.go)
 */
export function newGo(host: GoHost): GoProgram {
  // Even where the page has these, as a polyfill or as the id of an element, Go gets its own.
  const own: Record<PropertyKey, unknown> = {
    __holdfast: host, fs: undefined, process: undefined, path: undefined,
  };
  const Go = defineGo(
    new Proxy(own, {
      get: (_, name) => (Object.hasOwn(own, name) ? own[name] : Reflect.get(globalThis, name)),
    }),
  );
  return new Go();
}
