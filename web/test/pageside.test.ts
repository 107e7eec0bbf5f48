import assert from "node:assert/strict";
import { test } from "node:test";
import { connect, workerClient } from "../src/host/choose/hosts.js";
import type { HoldfastError } from "../src/base/errors.js";
import { settled, until } from "./ready.js";

const PAGE = "https://app.test";

/** What the page's side is loaded as: it does not come before the test says so, and then it is not there. */
class Side {
  lose!: () => void;
  readonly promise: Promise<never>;

  constructor() {
    this.promise = new Promise((_, reject) => (this.lose = () => reject(new TypeError("404"))));
  }
}

/** Has connect meet shared workers of the test's. */
async function withWorkers(
  run: (page: { started: number; closed: number; fail(): void; side: Side }) => Promise<void>,
): Promise<void> {
  const page = { started: 0, closed: 0, fail: (): void => {}, side: new Side() };
  class FakeSharedWorker {
    onerror: ((event: object) => void) | undefined;
    readonly port = { postMessage: () => {}, close: () => page.closed++ };

    constructor() {
      page.started++;
      page.fail = () => this.onerror?.({});
    }
  }
  const globals = {
    SharedWorker: FakeSharedWorker, location: new URL(`${PAGE}/app`), origin: PAGE,
    navigator: {
      locks: {
        request: (_: string, __: object, held: (lock: object) => unknown) => Promise.resolve(held({})),
      },
    },
  };
  const before = Object.keys(globals).map(
    (name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const,
  );
  const { load } = workerClient;
  for (const [name, value] of Object.entries(globals))
    Object.defineProperty(globalThis, name, { value, configurable: true });
  workerClient.load = () => page.side.promise;
  try {
    await run(page);
  } finally {
    workerClient.load = load;
    for (const [name, was] of before)
      was ? Object.defineProperty(globalThis, name, was) : Reflect.deleteProperty(globalThis, name);
  }
}

const coded = (code: string) => (error: unknown): boolean => (error as HoldfastError).code === code;
const connects = (signal?: AbortSignal): Promise<unknown> => connect("/mcp", {
  host: "shared", worker: `${PAGE}/w.mjs`, ...(signal && { signal })
});

/**
 * Resolves once a worker was started so often, and every connect that was made knows which one is its own.
 */
async function starts(page: { started: number }, times: number): Promise<void> {
  await until(() => page.started >= times);
  await settled(); // the name of a worker is hashed in another thread: one of two connects may be behind
}

test("Fault 221: without its chunk a page leaves the worker that was started for it, and the next connect starts again", () =>
  withWorkers(async (page) => {
    for (const times of [1, 2]) {
      const both = [connects(), connects()];
      await starts(page, times);
      page.side.lose();
      for (const one of both) await assert.rejects(one, coded("load_failed"));
      assert.deepEqual([page.started, page.closed], [times, times]);
      page.side = new Side();
    }
  }));

test("a worker that cannot be started is told of at once, and a signal heard, while the page's side is on its way", () =>
  withWorkers(async (page) => {
    const refused = connects();
    await starts(page, 1);
    page.fail();
    await assert.rejects(refused, coded("host_unavailable"));
    assert.equal(page.closed, 1);
    const giveUp = new AbortController();
    const givenUp = connects(giveUp.signal);
    await starts(page, 2);
    giveUp.abort();
    await assert.rejects(givenUp, coded("cancelled"));
    page.side.lose();
    await until(() => page.closed >= 2);
  }));

test("what no host would take starts no worker", () =>
  withWorkers(async (page) => {
    await assert.rejects(connect("/mcp", { host: "shared", limits: { backlog: 0 } }), coded("bad_argument"));
    await assert.rejects(connect("ftp://app.test/mcp", { host: "shared" }), coded("bad_argument"));
    assert.equal(page.started, 0);
  }));
