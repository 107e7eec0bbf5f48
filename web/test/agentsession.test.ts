import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionEvent } from "../src/agent/sessionevents.js";
import type { AgentSession } from "../src/agent/session.js";
import { HoldfastError } from "../src/base/errors.js";
import type { Open } from "../src/base/mcp.js";
import { AgentRig, isSettled, ready } from "./agentrig.js";

const coded =
  (code: string) =>
  (error: unknown): boolean =>
    error instanceof HoldfastError && error.code === code;

async function session(version = 2, initialize?: Open): Promise<{ rig: AgentRig; it: AgentSession }> {
  const rig = await new AgentRig().open(version, initialize);
  rig.recall(1, "s1");
  return { rig, it: (await rig.agent.sessions())[0]! };
}

const message = (at: number, text: string): object =>
  ({ op: "put", at, type: "agent_message", id: `a${at}`, patch: { content: [{ type: "text", text }] } });

test("a new session is the one that the core has told of before its answer", async () => {
  const rig = await new AgentRig().open();
  const made =
    rig.agent.newSession({ cwd: "/w", mcpServers: [{ name: "m", url: "https://example.com/mcp" }] });
  assert.deepEqual(rig.last, {
    id: 1,
    session: 0,
    method: "session/new",
    params: { cwd: "/w", mcpServers: [{ type: "http", name: "m", url: "https://example.com/mcp" }] },
    notify: false,
  });
  rig.recall(1, "s1");
  rig.answer({ sessionId: "s1" });
  const it = await made;
  assert.deepEqual([it.id, it.cwd, it.restored, it.followed, it.state], ["s1", "/w", false, false, "idle"]);
});

test("TestFault119_AcceptedPromptIsNoEndOfTurn", async () => {
  const { rig, it } = await session();
  const prompt = it.prompt("hi");
  assert.deepEqual(rig.last.params, { prompt: [{ type: "text", text: "hi" }], sessionId: "s1" });
  assert.equal(rig.last.session, 1);
  rig.answer({ messageId: "u1" });
  assert.deepEqual(await prompt, { messageId: "u1" });
  const end = it.settled();
  assert.equal(await isSettled(end), false, "the turn has not begun");
  rig.turn(1, "running");
  assert.equal(await isSettled(end), false);
  rig.turn(1, "requires_action");
  rig.turn(1, "_acme/pondering");
  assert.equal(await isSettled(end), false, "an unknown state is not idle");
  rig.turn(1, "idle", true, { stopReason: "end_turn", usage: { tokens: 1 } });
  assert.deepEqual(await end, { stopReason: "end_turn", usage: { tokens: 1 } });
  assert.equal(it.stopReason, "end_turn");
  rig.turn(1, "idle"); // told again
  assert.deepEqual(await it.settled(), { stopReason: "end_turn", usage: { tokens: 1 } });
});

test("an August agent accepts with an empty object, and may be done before it does", async () => {
  const { rig, it } = await session();
  const prompt = it.prompt([{ type: "text", text: "hi" }]);
  rig.turn(1, "running");
  rig.turn(1, "idle", true, { stopReason: "refusal" });
  rig.answer({});
  assert.deepEqual(await prompt, {});
  assert.deepEqual(await it.settled(), { stopReason: "refusal" });
});

test("a prompt that is inserted into a turn ends with it, one that was held has a turn of its own", async () => {
  const { rig, it } = await session();
  rig.turn(1, "running");
  const inserted = it.prompt("more");
  rig.answer({ messageId: "u2" });
  await inserted;
  const first = it.settled();
  const held = it.prompt("and then");
  rig.turn(1, "idle", true);
  assert.deepEqual(await first, {});
  rig.answer({ messageId: "u3" });
  await held;
  const second = it.settled();
  assert.equal(await isSettled(second), false);
  rig.turn(2, "running");
  rig.turn(2, "idle", true, { stopReason: "error", error: { code: -32000, message: "no" } });
  assert.deepEqual(await second, { stopReason: "error", error: { code: -32000, message: "no" } });
});

test("Fault 184: a prompt settles whose answer and the end of the turn it was taken into come in one go", async () => {
  const { rig, it } = await session();
  rig.turn(1, "running");
  const prompt = it.prompt("more");
  rig.answer({ messageId: "u2" });
  rig.turn(1, "idle", true, { stopReason: "end_turn" }); // before anybody who waits for the answer can run
  await prompt;
  assert.deepEqual(await Promise.race([it.settled(), ready()]), { stopReason: "end_turn" });
  assert.equal(await isSettled(it.settled()), true);
});

test("Fault 595: a prompt that left when the turn before it was over waits for its own", async () => {
  const { rig, it } = await session();
  const told: unknown[] = [];
  it.on("turn", (turn) => told.push(turn));
  const prompt = it.prompt("next"); // which waits
  rig.turn(1, "running");
  rig.turn(1, "idle", true, { stopReason: "max_tokens" });
  rig.turn(1, "idle", false, { stopReason: "max_tokens", expected: true });
  rig.answer({ messageId: "u2" });
  await prompt;
  const end = it.settled();
  assert.equal(await isSettled(end), false, "that was the turn before");
  assert.equal(told.length, 2, "that it is expected is no event of the app's");
  rig.turn(2, "idle", true, { stopReason: "end_turn" });
  assert.deepEqual(await end, { stopReason: "end_turn" });
});

test("Fault 369: why a turn ended is known also where nobody has heard that it began", async () => {
  const { rig, it } = await session();
  const prompt = it.prompt("hi");
  rig.turn(0, "idle", false, { stopReason: "max_tokens" });
  assert.equal(it.stopReason, "max_tokens");
  rig.answer({ messageId: "u1" });
  await prompt;
  assert.equal(await isSettled(it.settled()), false, "that was the turn before");
  rig.turn(0, "idle"); // an agent that gives no reason takes none back
  assert.equal(it.stopReason, "max_tokens");
});

test("the agent may be at work unasked, and beside its turns", async () => {
  const { rig, it } = await session();
  rig.turn(1, "running", false, { background: [] });
  const end = it.settled();
  rig.turn(1, "idle", true, { background: [{ type: "terminal", terminalId: "t" }] });
  assert.deepEqual(await end, {});
  assert.deepEqual(it.background, [{ type: "terminal", terminalId: "t" }]);
  rig.turn(1, "idle", false, { background: null });
  assert.equal(it.background, undefined);
});

test("version 1 takes a prompt at once, and its answer ends the turn", async () => {
  const { rig, it } = await session(1, { agentCapabilities: {} });
  const prompt = it.prompt("hi");
  assert.equal(await isSettled(prompt), false);
  rig.turn(1, "running");
  assert.deepEqual(await prompt, {});
  const end = it.settled();
  rig.turn(1, "idle", true, { stopReason: "end_turn" });
  rig.answer({ stopReason: "end_turn" });
  assert.deepEqual(await end, { stopReason: "end_turn" });
  const refused = it.prompt("hi");
  rig.answer({ code: -32603, message: "no" }, 2);
  await assert.rejects(refused, coded("rpc_error"));
});

test("a signal asks for a prompt back while the agent holds it, and leaves the turn alone", async () => {
  const { rig, it } = await session();
  const abort = new AbortController();
  const held = it.prompt("hi", { signal: abort.signal });
  const { id } = rig.last;
  abort.abort();
  assert.deepEqual(rig.cancelled, [id]);
  rig.answer({ code: -32800, message: "cancelled" }, 2);
  await assert.rejects(held, coded("cancelled"));
  await assert.rejects(it.prompt("hi", { signal: abort.signal }), coded("cancelled"));
  assert.equal(rig.sent.length, 1);
  const late = new AbortController();
  const taken = it.prompt("hi", { signal: late.signal });
  rig.answer({ messageId: "u" });
  await taken;
  late.abort();
  assert.deepEqual(rig.cancelled, [id]);
});

test("what the agent does not take is not sent", async () => {
  const { rig, it } = await session();
  await assert.rejects(it.prompt(""), coded("bad_argument"));
  await assert.rejects(it.prompt([]), coded("bad_argument"));
  await assert.rejects(it.prompt([{ type: "image", data: "", mimeType: "image/png" }]), coded("unsupported"));
  await assert.rejects(it.delete(), coded("unsupported"));
  await assert.rejects(it.cancelToolCall("c"), coded("unsupported"));
  await assert.rejects(rig.agent.login("x"), coded("bad_argument"));
  await assert.rejects(rig.agent.logout(), coded("unsupported"));
  await assert.rejects(
    rig.agent.newSession({ cwd: "/w", additionalDirectories: ["/x"] }), coded("unsupported"),
  );
  await assert.rejects(rig.agent.newSession({ cwd: "" }), coded("bad_argument"));
  assert.equal(rig.sent.length, 0);
});

test("a tool call is cancelled only while that is offered", async () => {
  const { rig, it } = await session();
  rig.tell(
    1,
    "item",
    { op: "put", at: 0, type: "tool_call", id: "c", patch: { capabilities: { cancel: {} } } },
  );
  const cancelled = it.cancelToolCall("c");
  assert.deepEqual(
    [rig.last.method, rig.last.params], ["tool_call/cancel", { toolCallId: "c", sessionId: "s1" }],
  );
  rig.answer({});
  await cancelled;
  rig.tell(1, "item", { op: "put", at: 0, type: "tool_call", patch: { capabilities: null } });
  await assert.rejects(it.cancelToolCall("c"), coded("unsupported"));
});

test("what changes in one go is told once, in the order in which it happened", async () => {
  const { rig, it } = await session();
  const seen: string[] = [];
  it.on(
    "update",
    ({ item, index }) => seen.push(`${index} ${JSON.stringify((item as unknown as Open)["content"])}`),
  );
  it.on("turn", ({ state }) => seen.push(state));
  it.on("reset", () => seen.push("reset"));
  it.on("pending", () => seen.push(`pending ${it.pending.length}`));
  it.on("values", ({ names }) => seen.push(`${names.join()} ${it.title}`));
  rig.tell(1, "item", message(0, "a"));
  for (let i = 0; i < 3; i++)
    rig.tell(1, "item", { op: "append", at: 0, content: { type: "text", text: "b" } });
  rig.turn(1, "running");
  rig.tell(1, "item", { op: "append", at: 0, content: { type: "text", text: "c" } });
  rig.tell(1, "item", { op: "session", patch: { title: "T" } });
  await ready();
  rig.tell(1, "item", message(1, "lost with the reset"));
  rig.tell(1, "item", { op: "reset" });
  rig.tell(1, "item", message(0, "again"));
  rig.tell(1, "item", { op: "pending", prompt: 1, content: [] });
  await ready();
  assert.deepEqual(seen, [
    `0 [{"type":"text","text":"abbb"}]`,
    "running",
    `0 [{"type":"text","text":"abbbc"}]`,
    "title T",
    "reset",
    `0 [{"type":"text","text":"again"}]`,
    "pending 1",
  ]);
});

test("whoever waits for the end of a turn has had what came before it", async () => {
  const { rig, it } = await session();
  rig.turn(1, "running");
  const seen: string[] = [];
  it.on("update", () => seen.push("update"));
  const end = it.settled().then(() => seen.push("settled"));
  rig.tell(1, "item", message(0, "a"));
  rig.turn(1, "idle", true);
  await end;
  assert.deepEqual(seen, ["update", "settled"]);
});

test("iterating gives what comes from then on, and ends with the session", async () => {
  const { rig, it } = await session();
  rig.tell(1, "item", message(0, "before"));
  await ready();
  const seen: string[] = [];
  const loop = (async () => {
    for await (const event of it) seen.push(event.type === "update" ? `update ${event.index}` : event.type);
  })();
  rig.tell(1, "item", message(1, "a"));
  rig.turn(1, "running");
  rig.tell(1, "resumed", { outcome: "gap", proven: false, cuts: 1 });
  rig.tell(1, "status", { state: "closed" });
  await loop;
  assert.deepEqual(seen, ["update 1", "turn", "resumed", "status", "closed"]);
  assert.equal(it.closed, true);
  assert.deepEqual(await rig.agent.sessions(), []);
  await assert.rejects(it.prompt("x"), coded("closed"));
  await assert.rejects(it.settled(), coded("closed"));
});

test("a session is closed once the core says so, and open where the agent refuses", async () => {
  const { rig, it } = await session();
  const refused = it.close();
  rig.answer({ code: -32603, message: "not now" }, 2);
  await assert.rejects(refused, coded("rpc_error"));
  assert.equal(it.closed, false);
  const closed = it.close();
  rig.answer({});
  await closed;
  assert.equal(it.closed, true);
});

test("settings go in the words of the version", async () => {
  for (const [version, initialize, id, boolean] of [
    [2, { capabilities: { session: {} } }, { type: "id", value: "fast" }, { type: "boolean", value: true }],
    [1, { agentCapabilities: {} }, { value: "fast" }, { type: "boolean", value: true }],
  ] as const) {
    const { rig, it } = await session(version, initialize as Open);
    rig.tell(
      1,
      "item",
      {
        op: "session",
        patch: {
          configOptions: [{ [version === 1 ? "id" : "configId"]: "model", type: "select", name: "M" }],
        },
      },
    );
    assert.equal(it.configOptions[0]?.configId, "model");
    void it.setConfigOption("model", "fast").catch(() => {});
    assert.deepEqual(rig.last.params, { configId: "model", ...id, sessionId: "s1" });
    void it.setConfigOption("web", true).catch(() => {});
    assert.deepEqual(rig.last.params, { configId: "web", ...boolean, sessionId: "s1" });
  }
});

test("a runtime that takes over has the same sessions under other numbers", async () => {
  const { rig, it } = await session();
  rig.recall(2, "s2");
  rig.tell(1, "item", message(0, "old"));
  const events: SessionEvent["type"][] = [];
  it.on("reset", () => events.push("reset"));
  rig.recall(2, "s1", { restored: true });
  rig.recall(1, "s2", { restored: true });
  rig.tell(2, "item", message(0, "new"));
  await ready();
  assert.deepEqual(events, ["reset"]);
  assert.deepEqual(
    (it.transcript[0] as unknown as { content: unknown }).content, [{ type: "text", text: "new" }],
  );
  assert.deepEqual((await rig.agent.sessions()).map(({ id }) => id).sort(), ["s1", "s2"]);
  void it.cancel().catch(() => {});
  assert.equal(rig.last.session, 2);
});
