import { Backlog } from "../src/base/backlog.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Call } from "../src/client/call.js";
import { ClientView } from "../src/client/clientview.js";
import { OpenClient, type Plan } from "../src/client/openclient.js";
import { EVENT, TokenAnswer } from "../src/base/border.js";
import type { Journal } from "../src/tabs/journal.js";
import { HoldfastError } from "../src/base/errors.js";
import { callDefaults, type CallOptions } from "../src/client/options.js";
import type { Open } from "../src/base/mcp.js";
import type { ClientPort } from "../src/runtime/port.js";
import type { Runtime } from "../src/runtime/runtime.js";
import { type OpenedStore, type StoreKeys, UserStores } from "../src/connect/userstores.js";
import { AgentRig } from "./agentrig.js";
import type { UserOptions } from "../src/connect/useroptions.js";

const jwt = (sub: string): string => `e30.${btoa(JSON.stringify({ iss: "https://id.example", sub }))}.signature`;

const keys = (of: StoreKeys["of"]): StoreKeys => ({ of });

/** The principal whose store is opened; "nobody" where none is. */
async function storeOf(options: UserOptions, cookies = false): Promise<string> {
  const found = Symbol();
  let principal = "";
  const stores = new UserStores(options, cookies, keys((name) => {
    principal = name;
    return Promise.reject(found); // no store is opened here
  }));
  try {
    const { journal, why } = await stores.open();
    assert.equal(journal, undefined);
    return why === "" ? "not wanted" : `nobody: ${why}`;
  } catch (error) {
    assert.equal(error, found);
    return principal;
  }
}

test("Fault 123: a store is opened only where it is certain whose it is", async () => {
  const token = (): string => jwt("ada");
  const ada = JSON.stringify(["https://id.example", "ada"]);
  const rows: [options: UserOptions, cookies: boolean, want: string][] = [
    [{}, false, ""],
    [{}, true, "nobody: principal"],
    [{ headers: { "x-trace": "1" } }, false, "nobody: principal"],
    [{ headers: new Headers({ authorization: "Bearer x" }) }, false, "nobody: principal"],
    [{ headers: [] }, false, ""],
    [{ token }, false, ada],
    [{ token }, true, "nobody: principal"],
    [{ token, headers: { "x-user": "ada" } }, false, "nobody: principal"],
    [{ token: () => "opaque" }, false, "nobody: principal"],
    [{ token: () => Promise.reject(new Error("offline")) }, false, "nobody: principal"],
    [{ token: () => Promise.reject(new Error("offline")), principal: "ada" }, false, "ada"],
    [{ principal: "ada", headers: { "x-user": "ada" } }, true, "ada"],
    [{ principal: "shared" }, true, ""],
    [{ journal: false }, true, "not wanted"],
  ];
  for (const [options, cookies, want] of rows) assert.equal(await storeOf(options, cookies), want, JSON.stringify([Object.keys(options), cookies]));
});

test("Fault 123: each token says whose it is; a principal that the app names stays", async () => {
  let token = jwt("ada");
  const seen: boolean[] = [];
  const stores = new UserStores({ journal: false, token: () => token }, false, keys(async (name) => name));
  const fixed = new UserStores({ journal: false, token: () => token, principal: "shared" }, false, keys(async (name) => name));
  for (const next of [jwt("ada"), jwt("ada") + "2", jwt("bob"), "opaque", "another", jwt("bob"), ""]) {
    token = next;
    seen.push(stores.changed(await stores.token()));
    // The client of the new user gets the same answer.
    if (seen.at(-1)) assert.equal((await stores.token()).text, next);
    assert.equal(fixed.changed(await fixed.token()), false);
  }
  assert.deepEqual(seen, [false, false, true, true, false, true, false]);
});

test("Fault 136: a slip in the provider is told from a network that is missing", async () => {
  const fetching = (message: string): TypeError => new TypeError(message);
  const rows: [thrown: unknown, away: boolean][] = [
    [fetching("Failed to fetch"), true], // Chrome
    [fetching("Failed to fetch (id.example)"), true],
    [fetching("network error"), true], // its body
    [fetching("NetworkError when attempting to fetch resource."), true], // Firefox
    [fetching("Load failed"), true], // Safari
    [fetching("Load failed (id.example)"), true],
    [fetching("The Internet connection appears to be offline."), true],
    [fetching("A server with the specified hostname could not be found."), true],
    [fetching("fetch failed"), true], // Node
    [new DOMException("cut", "NetworkError"), true],
    [AbortSignal.timeout(0).reason ?? new DOMException("late", "TimeoutError"), true],
    [Object.assign(new Error("try again"), { retryable: true }), true],
    [fetching("Cannot read properties of undefined (reading 'token')"), false],
    [fetching("undefined is not an object (evaluating 'user.token')"), false],
    [fetching("getToken is not a function"), false],
    [fetching("Failed to execute 'fetch' on 'Window': Failed to parse URL from http://"), false],
    [new SyntaxError("Unexpected token '<'"), false],
    [new Error("Failed to fetch"), false],
    [new Error("signed out"), false],
    ["signed out", false],
    [undefined, false],
  ];
  for (const [thrown, away] of rows) {
    const stores = new UserStores({ journal: false, token: () => Promise.reject(thrown) }, false, keys(async (name) => name));
    const answer = await stores.token();
    assert.equal(answer.away, away, String(thrown));
    assert.equal(answer.thrown, thrown);
    if (thrown instanceof Error) assert.equal(answer.text, `${thrown.name}: ${thrown.message}`);
  }
});

test("Fault 137: a token that was handed out is not handed out again, whoever names the user", async () => {
  for (const principal of [undefined, "ada"]) {
    let asked = 0;
    const options = { token: () => `e30.${btoa('{"sub":"ada"}')}.${++asked}`, ...(principal === undefined ? {} : { principal }) };
    const stores = new UserStores(options, false, keys(() => Promise.reject(new Error("no store here"))));
    await stores.open().catch(() => undefined);
    const got: string[] = [];
    for (let n = 0; n < 3; n++) got.push((await stores.token()).text.split(".")[2]!);
    assert.deepEqual(got, ["1", "2", "3"]);
  }
});

/** What the second user's store has. */
const KEPT = { id: 1, method: "tools/call", params: {}, key: "kept", createdAt: 1, acked: 0, base: 0, manual: true, owned: true, guarantee: "durable" };

/** What a core was told, by its client's handle. */
type Said = [handle: number, what: string, ...rest: unknown[]];

/** Whose facts of the server's tools a client goes by. */
const toolsOf = ({ client }: ClientView): string => (client as unknown as { mirrored(params: Open): string[] }).mirrored({ name: "work" })[0]!;

/** A client whose core and stores the test is: the second token is another user's. */
function changing() {
  const said: Said[] = [];
  const ports: ClientPort[] = [];
  const note =
    (what: string) =>
    (handle: number, ...rest: unknown[]): void =>
      void said.push([handle, what, ...rest.filter((one) => one !== undefined && typeof one !== "function")]);
  let calls = 0;
  const runtime = {
    connect: (_: object, port: ClientPort, stored: (handle: number) => unknown) => {
      const handle = ports.push(port);
      stored(handle);
      if (handle === 2) port.recall(99, JSON.stringify(KEPT));
      return handle;
    },
    call: (handle: number, _how: number, [, params]: string[], _times: object, bind: (id: number) => void) => {
      said.push([handle, "call", params]);
      bind(++calls);
    },
    closeKeepingSession: (handle: number) => {
      said.push([handle, "close"]);
      // What a core writes at its end is still its user's.
      ports[handle - 1]!.store(9, { strict: true, unawaited: false }, []);
      ports[handle - 1]!.state(`{"state":"closed"}`, 0);
    },
    counters: () => "",
    mirrored: (handle: number, params: string) => (params === `{"name":"work"}` ? `["of client ${handle}"]` : ""),
    token: (handle: number, answer: number, text: string) =>
      note("token")(handle, answer === TokenAnswer.Given, text),
    ...Object.fromEntries(["release", "close", "ack", "cancel", "respond", "subscribe", "hold"].map((what) => [what, note(what)])),
  };
  const journal = (name: string): Journal => {
    const log = (what: string) => (): void => void said.push([0, `${name} ${what}`]);
    return { durability: "indexeddb", options: () => ({}), attach: log("attach"), commit: log("commit"), close: log("close"), shared: () => false, ack: log("ack") } as unknown as Journal;
  };
  let open!: (opened: OpenedStore) => void;
  const answers = ["ada", "bob", "bob"];
  let last = "ada";
  let opens = 0;
  const stores = {
    token: async () => ({ ok: true, text: answers.shift()! }),
    changed: ({ text }: { text: string }) => text !== last && ((last = text), true),
    stranger: () => undefined,
    recording: {},
    open: () => (opens++ === 0 ? Promise.resolve({ journal: journal("ada"), why: "" }) : new Promise<OpenedStore>((resolve) => (open = resolve))),
  } as unknown as UserStores;
  let answered!: (roots: []) => void;
  const answer = new Promise<[]>((resolve) => (answered = resolve));
  const url = "https://example.com/mcp";
  const plan: Plan = { url, options: { fetch: () => new Promise(() => {}) }, core: { revision: "2025-11-25" }, credentials: "omit", backlog: [10, 1_000, 1_000], validation: { policy: false }, defaults: callDefaults("test", {}) };
  const client = new ClientView(url, new Backlog(10), { roots: () => answer }, stores);
  const states: string[] = [];
  client.listeners.add("state", ({ state }) => states.push(state));
  client.listeners.add("durability", ({ durability }) => states.push(durability));
  const request = (params: Open, options: CallOptions = {}): Call<unknown> => client.make("tools/call", "request", ["tools/call", params], options);
  const opened = (port: ClientPort): void => port.state('{"state":"open","revision":"2025-11-25","session":true,"initialize":{}}', 0);
  const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));
  return {
    client, request, said, ports, states, opened, turn, answered: () => answered([]),
    async begin() {
      const joined = OpenClient.of(plan, undefined).join(client, undefined, Promise.resolve(runtime as unknown as Runtime), undefined);
      while (ports.length === 0) await turn();
      ports[0]!.token();
      await turn();
      opened(ports[0]!);
      await joined;
      states.push(client.state);
    },
    /** The core asks again, and the answer is another user's. */
    async change() {
      ports[0]!.token();
      await turn();
    },
    async arrive() {
      open({ journal: journal("bob"), why: "" });
      await turn();
    },
  };
}

const code = (error: unknown): string => (error instanceof HoldfastError ? error.code : String(error));

test("Fault 123: of what the first user had under way nothing reaches the second client", async () => {
  const { client, request, said, ports, states, opened, turn, answered, begin, change, arrive } = changing();
  await begin();
  const done = request({ a: 1 }, { ack: "manual" });
  ports[0]!.settle(1, 3, `{"code":"outcome_unknown","message":"","op":"","status":0,"retryable":false}`);
  const under = request({ a: 2 }, { key: "k" });
  ports[0]!.deliver(0, EVENT.request, 5, `{"id":"r1","method":"roots/list"}`); // the server asks
  assert.equal(toolsOf(client), "of client 1");
  await change();
  assert.deepEqual(states, ["open", "reconnecting"]);
  assert.equal(toolsOf(client), "of client 0"); // which there is none
  assert.equal(await under.result.catch(code), "closed");
  assert.deepEqual(client.calls(), []);
  assert.deepEqual(said.slice(-4), [[1, "close"], [0, "ada commit"], [1, "release"], [0, "ada close"]]);

  // The store is being opened: what is asked now is the second user's.
  assert.equal(client.facts.durability, "indexeddb", "as far as anybody knows");
  const mine = request({ a: 3 }, { key: "k" });
  const taken = request({ a: 4 });
  taken.cancel();
  const kept = request({ a: 5 }, { key: "kept" });
  assert.equal(await taken.result.catch(code), "cancelled");
  assert.equal(said.at(-1)![1], "ada close");
  await arrive();
  ports[1]!.token();
  await turn();
  opened(ports[1]!);
  await turn();
  assert.deepEqual(states, ["open", "reconnecting", "open"]);
  assert.equal(toolsOf(client), "of client 2");
  assert.equal(client.facts.durability, "indexeddb");
  const before = said.length;

  // What the app still holds of the first user's.
  assert.equal(await done.ack().catch(code), "closed");
  assert.throws(() => done.retry(), (error) => code(error) === "closed");
  ports[0]!.settle(2, 1, "{}");
  answered();
  await turn();
  assert.ok(said.slice(before).every(([handle]) => handle === 1), JSON.stringify(said.slice(before)));
  const bobs = said.filter(([handle]) => handle === 2).map(([, ...rest]) => rest);
  assert.deepEqual(bobs.filter(([what]) => what !== "hold"), [["call", `{"a":3}`], ["token", true, "bob"]]);
  assert.equal(mine.settled, false);
  // The second user's store had a call of that key: the app asks for it again.
  assert.equal(await kept.result.catch(code), "key_in_use");
  assert.equal(request({}, { key: "kept" }).restored, true);
});

test("Fault 123: a client that is closed while the next store is opened leaves nothing open", async () => {
  const { client, request, said, states, begin, change, arrive } = changing();
  await begin();
  await change();
  const call = request({ a: 1 });
  await client.close();
  assert.equal(await call.result.catch(code), "closed");
  await arrive();
  assert.deepEqual(states, ["open", "reconnecting", "closed"]);
  assert.deepEqual(said.at(-1), [0, "bob close"]);
});

test("Fault 123: the sessions of an agent are over when a token is of another user, who begins without them", async () => {
  const tokens = [jwt("ada"), jwt("bob")];
  const stores = new UserStores({ journal: false, token: () => tokens.shift()! }, false, keys(async (name) => name));
  const rig = new AgentRig({ keeping: { journal: undefined, stores } });
  await rig.open();
  const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));
  rig.port.token();
  await turn();
  rig.recall(1, "s1");
  const [session] = await rig.agent.sessions();
  const prompt = session!.prompt("hello").catch(code);
  const asked = rig.agent.request("x/y").catch(code);
  const port = rig.port;
  port.token();
  while (rig.ended.length === 0) await turn();
  const late = session!.request("x/late").catch(code);
  const next = rig.agent.request("x/next"); // waits for the second user's client
  assert.deepEqual(await Promise.all([prompt, asked, late]), ["closed", "closed", "closed"]);
  assert.deepEqual([session!.closed, await rig.agent.sessions(), rig.ended], [true, [], ["closeKeepingSession"]]);
  while (rig.port === port) await turn();
  await turn();
  assert.equal(rig.last.method, "x/next");
  rig.answer({});
  assert.deepEqual(await next, {});
  rig.port.token();
  await turn();
  assert.deepEqual(rig.told.filter(([what]) => what === "token").map(([, , text]) => text), [jwt("ada"), jwt("bob")]);
});

test("a token of another user that comes while an agent waits for somebody to sign in, and is not open yet, has it opened for that user", async () => {
  const tokens = [jwt("ada"), jwt("bob"), jwt("bob")];
  const stores = new UserStores({ journal: false, token: () => tokens.shift()! }, false, keys(async (name) => name));
  const rig = new AgentRig({ keeping: { journal: undefined, stores } });
  const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));
  const started = rig.core.start({}, "omit");
  const first = rig.port;
  first.token();
  await turn();
  first.state(`{"state":"awaiting_authorization"}`, 0);
  first.token();
  while (rig.port === first) await turn();
  rig.port.state(`{"state":"open","version":2,"restored":false,"transport":"http","initialize":{}}`, 0);
  await started;
  assert.deepEqual([rig.core.state, rig.ended], ["open", ["closeKeepingSession"]]);
});

test("Fault 136: a provider that could not reach the network is told from one that gives no token", async () => {
  const rows: [error: unknown, away: boolean][] = [
    [new TypeError("Failed to fetch"), true],
    [new DOMException("no", "NetworkError"), true],
    [new DOMException("no", "TimeoutError"), true],
    [Object.assign(new Error("try again"), { retryable: true }), true],
    [new HoldfastError({ code: "network_error", op: "x", message: "no", retryable: true }), true],
    [new Error("signed out"), false],
    [undefined, false],
  ];
  for (const [error, away] of rows) {
    const answer = await new UserStores({ token: () => Promise.reject(error) }, false, keys(async (name) => name)).token();
    assert.deepEqual([answer.ok, answer.away], [false, away], String(error));
  }
});
