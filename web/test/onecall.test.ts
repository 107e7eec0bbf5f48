// One call is one object in its page, and told once, whoever made it and whatever becomes of its host.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Call } from "../src/client/call.js";
import { connect } from "../src/host/choose/hosts.js";
import { EVENT, OUTCOME } from "../src/base/border.js";
import { Origin } from "./bothhosts.js";
import { tasks, until } from "./ready.js";

const HOSTS = ["page", "loop", "shared"] as const;
const URL_OF = "https://mcp.example/mcp";
const ASKED = ["count", { n: 1 }, { key: "k" }] as const;

test("Fault 800: a call that two clients make under one key at the same moment is told to neither beside", async () => {
  for (const host of HOSTS) {
    const origin = new Origin(host);
    const options = { ...origin.options, principal: "ada" };
    const elsewhere = { ...options, worker: "https://app.test/other/worker.mjs" }; // as another page's link
    const [one, other] = [await connect(URL_OF, options), await connect(URL_OF, elsewhere)];
    await tasks(4);
    const told: Call[] = [];
    for (const client of [one, other]) client.on("restored", ({ call }) => told.push(call));
    // neither has heard of the other
    const [first, second] = [one.callTool(...ASKED), other.callTool(...ASKED)];
    await until(() => origin.core.calls.length === 1);
    await tasks(10);
    assert.deepEqual(told, [], host);
    assert.equal(other.callTool(...ASKED), second);
    assert.equal(one.callTool(...ASKED), first);
  }
});

test("Fault 800: a call that another tab has just made, and that the app asks for before it was told of it, is not told beside", async () => {
  const origin = new Origin("page");
  const client = await connect(URL_OF, { ...origin.options, principal: "ada" });
  await tasks(4);
  const told: Call[] = [];
  client.on("restored", ({ call }) => told.push(call));
  const made = { id: 9, method: "tools/call", params: { name: "count", arguments: { n: 1 } }, key: "k" };
  const rest = { createdAt: 1, acked: 0, base: 0, manual: false, owned: false, guarantee: "resumable" };
  origin.core.port.recall(9, JSON.stringify({ ...made, ...rest }));
  const call = client.callTool(...ASKED);
  await tasks(4);
  assert.deepEqual(told, []);
  assert.deepEqual(await client.calls(), [call]);
});

test("Fault 801: a kept call is the same object where its worker has ended and the next has the call", async () => {
  const origin = new Origin("shared");
  const worker = "https://app.test/ends/worker.mjs";
  const client = await connect(URL_OF, { ...origin.options, principal: "ada", worker });
  await tasks(4);
  const told: Call[] = [];
  client.on("restored", ({ call }) => told.push(call));
  const call = client.callTool("count", { n: 1 });
  await until(() => origin.core.calls.length === 1);
  const { id } = origin.core.calls[0]!;
  const events: unknown[] = [];
  const read = (async () => {
    for await (const event of call) events.push(event.type === "progress" ? event.progress : event.type);
  })();
  for (const n of [1, 2]) origin.core.port.deliver(id, EVENT.progress, n, `{"progress":${n}}`);
  await until(() => events.length === 2);
  const states: string[] = [];
  client.on("state", ({ state }) => states.push(state));
  origin.kill(true);
  await until(() => states.includes("reconnecting"));
  assert.equal(call.settled, false);
  await until(() => states.includes("open"));
  const { port } = origin.core;
  // The second was not stored: it comes again.
  port.deliver(id, EVENT.resumed, 1, `{"outcome":"continued"}`);
  for (const n of [2, 3]) port.deliver(id, EVENT.progress, n, `{"progress":${n}}`);
  port.settle(id, OUTCOME.result, `{"content":[]}`);
  assert.deepEqual(await call.result, { content: [] });
  await read;
  assert.deepEqual(events, [1, 2, "guarantee", "resumed", 3]); // it is kept with what resumes it
  assert.deepEqual([told, (await client.calls()).includes(call)], [[], true]);
});
