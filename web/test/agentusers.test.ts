import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Agent } from "../src/agent/agent.js";
import type { AgentOptions } from "../src/agent/agentoptions.js";
import type { ElicitationRequest, PermissionRequest } from "../src/agent/questions.js";
import { type Attachment, ATTACHMENTS, mayAttach } from "../src/host/worker/agentview.js";
import { observeAgentSession } from "../packages/observe/sessionstore.js";
import { until } from "./ready.js";
import { coded, permission, settled, somebody, tokenOf, Worker } from "./agentworker.js";

const form = {
  method: "elicitation/create",
  params: { mode: "form", message: "Which?", requestedSchema: { type: "object", properties: {} } },
};

/** A worker with a page whose user may change, and another page of the first user's. */
async function twoPages(
  options: AgentOptions = {},
): Promise<{ worker: Worker; changing: Agent; staying: Agent; change(): void }> {
  const worker = new Worker();
  worker.stored = ["s1"];
  const [first, second] = [tokenOf(somebody()), tokenOf(somebody())];
  let now = first;
  const changing = await worker.page({ token: () => now, ...options });
  await worker.tokens.token();
  const staying = await worker.page({ token: () => first, ...options });
  await settled();
  assert.equal(worker.cores.length, 1);
  return { worker, changing, staying, change: () => (now = second) };
}

// The store of the next user is a real one here, and nobody closes the client that it is of.
delete (globalThis as { BroadcastChannel?: unknown }).BroadcastChannel;

test("Fault 247: a page whose user is another one does nothing more in the client of the last one, whether it has heard of that or not", async () => {
  const { worker, changing, staying, change } = await twoPages({ input: "manual" });
  try {
    const [core] = worker.cores;
    const [session] = await changing.sessions();
    core!.tell(1, "question", permission, 5);
    core!.tell(1, "question", form, 6);
    await settled();
    const [asked, filled] = session!.requests as [PermissionRequest, ElicitationRequest];
    session!.prompt("of the first user").catch(() => {});
    await settled();
    change();
    worker.hold(0, "ended", "withdrawn");
    await worker.tokens.token();
    await settled();
    assert.deepEqual(worker.held.map(({ t }) => t), ["ended"]);
    const sent = core!.sent.length;
    await assert.rejects(session!.prompt("of the next user"), coded("closed"));
    await assert.rejects(changing.newSession({ cwd: "/w" }), coded("closed"));
    await assert.rejects(changing.notify("x"), coded("closed"));
    filled.saveDraft({ a: 1 });
    asked.select("y");
    void session!.forget();
    await settled();
    assert.deepEqual(
      [core!.sent.length, core!.responses, core!.drafts, core!.ended, core!.cancelled],
      [sent, [], [], [], []],
    );
    const [its] = await staying.sessions();
    assert.deepEqual([its!.closed, its!.requests.length], [false, 2]);
    await worker.letGo();
    assert.deepEqual([worker.cores.length, changing.state, session!.closed], [2, "open", true]);
    const [own] = await changing.sessions();
    own!.prompt("of the next user").catch(() => {});
    await settled();
    assert.deepEqual([worker.cores[1]!.last.method, core!.sent.length], ["session/prompt", sent]);
  } finally {
    worker.close();
  }
});

test("Fault 247: it leaves as soon as its token is there, however long other pages take to give theirs", async () => {
  const worker = new Worker();
  worker.stored = ["s1"];
  const [first, second] = [tokenOf(somebody()), tokenOf(somebody())];
  let slow = false;
  let now = first;
  try {
    await worker.page({ token: () => (slow ? new Promise<string>(() => {}) : first) });
    await worker.tokens.token();
    const changing = await worker.page({ token: () => now });
    await worker.tokens.token(); // the newest page's
    const [session] = await changing.sessions();
    slow = true;
    now = second;
    worker.hold(1, "ended");
    void worker.tokens.token();
    await settled();
    assert.deepEqual(worker.held.map(({ t }) => t), ["ended"]);
    await assert.rejects(session!.prompt("of the next user"), coded("closed"));
    assert.deepEqual(worker.cores[0]!.sent, []);
  } finally {
    worker.close();
  }
});

test("Fault 247: what a page wants while its token is asked for waits for that, and is refused where that is of another user", async () => {
  const worker = new Worker();
  worker.stored = ["s1"];
  const [first, second] = [tokenOf(somebody()), tokenOf(somebody())];
  let given: Promise<string> | undefined;
  let give!: (token: string) => void;
  const ask = (): void => void (given = new Promise((resolve) => (give = resolve)));
  try {
    await worker.page({ token: () => first });
    await worker.tokens.token();
    const changing = await worker.page({ token: () => given ?? first });
    await worker.tokens.token();
    const [session] = await changing.sessions();
    const [core] = worker.cores;
    core!.tell(1, "question", permission, 5);
    await settled();
    // The same user's: it goes on.
    ask();
    void worker.tokens.token();
    await settled();
    const over = new AbortController();
    const prompted = session!.prompt("of the first user", { signal: over.signal });
    const givenUp = assert.rejects(changing.request("x", {}, { signal: over.signal }), coded("cancelled"));
    await settled();
    assert.deepEqual(core!.sent, []);
    give(first);
    await settled();
    assert.equal(core!.last.method, "x");
    core!.answer({}, 1, core!.sent[0]);
    await prompted;
    over.abort();
    await settled();
    core!.answer({ code: "cancelled", op: "x", message: "m", status: 0, retryable: false }, 3);
    await givenUp;
    // Another user's.
    ask();
    void worker.tokens.token();
    await settled();
    const sent = core!.sent.length;
    const refused = [session!.prompt("of the next user"), changing.notify("x")]
      .map((one) => assert.rejects(one, coded("closed")));
    (session!.requests[0] as PermissionRequest).select("y");
    await settled();
    give(second);
    await Promise.all(refused);
    await settled();
    assert.deepEqual([core!.sent.length, core!.responses, core!.cancelled], [sent, [], [2]]);
  } finally {
    worker.close();
  }
});

test("Fault 247: a logout of a page whose user is another one deletes nothing that is of the last one", async () => {
  const { worker, changing, staying, change } = await twoPages();
  try {
    change();
    worker.hold(0, "ended");
    await worker.tokens.token();
    await settled();
    await assert.rejects(changing.forget(), coded("closed"));
    assert.deepEqual([worker.cores[0]!.ended, staying.state], [[], "open"]);
    await staying.close();
    assert.deepEqual(worker.cores[0]!.ended, ["close"]);
  } finally {
    worker.close();
  }
});

test("docs/states.md has how a page may hang on to an agent's client in its worker", () => {
  const all = Object.entries(ATTACHMENTS) as [Attachment, string][];
  const rows = all.map(
    (
      [from, means]
    ) =>
      `| **${from}** | ${means} | ` +
        `${all.map(([next]) => next).filter((next) => mayAttach(from, next)).join(", ")} |\n`,
  );
  const head =
    "From `web/src/host/worker/agentview.ts`.\n\n| state | what it means | what may follow " +
      "|\n|---|---|---|\n";
  assert.ok(readFileSync("docs/states.md", "utf8").includes(head + rows.join("")), head + rows.join(""));
});

test("Fault 600: an agent in a worker whose only page has another user says so, and the page shows the session of the last user no more", async () => {
  const worker = new Worker();
  worker.stored = ["s1"];
  worker.asks = true;
  const [first, second] = [tokenOf(somebody()), tokenOf(somebody())];
  let now = first;
  try {
    const agent = await worker.page({ token: () => now });
    worker.core.port.token();
    await settled();
    const store = observeAgentSession(agent);
    const stop = store.onChange(() => {});
    await until(() => store.snapshot().session !== undefined);
    let changes = 0;
    agent.on("state", ({ anotherUser }) => (changes += anotherUser ? 1 : 0));
    now = second;
    worker.core.port.token();
    await settled();
    await until(() => store.snapshot().state !== "idle");
    await settled();
    assert.deepEqual([changes, store.snapshot().state, store.snapshot().session], [1, "missing", undefined]);
    stop();
  } finally {
    worker.close();
  }
});
