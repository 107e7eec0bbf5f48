import assert from "node:assert/strict";
import { test } from "node:test";
import { Transcript, type TranscriptOp } from "../src/agent/transcript.js";
import { EVENT } from "../src/base/border.js";
import { eachEvent } from "../src/host/wire/eventbatch.js";
import { HandPage, settled, somebody, Worker } from "./agentworker.js";
import { ready } from "./ready.js";

const MIB = 1 << 20;

/** A page that says what it has taken when the test wants it to. */
class SlowPage extends HandPage {
  readonly transcript = new Transcript();
  /** What was sent to it, in characters of events. */
  bytes = 0;
  resets = 0;
  ended = 0;
  #taken = 0;

  /** It reads what has arrived. */
  read(): void {
    for (const message of this.heard.splice(0)) {
      this.#taken += message.size ?? 0;
      if (message.t !== "events") continue;
      for (const text of message.texts) this.bytes += text.length;
      eachEvent(message.heads, message.texts, (_, kind, __, text) => this.#event(kind, text));
    }
  }

  /** It says that it has taken so many bytes of what it has read; all of them where nothing is said. */
  credit(most = Infinity): void {
    this.read();
    const bytes = Math.min(most, this.#taken);
    this.#taken -= bytes;
    this.say({ t: "credit", bytes });
  }

  #event(kind: number, text: string): void {
    if (kind === EVENT.phase && text.includes(`"ended":true`)) this.ended++;
    if (kind !== EVENT.item) return;
    const op = JSON.parse(text) as TranscriptOp;
    if (op.op === "reset") this.resets++;
    this.transcript.apply(op);
  }
}

const state = ({ items, pending }: Transcript): unknown => ({
  items: items
    .map((item) => ({ ...item, ...("output" in item && { output: [...(item.output as Uint8Array)] }) })),
  pending,
});

const text = (of: string): object => ({ type: "text", text: of });

test("Fault 248: a transcript of 12 MB is sent once, however slow its page is and whatever comes meanwhile", async () => {
  const worker = new Worker();
  const whole = new Transcript();
  const tell = (op: object): void => {
    whole.apply(structuredClone(op) as TranscriptOp);
    worker.core.tell(1, "item", op);
  };
  const principal = somebody();
  const first = new SlowPage(worker);
  worker.stored = ["s1"];
  await first.attach(principal);
  for (let at = 0; at < 12; at++) {
    tell({ op: "put", at, type: "agent_message", id: `m${at}`, patch: { content: [text("x".repeat(MIB))] } });
    await settled();
    first.credit();
  }
  const page = new SlowPage(worker);
  const attached = page.attach(principal);
  await settled();
  page.read();
  const atFirst = page.bytes;
  for (let n = 0; n < 100; n++) {
    tell({ op: "append", at: 11, content: text(`chunk ${n}. `) });
    await settled();
    if (n % 5 === 0) page.credit(MIB);
  }
  for (let n = 0; n < 20; n++) {
    page.credit();
    await settled();
  }
  await attached;
  page.read();
  assert.deepEqual(state(page.transcript), state(whole));
  assert.ok(atFirst < 9 * MIB, `${atFirst} bytes without a word of the page's`);
  assert.ok(page.bytes < 13 * MIB, `${page.bytes} bytes`);
  assert.equal(page.resets, 1);
  worker.close();
});

test("Fault 248: one message, or one terminal, that is longer than what may be on its way comes in pieces", async () => {
  const worker = new Worker();
  worker.stored = ["s1"];
  const principal = somebody();
  const first = new SlowPage(worker);
  await first.attach(principal);
  const { core } = worker;
  const words = Array.from({ length: 12 }, (_, n) => String.fromCodePoint(0x1f600 + n) + "y".repeat(MIB));
  core.tell(
    1,
    "item",
    { op: "put", at: 0, type: "agent_message", id: "m", patch: { content: [text(words.join(""))] } },
  );
  core.tell(1, "item", { op: "put", at: 1, type: "terminal", id: "t", patch: { command: "ls" } });
  for (let n = 0; n < 3; n++)
    core.tell(1, "item", { op: "output", at: 1, data: btoa("z".repeat(MIB)) });
  for (let n = 0; n < 20; n++) {
    first.credit();
    await settled();
  }
  const page = new SlowPage(worker);
  const attached = page.attach(principal);
  await settled();
  page.read();
  assert.ok(page.bytes < 9 * MIB, `${page.bytes} bytes without a word of the page's`);
  for (let n = 0; n < 40; n++) {
    page.credit(MIB);
    await settled();
  }
  await attached;
  page.read();
  assert.deepEqual(page.transcript.items, first.transcript.items);
  worker.close();
});

/** Numbers from a seed. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

test("Fault 248: whatever an agent says while a page takes it or not, the page has the same in the end, and each end of a turn once", async () => {
  const drawn = Math.floor(Math.random() * 2 ** 32);
  for (const seed of [1, 2, 3, 4, 5, 6, 7, 8, drawn]) {
    const draw = numbers(seed);
    const worker = new Worker();
    worker.stored = ["s1"];
    const principal = somebody();
    const witness = new SlowPage(worker);
    const page = new SlowPage(worker);
    await witness.attach(principal);
    await page.attach(principal);
    const { core } = worker;
    const kinds: string[] = [];
    let ends = 0;
    const put = (at: number): void => {
      kinds[at] ??= ["agent_message", "tool_call", "terminal", "odd"][draw(4)]!;
      const type = kinds[at];
      const content = [text("a".repeat(draw(draw(10) ? 200 : 3 * MIB)))];
      const patch = type === "terminal" ? {
        command: `c${draw(9)}`, output: { data: btoa("o".repeat(draw(500_000))) },
      } : type === "odd" ? { x: draw(9) } : { content };
      core.tell(1, "item", { op: "put", at, type, ...(type !== "odd" && { id: `i${at}` }), patch });
    };
    for (let step = 0; step < 150; step++) {
      const at = draw(kinds.length || 1);
      const acts: (() => void)[] = [
        () => put(kinds.length),
        () => kinds.length > 0 && put(at),
        () => (kinds[at] === "agent_message" || kinds[at] === "tool_call") && core.tell(
          1, "item", { op: "append", at, content: text("b".repeat(draw(draw(5) ? 50 : MIB))) },
        ),
        () => kinds[at] === "terminal" &&
          core.tell(1, "item", { op: "output", at, data: btoa("p".repeat(draw(300_000))) }),
        () => core.tell(1, "item", { op: "session", patch: { title: `t${draw(9)}` } }),
        () => core.tell(1, "item", { op: "pending", prompt: draw(3), content: [text("q")] }),
        () => (core.turn(++ends, "running"), core.turn(ends, "idle", true)),
        () => draw(6) === 0 && ((kinds.length = 0), core.tell(1, "item", { op: "reset" })),
        () => page.say({ t: "away", cached: false }),
        () => page.say({ t: "back" }),
        () => page.credit(draw(3 * MIB)),
        () => page.credit(),
      ];
      acts[draw(acts.length)]!();
      if (draw(3) === 0) await settledSoon();
      witness.credit();
    }
    page.say({ t: "back" });
    for (let n = 0; n < 60; n++) {
      page.credit();
      witness.credit();
      await ready(); // events may wait for a timer
    }
    assert.deepEqual(state(page.transcript), state(witness.transcript), `seed ${seed}`);
    assert.deepEqual(
      [page.ended, page.transcript.value("title")], [ends, witness.transcript.value("title")], `seed ${seed}`,
    );
    worker.close();
  }
});

async function settledSoon(): Promise<void> {
  for (let n = 0; n < 5; n++) await undefined;
}
