import assert from "node:assert/strict";
import { test } from "node:test";
import { connect } from "../src/host/choose/hosts.js";
import type { HoldfastError } from "../src/base/errors.js";
import { OUTCOME } from "../src/base/border.js";
import { Origin } from "./bothhosts.js";
import { until, tasks } from "./ready.js";

test("Fault 541: a request that was refused while the worker was replaced does not take the key from the call that has it", { timeout: 10_000 }, async () => {
  const origin = new Origin("shared");
  const client = await connect("https://mcp.example/mcp", { ...origin.options, principal: "ada" });
  const first = client.callTool("count", { n: 1 }, { key: "k" });
  await until(() => origin.core.calls.length === 1);
  first.result.catch(() => {});
  const states: string[] = [];
  client.on("state", ({ state }) => states.push(state));
  origin.kill(true);
  await until(() => states.includes("reconnecting"));
  const other = client.callTool("count", { n: 2 }, { key: "k" }); // a slip: another request under the key
  await assert.rejects(other.result, (error) => (error as HoldfastError).code === "key_in_use");
  await until(() => states.includes("open"));
  await tasks(10);
  const again = client.callTool("count", { n: 1 }, { key: "k" }); // the stored one
  const [stored] = await client.calls();
  await tasks(10);
  const { port, calls } = origin.core;
  port.deliver(calls[0]!.id, 1, 1, `{"progress":1}`);
  port.settle(calls[0]!.id, OUTCOME.result, `{"content":[]}`);
  const late = new Promise((resolve) => setTimeout(() => resolve("hangs"), 900));
  assert.deepEqual(await Promise.race([stored!.result, late]), { content: [] });
  assert.deepEqual(await Promise.race([again.result, late]), { content: [] });
});
