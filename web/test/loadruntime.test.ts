import assert from "node:assert/strict";
import { test } from "node:test";
import { agentsWasm, mcpWasm } from "../src/runtime/beside.js";
import { load } from "../src/runtime/loadruntime.js";
import type { HoldfastError } from "../src/shared/errors.js";

const MCP = "https://app.test/holdfast.wasm";
const AGENTS = "https://app.test/holdfast-agents.wasm";

test("Fault 331: an MCP client that waits for the wasm for agents loads its own where that does not come", async () => {
  const { fetch } = globalThis;
  const fetched: string[] = [];
  const answers: (() => void)[] = [];
  globalThis.fetch = (source) => {
    fetched.push(String(source));
    return new Promise((resolve) => answers.push(() => resolve(new Response("", { status: 404 }))));
  };
  const failure = (loading: Promise<unknown>): Promise<HoldfastError> => loading.then(() => Promise.reject(new TypeError("it has come")), (error: HoldfastError) => error);
  try {
    const [agents, mcp, other] = [failure(load(agentsWasm, AGENTS)), failure(load(mcpWasm, MCP)), failure(load(mcpWasm, MCP))];
    assert.deepEqual(fetched, [AGENTS], "it is for both");
    answers[0]!();
    const lacks = await agents;
    assert.ok(lacks.code === "load_failed" && lacks.hint?.includes("Serve the package's holdfast-agents.wasm there"), lacks.hint);
    assert.deepEqual(fetched, [AGENTS, MCP]);
    answers[1]!();
    for (const error of [await mcp, await other]) assert.ok(error.hint?.includes("Serve the package's holdfast.wasm there"), error.hint);
    assert.equal(fetched.length, 2, "once for all MCP clients");
    const next = failure(load(mcpWasm, MCP));
    assert.equal(fetched.length, 3, "what has failed is asked for again");
    answers[2]!();
    await next;
  } finally {
    globalThis.fetch = fetch;
  }
});
