// When a call counts as acknowledged whose result the app has had while a loop still reads its events from
// the store.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Call } from "../src/client/call.js";
import type { McpClient } from "../src/client/client.js";
import { connect } from "../src/host/choose/hosts.js";
import { EVENT, OUTCOME } from "../src/base/border.js";
import type { LogRow } from "../src/storage/storage.js";
import { Origin } from "./bothhosts.js";
import { tasks, until } from "./ready.js";

const URL_ = "https://mcp.example/mcp";

/**
 * A call that has ended in this origin, and two further clients of its page, which have it from the store;
 * what the store has is not read before the test says so.
 */
async function ended(
  origin: Origin,
): Promise<{ id: number; clients: McpClient[]; calls: Call[]; go: () => void }> {
  let go = (): void => {};
  const gate = new Promise<LogRow[]>((resolve) => (go = () => resolve([])));
  origin.rows = () => gate;
  const first = await connect(URL_, { ...origin.options, principal: "ada" });
  first.callTool("count", { n: 1 }, { key: "one" });
  await until(() => origin.core.calls.length === 1);
  const { port, calls: made } = origin.core;
  const { id } = made[0]!;
  port.deliver(id, EVENT.progress, 1, `{"progress":1}`);
  port.settle(id, OUTCOME.result, `{"content":[]}`);
  const clients = [first];
  const calls: Call[] = [];
  for (let n = 0; n < 2; n++) {
    const client = await connect(URL_, { ...origin.options, principal: "ada" });
    clients.push(client);
    calls.push((await client.calls())[0] as Call);
  }
  return { id, clients, calls, go };
}

const isRead = async (call: Call): Promise<void> => {
  for await (const _ of call) continue;
};

test("Fault 690: an app that closes its clients has had the result that it awaited beside a loop, in either host", async () => {
  for (const host of ["page", "loop", "shared"] as const) {
    for (const isLast of [false, true]) {
      const origin = new Origin(host);
      const { id, clients, calls, go } = await ended(origin);
      const loop = isRead(calls[0]!);
      await calls[0]!.result;
      await tasks(10);
      assert.deepEqual(origin.core.handed, [], "it is read");
      if (isLast) for (const client of [clients[0]!, clients[2]!]) await client.close();
      await clients[1]!.close();
      await until(() => origin.core.handed.length > 0 || origin.core.isOver);
      assert.deepEqual(origin.core.handed, [id], `${host}, ${isLast}`);
      go();
      await loop;
      for (const client of clients) await client.close();
    }
  }
});

test("Fault 691: a loop of another client of the page is waited for as well, in either host", async () => {
  for (const host of ["page", "loop", "shared"] as const) {
    const origin = new Origin(host);
    const { id, clients, calls, go } = await ended(origin);
    const loop = isRead(calls[0]!);
    await calls[1]!.result;
    await tasks(10);
    assert.deepEqual(origin.core.handed, [], host);
    go();
    await loop;
    await until(() => origin.core.handed.length === 1);
    assert.deepEqual(origin.core.handed, [id]);
    for (const client of clients) await client.close();
  }
});
