import assert from "node:assert/strict";
import { test } from "node:test";
import { connectAgent } from "../src/host/choose/agenthosts.js";
import { connect } from "../src/host/choose/hosts.js";
import { agentsWasm } from "../src/agent/agentswasm.js";
import { mcpWasm } from "../src/runtime/beside.js";
import { load } from "../src/runtime/loadruntime.js";
import { located } from "../src/runtime/located.js";
import type { HoldfastError } from "../src/base/errors.js";

/** Node's. A page of Electron's has it as well, with a type. */
const node = (globalThis as unknown as { process: { type?: unknown } }).process;

test("Fault 300: where Vite serves a bundle of its own, files of the package are in its folder", () => {
  for (const [given, want] of [
    [
      "http://localhost:5173/node_modules/.vite/deps/holdfast.wasm",
      "http://localhost:5173/node_modules/holdfast/web/dist/holdfast.wasm",
    ],
    [
      "http://localhost:5173/base/node_modules/.vite/deps_temp_1/holdfast.wasm",
      "http://localhost:5173/base/node_modules/holdfast/web/dist/holdfast.wasm",
    ],
    ["https://app.test/assets/holdfast-3f2a.wasm", "https://app.test/assets/holdfast-3f2a.wasm"],
    [
      "https://app.test/node_modules/holdfast/web/dist/holdfast.wasm",
      "https://app.test/node_modules/holdfast/web/dist/holdfast.wasm",
    ],
  ] as const) {
    assert.equal(located("holdfast.wasm", () => new URL(given)).href, want);
  }
});

test("Fault 302: a bundle that is a classic script has no import.meta, and is imported all the same", () => {
  const literal = (): URL => new URL("./holdfast.wasm", undefined as unknown as string);
  assert.throws(literal, () => true);
  // Neither a script nor an address is here: nothing is loaded from there.
  assert.equal(located("holdfast.wasm", literal).href, "file:///holdfast.wasm");
});

test("Fault 377: on a server Turbopack gives an address that is none and that cannot be changed", () => {
  // Next.js 16 has this instead of a URL where it draws on a server (Turbopack's RelativeURL).
  const relative = Object.freeze({
    href: "/_next/static/media/holdfast.3f2a.wasm", pathname: "/_next/static/media/holdfast.3f2a.wasm",
    toString: () => "/_next/static/media/holdfast.3f2a.wasm",
  });
  assert.equal(located("holdfast.wasm", () => relative as unknown as URL).href, "file:///holdfast.wasm");
});

async function failure(loading: Promise<unknown>): Promise<HoldfastError> {
  return loading.then(
    () => Promise.reject(new TypeError("it has come")),
    (error: HoldfastError) => error,
  );
}

test("Fault 304: where there is neither a page nor a worker connect says so, and where to connect", async () => {
  for (const [op, connecting] of [
    ["connect", () => connect("https://server.test/mcp")],
    ["connectAgent", () => connectAgent("https://server.test/acp")],
  ] as const) {
    const { code, op: named, message, hint } = await failure(connecting());
    assert.deepEqual([code, named], ["host_unavailable", op]);
    assert.ok(/neither a page nor a worker.*useEffect/.test(`${message} ${hint}`));
  }
});

test("Fault 305: what is no wasm is named, and how the wasm comes there", async () => {
  const page = { headers: { "content-type": "text/html" } };
  const rows: [answer: () => Promise<Response>, words: RegExp, retryable: boolean][] = [
    [async () => new Response("<!doctype html>", page), /what came from .* is no wasm, but text\/html/, true],
    [async () => new Response("", { headers: { "content-type": "" } }), /is no wasm$/, true],
    [async () => new Response("", { status: 404 }), /the server answered 404/, false],
    [
      async () => Promise.reject(new TypeError("Failed to fetch")),
      /the wasm could not be loaded: Failed to fetch/, true,
    ],
  ];
  const { fetch } = globalThis;
  try {
    // as in a page of Electron's
    Object.defineProperty(node, "type", { value: "renderer", configurable: true });
    for (const [answer, words, retryable] of rows) {
      globalThis.fetch = answer;
      const error = await failure(load(mcpWasm, "https://app.test/holdfast.wasm"));
      assert.deepEqual([error.code, error.retryable], ["load_failed", retryable]);
      assert.ok(words.test(error.message), error.message);
      assert.deepEqual(
        (await failure(load(agentsWasm, "https://app.test/holdfast.wasm"))).message, error.message,
      );
      assert.ok(
        /connect-src|optimizeDeps: \{ exclude: \["holdfast"\] \}.*holdfast\/holdfast\.wasm with --loader:\.wasm=copy/.test(error.hint ?? ""),
        error.hint,
      );
    }
  } finally {
    globalThis.fetch = fetch;
    delete node.type;
  }
});
