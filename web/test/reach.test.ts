import assert from "node:assert/strict";
import { test } from "node:test";
import { findAgentCause } from "../src/diagnosis/agentdiagnosis.js";
import { findServerCause } from "../src/diagnosis/serverdiagnosis.js";
import { Reach } from "../src/runtime/reach.js";
import type { Reports } from "../src/runtime/reports.js";
import { Ending } from "../src/base/border.js";
import { until } from "./ready.js";

const ADDRESS = "https://far.test/mcp";
const scope = globalThis as Record<string, unknown>;

/** A question, and what the core hears of it. */
function asking(): { it: Reach; heard: unknown[] } {
  const heard: unknown[] = [];
  const reports = {
    head: (...all: unknown[]) => heard.push(["head", ...all]),
    end: (...all: unknown[]) => heard.push(["end", ...all]),
  };
  return { it: new Reach(reports as unknown as Reports, 1, 2), heard };
}

/** No page, and a network where only requests of that kind are answered; what was asked. */
function network(answers: (init: RequestInit) => boolean): RequestInit[] {
  for (const name of ["document", "Worker", "crossOriginIsolated"]) delete scope[name];
  const asked: RequestInit[] = [];
  globalThis.fetch = (async (url: string, init: RequestInit = {}) => {
    assert.equal(url, ADDRESS);
    asked.push(init);
    if (!answers(init)) throw new TypeError("Failed to fetch");
    return new Response(new ReadableStream()); // a stream that never ends
  }) as typeof fetch;
  return asked;
}

const isOpaque = (init: RequestInit): boolean => init.mode === "no-cors";

test("Fault 464: who answers, if only without CORS or only with it, is found, and what asked is over then", async () => {
  for (const [answers, n] of [
    [isOpaque, 1],
    [(init: RequestInit) => !isOpaque(init), 2], // Cross-Origin-Resource-Policy
  ] as const) {
    const asked = network(answers);
    const { it, heard } = asking();
    await it.start(ADDRESS, true);
    assert.deepEqual(heard, [["head", 1, 2, 200, []]]);
    assert.equal(asked.length, n);
    for (const { method, headers, body, credentials, signal } of asked) {
      assert.deepEqual(
        [method, headers, body, credentials, signal?.aborted],
        [undefined, undefined, undefined, "omit", true],
        "a GET with nothing of anybody's, which holds no stream",
      );
    }
  }
});

test("Fault 464: nobody answers; the core hears of it outside of its own effects, and of nothing that it has given up", async () => {
  network(() => false);
  const { it, heard } = asking();
  const started = it.start(ADDRESS, true);
  assert.deepEqual(heard, []);
  await started;
  assert.deepEqual(heard, [["end", 1, 2, Ending.Network, ""]]);
  const givenUp = asking();
  const over = givenUp.it.start(ADDRESS, true);
  givenUp.it.abort();
  await over;
  const left = asking();
  const gone = left.it.start(ADDRESS, true);
  left.it.leave();
  await gone;
  assert.deepEqual([...givenUp.heard, ...left.heard], []);
});

test("Fault 464: of requests by a fetch of the app nothing is known, and nothing is asked", async () => {
  const asked = network(() => true);
  const { it, heard } = asking();
  await it.start(ADDRESS, false);
  assert.deepEqual([heard, asked], [[["end", 1, 2, Ending.Invalid, ""]], []]);
});

/** A page with workers, of which each does what the test says. */
function page(work: (worker: StubWorker, data: unknown) => void): StubWorker[] {
  const all: StubWorker[] = [];
  scope["document"] = {};
  scope["Worker"] = class extends StubWorker {
    constructor(script: string) {
      super();
      assert.ok(script.startsWith("blob:"), script);
      all.push(this);
      this.work = work;
    }
  };
  return all;
}

class StubWorker {
  onmessage: (event: { data: unknown }) => void = () => {};
  onerror: (event: { preventDefault(): void }) => void = () => {};
  terminated = false;
  work: (worker: StubWorker, data: unknown) => void = () => {};
  postMessage(data: unknown): void {
    queueMicrotask(() => this.work(this, data));
  }
  terminate(): void {
    this.terminated = true;
  }
}

test("Fault 464: in a page a worker asks, in both ways at once, and the page itself asks nothing", async () => {
  for (const found of [true, false]) {
    const asked = network(() => true);
    const workers = page((worker, data) => {
      const [url, ways] = data as [string, RequestInit[]];
      assert.deepEqual(
        [url, ways.map(({ mode = "cors" }) => mode), ways.map(({ credentials }) => credentials)],
        [ADDRESS, ["no-cors", "cors"], ["omit", "omit"]],
      );
      worker.onmessage({ data: found });
    });
    const { it, heard } = asking();
    await it.start(ADDRESS, true);
    assert.deepEqual(heard, [found ? ["head", 1, 2, 200, []] : ["end", 1, 2, Ending.Network, ""]]);
    assert.deepEqual([asked, workers.map(({ terminated }) => terminated)], [[], [true]]);
  }
});

test("Fault 464: a page whose policy has no room for a worker asks itself, once, unless it is one that gets no opaque answers", async () => {
  for (const isolated of [false, true]) {
    const asked = network(() => false);
    page((worker) => worker.onerror({ preventDefault: () => {} }));
    if (isolated) scope["crossOriginIsolated"] = true;
    const { it, heard } = asking();
    await it.start(ADDRESS, true);
    assert.deepEqual([heard, asked.length], [[["end", 1, 2, Ending.Network, ""]], isolated ? 2 : 1]);
  }
  network(() => true);
  scope["document"] = {};
  scope["Worker"] = class {
    constructor() {
      throw new TypeError("This document requires 'TrustedScriptURL' assignment.");
    }
  };
  const { it, heard } = asking();
  await it.start(ADDRESS, true);
  assert.deepEqual(heard, [["head", 1, 2, 200, []]]);
});

test("Fault 464: a question that is given up ends its worker", async () => {
  network(() => true);
  const workers = page(() => {});
  const { it, heard } = asking();
  const started = it.start(ADDRESS, true);
  await until(() => workers.length === 1);
  it.abort();
  await started;
  assert.deepEqual([workers[0]!.terminated, heard], [true, []]);
});

test("Fault 464: what is known of who answers is not asked again", async () => {
  const failed = {
    url: ADDRESS, foreign: true, code: "network_error", op: "initialize", status: 0, lacks: "", token: false,
    isForbidden: () => false,
  } as const;
  const sent = { fields: [], credentials: "omit", signal: undefined } as const;
  for (
    const find of [
      () => findServerCause({ ...failed, reach: "nothing" }, sent, []),
      () => findAgentCause({ ...failed, reach: "nothing" }, sent),
    ]
  ) {
    const asked = network(() => true);
    const found = await find();
    assert.ok(
      found?.hint.startsWith("Nothing answers at https://far.test. Is the server running"), found?.hint,
    );
    assert.equal(asked.length, 0);
  }
  const asked = network(() => false);
  const found = await findServerCause({ ...failed, reach: "answers" }, sent, []);
  assert.ok(found && !found.hint.startsWith("Nothing answers"), found?.hint);
  assert.ok(asked.length > 0);
});
