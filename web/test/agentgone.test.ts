import assert from "node:assert/strict";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { joinable } from "../src/connect/joinable.js";
import { HandPage, looks, permission, settled, somebody, Worker } from "./agentworker.js";

/** So long that all is looked at again that is looked at after a while. */
async function later(): Promise<void> {
  for (const look of looks.splice(0)) look();
  await settled();
}

/** A page has gone whose agent is at work. Returns whose it was. */
async function leftAtWork(worker: Worker): Promise<string> {
  worker.stored = ["s1"];
  const principal = somebody();
  await worker.page({ principal });
  await settled();
  looks.length = 0;
  worker.core.turn(1, "running");
  await worker.leave(0);
  return principal;
}

test("Fault 249: a client ends some time after its page has gone, also where that page had it twice", async () => {
  const worker = new Worker();
  try {
    worker.stored = ["s1"];
    const options = { principal: somebody(), worker: "https://app.test/twice.mjs" };
    await worker.page(options);
    await worker.page(options);
    await settled();
    assert.deepEqual([worker.sessions.length, worker.cores.length], [1, 1]);
    looks.length = 0;
    worker.core.turn(1, "running");
    await worker.leave(0);
    await later();
    assert.deepEqual(worker.core.ended, []); // it is at work
    worker.core.turn(1, "idle", true, { stopReason: "end_turn" });
    await later();
    assert.deepEqual(worker.core.ended, ["close"]);
    await later();
    assert.equal(looks.length, 0);
  } finally {
    worker.close();
  }
});

test("Fault 249: a page that joins a client whose pages have gone, and goes itself before it listens, leaves it to end as they did", async () => {
  const worker = new Worker();
  try {
    const principal = await leftAtWork(worker);
    const page = new HandPage(worker);
    await page.attach(principal, false);
    assert.equal(worker.cores.length, 1);
    page.say({ t: "bye" });
    worker.core.turn(1, "idle", true, { stopReason: "end_turn" });
    await later();
    await later();
    assert.deepEqual([worker.core.ended, looks.length], [["close"], 0]);
  } finally {
    worker.close();
  }
});

test("Fault 465: a page that joins a client whose page has gone, and wants it no more, leaves what is under way to the next page", async () => {
  const worker = new Worker();
  try {
    const principal = await leftAtWork(worker);
    const page = new HandPage(worker);
    await page.attach(principal, false);
    page.say({ t: "abandon", client: 2 });
    await later();
    assert.deepEqual([worker.cores.length, worker.core.ended], [1, []], "it is at work");
    const next = new HandPage(worker);
    await next.attach(principal);
    assert.deepEqual([worker.cores.length, next.hears("session")], [1, true]);
    const alone = new HandPage(worker);
    await alone.attach(somebody(), false);
    alone.say({ t: "abandon", client: 2 });
    await settled();
    assert.deepEqual(
      [worker.cores.length, worker.core.ended], [2, ["close"]], "one that nobody else has ends",
    );
  } finally {
    worker.close();
  }
});

test("Fault 249: of a thousand pages that attach to an agent, are asked and leave nothing stays, nor of a thousand sessions", async () => {
  setFlagsFromString("--expose-gc");
  const gc = runInNewContext("gc") as () => void;
  const worker = new Worker();
  const principal = somebody();
  const stays = new HandPage(worker);
  await stays.attach(principal);
  const { core } = worker;
  const gone: WeakRef<object>[] = [];
  const visit = async (n: number): Promise<void> => {
    const page = new HandPage(worker);
    await page.attach(principal);
    const session = n + 2;
    core.recall(session, `session ${n}`);
    core.tell(session, "draft", { n }, n);
    core.tell(session, "question", permission, n);
    core.tell(
      session, "item", { op: "put", at: 0, type: "agent_message", id: "m", patch: { content: [] } },
    );
    page.say({ t: "request", client: 2, ask: 4, session: 0, method: "x", params: "{}", notifies: false });
    if (n % 3 === 0) core.tell(session, "withdrawn", { reason: "agent" }, n);
    if (n % 2) page.say({ t: "away", cached: false });
    core.tell(session, "status", { state: "closed" });
    page.say({ t: "bye" });
    core.answer({});
    gone.push(new WeakRef(page.session), new WeakRef(page));
  };
  for (let n = 1; n <= 1_000; n++) await visit(n);
  const forgotten = stays.heard.filter(({ t }) => t === "forgotten").length;
  assert.equal(forgotten, 1_000);
  stays.heard.length = 0;
  for (let n = 0; n < 3; n++) {
    await settled();
    gc();
  }
  gone.splice(-2); // the last one's may be on the stack still
  assert.equal(gone.filter((ref) => ref.deref()).length, 0);
  stays.say({ t: "ask", client: 2, ask: 6, op: "close", method: "close", args: [] });
  await settled();
  assert.deepEqual(
    [core.ended, [...joinable.keys()].some((key) => key.includes(principal))], [["close"], false],
  );
});
