import assert from "node:assert/strict";
import { test } from "node:test";
import type { AgentOptions } from "../src/agent/agentoptions.js";
import { PermissionRequest } from "../src/agent/questions.js";
import { connectAgent } from "../src/host/choose/agenthosts.js";
import { coded, permission, say, settled, somebody, started, textOf, Worker } from "./agentworker.js";

test("Fault 214: an agent in a worker goes on where its page goes: the next one joins it in mid-prompt", async () => {
  const { worker, join, agent, session } = await started();
  try {
    assert.deepEqual(
      [agent.host, agent.state, agent.version, agent.info.name, session.restored, session.followed],
      ["shared", "open", 2, "a", true, false],
    );
    const prompted = session.prompt("hi");
    prompted.catch(() => {});
    await settled();
    const { core } = worker;
    assert.deepEqual(
      [core.last.method, core.last.session, core.last.params["sessionId"]], ["session/prompt", 1, "s1"],
    );
    core.tell(1, "item", { op: "pending", prompt: 1, content: [{ type: "text", text: "hi" }] });
    core.turn(1, "running");
    say(core, "one");
    await settled();
    assert.deepEqual([session.state, session.pending.length, textOf(session)], ["running", 1, "one"]);
    await worker.leave(0);
    say(core, "two");
    core.tell(1, "item", { op: "session", patch: { title: "T" } });
    const next = await join();
    const [again] = await next.sessions();
    assert.deepEqual(
      [textOf(again!), again!.title, again!.state, again!.pending.length, again!.restored],
      ["two", "T", "running", 1, true],
    );
    core.answer({ messageId: "p" });
    core.tell(1, "item", { op: "placed", prompt: 1 });
    core.turn(1, "idle", true, { stopReason: "end_turn" });
    assert.deepEqual(await again!.settled(), { stopReason: "end_turn" });
    await settled();
    assert.deepEqual([again!.state, again!.stopReason, again!.pending.length], ["idle", "end_turn", 0]);
    assert.deepEqual([worker.cores.length, core.sent.length, core.cancelled, core.ended], [1, 1, [], []]);
    const states: string[] = [];
    next.on("state", ({ state }) => states.push(`${state} ${next.state}`));
    await next.close();
    assert.deepEqual([core.ended, states], [["close"], ["closed closed"]]);
    assert.equal(next.state, "closed");
  } finally {
    worker.close();
  }
});

test("two pages have one client: what one asks it alone hears, what the agent says both do", async () => {
  const { worker, join, agent, session } = await started();
  try {
    const other = await join();
    const [its] = await other.sessions();
    const { core } = worker;
    const made = agent.newSession({ cwd: "/w" });
    await settled();
    core.recall(2, "s2");
    core.answer({ sessionId: "s2" });
    assert.equal((await made).restored, false);
    await settled();
    const [, second] = await other.sessions();
    assert.deepEqual([second!.id, second!.restored, core.last.method], ["s2", true, "session/new"]);
    // The result comes before the end of the turn that follows it at once.
    const taken = its!.prompt("hi");
    await settled();
    core.answer({ messageId: "p" });
    core.turn(1, "running");
    core.turn(1, "idle", true, { stopReason: "end_turn" });
    assert.deepEqual(await taken, { messageId: "p" });
    assert.deepEqual(await its!.settled(), { stopReason: "end_turn" });
    await settled();
    assert.deepEqual(session.stopReason, "end_turn");
    const refused = its!.request("x");
    await settled();
    core.answer({ code: 1, message: "no" }, 2);
    await assert.rejects(refused, coded("rpc_error"));
    const signal = new AbortController();
    const given = its!.request("y", {}, { signal: signal.signal });
    await settled();
    signal.abort();
    await settled();
    assert.deepEqual(core.cancelled, [core.last.id]);
    core.answer({}, 1);
    await given;
    // One that closes leaves the other its client.
    await agent.close();
    assert.deepEqual([core.ended, session.closed, its!.closed], [[], true, false]);
    core.tell(2, "status", { state: "closed" });
    await settled();
    assert.deepEqual((await other.sessions()).map(({ id }) => id), ["s1"]);
    await other.close({ terminate: true });
    assert.deepEqual(core.ended, ["terminate"]);
  } finally {
    worker.close();
  }
});

test("Fault 216: what the agent asks is put to the handler of one page; it moves where that page goes, and waits while there is none", async () => {
  const { worker, join } = await started();
  try {
    const { core } = worker;
    const asked: string[] = [];
    const handler = (name: string, answer: Promise<string | null>): AgentOptions =>
      ({ handlers: { permission: () => (asked.push(name), answer) } });
    const never = new Promise<string | null>(() => {});
    await join(handler("first", never));
    const second = await join(handler("second", never));
    await settled();
    core.tell(1, "question", permission, 5);
    await settled();
    assert.deepEqual(asked, ["second"]);
    assert.equal((await second.sessions())[0]!.requests[0]!.restored, false);
    await worker.leave(2);
    assert.deepEqual(asked, ["second", "first"]);
    await worker.leave(1);
    // The page without a handler shows it; when it has gone, it waits.
    await worker.leave(0);
    core.tell(1, "question", permission, 6);
    const next = await join(handler("next", Promise.resolve("y")));
    const seen = (await next.sessions())[0]!.requests
      .map((request) => [request instanceof PermissionRequest, request.restored]);
    assert.deepEqual(seen, [[true, true], [true, false]]);
    await settled();
    assert.deepEqual(asked, ["second", "first", "next", "next"]);
    assert.deepEqual(core.responses.map(({ request, ok }) => [request, ok]), [[5, true], [6, true]]);
    const value = { outcome: { outcome: "selected", optionId: "y" } };
    assert.deepEqual(core.responses[0]!.value, value);
    assert.equal((await next.sessions())[0]!.requests.length, 0);
  } finally {
    worker.close();
  }
});

test("Fault 216: an answer of one page withdraws the question in the others; what was saved of it is there for a page that comes", async () => {
  const { worker, join, session } = await started();
  try {
    const { core } = worker;
    const options: AgentOptions = { input: "manual" };
    const one = await join(options);
    const two = await join(options);
    const rig = worker.core;
    assert.ok(rig !== core, "elicitations are offered to another client");
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
    const [first] = (await one.sessions())[0]!.requests;
    (first as { saveDraft(value: unknown): void }).saveDraft({ a: 1 });
    await settled();
    assert.deepEqual(rig.drafts, [[9, `{"a":1}`]]);
    const three = await join(options);
    const [third] = (await three.sessions())[0]!.requests;
    assert.deepEqual([(third as { draft: unknown }).draft, third!.restored], [{ a: 1 }, true]);
    const withdrawn: string[] = [];
    (await two.sessions())[0]!.on("withdrawn", ({ reason }) => withdrawn.push(reason));
    (third as { decline(): void }).decline();
    await settled();
    assert.deepEqual(
      [withdrawn, rig.responses.length, (await one.sessions())[0]!.requests.length], [["answered"], 1, 0],
    );
    assert.equal(session.requests.length, 0);
  } finally {
    worker.close();
  }
});

test("Fault 218: a page that takes nothing has the transcript from its start when it is back, and each end of a turn once", async () => {
  const { worker, session } = await started();
  try {
    const { core } = worker;
    const told: string[] = [];
    session.on("reset", () => told.push("reset"));
    session.on("turn", ({ ended }) => told.push(ended ? "ended" : "turn"));
    say(core, "one");
    await settled();
    worker.channels[0]!.onmessage?.({ data: { t: "away", cached: false } } as MessageEvent);
    core.turn(1, "running");
    say(core, "two");
    core.tell(
      1,
      "item",
      {
        op: "put", at: 1, type: "terminal", id: "t", patch: { command: "ls", output: { data: btoa("a\n") } },
      },
    );
    core.tell(1, "item", { op: "output", at: 1, data: btoa("b\n") });
    core.tell(1, "item", { op: "put", at: 2, type: "odd", patch: { x: 1 } });
    core.turn(1, "idle", true, { stopReason: "end_turn" });
    core.tell(1, "question", permission, 5);
    await settled();
    assert.deepEqual([textOf(session), told], ["one", []]);
    worker.channels[0]!.onmessage?.({ data: { t: "back" } } as MessageEvent);
    await settled();
    assert.deepEqual(
      [textOf(session), told, session.stopReason, session.requests.length],
      ["two", ["reset", "turn", "ended"], "end_turn", 1],
    );
    assert.deepEqual(session.transcript.slice(1), [
      {
        type: "terminal", id: "t", command: "ls", output: new TextEncoder().encode("a\nb\n"), text: "a\nb\n",
      },
      { type: "unknown", name: "odd", update: { x: 1 } },
    ]);
    core.tell(1, "item", { op: "append", at: 0, content: { type: "text", text: " three" } });
    await settled();
    assert.equal(textOf(session), "two three");
  } finally {
    worker.close();
  }
});

test("Fault 219: garbage from a page harms no agent and no other page", async () => {
  const { worker, session } = await started();
  try {
    const { core } = worker;
    const garbage: unknown[] = [
      { t: "agent", client: 2 },
      { t: "request", client: 2, ask: 100, session: 77, method: "x", params: "{}", notifies: false },
      { t: "request", client: 99, ask: 102, session: 0, method: "x", params: "{}", notifies: false },
      { t: "request", client: 2, ask: 104, session: 0, method: "x", params: "{", notifies: false },
      { t: "respond", client: 2, question: 5, ok: true, json: "{}" },
      { t: "respond", client: 2, question: 5, ok: "yes", json: {} },
      { t: "save", client: 2, question: 5, json: "{}" },
      { t: "forgetSession", client: 2, session: 78 },
      { t: "ask", client: 2, ask: 106, op: "", method: "constructor", args: [] },
      {
        t: "agent",
        client: 200,
        url: "ftp://x",
        options: {},
        handlers: [7, {}],
        token: false,
        again: false,
        ifKeys: false,
      },
    ];
    for (const data of garbage) worker.channels[0]!.onmessage?.({ data } as MessageEvent);
    await settled();
    assert.deepEqual([core.responses, core.drafts, core.sent], [[], [], []]);
    assert.equal(worker.sessions[0]!.dropped, 4);
    say(core, "on");
    await settled();
    assert.equal(textOf(session), "on");
    for (
      const message of [
        { t: "session", client: 2 }, { t: "assigned", client: 2, session: 3, question: 9 },
        { t: "ended", client: 2 },
      ]
    )
      worker.channels[0]!.postMessage(message);
    await settled();
    assert.equal(session.closed, false);
  } finally {
    worker.close();
  }
});

test("a client that is opened at the second address is the one that the next page comes to, with its sessions alone", async () => {
  const worker = new Worker();
  try {
    worker.redirects = true;
    worker.stored = ["s2"];
    const principal = somebody();
    const agent = await worker.page({ principal });
    const other = await worker.page({ principal });
    assert.deepEqual([worker.cores.length, agent.state, other.state], [1, "open", "open"]);
    for (const one of [agent, other]) assert.deepEqual((await one.sessions()).map(({ id }) => id), ["s2"]);
  } finally {
    worker.close();
  }
});

test("a host that cannot be had, and a host that is none, are errors that say so", async () => {
  new Worker();
  await assert.rejects(
    connectAgent("https://example.com/acp", { host: "moon" as never }), coded("bad_argument"),
  );
  await assert.rejects(
    connectAgent("https://example.com/acp", { host: "shared", worker: "https://cdn.test/w.mjs" }),
    coded("host_unavailable"),
  );
  await assert.rejects(connectAgent("ftp://example.com/acp", { host: "shared" }), coded("bad_argument"));
});

test("Fault 280: the client of an agent in a worker hears of each page whose app can listen", async () => {
  const { worker, join } = await started();
  try {
    await settled();
    assert.equal(worker.core.visits, 1);
    await join();
    await settled();
    assert.deepEqual([worker.cores.length, worker.core.visits], [1, 2]);
  } finally {
    worker.close();
  }
});
