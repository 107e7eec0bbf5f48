import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { PortSession } from "../src/host/worker/portsession.js";
import { lifetime } from "../src/tabs/lifecycle.js";
import { EVENT, OUTCOME } from "../src/base/border.js";
import { Backlog } from "../src/base/backlog.js";
import { BUILD } from "../src/base/build.js";
import { type HostMessage, type PageMessage } from "../src/host/wire/protocol.js";
import { PortCall } from "../src/host/worker/portcall.js";
import { PortView } from "../src/host/worker/portview.js";
import { GONE } from "../src/host/worker/askpage.js";
import { sizeOf } from "../src/host/wire/credits.js";
import { WaitingMessages } from "../src/host/worker/waitingmessages.js";
import { ready, tasks } from "./ready.js";

/** The locks of one origin. */
class FakeLocks {
  readonly #tail = new Map<string, Promise<unknown>>();

  request(name: string, ...[options, work]: [() => unknown] | [{ signal: AbortSignal }, () => unknown]): Promise<unknown> {
    if (name.startsWith("-")) return Promise.reject(new DOMException("a name may not begin so", "NotSupportedError"));
    const run = work ?? (options as () => unknown);
    const signal = work && (options as { signal: AbortSignal }).signal;
    const granted = (this.#tail.get(name) ?? Promise.resolve()).then(() => (signal?.aborted ? undefined : run()));
    this.#tail.set(name, granted);
    return granted;
  }
}

/** A page at its host, by hand. */
class Page {
  readonly heard: HostMessage[] = [];
  isClosed = false;
  readonly locks = new FakeLocks();
  release = (): void => {};
  readonly session: PortSession;
  #port: { onmessage: ((event: { data: unknown }) => void) | null; start(): void; close(): void; postMessage(message: HostMessage): void };

  constructor() {
    Object.defineProperty(globalThis, "navigator", { value: { locks: this.locks }, configurable: true });
    this.#port = { onmessage: null, start: () => {}, close: () => (this.isClosed = true), postMessage: (message) => this.heard.push(message) };
    this.session = new PortSession(this.#port as unknown as MessagePort);
  }

  say(message: PageMessage | object): void {
    this.#port.onmessage?.({ data: message });
  }

  /** Says hello, with a lock that it holds. */
  async hello(): Promise<void> {
    void this.locks.request("page", () => new Promise<void>((resolve) => (this.release = resolve)));
    await turns();
    this.say({ t: "hello", build: BUILD, lock: "page", outlives: true });
    this.say({ t: "holds" });
    await turns();
    if (this.heard[1]?.t === "holds") this.heard.splice(1, 1);
  }
}

async function turns(): Promise<void> {
  for (let n = 0; n < 20; n++) await Promise.resolve();
}

test("Fault 199: a frozen page is not given up while it holds its lock; one that is given up can see it by the lock of its session", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    const page = new Page();
    await page.hello();
    const { lock } = page.heard[0] as { t: "welcome"; lock: string };
    let seen = false;
    void page.locks.request(lock, () => (seen = true));
    page.say({ t: "away", cached: false });
    mock.timers.tick(3_600_000);
    await turns();
    assert.deepEqual([page.isClosed, seen], [false, false]);
    // One message for all that is new, however long it takes.
    for (let n = 0; n < 20_000; n++) page.session.send({ t: "facts", client: 2, facts: { counters: n, ["state" + (n % 2)]: n } });
    assert.equal(page.isClosed, false);
    page.say({ t: "back" });
    assert.deepEqual(page.heard.slice(1).map((message) => (message as { facts: object }).facts), [{ counters: 19_999, state0: 19_998, state1: 19_999 }]);
    page.say({ t: "away", cached: false });
    page.release();
    await turns();
    mock.timers.tick(1_000);
    await turns();
    assert.deepEqual([page.isClosed, seen], [true, true]);

    const cached = new Page();
    await cached.hello();
    cached.say({ t: "away", cached: true });
    cached.release();
    await turns();
    mock.timers.tick(14 * 60_000);
    await turns();
    assert.equal(cached.isClosed, false);
    mock.timers.tick(60_000);
    assert.equal(cached.isClosed, true);
  } finally {
    mock.timers.reset();
  }
});

test("Fault 199: a page that says it is frozen, and is gone by then, has gone", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    const page = new Page();
    await page.hello();
    page.release();
    await turns();
    page.say({ t: "away", cached: false });
    mock.timers.tick(1_000);
    assert.deepEqual([page.session.presence, page.isClosed], ["gone", true]);
  } finally {
    mock.timers.reset();
  }
});

test("Fault 203: a page that takes nothing is sent no more than its credit of any message", async () => {
  const page = new Page();
  await page.hello();
  const text = "x".repeat(1 << 20);
  for (let n = 0; n < 12; n++) page.session.send({ t: "answered", ask: n, value: { content: [{ text }] } });
  const sent = page.heard.slice(1);
  assert.equal(sent.length, 8);
  assert.ok((sent[0]!.size ?? 0) > 1 << 20);
  for (const { size = 0 } of sent) page.say({ t: "credit", bytes: size });
  assert.equal(page.heard.length, 13);
  let deep: unknown = {};
  for (let n = 0; n < 100_000; n++) deep = [deep];
  assert.ok(sizeOf(deep) < 10_000);
});

test("Events of a fast stream cross in few messages; one that comes alone goes at once, and nothing overtakes them", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    const page = new Page();
    await page.hello();
    page.heard.length = 0;
    const { session } = page;
    let at = 0;
    const event = (text = "{}"): void => session.event(4, EVENT.progress, ++at, text, 0);
    /** How many events each message has, or what it is. */
    const heard = (): (number | string)[] => page.heard.splice(0).map((message) => (message.t === "events" ? message.heads.length / 4 : message.t));
    const chunk = async (events: number): Promise<void> => {
      for (let n = 0; n < events; n++) event();
      await turns();
    };
    await chunk(3);
    assert.deepEqual(heard(), [3], "with all of its task, at once");
    for (let n = 0; n < 5; n++) await chunk(2);
    assert.deepEqual(heard(), []);
    mock.timers.tick(4);
    assert.deepEqual(heard(), [10]);
    await chunk(1);
    session.send({ t: "settle", call: 4, outcome: OUTCOME.result, text: "{}" });
    assert.deepEqual(heard(), [1, "settle"], "what comes behind them waits for nothing");
    for (let n = 0; n < 5; n++) mock.timers.tick(4);
    assert.deepEqual(heard(), []);
    await chunk(1);
    assert.deepEqual(heard(), [1], "after a rest it goes at once");
    await chunk(1_500);
    assert.deepEqual(heard(), [1_024]);
    event("x".repeat(512 << 10));
    assert.deepEqual(heard(), [477], "a message has its bounds");
    page.say({ t: "away", cached: false });
    await chunk(1);
    page.say({ t: "bye" });
    mock.timers.tick(4);
    assert.deepEqual([page.session.presence, heard()], ["gone", []]);
  } finally {
    mock.timers.reset();
  }
});

test("Fault 201: a client that is closed in one tab leaves those of tabs that are away; a logout does not", async () => {
  for (const [how, want] of [["close", ["gone"]], ["logout", ["away", "gone"]]] as const) {
    const closed: string[] = [];
    const peers = ["here", "away", "gone"].map((presence) => ({ page: { presence }, close: async () => void closed.push(presence) }));
    await PortView.prototype.closeAbsent.call({ peers } as unknown as PortView, how);
    assert.deepEqual(closed, want);
  }
});

test("Fault 208: the clients of the page that made a call are asked on it, as long as the page is there", () => {
  const here = { presence: "here" };
  const view = (page: object): PortView => ({ page, peers: views }) as unknown as PortView;
  const views: PortView[] = [];
  views.push(view(here), view(here), view({ presence: "here" }));
  const call = { of: (viewer: unknown) => (viewer === views[1] ? undefined : { isPages: viewer === views[0] }) };
  const asked = (): boolean[] => views.map((one) => PortView.prototype.isAskedOn.call(one, call));
  assert.deepEqual(asked(), [true, true, false]);
  here.presence = "away";
  assert.deepEqual(asked(), [false, false, false]);
});

test("Fault 202: a call that cannot be made, or made once more, fails under its number, and the next is not taken for it", async () => {
  const page = new Page();
  await page.hello();
  const view = { number: 2, peers: [] } as unknown as PortView;
  page.session.making(4, view, () => {
    throw new RangeError("no");
  });
  page.say({ t: "rerun", call: 12, as: 6 });
  page.session.making(8, { ...view, shown: () => [] } as unknown as PortView, () => ({ settled: true, method: "tools/call" }));
  const failed = page.heard.slice(1).map((message) => (message.t === "fail" ? [message.call, message.error.code || message.error.name] : message.t));
  assert.deepEqual(failed, [[4, "RangeError"], "forgotten", [6, "closed"], "forgotten", [8, "closed"], "forgotten"]);
  let id = 0;
  page.session.known(view, (given) => ((id = given), { settled: true, guaranteeOf: () => "resumable" }) as never as PortCall<unknown>, ["tools/call"] as never);
  assert.equal(id % 2, 1, "a call of the host's own");
});

test("Fault 204: a call that is not kept is let go of when it has ended, and a read when its reader leaves", async () => {
  const page = new Page();
  await page.hello();
  const call = { settled: true, guaranteeOf: () => "lost-on-reload" } as unknown as PortCall<unknown>;
  let id = 0;
  page.session.known({ number: 2, peers: [] } as unknown as PortView, (given) => ((id = given), call), ["tools/call"] as never);
  page.session.ended(id);
  page.session.ended(id);
  await ready();
  assert.deepEqual(page.heard.slice(1).map(({ t }) => t), ["call", "forgotten"]);
});

test("An outcome that the page says its app could act on waits for nothing in the worker, and garbage is no error there", async () => {
  const page = new Page();
  await page.hello();
  const heard: string[] = [];
  const control = { acted: () => heard.push("acted"), handed: () => heard.push("handed") };
  const call = { settled: true, acking: control, guaranteeOf: () => "durable" } as unknown as PortCall<unknown>;
  let id = 0;
  page.session.known({ number: 2, peers: [], shown: () => [] } as unknown as PortView, (given) => ((id = given), call), ["tools/call"] as never);
  page.say({ t: "acted", call: id });
  page.say({ t: "acted", call: "garbage" });
  page.say({ t: "hello", build: BUILD, lock: "another", outlives: true });
  await ready();
  assert.deepEqual([heard, page.session.dropped], [["acted"], 2]);
});

test("Fault 207: a slow reader of one page holds up no other page; it has the rest from the store", async () => {
  const page = new Page();
  await page.hello();
  let others = true;
  let call!: PortCall<unknown>;
  const shown = (): object[] => [{ call, shared: { isSeenBeside: () => others } }];
  const view = { number: 2, peers: [], keepsEvents: true, shown } as unknown as PortView;
  const made = ["tools/call", new Backlog(10), false, "{}", {}] as never;
  page.session.known(view, (id) => (call = new PortCall<unknown>(id, page.session, made, { outlives: false, keepsEvents: true })), made);
  const paused: boolean[] = [];
  call.bind(0, { pause: (_: number, on: boolean) => paused.push(on) } as never, undefined, true);
  const progress = (n: number): void => call.deliver(EVENT.progress, n, `{"progress":${n}}`);
  const heard = async (): Promise<string[]> => {
    await tasks(8); // events may wait for those that come behind them
    return page.heard.splice(0).map(({ t }) => t);
  };
  await heard();
  progress(1);
  assert.deepEqual(await heard(), ["events"]);
  page.say({ t: "pause", call: call.number, on: true });
  progress(2);
  progress(3);
  assert.deepEqual([await heard(), paused], [[], []]);
  page.say({ t: "pause", call: call.number, on: false });
  const { from, to } = page.heard[0] as { from: number; to: number };
  assert.deepEqual([from, to, paused], [2, 3, [false]]);
  progress(4);
  assert.deepEqual(await heard(), ["skipped", "events"]);
  others = false;
  page.say({ t: "pause", call: call.number, on: true });
  assert.deepEqual(paused, [false, true]);
  // Another page comes to the client: the stream goes on for it.
  others = true;
  page.session.shared(view);
  assert.deepEqual(paused, [false, true, false]);
  progress(5);
  page.say({ t: "pause", call: call.number, on: false });
  assert.deepEqual(page.heard.splice(0).map(({ t }) => t), ["skipped"]);
});

test("Fault 227: a page that is slow to take what is kept nowhere gets each event: the stream waits for it", async () => {
  for (const [kept, keepsEvents] of [[false, true], [true, false]] as const) {
    const page = new Page();
    await page.hello();
    const made = ["tools/call", new Backlog(10), false, "{}", {}] as never;
    let call!: PortCall<unknown>;
    const view = { number: 2, peers: [], keepsEvents, shown: () => [] } as unknown as PortView;
    page.session.known(view, (id) => (call = new PortCall<unknown>(id, page.session, made, { outlives: false, keepsEvents })), made);
    const paused: boolean[] = [];
    call.bind(0, { pause: (_: number, on: boolean) => paused.push(on) } as never, undefined, kept);
    const message = "x".repeat(3 << 20);
    const events = async (from: number, to: number): Promise<void> => {
      for (let n = from; n <= to; n++) {
        call.deliver(EVENT.progress, n, `{"progress":${n},"message":"${message}"}`);
        await turns();
      }
    };
    await events(1, 4);
    page.session.send({ t: "emit", client: 2, event: "changed", value: {}, call: 0 });
    await events(5, 5);
    assert.deepEqual(paused, [true], "the page is 12 MB behind");
    page.say({ t: "pause", call: call.number, on: true }); // its reader is slow, too
    const takes = (): void => {
      for (const { size = 0 } of [...page.heard.slice(1)]) page.say({ t: "credit", bytes: size });
    };
    takes();
    assert.deepEqual(paused, [true, true, true]);
    page.say({ t: "pause", call: call.number, on: false });
    call.settle(OUTCOME.result, "{}");
    const heard = page.heard.filter(({ t }) => t === "events" || t === "emit" || t === "settle" || t === "skipped");
    assert.deepEqual(heard.map(({ t }) => t), ["events", "events", "events", "events", "emit", "events", "settle"]);
    assert.equal(paused.at(-1), false);
  }
});

/** What a page that takes nothing gets of these when it is back. */
async function afterHours(say: (page: Page) => void): Promise<HostMessage[]> {
  const page = new Page();
  await page.hello();
  page.heard.splice(0);
  page.say({ t: "away", cached: false });
  say(page);
  page.say({ t: "back" });
  assert.equal(page.isClosed, false);
  return page.heard;
}

test("Fault 209: what waits for a page that takes nothing does not grow with what others do meanwhile", async () => {
  const log = (n: number): HostMessage => ({ t: "emit", client: 2, event: "log", value: { level: "info", data: n }, call: 0 });
  const heard = await afterHours(({ session }) => {
    session.send({ t: "emit", client: 2, event: "restored", value: {}, call: 3 });
    for (let n = 0; n < 30_000; n++) {
      session.send(log(n));
      session.send({ t: "emit", client: 2, event: "changed", value: { what: n % 2 ? "tools" : "prompts" }, call: 0 });
      session.send({ t: "peeked", call: 3, outcome: 0, text: String(n) });
      // A call of another page's, and a question that was put elsewhere.
      session.send({ t: "call", client: 2, call: 2 * n + 5, method: "tools/call", manual: false, params: "{}", made: {}, kept: true });
      session.send({ t: "settle", call: 2 * n + 5, outcome: 0, text: "{}" });
      session.send({ t: "forgotten", call: 2 * n + 5 });
    }
    session.send({ t: "answered", ask: 9 });
    for (let n = 0; n < 10_000; n++) session.send(log(n));
  });
  assert.ok(heard.length < 15_000, `${heard.length} messages`);
  assert.deepEqual([heard[0], heard.filter(({ t }) => t === "answered").length], [{ t: "emit", client: 2, event: "restored", value: {}, call: 3, size: (heard[0] as { size?: number }).size }, 1]);
  const missed = heard.filter((message) => message.t === "emit" && message.event === "listen");
  assert.deepEqual(missed.map((message) => (message as { value: object }).value).at(-1), { state: "open", missed: true });
});

test("Fault 209: an answer that is too large to wait ends with an error that says so; what is stored is not lost", async () => {
  const text = JSON.stringify({ content: "x".repeat(4 << 20) });
  const held = new PortCall<unknown>(3, { takes: false, isHere: false, event: () => {}, send: () => {}, ended: () => {} }, ["tools/call", new Backlog(10), false, "{}", {}], { outlives: false, keepsEvents: true });
  const page = new Page();
  await page.hello();
  page.heard.splice(0);
  const view = { number: 2, peers: [], client: {}, shown: () => [{ call: held }] } as unknown as PortView;
  Object.defineProperty(page.session, "views", { value: [view] });
  page.session.known(view, () => held, ["tools/call"] as never);
  page.say({ t: "away", cached: false });
  for (const call of [3, 4, 6, 8]) page.session.send({ t: "settle", call, outcome: 0, text });
  for (const ask of [10, 12]) page.session.send({ t: "answered", ask, value: text });
  page.say({ t: "back" });
  page.say({ t: "credit", bytes: 8 << 20 });
  const codes = page.heard.slice(1).map((message) => [message.t, "error" in message ? message.error?.code : ""]);
  assert.deepEqual(codes, [["settle", ""], ["fail", "limit_exceeded"], ["fail", "limit_exceeded"], ["settle", ""], ["answered", ""], ["answered", ""]]);
});

test("Fault 209: a page that hangs is asked nothing more until it takes messages again", async () => {
  const page = new Page();
  await page.hello();
  const asked = page.session.question(2, "roots", {}, { server: "s" });
  const text = "x".repeat(1 << 20);
  for (let n = 0; n < 8; n++) page.session.send({ t: "answered", ask: n, value: text });
  assert.equal(page.session.presence, "here");
  for (let n = 0; n < 17; n++) page.session.send({ t: "answered", ask: n, value: text });
  assert.equal(page.session.presence, "hung");
  await assert.rejects(asked, (error) => (error as unknown) === GONE);
  page.say({ t: "credit", bytes: 8 << 20 });
  assert.deepEqual([page.session.presence, page.isClosed], ["here", false]);
});

test("Fault 209: a page that hangs with little waiting for it is not waited for: another one is asked", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    const page = new Page();
    await page.hello();
    const { session } = page;
    const gone: unknown[] = [];
    const ask = (): void => void session.question(2, "elicitation", {}, { server: "s" }).catch((error: unknown) => gone.push(error));
    const asked = (): number[] => page.heard.flatMap((message) => (message.t === "question" ? [message.question] : []));
    ask();
    mock.timers.tick(4_999);
    page.say({ t: "heard", question: asked()[0]! });
    mock.timers.tick(3_600_000);
    await turns();
    assert.deepEqual([session.presence, gone], ["here", []], "the app has been asked: a person may think for as long as they like");
    ask();
    mock.timers.tick(5_000);
    await turns();
    assert.deepEqual([session.presence, gone], ["hung", [GONE, GONE]]);
    assert.equal(page.heard.filter(({ t }) => t === "withdrawn").length, 0, "it takes nothing");
    page.say({ t: "heard", question: asked()[1]! });
    assert.equal(session.presence, "here");
    assert.deepEqual(page.heard.slice(-2).map((message) => (message.t === "withdrawn" ? message.question : 0)), asked());
    ask();
    page.say({ t: "reply", question: asked()[2]!, value: {} });
    await turns();
    mock.timers.tick(5_000);
    assert.equal(session.presence, "here", "an answer is more than a word that it has come");
  } finally {
    mock.timers.reset();
  }
});

test("Fault 209: an agent has no event for what was missed: of its notifications the last small ones wait", () => {
  const waiting = new WaitingMessages();
  const notification = (client: number, params: unknown): HostMessage => ({ t: "emit", client, event: "notification", value: { method: "m", params }, call: 0 });
  for (let n = 0; n < 5_000; n++) for (const client of [2, 4]) waiting.add(notification(client, n), []);
  waiting.add(notification(2, "x".repeat(1 << 20)), []);
  waiting.lessen(() => false, (client) => client === 2);
  const left = waiting.take().map(([message]) => message as Extract<HostMessage, { t: "emit" }>);
  const ofAgent = left.filter(({ client }) => client === 2).map(({ event, value }) => [event, (value as { params: unknown }).params]);
  assert.deepEqual(ofAgent, Array.from({ length: 100 }, (_, at) => ["notification", 4_900 + at]));
  assert.deepEqual(left.filter(({ client }) => client === 4).map(({ event, value }) => [event, value]), [["listen", { state: "open", missed: true }]]);
});

test("Fault 210: of a thousand pages that attach, call, are asked and leave nothing stays, nor of calls of unknown outcome", async () => {
  setFlagsFromString("--expose-gc");
  const gc = runInNewContext("gc") as () => void;
  const lasting = new AbortController().signal; // of a call that outlives them all
  const left: WeakRef<object>[] = [];
  const quiet = (): void => {}; // a function that knows nothing of a page
  const stays = new Page();
  await stays.hello();
  const attach = async (n: number, page: Page): Promise<void> => {
    await page.hello();
    const view = { number: 2, peers: [] } as unknown as PortView;
    let call!: PortCall<unknown>;
    const made = ["tools/call", new Backlog(10), false, "{}", {}] as never;
    page.session.known(view, (id) => (call = new PortCall<unknown>(id, page.session, made, { outlives: false, keepsEvents: true })), made);
    page.session.question(2, "roots", {}, { server: "s", signal: lasting }).catch(quiet);
    call.settle(OUTCOME.failure, `{"code":"outcome_unknown"}`);
    left.push(new WeakRef(call));
    if (page === stays) return;
    if (n % 2) page.say({ t: "away", cached: false });
    page.say({ t: "bye" });
    left.push(new WeakRef(page.session));
  };
  for (let n = 0; n < 1_000; n++) await attach(n, n % 10 ? new Page() : stays);
  stays.heard.splice(0);
  await attach(1, new Page());
  left.splice(-2); // the last one's are on the stack still
  for (let n = 0; n < 3; n++) {
    await ready();
    gc();
  }
  assert.equal(left.filter((ref) => ref.deref()).length, 0);
});

test("a page that names a lock that no page can hold leaves no session", async () => {
  const page = new Page();
  page.say({ t: "hello", build: BUILD, lock: "-x", outlives: true });
  page.say({ t: "holds" });
  await turns();
  assert.equal(page.isClosed, true);
});

test("Fault 466: a page that has said hello, and goes before it has its lock, is noticed all the same; one that waits for it is not given up", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    for (const lives of [false, true]) {
      const page = new Page();
      if (lives) void page.locks.request("page", () => new Promise<void>((resolve) => (page.release = resolve)));
      page.say({ t: "hello", build: BUILD, lock: "page", outlives: true });
      await turns();
      assert.deepEqual(page.heard.map(({ t }) => t), ["welcome", "holds"], "it is welcome without its lock");
      for (const ms of [10_000, 1_000]) {
        mock.timers.tick(ms);
        await turns();
      }
      assert.deepEqual([page.session.presence, page.isClosed], lives ? ["here", false] : ["gone", true]);
      page.release();
    }
  } finally {
    mock.timers.reset();
  }
});

test("Fault 387: a worker that its pages do not say it outlives is one that hears nothing before it ends", async () => {
  for (const outlives of [false, true]) {
    lifetime.endIsHeard = false;
    const page = new Page();
    page.say({ t: "hello", build: BUILD, lock: "page", outlives });
    assert.equal(lifetime.endIsHeard, outlives);
  }
});
