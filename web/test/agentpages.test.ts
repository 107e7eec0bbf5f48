import assert from "node:assert/strict";
import { test } from "node:test";
import type { ElicitationRequest, PermissionRequest } from "../src/agent/questions.js";
import type { AgentSession } from "../src/agent/session.js";
import type { AgentHandlers } from "../src/agent/openquestions.js";
import { HoldfastError } from "../src/base/errors.js";
import { AgentRig, ready } from "./agentrig.js";

const coded =
  (code: string) =>
  (error: unknown): boolean =>
    error instanceof HoldfastError && error.code === code;

const PERMISSION = { title: "Run?", options: [{ optionId: "y", name: "Allow", kind: "allow_once" }] };
const FORM = {
  mode: "form",
  message: "Who?",
  requestedSchema: { type: "object", properties: { name: { type: "string" } } },
};

async function pages(
  owned: boolean, handlers: AgentHandlers = {},
): Promise<{ rig: AgentRig; it: AgentSession }> {
  const rig = await new AgentRig({ handlers }, true).open();
  rig.recall(1, "s1", { owned, record: 9 });
  return { rig, it: (await rig.agent.sessions())[0]! };
}

test("a page that looks on answers; its handlers ask nobody", async () => {
  const asked: string[] = [];
  const { rig, it } = await pages(false, { permission: () => (asked.push("?"), "y") });
  rig.tell(1, "question", { method: "session/request_permission", params: PERMISSION }, 5);
  await ready();
  assert.deepEqual(asked, []);
  const request = it.requests[0] as PermissionRequest;
  request.select("y");
  assert.deepEqual(
    rig.responses, [{ request: 5, ok: true, value: { outcome: { outcome: "selected", optionId: "y" } } }],
  );
  rig.port.deliver(1, 19, 5, `{"record":9,"id":1,"ok":true,"data":{}}`);
  assert.deepEqual(rig.forwarded, [`{"record":9,"id":1,"ok":true,"data":{}}`]);
  assert.deepEqual([it.requests.length, request.signal.aborted], [0, true]);
});

test("who answered is told where another page was first, and of nothing where it was not", async () => {
  const { rig, it } = await pages(false);
  const late: [unknown, string][] = [];
  it.on("withdrawn", ({ request, reason }) => late.push([request, reason]));
  for (const [handle, reason] of [
    [5, "given"],
    [6, "answered"],
  ] as const) {
    rig.tell(1, "question", { method: "session/request_permission", params: PERMISSION }, handle);
    (it.requests[0] as PermissionRequest).select("y");
    rig.tell(1, "withdrawn", { reason }, handle);
    rig.tell(1, "withdrawn", { reason }, handle);
  }
  await ready();
  assert.deepEqual(late.map(([, reason]) => reason), ["answered"]);
});

test("what other pages ask for is made here, and they are told what becomes of it", async () => {
  const { rig } = await pages(true);
  rig.serves = 40;
  rig.client!.sessions!.serve("b", `{"record":9,"request":77,"method":"session/prompt"}`);
  assert.deepEqual([rig.served.length, rig.told], [1, [["b", 77, 0, ""]]]);
  rig.port.settle(40, 1, `{"messageId":"u1"}`);
  rig.port.settle(40, 1, `{"messageId":"u1"}`);
  await ready();
  assert.deepEqual(rig.told.at(-1), ["b", 77, 1, `{"messageId":"u1"}`]);
  assert.equal(rig.told.length, 2);
  // It is over here; of the request that says nothing.
  rig.serves = 41;
  rig.client!.sessions!.serve("b", `{"record":9,"request":78,"method":"x"}`);
  rig.port.settle(
    41, 3, `{"code":"closed","op":"x","status":0,"retryable":false,"message":"m","ofPage":true}`,
  );
  // The session is another page's.
  rig.serves = 0;
  rig.client!.sessions!.serve("b", `{"record":9,"request":79,"method":"x"}`);
  assert.deepEqual(rig.told.slice(2), [["b", 78, 0, ""]]);
  rig.client!.sessions!.forwardSettled(5, 1, "{}");
  assert.deepEqual(rig.told.slice(3), [["core", 5, 1, "{}"]]);
});

test("Fault 609: another page has the answer to its prompt behind the rows that were stored before it", async () => {
  const { rig } = await pages(true);
  rig.serves = 40;
  rig.client!.sessions!.serve("b", `{"record":9,"request":77,"method":"session/prompt"}`);
  rig.port.settle(40, 1, `{"messageId":"u1"}`);
  rig.told.push(["rows"]); // what the core tells other pages is the last of its effects
  await ready();
  assert.deepEqual(rig.told.slice(1), [["rows"], ["b", 77, 1, `{"messageId":"u1"}`]]);
});

test("a session is forgotten from any page, once it is gone", async () => {
  const { it } = await pages(false);
  await it.forget();
  assert.equal(it.closed, true);
  await assert.rejects(it.forget(), coded("closed"));
  const alone = await new AgentRig().open();
  alone.recall(1, "s1", { owned: false });
  await assert.rejects((await alone.agent.sessions())[0]!.forget(), coded("elsewhere"));
});

test("a form has the draft that came before it, and saves the next until it is answered", async () => {
  const { rig, it } = await pages(true);
  rig.tell(1, "draft", { name: "Lu" }, 5);
  rig.tell(1, "question", { method: "elicitation/create", params: FORM }, 5);
  rig.tell(1, "question", { method: "elicitation/create", params: FORM }, 6);
  const [first, second] = it.requests as ElicitationRequest[];
  assert.deepEqual([first!.draft, second!.draft], [{ name: "Lu" }, undefined]);
  first!.saveDraft({ name: "Luc" });
  first!.saveDraft(undefined);
  assert.throws(() => first!.saveDraft("x".repeat(70_000)), coded("bad_argument"));
  first!.accept({ name: "Luca" });
  first!.saveDraft({ name: "late" });
  assert.deepEqual(rig.drafts, [[5, `{"name":"Luc"}`], [5, ""]]);
});

test("a handler for forms has the draft, too", async () => {
  const seen: unknown[] = [];
  const { rig } = await pages(true, {
    elicitation: (_, { draft, saveDraft }) => {
      seen.push(draft);
      saveDraft([1]);
      return { action: "cancel" };
    },
  });
  rig.port.deliver(1, 14, 5, `"half"`);
  rig.tell(1, "question", { method: "elicitation/create", params: FORM }, 5);
  await ready();
  assert.deepEqual([seen, rig.drafts], [["half"], [[5, "[1]"]]]);
});

test("modes are version 1's own, or the setting that took their place", async () => {
  const modes = {
    currentModeId: "ask", availableModes: [{ id: "ask", name: "Ask" }, { id: "code", name: "Code" }],
  };
  const values = [{ value: "ask", name: "Ask" }, { value: "code", name: "Code" }];
  for (const [version, patch, method, params] of [
    [1, modes, "session/set_mode", { modeId: "code", sessionId: "s1" }],
    [
      2,
      {
        configOptions: [
          { configId: "m", type: "select", category: "mode", currentValue: "ask", options: values },
        ],
      },
      "session/set_config_option",
      { configId: "m", type: "id", value: "code", sessionId: "s1" },
    ],
    [
      2,
      {
        configOptions: [
          {
            configId: "m",
            type: "select",
            category: "mode",
            currentValue: "ask",
            options: [{ groupId: "g", options: values }],
          },
        ],
      },
      "session/set_config_option",
      { configId: "m", type: "id", value: "code", sessionId: "s1" },
    ],
  ] as const) {
    const rig = await new AgentRig().open(version, version === 1 ? { agentCapabilities: {} } : undefined);
    rig.recall(1, "s1");
    const it = (await rig.agent.sessions())[0]!;
    await assert.rejects(it.setMode("code"), coded("unsupported"));
    rig.tell(1, "item", { op: "session", patch });
    assert.deepEqual([it.mode, it.modes], ["ask", modes.availableModes]);
    await assert.rejects(it.setMode("nothing"), coded("bad_argument"));
    await assert.rejects(it.setMode(""), coded("bad_argument"));
    const set = it.setMode("code");
    assert.deepEqual([rig.last.method, rig.last.params], [method, params]);
    rig.answer({});
    await set;
  }
});
