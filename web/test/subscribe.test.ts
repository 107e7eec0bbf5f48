// subscribeResource under 2026-07-28, where it is one stream that carries what all subscriptions ask for.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { McpClient } from "../src/client/client.js";
import { isForAll } from "../src/client/unasked.js";
import { connect } from "../src/host/choose/hosts.js";
import { EVENT, FACT, OUTCOME } from "../src/base/border.js";
import { HoldfastError } from "../src/base/errors.js";
import { Origin } from "./bothhosts.js";
import { ready, settled, tasks, until } from "./ready.js";

const REVISION = "2026-07-28";
const ACKNOWLEDGED = `{"method":"notifications/subscriptions/acknowledged"}`;

/** A client of a server that acknowledges nothing by itself. */
async function connected(origin: Origin): Promise<McpClient> {
  const mcp = await connect("https://mcp.example/mcp", origin.options);
  origin.core.port.state(
    JSON.stringify({
      state: "open", revision: REVISION,
      initialize: {
        serverInfo: { name: "core", version: "1" }, capabilities: { resources: { subscribe: true } },
      },
    }),
    FACT.selfDescribing,
  );
  await ready();
  return mcp;
}

const code = (promise: Promise<void>): Promise<string> => promise.then(
  () => "resolved", (error: HoldfastError) => error.code,
);

test("Fault 545: a subscription that its signal gives up, or that takes longer than its timeouts, rejects", async () => {
  for (const host of ["page", "loop", "shared"] as const) {
    const origin = new Origin(host, REVISION);
    const mcp = await connected(origin);
    assert.equal(await code(mcp.subscribeResource("test://a", { signal: AbortSignal.abort() })), "cancelled");
    const abort = new AbortController();
    const given = [
      mcp.subscribeResource("test://b", { signal: abort.signal }), mcp.subscribeResource("test://c"),
      mcp.unsubscribeResource("test://b", { signal: abort.signal }),
    ].map(code);
    await tasks(4);
    abort.abort();
    assert.deepEqual([await given[0], await given[2]], ["cancelled", "cancelled"]);
    for (const timeouts of [{ answer: 5 }, { total: 5 }])
      assert.equal(await code(mcp.subscribeResource("test://d", { timeouts })), "timeout");
    const later = code(
      mcp.subscribeResource("test://e", {
        signal: new AbortController().signal, timeouts: { answer: Infinity, total: 60_000 },
      }),
    );
    await tasks(4);
    origin.core.port.deliver(0, EVENT.notification, 0, ACKNOWLEDGED, 0);
    assert.deepEqual([await given[1], await later], ["resolved", "resolved"]);
    await until(() => mcp.state === "open");
    await mcp.close();
  }
});

test("Fault 542: other tabs are told what has changed, and what may have; the rest of a stream is of the tab that has asked for it", () => {
  const said = (method: string): string =>
    `{"jsonrpc":"2.0","method":"${method}","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":7}}}`;
  for (const what of ["tools", "prompts", "resources"])
    assert.equal(isForAll(EVENT.notification, said(`notifications/${what}/list_changed`)), true);
  for (const what of ["subscriptions/acknowledged", "resources/updated", "tasks"])
    assert.equal(isForAll(EVENT.notification, said(`notifications/${what}`)), false);
  assert.deepEqual(
    [
      isForAll(EVENT.status, `{"state":"open","missed":true}`), isForAll(EVENT.status, `{"state":"open"}`),
      isForAll(EVENT.log, `{"missed":true}`),
    ],
    [true, false, false],
  );
});

test("Fault 664: what the user before has subscribed to is not asked for again by the next worker, and the app hears that the user is another one", async () => {
  for (const next of ["ada", "bob"]) {
    const origin = new Origin("shared");
    let user = "ada";
    const mcp = await connect("https://mcp.example/mcp", {
      ...origin.options, token: () => `h.${btoa(JSON.stringify({ sub: user }))}.s`,
    });
    const said: string[] = [];
    mcp.on("state", ({ state, anotherUser }) => said.push(anotherUser ? "another user" : state));
    mcp.on("changed", ({ what }) => said.push(what));
    const asked = mcp.subscribeResource("test://a");
    await until(() => origin.core.calls.length === 1);
    origin.core.port.settle(origin.core.last("resources/subscribe").id, OUTCOME.result, "{}");
    await asked;
    user = next;
    const former = origin.core;
    origin.kill();
    await until(() => origin.core !== former && mcp.state === "open");
    await settled();
    const isSame = next === "ada";
    assert.deepEqual(
      origin.core.calls.map(({ method }) => method), isSame ? ["resources/subscribe"] : [], next,
    );
    assert.deepEqual(
      said,
      isSame
        ? ["reconnecting", "open"]
        : ["reconnecting", "another user", "tools", "prompts", "resources", "open"],
      next,
    );
    await mcp.close();
  }
});
