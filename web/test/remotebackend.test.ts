import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test, type TestContext } from "node:test";
import type { Call } from "../src/client/call.js";
import { named, NoWorker } from "../src/host/page/noworker.js";
import type { HostLink } from "../src/host/page/hostlink.js";
import type { HostMessage } from "../src/host/wire/protocol.js";
import { RemoteBackend } from "../src/host/page/remotebackend.js";
import { OUTCOME } from "../src/base/border.js";
import { HoldfastError } from "../src/base/errors.js";
import { asData } from "../src/host/page/remotecalls.js";
import { mayFollow, type Standing, STANDINGS } from "../src/host/page/standing.js";
import { FakeLink } from "./hostrig.js";
import { ready, until } from "./ready.js";

const code = (error: unknown): string => (error as HoldfastError).code;

/** A backend over these links, one after the other; the first is open. */
async function opened(...links: (FakeLink | Promise<HostLink>)[]): Promise<RemoteBackend> {
  const link = (): Promise<HostLink> => {
    const next = links.shift();
    return next instanceof FakeLink ? Promise.resolve(next.link) : (next ?? Promise.reject(new HoldfastError({ code: "host_unavailable", op: "connect", message: "no more" })));
  };
  const backend = new RemoteBackend({ kind: "shared", url: "http://x/", options: {}, token: undefined, link }, {});
  await backend.open(undefined);
  return backend;
}

test("Fault 195: a logout whose worker dies deletes in the next one, or rejects, and says so each time", async () => {
  const [first, second] = [new FakeLink(true), new FakeLink(true)];
  const backend = await opened(first, second);
  const gone = backend.logout();
  assert.deepEqual(first.kinds, ["connect", "logout"]);
  first.die();
  await ready();
  assert.deepEqual(second.kinds.slice(0, 2), ["connect", "logout"]);
  second.answer(undefined);
  await gone;
  assert.equal(backend.state, "closed");

  const only = new FakeLink(true);
  const other = await opened(only);
  only.die();
  await assert.rejects(other.logout(), (error) => code(error) === "host_unavailable");
  await assert.rejects(other.logout(), (error) => code(error) === "host_unavailable");
});

test("Fault 197: what is made and asked while the worker is replaced waits for the next one", async () => {
  const [first, second] = [new FakeLink(true), new FakeLink(false)];
  const backend = await opened(first, second);
  const before = backend.make("tools/call", "callTool", ["a", {}], { key: "k", journal: false });
  first.die();
  await assert.rejects(before.result, (error) => code(error) === "runtime_exited");
  const call = backend.make<object, "callTool">("tools/call", "callTool", ["a", {}], { key: "k" });
  assert.equal(backend.make("tools/call", "callTool", ["a", {}], { key: "k" }), call, "one key, one call");
  const dropped = backend.make("tools/call", "callTool", ["b", {}], {});
  const asked = backend.ask("ping", "ping");
  const listed = backend.calls();
  dropped.cancel("enough");
  await assert.rejects(dropped.result, (error) => code(error) === "cancelled");
  await ready();
  assert.deepEqual([second.kinds, backend.state], [["connect"], "reconnecting"]);
  second.open();
  await ready();
  assert.deepEqual(second.kinds.slice(0, 2), ["connect", "make"]);
  assert.deepEqual(second.kinds.slice(2, 4).sort(), ["calls", "ping"]);
  second.answer([]);
  await asked;
  assert.deepEqual(await listed, []);
  const made = second.said.find((message) => message.t === "make") as { call: number };
  second.tell({ t: "settle", call: made.call, outcome: OUTCOME.result, text: `{"n":1}` });
  assert.deepEqual(await call.result, { n: 1 });

  // A worker that dies right after it was opened is not replaced for ever.
  second.die();
  assert.equal(backend.state, "failed");
  await assert.rejects(backend.ask("ping", "ping"), (error) => code(error) === "runtime_exited" && (error as HoldfastError).op === "ping");
  await assert.rejects(backend.make("tools/call", "callTool", ["a", {}], {}).result, (error) => code(error) === "runtime_exited");
});

test("Fault 279: of what a worker had when it ended only what does no harm is worth another try; what never left the page is", async () => {
  const [first, second] = [new FakeLink(true), new FakeLink(false)];
  const backend = await opened(first, second);
  const came = (): Promise<never> => Promise.reject(new TypeError("it came"));
  const retryable = (work: Promise<unknown>): Promise<boolean> =>
    work.then(came, (error: HoldfastError) => error.retryable);
  const cut = [backend.make("tools/call", "callTool", ["a", {}], {}), backend.make("tools/call", "callTool", ["b", {}], { journal: false }), backend.make("x/y", "request", ["x/y", {}], {})];
  const ended = Promise.all(cut.map(({ result }) => retryable(result)));
  first.die();
  const waits = backend.make("tools/call", "callTool", ["c", {}], {});
  await ready();
  second.die();
  assert.equal(await retryable(waits.result), true, "no worker has heard of it");
  assert.deepEqual(await ended, [false, false, false]);
});

test("Fault 370: a client whose worker ends while it opens is opened by the next one, once; it says whether the app had it", async () => {
  const links = [new FakeLink(false), new FakeLink(false), new FakeLink(false)];
  const [first, second, third] = links as [FakeLink, FakeLink, FakeLink];
  const backend = new RemoteBackend({ kind: "shared", url: "http://x/", options: {}, token: undefined, link: async () => links.shift()!.link }, {});
  const opening = backend.open(undefined);
  await ready();
  first.die();
  await ready();
  second.open();
  await opening;
  await ready();
  const again = (link: FakeLink): unknown[] => link.said.filter(({ t }) => t === "connect").map((message) => (message as { again: boolean }).again);
  assert.deepEqual([again(first), again(second), backend.state], [[false], [false], "connecting"]);
  // One that ends at once is not waited for again and again.
  const ends = new RemoteBackend({ kind: "shared", url: "http://x/", options: {}, token: undefined, link: async () => next.shift()!.link }, {});
  const next = [new FakeLink(false), new FakeLink(false), third];
  const [one, two] = next as [FakeLink, FakeLink];
  const rejected = assert.rejects(ends.open(undefined), (error) => code(error) === "runtime_exited");
  await ready();
  one.die();
  await ready();
  two.die();
  await rejected;
  assert.deepEqual(third.said, []);

  const [had, replacing] = [new FakeLink(true), new FakeLink(true)];
  await opened(had, replacing);
  had.die();
  await ready();
  assert.deepEqual([again(had), again(replacing)], [[false], [true]]);
});

test("Fault 198: a client that is closed, or given up, while its worker is replaced stays closed", async () => {
  for (const at of ["before the worker is there", "before it is open"]) {
    const [first, second] = [new FakeLink(true), new FakeLink(false)];
    let there = (_: HostLink): void => {};
    const backend = await opened(first, new Promise<HostLink>((resolve) => (there = resolve)));
    const states: string[] = [];
    backend.listeners.add("state", ({ state }) => states.push(state));
    const made = backend.make.bind(backend, "tools/call", "callTool", ["a", {}], {});
    first.die();
    const waits = made();
    if (at === "before it is open") {
      there(second.link);
      await ready();
    }
    const closing = backend.close();
    second.answer(undefined);
    await closing;
    await assert.rejects(waits.result, (error) => code(error) === "closed");
    there(second.link);
    await ready();
    second.open();
    await ready();
    assert.deepEqual([backend.state, states, second.clients.size], ["closed", ["reconnecting", "closed"], 0], at);
    assert.deepEqual(second.kinds, at === "before it is open" ? ["connect", "close"] : []);
  }
});

test("Fault 206: what the app gives crosses as the host in the page takes it: proxies, functions, methods of a class", async () => {
  const proxy = <T extends object>(of: T): T => new Proxy(of, {});
  const given = { timeout: Infinity, task: proxy({ ttl: 5 }), onDone: () => {}, when: new Date(0), list: proxy([1, undefined]) };
  const data = structuredClone(asData("x", given)) as object;
  assert.deepEqual(data, { timeout: Infinity, task: { ttl: 5 }, when: "1970-01-01T00:00:00.000Z", list: [1, null] });
  const circle: { self?: object } = {};
  circle.self = circle;
  await assert.rejects((async () => asData("x", circle))(), (error) => code(error) === "bad_argument");

  class Answers {
    readonly #action = "decline";
    elicitation(): { action: "decline" } {
      return proxy({ action: this.#action });
    }
  }
  const link = new FakeLink(true);
  const backend = new RemoteBackend({ kind: "shared", url: "http://x/", options: {}, token: undefined, link: async () => link.link }, { handlers: new Answers() });
  await backend.open(undefined);
  assert.deepEqual((link.said[0] as { handlers: string[] }).handlers, ["elicitation"]);
  link.tell({ t: "question", client: 2, question: 7, asked: "elicitation", request: { mode: "url" }, server: "s", draft: "" });
  await ready();
  const reply = link.said.find((message) => message.t === "reply") as { value: unknown; error: unknown };
  assert.deepEqual([structuredClone(reply.value), reply.error], [{ action: "decline" }, undefined]);
});

test("Fault 210: a call that is not kept is made once more by its page, which has all that it takes", async () => {
  const link = new FakeLink(true);
  const backend = await opened(link);
  const call = backend.make("tools/call", "callTool", ["a", { n: 1 }], { journal: false, ack: "manual" });
  const [first] = link.said.filter((message) => message.t === "make");
  link.tell({ t: "settle", call: first!.call, outcome: OUTCOME.failure, text: `{"code":"outcome_unknown","op":"tools/call","message":"?"}` });
  link.tell({ t: "forgotten", call: first!.call });
  await assert.rejects(call.result, (error) => code(error) === "outcome_unknown");
  call.retry();
  const [, again] = link.said.filter((message) => message.t === "make");
  assert.equal(again!.call === first!.call, false);
  const taken = ({ args, options: { madeAt: _, ...options } }: { args: string; options: { madeAt?: number } }): unknown => [args, options]; // each was made at its own moment
  assert.deepEqual(taken(again!), taken(first!));
  const closing = backend.close();
  link.answer(undefined);
  await closing;
  await assert.rejects(call.retry().result, (error) => code(error) === "closed");
});

test("Fault 211: a logout after close deletes what is stored, by a worker that never had the client", async () => {
  const [first, dies, last] = [new FakeLink(true), new FakeLink(true), new FakeLink(true)];
  const backend = await opened(first, dies, last);
  const stored = { url: "http://x/", user: "ada", agents: false };
  first.tell({ t: "facts", client: 2, facts: { stored: { ...stored, stores: ["key"] } } });
  const closing = backend.close();
  first.answer(undefined);
  await closing;
  let isDeleted = false;
  const deleting = backend.logout().then(() => (isDeleted = true));
  await ready();
  dies.die();
  await ready();
  const { ask: _, ...asked } = last.said[0] as { ask: number };
  assert.deepEqual([dies.kinds, last.kinds, asked, isDeleted], [["forget"], ["forget"], { t: "forget", ...stored }, false]);
  last.answer(undefined);
  await deleting;

  // A worker that died before it could say what there is: that is no success.
  const gone = new FakeLink(true);
  const other = await opened(gone);
  const ended = other.close();
  gone.die();
  await ended;
  await assert.rejects(other.logout(), (error) => code(error) === "runtime_exited");
});

test("Fault 245: a logout in a worker forgets what the page itself had noted of the server, also where the worker dies", async () => {
  const items = new Map([["holdfast:revisions", JSON.stringify([["http://x/", "2025-06-18"], ["http://y/", "2025-11-25"]])]]);
  const local = { getItem: (name: string) => items.get(name) ?? null, setItem: (name: string, text: string) => items.set(name, text), removeItem: (name: string) => items.delete(name) };
  Object.defineProperty(globalThis, "localStorage", { value: local, configurable: true });
  try {
    const link = new FakeLink(true);
    const backend = await opened(link);
    const gone = backend.logout();
    link.die();
    await assert.rejects(gone, (error) => code(error) === "host_unavailable");
    assert.deepEqual([...items], [["holdfast:revisions", JSON.stringify([["http://y/", "2025-11-25"]])]]);
  } finally {
    Reflect.deleteProperty(globalThis, "localStorage");
  }
});

test("Fault 255: a logout while the worker is replaced deletes what is stored, also where the next worker cannot open the client", async () => {
  const failed = (client: number): HostMessage => ({ t: "failed", client, error: { name: "HoldfastError", code: "network_error", op: "connect", message: "down" } });
  const stored = { url: "http://x/", stores: ["key"] };
  for (const at of ["while it is replaced", "before"]) {
    const [first, second, third] = [new FakeLink(true), new FakeLink(false), new FakeLink(false)];
    const backend = await opened(first, second, third);
    first.tell({ t: "facts", client: 2, facts: { stored } });
    second.isShared = third.isShared = true;
    let gone: Promise<void>;
    if (at === "before") {
      gone = backend.logout();
      first.die();
      await ready();
    } else {
      first.die();
      await ready();
      gone = backend.logout();
    }
    second.tell(failed(2));
    await ready();
    await ready();
    // What a link has left is a matter of its other clients: that one has none.
    assert.deepEqual([second.kinds, third.kinds], [["connect"], ["forget"]], at);
    third.answer(undefined);
    await gone;
    assert.equal(backend.state, "closed");
  }
  // Another client of the page has kept the link: it is not asked for one that is not there.
  const [first, second] = [new FakeLink(true), new FakeLink(false)];
  const backend = await opened(first, second, second);
  first.tell({ t: "facts", client: 2, facts: { stored } });
  first.die();
  await ready();
  const gone = backend.logout();
  second.tell(failed(2));
  await ready();
  assert.deepEqual(second.kinds, ["connect", "forget"]);
  second.answer(undefined);
  await gone;
});

test("docs/states.md has where a client may stand whose runtime is in a worker", () => {
  const all = Object.entries(STANDINGS) as [Standing, string][];
  const rows = all.map(([from, means]) => `| **${from}** | ${means} | ${all.map(([next]) => next).filter((next) => mayFollow(from, next)).join(", ")} |\n`);
  const head = "From `web/src/host/page/standing.ts`.\n\n| state | what it means | what may follow |\n|---|---|---|\n";
  assert.ok(readFileSync("docs/states.md", "utf8").includes(head + rows.join("")), head + rows.join(""));
});

test("Fault 347: a worker that cannot be replaced fails its client with what helps, and the event host says why", async () => {
  for (const [why, code] of [["other_build", "host_unavailable"], ["not_started", "host_unavailable"]] as const) {
    const first = new FakeLink(true);
    const refused = Promise.reject<HostLink>(named("connect", new NoWorker(why, "the worker is build 2, the page is build 1")) as HoldfastError);
    refused.catch(() => {});
    const backend = await opened(first, refused);
    const heard: unknown[] = [];
    backend.listeners.add("host", ({ host, why, error }) => heard.push([host, why, error.code, error.hint?.includes("location.reload()")]));
    backend.listeners.add("state", ({ state, error }) => heard.push([state, error?.code, error?.hint?.includes("location.reload()") ?? false]));
    first.die();
    await until(() => backend.state === "failed");
    assert.deepEqual(heard, [["reconnecting", "runtime_exited", false], ["shared", why, code, true], ["failed", code, true]]);
    const late = backend.make("tools/call", "callTool", ["a", {}], {});
    await assert.rejects(late.result, (error) => (error as HoldfastError).hint?.includes("location.reload()") === true);
  }
});

test("Fault 544: in a worker, too, a call is what was sent of it, whatever its app does with its arguments afterwards", async () => {
  const link = new FakeLink(true);
  const backend = await opened(link);
  for (const journal of [true, false]) {
    link.said.length = 0;
    const [args, params] = [{ n: 1 }, { list: [1], _meta: { a: 1 } }];
    const options = { key: String(journal), journal };
    const make = (): Call<unknown> => backend.make("tools/call", "callTool", ["a", args], options);
    const call = make();
    const other = backend.make("x/y", "request", ["x/y", params], { journal });
    const bare = backend.make("x/y", "request", ["x/y", undefined], { journal });
    args.n = 2;
    params.list.push(2);
    await assert.rejects(make().result, (error) => code(error) === "key_in_use");
    assert.deepEqual([call.params, other.params, bare.params], [{ name: "a", arguments: { n: 1 } }, { list: [1], _meta: { a: 1 } }, {}]);
    (call.params["arguments"] as { n: number }).n = 3;
    const [{ call: id }] = link.said.filter(({ t }) => t === "make") as unknown as [{ call: number }];
    link.tell({ t: "settle", call: id, outcome: OUTCOME.failure, text: `{"code":"outcome_unknown","op":"tools/call","message":"?"}` });
    const again = call.retry();
    assert.deepEqual(again.params, { name: "a", arguments: { n: 1 } });
    if (!journal) assert.equal((link.said.at(-1) as { args: string }).args, `["a",{"n":1}]`);
    again.cancel();
  }
});

test("Fault 626: arguments that are no JSON are named in a worker as in the page, and nothing is sent", async () => {
  const worker = new FakeLink(true);
  const backend = await opened(worker);
  const circle: Record<string, unknown> = {};
  circle["a"] = circle;
  for (const wrong of [{ n: 1n }, circle]) {
    for (const [call, says] of [
      [backend.make("tools/call", "callTool", ["count", wrong], {}), "tools/call: args cannot be written as JSON"],
      [backend.make("x/y", "request", ["x/y", wrong], {}), "x/y: params cannot be written as JSON"],
    ] as const) {
      await assert.rejects(call.result, (error) => code(error) === "bad_argument" && (error as Error).message === says && (error as Error).cause instanceof TypeError);
    }
  }
  assert.deepEqual(worker.kinds, ["connect"]);
});

test("Fault 550: a client that is closed says so, once: by the word of its host, or where there is no host just then", async () => {
  for (const end of ["close", "logout"] as const) {
    for (const how of ["the host says so", "the host says nothing", "the worker is replaced"]) {
      const [first, second] = [new FakeLink(true), new FakeLink(end === "logout")];
      const backend = await opened(first, second);
      const states: string[] = [];
      backend.listeners.add("state", ({ state }) => states.push(state));
      if (how === "the worker is replaced") first.die();
      const ending = backend[end]();
      if (how === "the host says so") first.tell({ t: "emit", client: 2, event: "state", value: { state: "closed" }, call: 0 });
      for (let n = 0; n < 5; n++) {
        for (const link of [first, second]) link.answer(undefined);
        await ready();
      }
      await ending;
      await ready();
      assert.deepEqual([backend.state, states.filter((state) => state === "closed")], ["closed", ["closed"]], `${end}: ${how}`);
    }
  }
});

/** Has that many ms pass by the page's clock. */
function later(context: TestContext, ms: number): void {
  const now = performance.now();
  context.mock.method(performance, "now", () => now + ms);
}

/** What a link was asked of this client, by method and first argument. */
const lasting = (link: FakeLink): unknown[] => link.said.flatMap((message) => (message.t === "ask" && message.method !== "ping" ? [[message.method, message.args[0]]] : []));

test("Fault 573: the next worker is asked for the resources that its page has subscribed to, and for the level of the log", async () => {
  const [first, second] = [new FakeLink(true), new FakeLink(true)];
  const backend = await opened(first, second);
  const integrity: string[] = [];
  backend.listeners.add("integrity", ({ what }) => integrity.push(what));
  const subscribe = (uri: string): Promise<void> => backend.ask("resources/subscribe", "subscribeResource", uri, {});
  const unsubscribe = (uri: string): Promise<void> => backend.ask("resources/unsubscribe", "unsubscribeResource", uri, {});
  const given = [subscribe("test://a"), subscribe("test://b"), subscribe("test://c"), subscribe("test://d"), unsubscribe("test://d"), subscribe("test://d"), backend.ask("logging/setLevel", "setLoggingLevel", "error", {})];
  const overtaken = [subscribe("test://e"), unsubscribe("test://e")];
  await ready();
  first.answer(undefined);
  await Promise.all([...given, ...overtaken]);
  const unmade = assert.rejects(subscribe("test://never"), (error) => code(error) === "runtime_exited");
  await ready();
  first.die();
  await unmade;
  const late = unsubscribe("test://c"); // while there is no worker
  await ready();
  assert.deepEqual(lasting(second), [
    ["setLoggingLevel", "error"],
    ["subscribeResource", "test://a"],
    ["subscribeResource", "test://b"],
    ["subscribeResource", "test://d"],
    ["unsubscribeResource", "test://c"],
  ]);
  second.answer(undefined);
  await late;
  assert.deepEqual(integrity, []);
});

test("Fault 573: what the next worker does not take of it the app hears of, and that is not asked for again", async (context) => {
  const [first, second, third] = [new FakeLink(true), new FakeLink(true), new FakeLink(true)];
  const backend = await opened(first, second, third);
  const integrity: string[] = [];
  backend.listeners.add("integrity", ({ what }) => integrity.push(what));
  const asked = backend.ask("resources/subscribe", "subscribeResource", "test://a", {});
  await ready();
  first.answer(undefined);
  await asked;
  first.die();
  await ready();
  second.refuse("rpc_error");
  await ready();
  assert.deepEqual(integrity, ["subscription_lost"]);
  later(context, 60_000); // or a worker that ends so soon is not replaced
  second.die();
  await ready();
  assert.deepEqual([backend.state, lasting(third)], ["open", []]);
});

test("Fault 573: what another user had subscribed to is not asked for again", async () => {
  const [first, second] = [new FakeLink(true), new FakeLink(true)];
  const backend = await opened(first, second);
  const subscribe = (uri: string): Promise<void> => backend.ask("resources/subscribe", "subscribeResource", uri, {});
  const asked = subscribe("test://theirs");
  await ready();
  first.answer(undefined);
  await asked;
  const crosses = subscribe("test://mine"); // which the worker has after it has changed the user
  const [client = 0] = first.clients.keys();
  first.tell({ t: "emit", client, event: "state", value: { state: "reconnecting", anotherUser: true }, call: 0 });
  first.tell({ t: "emit", client, event: "state", value: { state: "open" }, call: 0 });
  await ready();
  first.answer(undefined);
  await crosses;
  first.die();
  await ready();
  assert.deepEqual(lasting(second), [["subscribeResource", "test://mine"]]);
});

test("Fault 687: the user has changed before a worker that ends as it opens the client: what the last one had subscribed to is not asked for in the one after that", async () => {
  const [first, second, third] = [new FakeLink(true), new FakeLink(false), new FakeLink(false)];
  const backend = await opened(first, second, third);
  let told = 0;
  backend.listeners.add("state", ({ anotherUser }) => void (anotherUser && told++));
  const says = (link: FakeLink, user: string): void => link.tell({ t: "facts", client: [...link.clients.keys()][0]!, facts: { user } });
  says(first, "ada");
  const asked = backend.ask("resources/subscribe", "subscribeResource", "test://theirs", {});
  await ready();
  first.answer(undefined);
  await asked;
  first.die();
  await ready();
  says(second, "bob");
  second.die();
  await ready();
  says(third, "bob");
  third.open();
  await ready();
  assert.deepEqual([lasting(third), told], [[], 1]);
});

test("Fault 644: what the app says while the next worker is asked for the same stands, whatever comes of that", async (context) => {
  const links = [new FakeLink(true), new FakeLink(true), new FakeLink(true)] as const;
  const backend = await opened(...links);
  const integrity: string[] = [];
  backend.listeners.add("integrity", ({ what }) => integrity.push(what));
  const subscribe = (uri: string): Promise<void> => backend.ask("resources/subscribe", "subscribeResource", uri, {});
  const level = (of: string): Promise<void> => backend.ask("logging/setLevel", "setLoggingLevel", of as never, {});
  const before = [subscribe("test://a"), subscribe("test://b"), level("error")];
  await ready();
  links[0].answer(undefined);
  await Promise.all(before);
  links[0].die();
  await ready();
  const refuse = links[1].refusesLater("rpc_error"); // of those three, a moment later
  const since = [backend.ask("resources/unsubscribe", "unsubscribeResource", "test://a", {}), level("debug"), subscribe("test://b")];
  await ready();
  links[1].answer(undefined);
  await Promise.all(since);
  refuse();
  await ready();
  assert.deepEqual(integrity, []);
  later(context, 60_000); // or a worker that ends so soon is not replaced
  links[1].die();
  await ready();
  assert.deepEqual(lasting(links[2]), [
    ["setLoggingLevel", "debug"],
    ["subscribeResource", "test://b"],
  ]);
});
