import assert from "node:assert/strict";
import { test } from "node:test";
import { Handover } from "../src/client/handover.js";

const task = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));
const mine = { followed: false };
const others = { followed: true };

/** A page as far as it matters here: whether somebody sees it, and what it reports. */
class Page extends EventTarget {
  visibilityState = "visible";

  show(): void {
    this.visibilityState = "visible";
    this.dispatchEvent(new Event("visibilitychange"));
  }
}

function rig(): { over: Handover; handed: number[]; page: Page; done(): void } {
  const page = new Page();
  const before = [globalThis.document, globalThis.addEventListener] as const;
  const set = (document: unknown, listen: unknown): void => void Object.assign(globalThis, {
    document, addEventListener: listen,
  });
  set(page, page.addEventListener.bind(page));
  const handed: number[] = [];
  return { over: new Handover((call) => handed.push(call)), handed, page, done: () => set(...before) };
}

test("Fault 133: an outcome counts as acknowledged two tasks after it was handed over", async () => {
  const { over, handed, done } = rig();
  over.add(1, mine);
  await Promise.resolve();
  assert.deepEqual(handed, []); // the continuation runs
  over.add(2, others);
  await task();
  await task();
  await task();
  assert.deepEqual(handed, [1, 2]);
  over.add(3, mine);
  over.now(); // the app closes the client
  assert.deepEqual(handed, [1, 2, 3]);
  over.add(4, mine);
  over.clear();
  await task();
  await task();
  await task();
  assert.deepEqual(handed, [1, 2, 3]);
  done();
});

/** What a page reports of something that was thrown; of what was not, `error` is null. */
function report(type: string, error: unknown): Event {
  return Object.assign(new Event(type), type === "error" ? { error } : { reason: error });
}

test("Fault 133: nothing counts that the app may have failed at", async () => {
  for (const event of ["unhandledrejection", "error"]) {
    const { over, handed, page, done } = rig();
    over.add(1, mine);
    // after the first task, as browsers do
    setTimeout(() => page.dispatchEvent(report(event, new Error("cannot be saved"))), 0);
    await task();
    await task();
    await task();
    assert.deepEqual(handed, []);
    page.dispatchEvent(report(event, new Error("cannot be saved"))); // before, and of no concern
    over.add(2, mine);
    await task();
    await task();
    await task();
    assert.deepEqual(handed, [2]);
    done();
  }
});

test("Fault 166: an error event without an error, which nobody has thrown, holds up no acknowledgement", async () => {
  // A ResizeObserver's loop, and what a script of another origin has thrown.
  for (const error of [null, undefined]) {
    const { over, handed, page, done } = rig();
    over.add(1, mine);
    setTimeout(() => page.dispatchEvent(report("error", error)), 0);
    await task();
    await task();
    await task();
    assert.deepEqual(handed, [1]);
    done();
  }
});

test("Fault 133: a page that only looks on, and that nobody sees, acknowledges once it is seen", async () => {
  const { over, handed, page, done } = rig();
  page.visibilityState = "hidden";
  over.add(1, others);
  over.add(2, mine);
  over.now();
  assert.deepEqual(handed, [2]); // whoever carries a call may do so unseen
  page.show();
  assert.deepEqual(handed, [2, 1]);
  page.show();
  assert.deepEqual(handed, [2, 1]);
  done();
});
