// Calls that need a page visited before they can run: error -32042 of 2025-11-25 names it, and the server may
// say when that is done.

import assert from "node:assert/strict";
import { test } from "node:test";
import { connect } from "../src/host/choose/hosts.js";
import type { ElicitationResult, URLElicitation } from "../src/input/elicitation.js";
import type { InputContext } from "../src/input/handlers.js";
import { answerInput, answerRequest, visitPages } from "../src/input/inputs.js";
import { EVENT, OUTCOME } from "../src/base/border.js";
import type { RPCError } from "../src/base/errors.js";
import { Origin } from "./bothhosts.js";
import { settled, until } from "./ready.js";

const REQUIRED = JSON.stringify({
  code: -32042, message: "first",
  data: {
    elicitations: ["a", "b"].map(
      (elicitationId) => ({
        mode: "url", elicitationId, url: `https://a.example/${elicitationId}`, message: "Log in",
      }),
    ),
  },
});
const OPEN = JSON.stringify({
  state: "open", revision: "2025-11-25", session: true,
  initialize: { serverInfo: { name: "core", version: "1" }, capabilities: { tools: {} } },
});

/** A question to the handler that is not answered yet. */
interface Asked {
  id: string;
  signal: AbortSignal;
  answer(result: ElicitationResult): void;
}

/** A call of a server that wants two pages visited first, in a host. */
async function visiting(host: "page" | "loop" | "shared") {
  const origin = new Origin(host);
  const asked: Asked[] = [];
  const elicitation = (request: object, { signal }: InputContext): Promise<ElicitationResult> =>
    new Promise(
      (answer) => void asked.push({ id: (request as URLElicitation).elicitationId!, signal, answer }),
    );
  const mcp = await connect("https://mcp.example/mcp", { ...origin.options, handlers: { elicitation } });
  await until(() => mcp.state === "open");
  const { calls, port } = origin.core;
  port.state(OPEN, 0);
  const call = mcp.callTool("t", {}, { journal: false });
  await until(() => calls.length === 1);
  port.settle(calls[0]!.id, OUTCOME.visitRequired, REQUIRED);
  await until(() => asked.length === 1);
  const says = (id: string): void => port.deliver(
    0, EVENT.notification, 0,
    JSON.stringify({ method: "notifications/elicitation/complete", params: { elicitationId: id } }), 0,
  );
  return { mcp, calls, port, call, asked, says };
}

test("Fault 574: a call that needs pages visited is made again once the person has done that, whether the server says so or not", async () => {
  for (const host of ["page", "loop", "shared"] as const) {
    const { mcp, calls, port, call, asked } = await visiting(host);
    asked[0]!.answer({ action: "accept", complete: true });
    await until(() => asked.length === 2);
    await settled();
    assert.equal(calls.length, 1, "the other page is still to be visited");
    asked[1]!.answer({ action: "accept", complete: true });
    await until(() => calls.length === 2);
    assert.deepEqual(
      [calls[1]!.method, calls[1]!.params], ["tools/call", { name: "t", arguments: {} }], host,
    );
    port.settle(calls[1]!.id, OUTCOME.result, `{"content":[]}`);
    assert.deepEqual(await call.result, { content: [] });
    await mcp.close();
  }
});

test("Fault 574: who has only agreed to a visit, or whose dialog is open, is waited for until the server says that it is complete", async () => {
  for (const host of ["page", "loop", "shared"] as const) {
    const { mcp, calls, port, call, asked, says } = await visiting(host);
    asked[0]!.answer({ action: "accept" });
    await until(() => asked.length === 2);
    says("b");
    await until(() => asked[1]!.signal.aborted);
    await settled();
    assert.deepEqual([asked[0]!.signal.aborted, calls.length], [false, 1], "the first one is not done with");
    says("a");
    await until(() => calls.length === 2);
    port.settle(calls[1]!.id, OUTCOME.result, `{"content":[]}`);
    await call.result;
    await mcp.close();
  }
});

test("Fault 574: a call that is cancelled while it waits asks for no further visit", async () => {
  const over = new AbortController();
  const asked: AbortSignal[] = [];
  const elicitation = (_: object, { signal }: InputContext): Promise<ElicitationResult> => (
    asked.push(signal), new Promise(() => {})
  );
  const call = { method: "tools/call", ended: over.signal, saveDraft: () => {} };
  // As a client does it: nobody waits for the server's word any more.
  const said = (): Promise<void> => new Promise(
    (resolve) => over.signal.addEventListener("abort", () => resolve()),
  );
  const visits = visitPages(JSON.parse(REQUIRED) as RPCError, call, { elicitation }, "s", said);
  await settled();
  over.abort();
  assert.equal(await visits, false);
  assert.deepEqual(asked.map(({ aborted }) => aborted), [true]);
});

test("Fault 574: no server is sent what the app says of a visit", async () => {
  const handlers = { elicitation: () => ({ action: "accept" as const, complete: true }) };
  const params = { mode: "url", url: "https://a.example/", message: "?" };
  const call = { method: "tools/call", ended: new AbortController().signal, saveDraft: () => {} };
  const { json } = await answerRequest(
    "elicitation/create", params, handlers, { server: "s", signal: call.ended, saveDraft: () => {} },
  );
  assert.equal(json, `{"action":"accept"}`);
  const asked = JSON.stringify({ inputRequests: { k: { method: "elicitation/create", params } } });
  assert.equal(await answerInput(asked, call, handlers, "s"), `{"k":{"action":"accept"}}`);
});
