import assert from "node:assert/strict";
import { test } from "node:test";
import type { PermissionRequest } from "../src/agent/questions.js";
import { HoldfastError } from "../src/base/errors.js";
import { AgentRig } from "./agentrig.js";
import { coded, OPTIONS, permission, say, settled, started, textOf } from "./agentworker.js";

const dangerous = { method: "session/request_permission", params: { title: "rm -rf /", options: OPTIONS } };
const allowed = { outcome: { outcome: "selected", optionId: "y" } };

test("Fault 246: an answer that was on its way when the runtime in the worker was replaced answers nothing that the next one asks", async () => {
  const { worker, session } = await started();
  try {
    const { core } = worker;
    core.tell(1, "question", permission, 1);
    await settled();
    const [old] = session.requests as PermissionRequest[];
    worker.hold(0, "events", "session"); // the page is busy for a moment
    core.recall(1, "s1", { restored: true });
    core.tell(1, "question", dangerous, 1);
    await settled();
    old!.select("y");
    await settled();
    assert.deepEqual(core.responses, []);
    await worker.letGo();
    const [asked] = session.requests as PermissionRequest[];
    assert.deepEqual([asked!.title, session.requests.length, old!.signal.aborted], ["rm -rf /", 1, true]);
    asked!.select("y");
    await settled();
    assert.deepEqual(core.responses, [{ request: 1, ok: true, value: allowed }]);
  } finally {
    worker.close();
  }
});

test("Fault 246: a runtime that takes the place of another numbers sessions and questions as it likes: each is the one that it was", async () => {
  const { worker, agent, session } = await started(["s1", "s2"]);
  try {
    const { core } = worker;
    const before = await agent.sessions();
    core.tell(1, "question", permission, 1);
    await settled();
    const [old] = session.requests as PermissionRequest[];
    core.recall(1, "s2", { restored: true });
    core.tell(1, "question", dangerous, 1);
    old!.select("y");
    core.recall(2, "s1", { restored: true });
    core.tell(
      2,
      "item",
      {
        op: "put",
        at: 0,
        type: "agent_message",
        id: "m",
        patch: { content: [{ type: "text", text: "of s1" }] },
      },
    );
    await settled();
    assert.deepEqual(core.responses, []);
    const after = await agent.sessions();
    assert.deepEqual(after.map(({ id }) => id).sort(), ["s1", "s2"]);
    for (const one of before) assert.ok(after.includes(one), one.id);
    assert.deepEqual([textOf(session), session.requests.length, before[1]!.requests.length], ["of s1", 0, 1]);
    session.prompt("hi").catch(() => {});
    await settled();
    assert.deepEqual([core.last.session, core.last.params["sessionId"]], [2, "s1"]);
  } finally {
    worker.close();
  }
});

test("Fault 246: where the worker dies what it asked is withdrawn at once; what is asked of a session meanwhile goes to no other one", async () => {
  const { worker, agent, session } = await started(["s1", "s2"]);
  try {
    const [, second] = await agent.sessions();
    worker.core.tell(1, "question", permission, 1);
    await settled();
    const [old] = session.requests as PermissionRequest[];
    let open!: () => void;
    worker.opening = new Promise((resolve) => (open = resolve));
    worker.stored = ["s2", "s1"]; // the next one has them in another order
    worker.die();
    assert.deepEqual([session.requests.length, old!.signal.aborted], [0, true]);
    assert.throws(() => old!.select("y"), coded("closed"));
    await settled();
    assert.equal(worker.cores.length, 2);
    const prompted = assert.rejects(session.prompt("hi"), coded("runtime_exited"));
    void session.forget();
    open();
    await prompted;
    await settled();
    const { core } = worker;
    assert.deepEqual([core.sent, core.responses, second!.closed], [[], [], false]);
    assert.deepEqual((await agent.sessions()).map((one) => one === session || one === second), [true, true]);
    session.prompt("again").catch(() => {});
    await settled();
    assert.deepEqual([core.last.session, core.last.params["sessionId"]], [2, "s1"]);
    say(core, "of s2");
    await settled();
    assert.deepEqual([textOf(second!), textOf(session)], ["of s2", undefined]);
  } finally {
    worker.close();
  }
});

test("Fault 246: a runtime in the page that takes the place of another numbers sessions as it likes, and its questions are its own", async () => {
  const rig = await new AgentRig().open();
  rig.recall(1, "s1");
  rig.recall(2, "s2");
  const [first, second] = await rig.agent.sessions();
  rig.tell(2, "question", permission, 1);
  const [old] = second!.requests as PermissionRequest[];
  rig.port.exited(
    new HoldfastError({ code: "runtime_exited", op: "", message: "the Go program has exited" }),
  );
  assert.equal(old!.signal.aborted, true);
  const next = await new AgentRig().open();
  next.recall(1, "s1");
  next.recall(2, "s2");
  const before = await next.agent.sessions();
  next.recall(1, "s2");
  next.recall(2, "s1");
  assert.deepEqual((await next.agent.sessions()).map((one) => before.includes(one)), [true, true]);
  next.tell(2, "item", { op: "session", patch: { title: "first" } });
  assert.deepEqual(before.map(({ title }) => title), ["first", undefined]);
  assert.equal(first!.closed, true);
});

test("Fault 216: a draft that was emptied is none for the page that comes", async () => {
  const { worker, join } = await started();
  try {
    const one = await join({ input: "manual" });
    const rig = worker.core;
    rig.tell(
      1,
      "question",
      {
        method: "elicitation/create",
        params: { mode: "form", message: "Which?", requestedSchema: { type: "object", properties: {} } },
      },
      9,
    );
    await settled();
    const [asked] = (await one.sessions())[0]!.requests as unknown as { saveDraft(value: unknown): void }[];
    asked!.saveDraft({ a: 1 });
    asked!.saveDraft(undefined);
    await settled();
    assert.deepEqual(rig.drafts, [[9, `{"a":1}`], [9, ""]]);
    const other = await join({ input: "manual" });
    const [its] = (await other.sessions())[0]!.requests as unknown as { draft: unknown }[];
    assert.deepEqual([its!.draft, (await other.sessions())[0]!.requests.length], [undefined, 1]);
    say(rig, "on");
    await settled();
    assert.equal(textOf((await other.sessions())[0]!), "on");
  } finally {
    worker.close();
  }
});

test("Fault 216: what was asked while nobody was there is new to the page that comes, and not to the one after it", async () => {
  const { worker, join } = await started();
  try {
    await worker.leave(0);
    worker.core.tell(1, "question", permission, 5);
    const seen: boolean[] = [];
    for (let n = 0; n < 2; n++)
      for (const { requests } of await (await join()).sessions()) seen.push(requests[0]!.restored);
    assert.deepEqual(seen, [false, true]);
  } finally {
    worker.close();
  }
});

test("Fault 218: a page that is away when a session closes hears of it when it is back", async () => {
  const { worker, session } = await started();
  try {
    await settled(); // it has said that it holds its lock
    worker.say(0, { t: "away", cached: false });
    worker.core.tell(1, "status", { state: "closed" });
    await settled();
    assert.equal(session.closed, false);
    worker.say(0, { t: "back" });
    await settled();
    assert.equal(session.closed, true);
  } finally {
    worker.close();
  }
});

test("Fault 279: a prompt that a dying worker or runtime cut is not called retryable: the agent may be at work on it", async () => {
  const cut = (work: Promise<unknown>): Promise<boolean> =>
    work.then(
      () => Promise.reject(new TypeError("it came")),
      (error: HoldfastError) => (assert.equal(error.code, "runtime_exited"), error.retryable),
    );
  const { worker, agent, session } = await started();
  try {
    const under = [session.prompt("hi"), agent.request("x/y"), agent.request("session/list")].map(cut);
    await settled();
    worker.die();
    const late = cut(session.prompt("never sent"));
    assert.deepEqual(await Promise.all(under), [false, false, true]);
    assert.equal(await late, true);
  } finally {
    worker.close();
  }
  const rig = await new AgentRig().open();
  rig.recall(1, "s1");
  const [own] = await rig.agent.sessions();
  const states: unknown[] = [];
  rig.agent.on("state", ({ error }) => error && states.push(error.retryable));
  const under = [own!.prompt("hi"), rig.agent.request("x/y"), rig.agent.request("session/list")].map(cut);
  rig.port.exited(
    new HoldfastError({ code: "runtime_exited", message: "the Go program has exited", retryable: true }),
  );
  assert.deepEqual(await Promise.all(under), [false, false, true]);
  assert.deepEqual(states, [true], "another one may live");
});
