// What a session up to 2025-11-25 was told, and the next one has to be told again.

import assert from "node:assert/strict";
import { test } from "node:test";
import { connect } from "../src/host/choose/hosts.js";
import { EVENT, FACT, OUTCOME } from "../src/base/border.js";
import { Origin } from "./bothhosts.js";
import { settled, until } from "./ready.js";

const OPEN = JSON.stringify({
  state: "open", revision: "2025-11-25", session: true,
  initialize: {
    serverInfo: { name: "core", version: "1" }, capabilities: { resources: { subscribe: true } },
  },
});

test("Fault 583: subscriptions to resources and the level of the log are made again in the session that takes the place of a lost one", async () => {
  for (const host of ["page", "loop", "shared"] as const) {
    const origin = new Origin(host);
    const mcp = await connect("https://mcp.example/mcp", origin.options);
    const integrity: string[] = [];
    mcp.on("integrity", ({ what }) => integrity.push(what));
    await until(() => mcp.state === "open");
    const { calls, port } = origin.core;
    /** Has the server answer what it was asked just now, but for the resources that it refuses. */
    const answer = async (refused = "test://none"): Promise<void> => {
      await settled();
      for (const { id, params } of calls.splice(0)) {
        if (params["uri"] === refused) port.settle(id, OUTCOME.rpcError, `{"code":-32602,"message":"no"}`);
        else port.settle(id, OUTCOME.result, "{}");
      }
      await settled();
    };
    const given = [
      mcp.subscribeResource("test://a"), mcp.subscribeResource("test://b"), mcp.subscribeResource("test://c"),
      mcp.setLoggingLevel("error"),
    ];
    const refused = mcp.subscribeResource("test://none").catch(() => "refused");
    await answer();
    await Promise.all(given);
    assert.equal(await refused, "refused");
    const ends = mcp.unsubscribeResource("test://b");
    await answer();
    await ends;

    port.state(`{"state":"reconnecting"}`, 0);
    port.state(OPEN, 0);
    await settled();
    assert.deepEqual(calls.map(({ method, params }) => [method, params]), [
      ["logging/setLevel", { level: "error" }],
      ["resources/subscribe", { uri: "test://a" }],
      ["resources/subscribe", { uri: "test://c" }],
    ], host);
    await answer("test://c");
    assert.deepEqual(
      integrity, ["subscription_lost"], "what the next session does not take, the app hears of",
    );

    port.state(`{"state":"reconnecting"}`, 0);
    port.state(OPEN, 0);
    await settled();
    assert.equal(calls.length, 2, "and it is not asked for again");
    await answer();
    await mcp.close();
  }
});

test("Fault 623: a subscription that is ended while it is being made is not made again in the next session", async () => {
  for (const host of ["page", "loop", "shared"] as const) {
    const origin = new Origin(host);
    const mcp = await connect("https://mcp.example/mcp", origin.options);
    await until(() => mcp.state === "open");
    const { calls, port } = origin.core;
    // As a component does that is mounted, unmounted, and mounted again, and another that is not mounted
    // again.
    const given = [
      mcp.subscribeResource("test://a"), mcp.unsubscribeResource("test://a"),
      mcp.subscribeResource("test://a"), mcp.subscribeResource("test://b"),
      mcp.unsubscribeResource("test://b"),
    ];
    await settled();
    for (const { id } of calls.splice(0)) port.settle(id, OUTCOME.result, "{}");
    await Promise.all(given);
    port.state(`{"state":"reconnecting"}`, 0);
    port.state(OPEN, 0);
    await settled();
    assert.deepEqual(
      calls.map(({ method, params }) => [method, params]), [["resources/subscribe", { uri: "test://a" }]],
      host,
    );
    for (const { id } of calls.splice(0)) port.settle(id, OUTCOME.result, "{}");
    await mcp.close();
  }
});

test("Fault 624: subscriptions are known to a core that begins anew, and to one whose server has come to be of 2026-07-28, before it listens", async () => {
  const modern = OPEN.replace("2025-11-25", "2026-07-28");
  for (const host of ["page", "loop", "shared"] as const) {
    for (const begins of ["connecting", "reconnecting"]) {
      for (const before of ["2025-11-25", "2026-07-28"]) {
        const origin = new Origin(host, before);
        const mcp = await connect("https://mcp.example/mcp", origin.options);
        await until(() => mcp.state === "open");
        const { core } = origin;
        if (before !== "2025-11-25") core.port.state(modern, FACT.selfDescribing);
        const given = [
          mcp.subscribeResource("test://a"), mcp.subscribeResource("test://b"),
          mcp.unsubscribeResource("test://b"),
        ];
        await settled();
        for (const { id } of core.calls.splice(0)) core.port.settle(id, OUTCOME.result, "{}");
        core.port.deliver(
          0, EVENT.notification, 0, `{"method":"notifications/subscriptions/acknowledged"}`, 0,
        );
        await Promise.all(given);

        core.watched = [];
        core.port.state(JSON.stringify({ state: begins }), 0);
        await settled();
        assert.deepEqual(core.watched, ["test://a"], `${host}, ${begins}, ${before}`);
        core.port.state(modern, FACT.selfDescribing);
        await settled();
        assert.deepEqual(core.calls, [], "one stream carries it");
        await mcp.close();
      }
    }
  }
});
