import assert from "node:assert/strict";
import { test } from "node:test";
import type { AgentHandlers } from "../src/agent/openquestions.js";
import { ElicitationRequest, PermissionRequest } from "../src/agent/questions.js";
import type { AgentSession } from "../src/agent/session.js";
import { HoldfastError } from "../src/base/errors.js";
import type { Open } from "../src/base/mcp.js";
import { AgentRig, ready } from "./agentrig.js";

const coded =
  (code: string) =>
  (error: unknown): boolean =>
    error instanceof HoldfastError && error.code === code;

const OPTIONS = [
  { optionId: "y", name: "Allow", kind: "allow_once" },
  { optionId: "n", name: "Deny", kind: "reject_once" },
];
const PERMISSION = {
  sessionId: "s1",
  title: "Run?",
  description: "ls",
  subject: { type: "command", command: "ls", cwd: "/w" },
  options: OPTIONS,
};
const FORM = {
  sessionId: "s1",
  mode: "form",
  message: "Which?",
  requestedSchema: {
    type: "object",
    properties: { a: { type: "string", enum: ["x", "y"] }, b: { type: "number", default: 3 } },
    required: ["a"],
  },
};

async function asking(
  handlers: AgentHandlers = {}, more: Open = {},
): Promise<{ rig: AgentRig; it: AgentSession; ask: (method: string, params: Open) => void }> {
  const rig = await new AgentRig({ handlers, elicits: more["elicits"] !== false }).open();
  rig.recall(1, "s1", { owned: more["owned"] !== false });
  const ask = (method: string, params: Open): void => rig.tell(1, "question", { method, params }, 5);
  return { rig, it: (await rig.agent.sessions())[0]!, ask };
}

const permit = "session/request_permission";
const elicit = "elicitation/create";

test("a permission waits in the list, and is answered once", async () => {
  const { rig, it, ask } = await asking();
  const told: unknown[] = [];
  it.on("request", ({ request }) => told.push(request));
  ask(permit, PERMISSION);
  const request = it.requests[0] as PermissionRequest;
  assert.ok(request instanceof PermissionRequest);
  await ready();
  assert.equal(told[0], request);
  assert.deepEqual(
    [request.title, request.description, request.subject?.type, request.options],
    ["Run?", "ls", "command", OPTIONS],
  );
  assert.throws(() => request.select("maybe"), coded("bad_argument"));
  assert.equal(it.requests.length, 1);
  request.select("y");
  assert.deepEqual(
    rig.responses, [{ request: 5, ok: true, value: { outcome: { outcome: "selected", optionId: "y" } } }],
  );
  assert.deepEqual([it.requests.length, request.signal.aborted], [0, true]);
  assert.throws(() => request.cancel(), coded("closed"));
  assert.equal(rig.responses.length, 1);
});

test("version 1 asks with nothing but the tool call", async () => {
  const { it, ask } = await asking();
  ask(permit, { sessionId: "s1", toolCall: { toolCallId: "c", title: "Edit" }, options: OPTIONS });
  const [request] = it.requests as PermissionRequest[];
  assert.deepEqual(
    [request!.title, request!.subject?.type, request!.subject?.toolCall?.toolCallId],
    ["Edit", "tool_call", "c"],
  );
});

test("a request that is withdrawn is nobody's to answer", async () => {
  const { rig, it, ask } = await asking();
  const told: string[] = [];
  it.on("withdrawn", ({ reason }) => told.push(reason));
  ask(permit, PERMISSION);
  const [request] = it.requests as PermissionRequest[];
  rig.tell(1, "withdrawn", { reason: "agent" }, 5);
  rig.tell(1, "withdrawn", { reason: "agent" }, 5);
  await ready();
  assert.deepEqual([told, it.requests, request!.signal.aborted], [["agent"], [], true]);
  assert.throws(() => request!.select("y"), coded("closed"));
  assert.deepEqual(rig.responses, []);
});

test("Fault 309: a handler for permissions chooses, does not decide, or fails: then the agent hears of an error", async () => {
  for (const [permission, value, ok] of [
    [() => "n", { outcome: { outcome: "selected", optionId: "n" } }, true],
    [() => null, { outcome: { outcome: "cancelled" } }, true],
    [() => "maybe", { code: -32603, message: "The client could not answer" }, false],
    [
      () => Promise.reject(new Error("secret")),
      { code: -32603, message: "The client could not answer" },
      false,
    ],
  ] as const) {
    const reported: HoldfastError[] = [];
    globalThis.reportError = (error) => void reported.push(error as HoldfastError);
    const { rig, it, ask } = await asking({ permission });
    ask(permit, PERMISSION);
    assert.equal(it.requests.length, 1);
    await ready();
    assert.deepEqual(rig.responses, [{ request: 5, ok, value }]);
    assert.deepEqual(
      reported.map(({ code, message }) => [code, message]),
      ok ? [] : [["handler_failed", "session/request_permission: handlers.permission of the app failed"]],
    );
    assert.equal(it.requests.length, 0);
  }
});

test("the app may be quicker than its handler", async () => {
  let choose: (id: string) => void = () => {};
  const { rig, it, ask } = await asking({ permission: () => new Promise((resolve) => (choose = resolve)) });
  ask(permit, PERMISSION);
  await ready();
  (it.requests[0] as PermissionRequest).select("n");
  choose("y");
  await ready();
  assert.deepEqual(
    rig.responses, [{ request: 5, ok: true, value: { outcome: { outcome: "selected", optionId: "n" } } }],
  );
});

test("a form is completed and checked before it leaves", async () => {
  const { rig, it, ask } = await asking();
  ask(elicit, FORM);
  const request = it.requests[0] as ElicitationRequest;
  assert.ok(request instanceof ElicitationRequest);
  assert.deepEqual(
    [request.mode, request.message, request.requestedSchema], ["form", "Which?", FORM.requestedSchema],
  );
  assert.throws(() => request.accept({ a: "z" }), coded("bad_argument"));
  assert.throws(() => request.accept(), coded("bad_argument"));
  request.accept({ a: "x" });
  assert.deepEqual(
    rig.responses, [{ request: 5, ok: true, value: { action: "accept", content: { a: "x", b: 3 } } }],
  );
});

test("the handler for elicitations is the one of MCP", async () => {
  const seen: unknown[] = [];
  const { rig, ask } = await asking({
    elicitation: (request, { server, check }) => {
      seen.push(request.message, server, check!({ action: "accept", content: { a: "x" } }).content);
      return { action: "accept", content: { a: "y" } };
    },
  });
  ask(elicit, FORM);
  await ready();
  assert.deepEqual(seen, ["Which?", "https://example.com/acp", { a: "x", b: 3 }]);
  assert.deepEqual(
    rig.responses, [{ request: 5, ok: true, value: { action: "accept", content: { a: "y", b: 3 } } }],
  );
});

test("Fault 630: a handler that gives an agent no action has failed, and nothing of it reaches the agent", async () => {
  const before = globalThis.reportError;
  const reported: HoldfastError[] = [];
  globalThis.reportError = (error) => void reported.push(error as HoldfastError);
  try {
    for (const wrong of [{ a: "y" }, { action: "acept", content: {} }, undefined]) {
      const { rig, ask } = await asking({ elicitation: () => wrong as never });
      ask(elicit, FORM);
      await ready();
      assert.deepEqual(
        rig.responses,
        [{ request: 5, ok: false, value: { code: -32603, message: "The client could not answer" } }],
      );
      const { code, cause } = reported.pop()!;
      assert.equal(code, "handler_failed");
      assert.ok(
        (cause as Error).message.includes('action has to be "accept", "decline" or "cancel"'),
        (cause as Error).message,
      );
    }
  } finally {
    globalThis.reportError = before;
  }
});

test("a page to visit is accepted without content, and may come outside of a session", async () => {
  const { rig } = await asking();
  rig.tell(
    0,
    "question",
    {
      method: elicit,
      params: { requestId: 1, mode: "url", url: "https://example.com/x", message: "m", elicitationId: "e" },
    },
    9,
  );
  const request = rig.agent.requests[0] as ElicitationRequest;
  assert.equal(request.url, "https://example.com/x");
  request.accept();
  assert.deepEqual(rig.responses, [{ request: 9, ok: true, value: { action: "accept" } }]);
});

test("what is not known or was not offered is refused, not shown", async () => {
  for (const [method, params, more, code] of [
    ["fs/read_text_file", {}, {}, -32601],
    [elicit, FORM, { elicits: false }, -32601],
    [elicit, { ...FORM, mode: "hologram" }, {}, -32602],
  ] as const) {
    const { rig, it, ask } = await asking({}, more);
    ask(method, params);
    assert.equal(it.requests.length, 0);
    assert.equal((rig.responses[0]?.value as { code: number }).code, code);
  }
});

test("without a way to the other pages, one answers: the one that carries the session", async () => {
  const asked: string[] = [];
  const { rig, it, ask } = await asking({ permission: () => (asked.push("?"), "y") }, { owned: false });
  ask(permit, PERMISSION);
  await ready();
  assert.deepEqual([asked, it.followed, it.requests.length], [[], true, 1]);
  assert.throws(() => (it.requests[0] as PermissionRequest).select("y"), coded("elsewhere"));
  assert.equal(it.requests.length, 1);
  const gone = it.requests[0]!;
  rig.tell(1, "status", { state: "owned" });
  assert.deepEqual([it.followed, it.requests.length, gone.signal.aborted], [false, 0, true]);
  ask(permit, PERMISSION);
  await ready();
  assert.equal(asked.length, 1);
  assert.equal(rig.responses.length, 1);
});
