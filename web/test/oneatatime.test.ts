import assert from "node:assert/strict";
import { test } from "node:test";
import { OneAtATime } from "../src/client/oneatatime.js";
import type { Open } from "../src/base/mcp.js";

declare function setImmediate(run: () => void): unknown;

/** Lists that are asked for, and answered by hand. */
function lists() {
  const lists = new OneAtATime();
  const asked: { answer(n: number): void; fail(): void }[] = [];
  const ask = (): Promise<Open> =>
    new Promise(
      (resolve, reject) => asked.push({ answer: (n) => resolve({ n }), fail: () => reject(new Error("no")) }),
    );
  return { asked, change: () => lists.changed(), get: (name = "tools/list") => lists.get(name, ask) };
}

test("Fault 767: however often a list changes, and an app asks for it each time, one is under way and one more behind it", async () => {
  const { asked, change, get } = lists();
  const first = get();
  const rest: Promise<Open>[] = [];
  for (let n = 0; n < 1_000; n++) {
    change();
    rest.push(get());
  }
  assert.equal(asked.length, 1);
  asked[0]!.answer(1);
  assert.deepEqual(await first, { n: 1 });
  await new Promise<void>((resolve) => setImmediate(resolve));
  assert.equal(asked.length, 2, "one for all that was said meanwhile");
  asked[1]!.answer(2);
  const got = await Promise.all(rest);
  assert.ok(
    got.every(({ n }) => n === 2), "nobody has what was asked for before the change that they heard of",
  );
  assert.equal(new Set(got).size, 1_000, "each has a copy of their own");
  const later = get();
  assert.equal(asked.length, 3, "what is over is asked for anew");
  asked[2]!.answer(3);
  assert.deepEqual(await later, { n: 3 });
});

test("Fault 767: whoever asks for a list while it is asked for has that one, and another list is another request", async () => {
  const { asked, get } = lists();
  const both = [get(), get()];
  const other = get("prompts/list");
  assert.equal(asked.length, 2);
  asked[0]!.answer(1);
  asked[1]!.answer(2);
  assert.deepEqual(await Promise.all([...both, other]), [{ n: 1 }, { n: 1 }, { n: 2 }]);
});

test("Fault 767: a list that cannot be had is told to all who asked for it, and is asked for behind that", async () => {
  const { asked, change, get } = lists();
  const first = get();
  change();
  const next = get();
  asked[0]!.fail();
  await assert.rejects(first, (error) => (error as Error).message === "no");
  await new Promise<void>((resolve) => setImmediate(resolve));
  assert.equal(asked.length, 2);
  asked[1]!.answer(2);
  assert.deepEqual(await next, { n: 2 });
});

test("Fault 767: however many wait for a list, no task of the page copies it for more than a hundred of them", async () => {
  const turns: (() => void)[] = [];
  const { MessageChannel: own } = globalThis;
  class ByHand {
    readonly port1: { onmessage?(): void; close(): void } = { close() {} };
    readonly port2 = { postMessage: () => turns.push(() => this.port1.onmessage!()) };
  }
  globalThis.MessageChannel = ByHand as unknown as typeof MessageChannel;
  try {
    const { asked, get } = lists();
    const had: number[] = [];
    for (let n = 0; n < 1_000; n++) void get().then(() => had.push(n));
    asked[0]!.answer(1);
    for (let most = 100; had.length < 1_000; most += 100) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      assert.ok(had.length <= most && had.length >= most - 100, `${had.length} in ${most / 100} tasks`);
      turns.shift()?.();
    }
    assert.deepEqual(had, [...had.keys()], "in the order in which they have asked");
  } finally {
    globalThis.MessageChannel = own;
  }
});
