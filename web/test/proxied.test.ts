// What an app keeps in the state of a framework that puts proxies around objects, as Vue's `ref` and
// `reactive` do.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent } from "../src/agent/agent.js";
import { ElicitationRequest, PermissionRequest } from "../src/agent/questions.js";
import { AgentSession } from "../src/agent/session.js";
import type { Call } from "../src/client/call.js";
import type { McpClient } from "../src/client/client.js";
import { connect } from "../src/host/choose/hosts.js";
import { RemoteSignIn } from "../src/host/page/remotesignin.js";
import { Hub, hub } from "../packages/hub/hub.js";
import { OUTCOME } from "../src/base/border.js";
import { HoldfastError } from "../src/base/errors.js";
import { observeCall } from "../packages/observe/callstore.js";
import { typedTool } from "../packages/tools/typedtool.js";
import { HoldfastTransport } from "../src/transport/transport.js";
import { Origin } from "./bothhosts.js";
import { until } from "./ready.js";

/**
 * Which kinds Vue puts behind a proxy, by what an object says that it is; all that is read of one as well.
 */
const PROXIED = [
  "[object Object]", "[object Array]", "[object Map]", "[object Set]", "[object WeakMap]", "[object WeakSet]",
];
const isProxied = (value: unknown): boolean => typeof value === "object" && value !== null &&
  PROXIED.includes(Object.prototype.toString.call(value));
function reactive<T>(value: T): T {
  if (!isProxied(value)) return value;
  return new Proxy(value as object, {
    get: (target, name, proxy) => reactive(Reflect.get(target, name, proxy)),
  }) as T;
}

test("Fault 599: a client and its calls work where a framework keeps them behind its proxies", async () => {
  for (const host of ["page", "loop", "shared"] as const) {
    const origin = new Origin(host);
    const state = reactive<{ mcp?: McpClient; calls: Call[]; args: object }>({
      calls: [], args: { a: [1, { b: 2 }] },
    });
    state.mcp = await connect(
      "https://mcp.example/mcp", reactive({ ...origin.options, client: { name: "a", version: "1" } }),
    );
    const { mcp } = state;
    const call = mcp.callTool(
      "report", reactive(state.args) as never, reactive({ key: "report", meta: { n: 1 } }),
    );
    state.calls.push(call);
    await until(() => origin.core.calls.some(({ method }) => method === "tools/call"));
    assert.deepEqual(
      origin.core.last("tools/call").params, { name: "report", arguments: { a: [1, { b: 2 }] } }, host,
    );
    const held = state.calls[0]!;
    const events = held[Symbol.asyncIterator]();
    origin.core.port.settle(origin.core.last("tools/call").id, OUTCOME.result, `{"content":[]}`);
    assert.deepEqual(
      [(await held.result).content, (await events.next()).done, held.settled, held.key],
      [[], true, true, "report"], host,
    );
    assert.equal(observeCall(held), observeCall(call), "what is kept is the call itself");
    assert.equal(reactive({ all: hub([{ name: "one", client: mcp }]) }).all.client("one"), mcp);
    assert.equal(reactive({ typed: typedTool(mcp, "report").of(held) }).typed!.call, held);
    await mcp.close();
    assert.equal(state.mcp.state, "closed");
  }
});

test("Fault 566: arguments that are no JSON are named in either host, and nothing of them is shown", async () => {
  const circle: Record<string, unknown> = {};
  circle["of"] = circle;
  const throws = { get secret(): never { throw new Error("secret-77"); } };
  for (const host of ["page", "loop", "shared"] as const) {
    const origin = new Origin(host);
    const mcp = await connect("https://mcp.example/mcp", origin.options);
    for (const given of [{ n: 1n }, circle, throws]) {
      for (
        const [call, argument] of [
          [mcp.callTool("report", given), "args"], [mcp.request("x/y", given), "params"],
        ] as const
      ) {
        await assert.rejects(
          call.result,
          (error) => error instanceof HoldfastError && error.code === "bad_argument" &&
            error.message === `${call.method}: ${argument} cannot be written as JSON`,
        );
      }
    }
    assert.equal(origin.core.calls.length, 0);
    await mcp.close();
  }
});

test("Fault 599: what an app gets has its private members in any state", () => {
  for (const { prototype } of [Agent, AgentSession, Hub, RemoteSignIn, HoldfastTransport])
    assert.equal(isProxied(prototype), false);
  const answers: [boolean, string][] = [];
  const answer = (ok: boolean, json: string): void => void answers.push([ok, json]);
  const permission = reactive({
    asked: new PermissionRequest(
      { options: [{ optionId: "yes", name: "Yes", kind: "allow_once" }] }, false, answer,
    ),
  }).asked;
  permission.select("yes");
  const elicitation = reactive({
    asked: new ElicitationRequest(
      { message: "Who?", requestedSchema: { type: "object", properties: {} } } as never, false, answer,
      { draft: undefined, save: () => {} },
    ),
  }).asked;
  elicitation.saveDraft({ a: 1 });
  elicitation.decline();
  assert.deepEqual(answers.map(([ok]) => ok), [true, true]);
  assert.deepEqual([permission.signal.aborted, elicitation.signal.aborted], [true, true]);
});
