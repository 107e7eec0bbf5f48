// completion/complete, whose `context` is since 2025-06-18.

import assert from "node:assert/strict";
import { test } from "node:test";
import { connect } from "../src/host/choose/hosts.js";
import { FACT, OUTCOME } from "../src/base/border.js";
import type { HoldfastError } from "../src/base/errors.js";
import { Origin } from "./bothhosts.js";
import { settled, until } from "./ready.js";

const REF = { type: "ref/resource", uri: "repo:///{owner}/{name}" };
const ARGUMENT = { name: "name", value: "ho" };

test("Fault 576: what is chosen already goes with a completion where the revision has a place for it", async () => {
  for (const host of ["page", "loop", "shared"] as const) {
    const origin = new Origin(host);
    const mcp = await connect("https://mcp.example/mcp", origin.options);
    await until(() => mcp.state === "open");
    const { calls, port } = origin.core;
    for (const [facts, context, sent] of [
      [FACT.completionContext, { arguments: { owner: "ada" } }, { context: { arguments: { owner: "ada" } } }],
      [FACT.completionContext, {}, { context: {} }],
      [FACT.completionContext, undefined, {}],
      [0, { arguments: { owner: "ada" } }, {}],
    ] as const) {
      port.state(`{"state":"open","revision":"r","initialize":{}}`, facts);
      await settled();
      const asked = mcp.complete(REF, ARGUMENT, { ...(context && { context }), timeouts: { answer: 1_000 } });
      await settled();
      const [call] = calls.splice(0);
      assert.deepEqual(call?.params, { ref: REF, argument: ARGUMENT, ...sent }, host);
      port.settle(call!.id, OUTCOME.result, `{"completion":{"values":[]}}`);
      await asked;
    }
    for (const [context, argument] of [
      ["ada", "context"],
      [{ arguments: "ada" }, "context.arguments"],
      [{ argument: {} }, "context.argument"],
    ] as const) {
      await assert.rejects(
        mcp.complete(REF, ARGUMENT, { context: context as never }),
        (error) => (error as HoldfastError).code === "bad_argument" &&
          (error as HoldfastError).message.includes(`: ${argument} `),
      );
    }
    assert.equal(calls.length, 0);
    await mcp.close();
  }
});
