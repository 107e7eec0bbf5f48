import assert from "node:assert/strict";
import { test } from "node:test";
import { agentsWasm } from "../src/agent/agentswasm.js";
import { mcpWasm } from "../src/runtime/beside.js";
import { load } from "../src/runtime/loadruntime.js";
import type { HoldfastError } from "../src/base/errors.js";

const MCP = "https://app.test/holdfast.wasm";
const AGENTS = "https://app.test/holdfast-agents.wasm";

test("Fault 331: an MCP client has its own wasm, whatever becomes of that for agents; one named for both is one", async () => {
  const { fetch } = globalThis;
  const fetched: string[] = [];
  const answers: (() => void)[] = [];
  globalThis.fetch = (source) => {
    fetched.push(String(source));
    return new Promise((resolve) => answers.push(() => resolve(new Response("", { status: 404 }))));
  };
  const failure = (loading: Promise<unknown>): Promise<HoldfastError> => loading.then(
    () => Promise.reject(new TypeError("it has come")), (error: HoldfastError) => error,
  );
  try {
    const [agents, mcp, other] = [
      failure(load(agentsWasm, AGENTS)), failure(load(mcpWasm, MCP)), failure(load(mcpWasm, MCP)),
    ];
    assert.deepEqual(fetched, [AGENTS, MCP]);
    answers[0]!();
    const lacks = await agents;
    assert.ok(
      lacks.code === "load_failed" && lacks.hint?.includes("Serve the package's holdfast-agents.wasm there"),
      lacks.hint,
    );
    answers[1]!();
    for (const error of [await mcp, await other])
      assert.ok(error.hint?.includes("Serve the package's holdfast.wasm there"), error.hint);
    assert.equal(fetched.length, 2, "once for all MCP clients");
    const next = failure(load(mcpWasm, MCP));
    assert.equal(fetched.length, 3, "what has failed is asked for again");
    answers[2]!();
    await next;
    const both = [failure(load(mcpWasm, AGENTS)), failure(load(agentsWasm, new URL(AGENTS)))];
    assert.equal(fetched.length, 4, "an app that names one file for both has it once");
    answers[3]!();
    await Promise.all(both);
  } finally {
    globalThis.fetch = fetch;
  }
});

test("Fault 629: a wasm of another build, as a cache has kept it, is fetched once more past the cache, and no other", async () => {
  const { fetch } = globalThis;
  // It imports a function that this script has not.
  const other = [
    0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 4, 1, 0x60, 0, 0, 2, 10, 1, 4, 0x67, 0x6f, 0x6a, 0x73, 1, 0x62, 0, 0,
  ];
  const fetched: string[] = [];
  let next: (() => Response)[] = [];
  const of = (bytes: number[]): Response => new Response(new Uint8Array(bytes), {
    headers: { "content-type": "application/wasm" },
  });
  globalThis.fetch = async (source, init) => {
    fetched.push(`${String(source)} ${init?.cache ?? ""}`.trim());
    const answer = next.shift();
    if (!answer) throw new TypeError("Failed to fetch");
    return answer();
  };
  const failure = (loading: Promise<unknown>): Promise<HoldfastError> => loading.then(
    () => Promise.reject(new TypeError("it has come")), (error: HoldfastError) => error,
  );
  try {
    for (const [answers, requests, says] of [
      [[() => of(other), () => new Response("", { status: 503 })], [MCP, `${MCP} reload`], "answered 503"],
      [[() => of(other), () => of(other)], [MCP, `${MCP} reload`], "could not be loaded"],
      [[() => of(other)], [MCP, `${MCP} reload`], "could not be loaded"], // the network is gone by then
      [[() => of([1])], [MCP], "could not be loaded"],
    ] as const) {
      fetched.length = 0;
      next = [...answers];
      const { message } = await failure(load(mcpWasm, MCP));
      assert.ok(message.includes(says), message);
      assert.deepEqual(fetched, requests);
    }
    fetched.length = 0;
    await failure(load(mcpWasm, of(other))); // the app's own answer
    assert.deepEqual(fetched, []);
  } finally {
    globalThis.fetch = fetch;
  }
});

test("Fault 711: a browser without WebAssembly SIMD is named, and a wasm that has come in part is not taken for it", async () => {
  const { validate } = WebAssembly;
  const hint = async (): Promise<string | undefined> => load(
    mcpWasm, new Uint8Array([0, 0x61, 0x73, 0x6d, 1]),
  ).then(() => "it has come", (error: HoldfastError) => error.hint);
  try {
    assert.ok((await hint())?.includes("Did all of it come"));
    WebAssembly.validate = (): boolean => false;
    assert.ok((await hint())?.includes("no WebAssembly SIMD"));
  } finally {
    WebAssembly.validate = validate;
  }
});

test("Fault 714: a browser that runs no WebAssembly is named", async () => {
  const { WebAssembly: here, fetch } = globalThis;
  globalThis.fetch = () => Promise.reject(new TypeError("Failed to fetch"));
  Reflect.deleteProperty(globalThis, "WebAssembly");
  try {
    for (const source of [MCP, new Uint8Array([0])]) {
      const error: HoldfastError = await load(mcpWasm, source).then(
        () => Promise.reject(new TypeError("it has come")), (error: HoldfastError) => error,
      );
      assert.equal(error.code, "load_failed", String(error));
      assert.ok(
        error.message.includes("no WebAssembly") && error.hint?.includes("Lockdown Mode"), String(error.hint),
      );
    }
  } finally {
    Object.assign(globalThis, { WebAssembly: here, fetch });
  }
});
