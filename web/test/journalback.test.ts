import assert from "node:assert/strict";
import { test } from "node:test";
import { TAB_EFFECT, TAB_INPUT } from "../src/base/border.js";
import { Journal } from "../src/tabs/journal.js";
import type { JournalClient } from "../src/tabs/journalclient.js";
import { settled, tasks } from "./ready.js";
import { Shim, withGlobal } from "./storeshim.js";

// A page that comes back from the back/forward cache, or is thawed, and is left, or closed, before that is
// over.

/** Web Locks of one page: each is given soon, and held until it is given back. */
class Locks {
  readonly held = new Set<string>();

  readonly request = async (name: string, ...rest: unknown[]): Promise<void> => {
    const work = rest.at(-1) as (lock: object) => unknown;
    for (let n = 0; n < 5; n++) await undefined;
    this.held.add(name);
    await work({ name });
    this.held.delete(name);
  };

  readonly query = async (): Promise<LockManagerSnapshot> =>
    ({ held: [...this.held].map((name) => ({ name })), pending: [] });
}

/** What listens to the page, and to its document. */
class Page {
  readonly visibilityState = "visible";
  readonly #heard: [type: string, listener: (event: object) => void][] = [];

  readonly addEventListener =
    (type: string, listener: (event: object) => void, { signal }: { signal?: AbortSignal } = {}): void => {
    const entry: [string, (event: object) => void] = [type, listener];
    this.#heard.push(entry);
    signal?.addEventListener("abort", () => this.#heard.splice(this.#heard.indexOf(entry), 1));
  };

  fires(type: string): void {
    for (const [heard, listener] of [...this.#heard]) if (heard === type) listener({ persisted: true });
  }
}

/** Channels that are open in this page. */
const open = new Set<object>();
class CountedChannel {
  onmessage: unknown;
  constructor(readonly name: string) {
    open.add(this);
  }
  postMessage(): void {}
  close(): void {
    open.delete(this);
  }
}

/** A page's journal whose client listens, in a page of its own; `told`: what the core hears of the page. */
async function inPage(
  story: (rig: { page: Page; locks: Locks; journal: Journal; client: JournalClient; told: number[] }) =>
    Promise<void>,
): Promise<void> {
  new Shim();
  const [page, locks, told] = [new Page(), new Locks(), [] as number[]];
  const globals: [string, unknown][] = [
    ["navigator", { locks }],
    ["document", page],
    ["addEventListener", page.addEventListener],
    ["BroadcastChannel", CountedChannel],
  ];
  const within = globals.reduceRight<() => Promise<void>>((run, [name, value]) => () => withGlobal(
    name, { value, writable: true }, run,
  ), async () => {
    open.clear();
    const { journal } = await Journal.open("s", false);
    const tabs = (_: number, what: number): void => {
      told.push(what);
      if (what === TAB_INPUT.wake) journal.tabs(TAB_EFFECT.awake, 0, new Uint8Array());
    };
    const runtime =
      new Proxy({ tabs }, { get: (all, name) => (name === "tabs" ? all.tabs : () => undefined) });
    const client: JournalClient = {
      wire: { runtime, handle: 1 } as never,
      streams: { rest: () => {} },
      reconnecting: () => false,
      connected: () => new Promise<void>(() => {}),
      said: () => {},
    };
    journal.attach(client, true);
    await settled();
    told.length = 0;
    await story({ page, locks, journal, client, told });
    journal.close();
    await settled();
  });
  await within();
}

const LISTENS = "holdfast.listen.s";

/** So many moments are tried: each of 20 microtasks, in each of two tasks. */
const MOMENTS = 40;

async function goesBy(moment: number): Promise<void> {
  for (let n = 0; n < moment % 20; n++) await undefined;
  await tasks(Math.floor(moment / 20));
}

test("Fault 594: a page that comes back from the back/forward cache has its channel, and listens", () =>
  inPage(async ({ page, locks, told }) => {
    assert.deepEqual([open.size, locks.held.has(LISTENS)], [1, true]);
    page.fires("pagehide");
    await settled();
    assert.deepEqual([open.size, locks.held.has(LISTENS)], [0, false]);
    page.fires("pageshow");
    await settled();
    assert.deepEqual([open.size, locks.held.has(LISTENS)], [1, true]);
    assert.deepEqual(told.slice(-2), [TAB_INPUT.show, TAB_INPUT.wake]);
  }));

/** A page that `ends` in each moment of its coming back. */
async function whileItComesBack(ends: (rig: { page: Page; journal: Journal }) => void): Promise<void> {
  for (let moment = 0; moment < MOMENTS; moment++) {
    await inPage(async (rig) => {
      rig.page.fires("pagehide");
      await settled();
      rig.page.fires("pageshow");
      await goesBy(moment);
      rig.told.length = 0;
      ends(rig);
      await settled();
      assert.deepEqual([moment, open.size, rig.locks.held.has(LISTENS)], [moment, 0, false]);
      assert.deepEqual(
        rig.told.filter((input) => input === TAB_INPUT.show || input === TAB_INPUT.wake), [], `at ${moment}`,
      );
    });
  }
}

test("Fault 594: a page that is closed while it comes back has no channel, and keeps nobody from listening, whenever that is", () => whileItComesBack(({ journal }) => journal.close()));

test("Fault 594: a page that is left again while it comes back has no channel, and keeps nobody from listening, whenever that is", () => whileItComesBack(({ page }) => page.fires("pagehide")));

test("Fault 594: a page that is frozen while it is thawed keeps nobody from listening", async () => {
  for (let moment = 0; moment < MOMENTS; moment++) {
    await inPage(async ({ page, locks }) => {
      page.fires("freeze");
      await settled();
      page.fires("resume");
      await goesBy(moment);
      page.fires("freeze");
      await settled();
      assert.equal(locks.held.has(LISTENS), false, `at ${moment}`);
    });
  }
});

test("Fault 594: a page whose runtime exits while it comes back has its channel with the next one", async () => {
  for (let moment = 0; moment < MOMENTS; moment++) {
    await inPage(async ({ page, locks, journal, client }) => {
      page.fires("pagehide");
      await settled();
      page.fires("pageshow");
      await goesBy(moment);
      await journal.reload();
      journal.attach(client, true);
      await settled();
      assert.deepEqual([open.size, locks.held.has(LISTENS)], [1, true], `at ${moment}`);
    });
  }
});
