// Rules about calls, each of which is decided in one place (e2e/house_deciders_test.go): they hold
// wherever the runtime is.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { McpClient } from "../src/client/client.js";
import { connect } from "../src/host/choose/hosts.js";
import { EVENT } from "../src/base/border.js";
import type { HoldfastError } from "../src/base/errors.js";
import { Origin } from "./bothhosts.js";
import { tasks, until } from "./ready.js";

const HOSTS = ["page", "loop", "shared"] as const;

/** A client in that host, of an origin whose worker is not that of another test. */
async function open(host: (typeof HOSTS)[number], name: string): Promise<[Origin, McpClient]> {
  const origin = new Origin(host);
  origin.outlives = host === "shared";
  const worker = `https://app.test/${name}/worker.mjs`;
  return [origin, await connect("https://mcp.example/mcp", { ...origin.options, worker, principal: "ada" })];
}

const code = (error: HoldfastError): string => error.code;

test("what has a key is kept, and what can take long, unless the app says otherwise", async () => {
  for (const host of HOSTS) {
    const [origin, client] = await open(host, "kept");
    const made = [
      client.request("x/keyed", {}, { key: "k" }),
      client.request("x/plain"),
      client.request("x/said", {}, { journal: true }),
      client.callTool("count"),
      client.callTool("count", {}, { journal: false, key: "l" }),
    ];
    await until(() => origin.core.calls.length === made.length);
    const want = [true, false, true, true, false];
    assert.deepEqual(origin.core.calls.map(({ isKept }) => isKept), want, host);
    assert.deepEqual(made.map(({ kept }) => kept), want, host);
  }
});

test("a key is that of one request, and of one object, in each host", async () => {
  for (const host of HOSTS) {
    const [origin, client] = await open(host, "keys");
    const call = client.callTool("count", { n: 1 }, { key: "k" });
    assert.equal(client.callTool("count", { n: 1 }, { key: "k" }), call, host);
    const other = client.callTool("count", { n: 2 }, { key: "k" });
    assert.equal(await other.result.catch(code), "key_in_use", host);
    await tasks(4);
    assert.equal(origin.core.calls.length, 1, host);
  }
});

test("a call that nothing stored continues survives a reload where the host does", async () => {
  for (const host of HOSTS) {
    const [origin, client] = await open(host, "guarantee");
    const call = client.callTool("count");
    await until(() => origin.core.calls.length === 1);
    const { id } = origin.core.calls[0]!;
    const least = host === "shared" ? "survives-reload" : "lost-on-reload";
    assert.deepEqual([client.guarantees.floor, call.guarantee], [least, least], host);
    for (const [core, want] of [["resumable", "resumable"], ["lost-on-reload", least]] as const) {
      origin.core.port.deliver(id, EVENT.guarantee, 0, JSON.stringify({ guarantee: core }));
      await tasks(4);
      assert.equal(call.guarantee, want, host);
    }
  }
});

test("what is asked of a client that is closed is answered so in each host", async () => {
  for (const host of HOSTS) {
    const [, client] = await open(host, "closed");
    await client.close();
    const asked: Promise<unknown>[] = [client.callTool("count").result, client.ping()];
    for (const why of await Promise.all(asked.map((each) => each.catch(String)))) {
      assert.match(String(why), /the client is closed$/);
    }
  }
});
