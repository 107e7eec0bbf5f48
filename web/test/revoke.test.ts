// A page's token is asked for, and is another user's: what the page has made meanwhile goes out with nobody's
// token. What the core does with it is in core/mcp/faults_revoke_test.go.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ClientView } from "../src/client/clientview.js";
import { OpenClient, type Plan } from "../src/client/openclient.js";
import { callDefaults } from "../src/client/options.js";
import type { ValidatePolicy } from "../src/output-schema/outputs.js";
import { joinable } from "../src/connect/joinable.js";
import { UserStores } from "../src/connect/userstores.js";
import type { ClientPort } from "../src/runtime/port.js";
import type { Runtime } from "../src/runtime/runtime.js";
import { Backlog } from "../src/base/backlog.js";
import { OUTCOME } from "../src/base/border.js";
import { settled, somebody, tokenOf } from "./agentworker.js";
import { until } from "./ready.js";

const closed = (op: string): string => JSON.stringify({
  code: "closed", message: "the token provider gave a token of another user", op, status: 0, retryable: false,
});

let servers = 0;

/** A client of several views of one user, on a core that is the test: calls wait in it for the next token. */
class Shared {
  readonly said: string[] = [];
  readonly ports: ClientPort[] = [];
  /** Calls that wait, by their names. */
  readonly waiting = new Map<number, string>();
  #ids = 0;

  readonly runtime = {
    connect: (_: object, port: ClientPort, stored: (handle: number) => unknown) => {
      const handle = this.ports.push(port);
      stored(handle);
      if (this.opens) queueMicrotask(() => this.open(port));
      return handle;
    },
    call: (
      handle: number, _how: number, [method, params]: string[], _times: object, bind: (id: number) => void
    ) => {
      const id = ++this.#ids;
      const { name = method! } = JSON.parse(params || "{}") as { name?: string };
      this.said.push(`call ${handle} ${name}`);
      this.waiting.set(id, name);
      bind(id);
    },
    revoke: (handle: number, id: number) => {
      const name = this.waiting.get(id);
      if (name === undefined) return;
      this.waiting.delete(id);
      this.said.push(`revoke ${name}`);
      this.ports[handle - 1]!.settle(id, OUTCOME.failure, closed("tools/call"));
    },
    closeKeepingSession: (handle: number) => {
      this.said.push(`keep ${handle}`);
      this.ports[handle - 1]!.state('{"state":"closed"}', 0);
    },
    counters: () => "",
    mirrored: () => "",
    ...Object.fromEntries(
      ["release", "close", "token", "hold", "ack", "handed", "tools"].map((what) => [what, () => {}]),
    ),
  } as unknown as Runtime;

  /** What waits goes out, and has that result. */
  answers(result: object): void {
    for (const id of [...this.waiting.keys()])
      this.ports.at(-1)!.settle(id, OUTCOME.result, JSON.stringify(result));
    this.waiting.clear();
  }

  readonly plan: Plan;
  /** Its server answers at once. */
  opens = true;

  open(port = this.ports.at(-1)!): void {
    port.state('{"state":"open","revision":"2025-11-25","session":true,"initialize":{}}', 0);
  }

  constructor(policy: ValidatePolicy = false) {
    this.plan = {
      url: `https://example.com/${++servers}`,
      options: { journal: false },
      core: { revision: "2025-11-25" },
      credentials: "omit",
      backlog: [10, 1_000, 1_000],
      validation: { policy },
      defaults: callDefaults("test", {}),
    };
  }

  /** Opens a view whose provider gives tokens from there. */
  async view(token: () => string | Promise<string>): Promise<ClientView> {
    const stores = new UserStores({ token, journal: false }, false, { of: async (name) => name });
    const view = new ClientView(this.plan.url, new Backlog(10), {}, stores);
    const principal = await stores.principal();
    await OpenClient.of(this.plan, principal).join(view, undefined, Promise.resolve(this.runtime), principal);
    stores.changed(await stores.token());
    return view;
  }
}

const make = (view: ClientView, name: string): Promise<string> =>
  view.make("callTool", "callTool", [name, {}] as never, { journal: true }).result.then(
    () => "result",
    (error: { code: string }) => error.code,
  );

test("Fault 452: of the pages of a client one turns out to be of another user: what it has made while its token was asked for goes out as nobody, and is no call of the others", async () => {
  const [first, second] = [tokenOf(somebody()), tokenOf(somebody())];
  const shared = new Shared();
  let give!: (token: string) => void;
  let later: Promise<string> | undefined;
  const staying = await shared.view(() => first);
  const leaving = await shared.view(() => later ?? first);
  assert.equal(staying.client, leaving.client);
  const last = staying.client;
  const restored: string[] = [];
  staying.listeners.add("restored", ({ call }) => restored.push(String(call.params?.["name"])));
  later = new Promise((resolve) => (give = resolve));
  shared.ports[0]!.token();
  await settled();
  const [theirs, ours] = [make(leaving, "theirs"), make(staying, "ours")];
  give(second);
  assert.equal(await theirs, "closed");
  await until(() => leaving.client !== last);
  assert.equal(staying.client, last);
  assert.deepEqual(
    shared.said.filter((each) => /theirs|ours/.test(each)), ["call 1 theirs", "call 1 ours", "revoke theirs"],
  );
  assert.deepEqual([...shared.waiting.values()], ["ours"]);
  assert.deepEqual([restored, staying.calls().map(({ params }) => params?.["name"])], [[], ["ours"]]);
  shared.ports[0]!.settle([...shared.waiting.keys()][0]!, OUTCOME.result, '{"content":[]}');
  assert.equal(await ours, "result");
  joinable.clear();
});

test("Fault 452: the only page of a client turns out to be of another user: what waits for the token is taken back before the client is left", async () => {
  const [first, second] = [tokenOf(somebody()), tokenOf(somebody())];
  const shared = new Shared();
  let now = first;
  const view = await shared.view(() => now);
  now = second;
  shared.ports[0]!.token();
  const made = make(view, "between");
  assert.equal(await made, "closed");
  await until(() => shared.said.length === 3);
  assert.deepEqual(shared.said, ["call 1 between", "revoke between", "keep 1"]);
  joinable.clear();
});

test("Fault 452: what such a page has asked for meanwhile, not being a call, goes out as nobody as well, whatever it is", async () => {
  const [first, second] = [tokenOf(somebody()), tokenOf(somebody())];
  const shared = new Shared();
  let give!: (token: string) => void;
  let later: Promise<string> | undefined;
  const staying = await shared.view(() => first);
  const leaving = await shared.view(() => later ?? first);
  later = new Promise((resolve) => (give = resolve));
  shared.ports[0]!.token();
  await settled();
  const asks: [op: string, ...all: unknown[]][] = [
    ["listTools", {}],
    ["listTools", { cursor: "c" }],
    ["listPrompts", {}],
    ["listResources", {}],
    ["listResourceTemplates", {}],
    ["readResource", "u:1", {}],
    ["subscribeResource", "u:1", {}],
    ["getPrompt", "theirs", {}, {}],
    ["complete", { type: "ref/prompt", name: "p" }, { name: "a", value: "secret" }, {}],
    ["setLoggingLevel", "info", {}],
    ["notify", "notifications/x", {}, {}],
    ["ping", {}],
  ];
  const ask = (view: ClientView): Promise<string>[] =>
    asks.map(([method, ...all]) => (
      view.ask as (op: string, ...all: unknown[]) => Promise<unknown>
    ).call(view, method, method, ...all).then(
      () => "answered",
      ({ code }: { code: string }) => code,
    ));
  const [theirs, ours] = [ask(leaving), ask(staying)];
  await settled();
  assert.equal(shared.waiting.size, 2 * asks.length);
  const usage = leaving.stored().catch(({ code }: { code: string }) => code);
  give(second);
  assert.deepEqual(await Promise.all(theirs), asks.map(() => "closed"));
  assert.equal(shared.waiting.size, asks.length, "of the other page all is there");
  assert.deepEqual(shared.said.filter((each) => each.startsWith("revoke")).length, asks.length);
  for (const id of [...shared.waiting.keys()])
    shared.ports[0]!.settle(
      id, OUTCOME.result, '{"tools":[],"prompts":[],"resources":[],"resourceTemplates":[]}',
    );
  assert.deepEqual(await Promise.all(ours), asks.map(() => "answered"));
  await usage;
  joinable.clear();
});

test("Fault 467: of a result of the last user that does not fit nothing is told, and the next one knows no tool before it is listed", async () => {
  const LIST = {
    tools: [{ name: "measure", inputSchema: {}, outputSchema: { $ref: "https://elsewhere.test/schema" } }],
  };
  const RESULT = { content: [], structuredContent: {} };
  const shared = new Shared("report");
  const [first, second] = [tokenOf(somebody()), tokenOf(somebody())];
  let now = first;
  const view = await shared.view(() => now);
  const told: string[] = [];
  view.listeners.add("integrity", ({ what }) => told.push(what));
  const list = async (): Promise<void> => {
    const listed = view.ask("tools/list", "listTools", {});
    await settled();
    shared.answers(LIST);
    await listed;
  };
  await list();
  const last = view.client;
  const checked = make(view, "measure");
  shared.answers(RESULT);
  now = second;
  shared.ports[0]!.token();
  assert.equal(await checked, "closed");
  await until(() => view.client !== last && view.state === "open");
  assert.deepEqual(told, []);
  for (const knows of [false, true]) {
    if (knows) await list();
    const made = make(view, "measure");
    shared.answers(RESULT);
    assert.equal(await made, "result");
    assert.equal(told.length, knows ? 1 : 0);
  }
  joinable.clear();
});

test("a token of another user that comes while a client is opened has it opened for that user: connect resolves then, or rejects", async () => {
  for (const fails of [false, true]) {
    const shared = new Shared();
    shared.opens = false;
    const tokens = [tokenOf(somebody()), tokenOf(somebody())];
    const opening = shared.view(() => tokens.shift() ?? "");
    await until(() => shared.ports.length === 1);
    shared.ports[0]!.token(); // as the server refuses the first
    await settled();
    shared.ports[0]!.token();
    await until(() => shared.ports.length === 2);
    assert.deepEqual([shared.said, joinable.size], [["keep 1"], 1]);
    if (fails) {
      shared.ports[1]!.state(
        '{"state":"failed","error":{"code":"unauthorized","message":"no","op":"connect","status":401,"retryable":false}}',
        0,
      );
      await assert.rejects(opening, (error) => (error as { code: string }).code === "unauthorized");
    } else {
      shared.open();
      const view = await opening;
      assert.deepEqual([view.state, view.client.state, view.over.aborted], ["open", "open", false]);
    }
    joinable.clear();
  }
});
