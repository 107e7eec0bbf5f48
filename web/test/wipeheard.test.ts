// What a wipe waits for of the other tabs: each that hears has let go of the name that it was known by.

import assert from "node:assert/strict";
import { test } from "node:test";
import { tellWiped, whenLoggedOut } from "../src/tabs/loggedout.js";
import { until } from "./ready.js";
import { withGlobal } from "./storeshim.js";

/** The Web Locks of an origin, as far as pages live by them. */
class Locks {
  readonly held = new Map<string, Promise<unknown>>();
  async query(): Promise<LockManagerSnapshot> {
    return { held: this.names().map((name) => ({ name, mode: "exclusive" })) } as LockManagerSnapshot;
  }
  async request(name: string, { mode, signal }: LockOptions, work: () => unknown): Promise<unknown> {
    const over = new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
    over.catch(() => {});
    for (let before; (before = this.held.get(name)); ) await Promise.race([before, over]);
    if (mode === "shared") return work();
    const done = Promise.resolve(work()).finally(() => this.held.delete(name));
    this.held.set(name, done);
    return done;
  }
  names(): string[] {
    return [...this.held.keys()];
  }
  /** Another page that lives, which plays no part here: it lets go of its name when that is called. */
  other(name: string): () => void {
    let end = (): void => {};
    void this.request(name, {}, () => new Promise<void>((resolve) => (end = resolve)));
    return () => end();
  }
}

/** Nothing is to be deleted. */
const deleted = Promise.resolve();

const withLocks = (run: (locks: Locks) => Promise<void>): Promise<void> => {
  const locks = new Locks();
  return withGlobal("navigator", { value: { locks } }, () => run(locks));
};

test("Fault 717: a wipe waits for the word of each tab that lives and hears, and for no other one", async () => {
  await withLocks(async (locks) => {
    const words = [locks.other("holdfast.hears.one"), locks.other("holdfast.hears.two")];
    locks.other("holdfast.tab.three"); // hears by its database
    let isOver = false;
    const over = tellWiped(new AbortController().signal, deleted).then(() => (isOver = true));
    const heard = new Promise<unknown>((resolve) => {
      const channel = new BroadcastChannel("holdfast.wiped");
      channel.onmessage = ({ data }: MessageEvent<unknown>) => (channel.close(), resolve(data));
      void tellWiped(AbortSignal.abort(), deleted); // told again, to whoever listens only by now
    });
    assert.equal(await heard, null);
    words[0]!();
    await until(() => !locks.names().includes("holdfast.hears.one"));
    assert.ok(!isOver);
    words[1]!();
    await over;
  });
});

test("Fault 717: a wipe waits no longer than its patience for a tab that hangs", async () => {
  await withLocks(async (locks) => {
    locks.other("holdfast.hears.one");
    const patience = new AbortController();
    const over = tellWiped(patience.signal, deleted);
    patience.abort();
    await over;
  });
});

test("Fault 717: a tab that has heard of a wipe lives on under another name once what it had begun is over, and one that wipes itself is waited for", async () => {
  await withLocks(async (locks) => {
    let ends = (): void => {};
    let told = 0;
    const stop = whenLoggedOut(() => (told++, new Promise<void>((resolve) => (ends = resolve))), true);
    await until(() => locks.names().length === 1);
    const [name] = locks.names();
    const others = new BroadcastChannel("holdfast.wiped");
    others.postMessage(null); // another tab wipes
    await until(() => told === 1);
    assert.deepEqual(locks.names(), [name]);
    ends();
    await until(() => locks.names().length === 1 && locks.names()[0] !== name);
    let isOver = false;
    const over = tellWiped(new AbortController().signal, deleted).then(() => (isOver = true));
    await until(() => told === 2);
    assert.ok(!isOver);
    ends();
    await over;
    stop();
    await until(() => locks.names().length === 0);
    others.close();
  });
});

test("Fault 748: a wipe tells its own page at once, and the other tabs when all is deleted, or could not be", async () => {
  for (const fails of [false, true]) {
    await withLocks(async () => {
      const heard: string[] = [];
      const stop = whenLoggedOut(() => void heard.push("here"), false);
      const channel = new BroadcastChannel("holdfast.wiped");
      const told = new Promise<void>(
        (resolve) => (channel.onmessage = () => (heard.push("elsewhere"), resolve())),
      );
      let ends = (): void => {};
      const deletes = new Promise<void>(
        (resolve, reject) => (ends = fails ? () => reject(new Error("no")) : resolve),
      );
      const over = tellWiped(new AbortController().signal, deletes);
      await new Promise<void>((resolve) => {
        const later = new BroadcastChannel("a round of messages");
        const [from, to] = [new BroadcastChannel("a round of messages"), later];
        to.onmessage = () => (from.close(), to.close(), resolve());
        from.postMessage(null);
      });
      assert.deepEqual(heard, ["here"]);
      ends();
      await Promise.all([over, told]);
      channel.close();
      stop();
    });
  }
});

test("Fault 750: a page that comes out of the back/forward cache hears of a wipe of meanwhile, and of none that was before", async () => {
  let mark: string | null = "of before";
  const page = new EventTarget();
  const local = { getItem: (name: string) => (name === "holdfast.wiped" ? mark : null) };
  const listens = (name: "addEventListener" | "removeEventListener"): object => ({
    value: page[name].bind(page),
  });
  await withLocks(async () => {
    await withGlobal("localStorage", { value: local }, () => withGlobal("removeEventListener", listens(
      "removeEventListener",
    ), () => withGlobal("addEventListener", listens("addEventListener"), async () => {
      let told = 0;
      const stop = whenLoggedOut(() => void told++, true);
      const goes = (next: string | null): number => {
        page.dispatchEvent(new Event("pagehide"));
        mark = next;
        page.dispatchEvent(new Event("pageshow"));
        return told;
      };
      page.dispatchEvent(new Event("pageshow")); // as it is loaded
      assert.deepEqual([told, goes("of before"), goes("of a wipe"), goes("of a wipe")], [0, 0, 1, 1]);
      stop();
    })));
  });
});
