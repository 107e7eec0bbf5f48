import assert from "node:assert/strict";
import { test } from "node:test";
import { agentsWasm } from "../src/agent/agentswasm.js";
import { mcpWasm } from "../src/runtime/beside.js";
import { WasmAhead } from "../src/runtime/wasmahead.js";

const MCP = "https://app.test/holdfast.wasm";
const AGENTS = "https://app.test/holdfast-agents.wasm";

/**
 * Tells a story of a page in which each address answers with itself; `fetched` has those that were asked for,
 * in order.
 */
async function page(story: (ahead: WasmAhead, fetched: string[]) => Promise<void>): Promise<void> {
  const real = globalThis.fetch;
  const fetched: string[] = [];
  globalThis.fetch = (source) => {
    fetched.push(String(source));
    return Promise.resolve(new Response(String(source)));
  };
  try {
    await story(new WasmAhead(), fetched);
  } finally {
    globalThis.fetch = real;
  }
}

test("Fault 221: wasm that was fetched ahead and failed is fetched again, and not once the runtime loads", async () => {
  await page(async (ahead, fetched) => {
    const { fetch } = globalThis;
    for (let tries = 1; tries <= 3; tries++) {
      if (tries > 1) ahead.drop(mcpWasm); // the chunk has not come either
      if (tries === 1)
        globalThis.fetch = (source) => (
          void fetched.push(String(source)), Promise.reject(new TypeError("the network is gone"))
        );
      else globalThis.fetch = fetch;
      ahead.fetch(mcpWasm, MCP);
      ahead.fetch(mcpWasm, MCP); // another client that waits for the chunk
      assert.equal(fetched.length, tries);
    }
    assert.equal(await (await ahead.take(mcpWasm, MCP))!.text(), MCP);
    ahead.fetch(mcpWasm, MCP);
    assert.equal(fetched.length, 3, "the runtime is there, and nobody would read it");
    assert.equal(ahead.take(mcpWasm, MCP), undefined);
  });
});

test("Fault 297: a page that connects to a server and to an agent at once has the file of each, and each once", async () => {
  await page(async (ahead, fetched) => {
    ahead.fetch(mcpWasm, MCP);
    ahead.fetch(agentsWasm, AGENTS);
    assert.deepEqual(fetched, [MCP, AGENTS]);
    assert.equal(
      await (await ahead.take(agentsWasm, AGENTS))!.text(), AGENTS, "whose chunk comes first takes its own",
    );
    assert.ok(ahead.has(mcpWasm) && !ahead.has(agentsWasm));
    ahead.drop(agentsWasm); // which is taken: nothing of the other's goes with it
    assert.equal(await (await ahead.take(mcpWasm, MCP))!.text(), MCP);
    assert.equal(fetched.length, 2);
  });
});

test("Fault 297: an app that names one file for both kinds of clients has it fetched once", async () => {
  await page(async (ahead, fetched) => {
    ahead.fetch(mcpWasm, AGENTS);
    ahead.fetch(agentsWasm, AGENTS);
    assert.deepEqual(fetched, [AGENTS]);
    assert.equal(
      await (await ahead.take(agentsWasm, AGENTS))!.text(), AGENTS, "whose chunk comes first takes it",
    );
    assert.equal(ahead.take(mcpWasm, AGENTS), undefined);
  });
});

test("Fault 297: what was fetched ahead from another address than it is loaded from is let go", async () => {
  await page(async (ahead) => {
    let cancelled = false;
    globalThis.fetch = () => Promise.resolve(
      new Response(new ReadableStream({ cancel: () => void (cancelled = true) })),
    );
    ahead.fetch(mcpWasm, MCP);
    assert.equal(ahead.take(mcpWasm, "https://cdn.test/holdfast.wasm"), undefined);
    await new Promise((resolve) => setTimeout(resolve));
    assert.ok(cancelled && !ahead.has(mcpWasm));
  });
});
