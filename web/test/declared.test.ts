import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeEvent } from "../src/client/events.js";
import { capabilitiesOf } from "../src/input/handlers.js";
import { answerInput, answerRequest } from "../src/input/inputs.js";
import { EVENT } from "../src/base/border.js";
import { HoldfastError } from "../src/base/errors.js";
import type { Open } from "../src/base/mcp.js";

const TASKS = "io.modelcontextprotocol/tasks";

test("Fault 343: what the app declares stands for what its handler could do, and extensions go apart", () => {
  const elicitation = (): { action: "cancel" } => ({ action: "cancel" });
  const whole = { elicitation: { form: {}, url: {} } };
  const rows: [declared: Open | undefined, capabilities: Open, extensions: Open][] = [
    [undefined, whole, {}],
    [{}, whole, {}],
    [{ elicitation: { form: {} } }, { elicitation: { form: {} } }, {}],
    [{ experimental: { a: {} } }, { ...whole, experimental: { a: {} } }, {}],
    // The client's own extension is the core's to declare, which would say it twice.
    [
      { extensions: { "io.modelcontextprotocol/ui": { a: 1 }, [TASKS]: {} } }, whole,
      { "io.modelcontextprotocol/ui": { a: 1 } },
    ],
  ];
  for (const [declared, capabilities, extensions] of rows)
    assert.deepEqual(capabilitiesOf({ elicitation }, declared), { capabilities, extensions });
  for (const name of ["sampling", "roots"]) {
    assert.throws(
      () => capabilitiesOf({ elicitation }, { [name]: {} }),
      (error) => error instanceof HoldfastError && error.code === "bad_argument" &&
        error.message.includes(`capabilities.${name} needs handlers.${name}`),
    );
  }
});

test("Fault 587: what a server asks beyond what it was told of the client gets an error, and no handler is asked", async () => {
  const FORM = { message: "?", requestedSchema: { type: "object", properties: {} } };
  const PAGE = { mode: "url", message: "?", url: "https://s.test/", elicitationId: "1" };
  const ask = { messages: [], maxTokens: 1 };
  const rows: [declared: Open, method: string, params: Open, isAsked: boolean][] = [
    [{}, "elicitation/create", FORM, true],
    [{}, "elicitation/create", PAGE, true],
    [{}, "elicitation/create", { ...FORM, mode: "voice" }, false],
    [{ elicitation: {} }, "elicitation/create", FORM, true], // as { form: {} }
    [{ elicitation: {} }, "elicitation/create", PAGE, false],
    [{ elicitation: { form: {} } }, "elicitation/create", { ...FORM, mode: "form" }, true],
    [{ elicitation: { form: {} } }, "elicitation/create", PAGE, false],
    [{ elicitation: { url: {} } }, "elicitation/create", PAGE, true],
    [{ elicitation: { url: {} } }, "elicitation/create", FORM, false],
    [{}, "sampling/createMessage", ask, true],
    [{}, "sampling/createMessage", { ...ask, tools: [] }, false],
    [{}, "sampling/createMessage", { ...ask, toolChoice: { mode: "auto" } }, false],
    [{ sampling: { tools: {} } }, "sampling/createMessage", { ...ask, tools: [] }, true],
    [{}, "roots/list", {}, true],
  ];
  let asked = 0;
  const answering = {
    elicitation: () => (asked++, { action: "cancel" as const }), sampling: () => (asked++, {}),
    roots: () => (asked++, []),
  };
  for (const [declared, method, params, isAsked] of rows) {
    const handlers = { ...answering, declared: capabilitiesOf(answering, declared).capabilities };
    const what = `${JSON.stringify(declared)} ${JSON.stringify(params)}`;
    const context = { server: "s", signal: new AbortController().signal, saveDraft: () => {} };
    asked = 0;
    const { ok, json } = await answerRequest(method, params, handlers, context);
    assert.deepEqual([ok, asked], isAsked ? [true, 1] : [false, 0], what);
    if (!isAsked) assert.equal((JSON.parse(json) as { code: number }).code, -32602, what);

    // The same in a result, which has no place for an error (2026-07-28).
    asked = 0;
    const call = { method: "tools/call", ended: context.signal, saveDraft: () => {} };
    const answer = await answerInput(
      JSON.stringify({ inputRequests: { q: { method, params } } }), call, handlers, "s",
    );
    assert.equal(asked, isAsked ? 1 : 0, what);
    if (!isAsked) assert.equal((answer as HoldfastError).code, "protocol_error", what);
  }
});

test("Fault 621: a question whose params are null is asked as one that has none", async () => {
  const handlers = {
    roots: () => [], sampling: () => ({ model: "m" }), declared: { roots: {}, sampling: {} },
  };
  const call = { method: "tools/call", ended: new AbortController().signal, saveDraft: () => {} };
  for (
    const [method, answer] of [
      ["roots/list", { roots: [] }], ["sampling/createMessage", { model: "m" }],
    ] as const
  ) {
    const text = JSON.stringify({ inputRequests: { q: { method, params: null } } });
    assert.deepEqual(JSON.parse((await answerInput(text, call, handlers, "s")) as string), { q: answer });
  }
});

test("Fault 575: a notification whose params are null has none", () => {
  const text = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":null}`;
  assert.deepEqual(decodeEvent({ kind: EVENT.notification, position: 1, text }), {
    type: "notification", position: 1, method: "notifications/tools/list_changed",
  });
});
