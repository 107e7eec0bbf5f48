// A page gives a token that nobody waits for any more: it says who the user is all the same.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Agent } from "../src/agent/agent.js";
import { AgentFacts } from "../src/agent/agentfacts.js";
import { ClientView } from "../src/client/clientview.js";
import { OpenClient, type Plan } from "../src/client/openclient.js";
import { callDefaults } from "../src/client/options.js";
import { ServerFacts } from "../src/client/serverfacts.js";
import type { CoreCall } from "../src/client/corecall.js";
import type { CoreClient } from "../src/client/coreclient.js";
import { UserStores } from "../src/connect/userstores.js";
import { PortView, type ViewPage } from "../src/host/worker/portview.js";
import type { ClientPort } from "../src/runtime/port.js";
import type { Runtime } from "../src/runtime/runtime.js";
import { Backlog } from "../src/base/backlog.js";
import { coded, settled, somebody, tokenOf, Worker } from "./agentworker.js";
import { until } from "./ready.js";

/** A worker with a page that takes its time to give a token, and another page of the same user's. */
async function twoPages(): Promise<{ worker: Worker; slow: Agent; staying: Agent; ask(): void; give(token: string): void; giving(): (token: string) => void; first: string; second: string }> {
  const worker = new Worker();
  worker.stored = ["s1"];
  const [first, second] = [tokenOf(somebody()), tokenOf(somebody())];
  let given: Promise<string> | undefined;
  let give!: (token: string) => void;
  const staying = await worker.page({ token: () => first });
  await worker.tokens.token();
  const slow = await worker.page({ token: () => given ?? first });
  await worker.tokens.token();
  await settled();
  return {
    worker, slow, staying, first, second,
    ask: () => void (given = new Promise((resolve) => (give = resolve))), give: (token) => give(token),
    giving: () => give,
  };
}

test("Fault 278: a page that gives the token of another user when nobody waits for it any more is out of the client of the last one", async () => {
  for (const alone of [false, true]) {
    const { worker, slow, staying, first, second, ask, give } = await twoPages();
    try {
      const [session] = await slow.sessions();
      ask();
      const token = worker.tokens.token();
      await settled();
      worker.say(1, { t: "away", cached: false }); // the other page is asked
      assert.deepEqual(await token, { ok: true, text: first });
      worker.say(1, { t: "back" });
      await settled();
      if (alone) await staying.close();
      assert.equal(worker.cores.length, 1);
      give(second);
      await until(() => worker.cores.length === 2 && slow.state === "open");
      assert.equal(session!.closed, true);
      await assert.rejects(session!.prompt("of the next user"), coded("closed"));
      assert.deepEqual(worker.cores[0]!.sent, []);
      assert.deepEqual([staying.state, worker.cores[0]!.ended], alone ? ["closed", ["close"]] : ["open", []]);
    } finally {
      worker.close();
    }
  }
});

test("Fault 278: of what a page was asked twice the later answer counts, whichever comes first", async () => {
  const { worker, slow, first, second, ask, give, giving } = await twoPages();
  try {
    ask();
    const giveEarlier = giving();
    const before = worker.tokens.token();
    await settled();
    worker.say(1, { t: "away", cached: false });
    await before; // the other page's
    worker.say(1, { t: "back" });
    ask();
    const token = worker.tokens.token();
    await settled();
    give(first);
    assert.deepEqual(await token, { ok: true, text: first });
    giveEarlier(second);
    await settled();
    assert.deepEqual([worker.cores.length, slow.state], [1, "open"]);
  } finally {
    worker.close();
  }
});

test("Fault 278: a page that is asked for the sake of another one, and gives the token of another user, leaves as well", async () => {
  const worker = new Worker();
  worker.stored = ["s1"];
  const [first, second] = [tokenOf(somebody()), tokenOf(somebody())];
  let now = first;
  try {
    const lender = await worker.page({ token: () => now });
    await worker.tokens.token();
    const newest = await worker.page({ token: () => first });
    await worker.tokens.token();
    await settled();
    for (const at of [0, 1]) worker.say(at, { t: "away", cached: false });
    const token = worker.tokens.token();
    await settled();
    now = second;
    worker.say(0, { t: "back" });
    await until(() => worker.cores.length === 2 && lender.state === "open");
    assert.equal(newest.state, "open");
    worker.say(1, { t: "back" });
    assert.deepEqual(await token, { ok: true, text: first });
  } finally {
    worker.close();
  }
});

/** Views of pages on one MCP client, whose core is the test. */
function mcpViews(): {
  jwt: readonly [string, string];
  said: string[];
  join(number: number): Promise<PortView>
} {
  const jwt = [tokenOf(somebody()), tokenOf(somebody())] as const;
  const said: string[] = [];
  const ports: ClientPort[] = [];
  const note = (what: string) => (handle: number): void => void said.push(`${what} ${handle}`);
  const runtime = {
    connect: (_: object, port: ClientPort, stored: (handle: number) => unknown) => {
      const handle = ports.push(port);
      stored(handle);
      queueMicrotask(
        () => port.state('{"state":"open","revision":"2025-11-25","session":true,"initialize":{}}', 0),
      );
      return handle;
    },
    counters: () => "",
    closeKeepingSession: (handle: number) => {
      said.push(`keep ${handle}`);
      ports[handle - 1]!.state('{"state":"closed"}', 0);
    },
    ...Object.fromEntries(["release", "close", "token"].map((what) => [what, note(what)])),
  } as unknown as Runtime;
  const plan: Plan = {
    url: "https://example.com/mcp",
    options: { journal: false },
    core: { revision: "2025-11-25" },
    credentials: "omit",
    backlog: [10, 1_000, 1_000],
    validation: { policy: false },
    defaults: callDefaults("test", {}),
  };
  const keys = { of: async (name: string) => name };
  const join = async (number: number): Promise<PortView> => {
    const stores = new UserStores({ token: () => jwt[0], journal: false }, false, keys);
    const view = new PortView(
      number, { presence: "here", takeBack: () => {} } as unknown as ViewPage,
      [plan.url, new Backlog(10), {}, stores],
    );
    const principal = await stores.principal();
    await OpenClient.of(plan, principal).join(view, undefined, Promise.resolve(runtime), principal);
    return view;
  };
  return { jwt, said, join };
}

test("Fault 278: an MCP client goes on as the user of a token that nobody waits for; the one of the last user ends, and its session stays", async () => {
  const { jwt, said, join } = mcpViews();
  const [one, other] = [await join(2), await join(4)];
  for (const view of [one, other]) view.stores.changed(await view.stores.token());
  assert.equal(one.client, other.client);
  const last = one.client;
  const states: string[] = [];
  for (const view of [one, other]) view.listeners.add("state", ({ state }) => states.push(state));
  one.heardToken(jwt[0], true);
  assert.equal(one.client, last, "it is the same user's");
  one.heardToken(jwt[1], true);
  await settled();
  assert.deepEqual([one.client === last, other.client === last, last.state, said], [false, true, "open", []]);
  other.heardToken(jwt[1]);
  assert.equal(other.client, last, "the core waits for it");
  other.heardToken(jwt[1], true);
  await until(() => last.state === "closed");
  assert.ok(other.client !== last);
  assert.deepEqual(said, ["keep 1", "release 1"]);
  assert.ok(!states.includes("closed"), states.join());
});

test("Fault 365: a page that closes its client while it is asked for a token, and gives that of another user, begins none for that user", async () => {
  const { jwt, said, join } = mcpViews();
  const [one, other] = [await join(2), await join(4)];
  for (const view of [one, other]) view.stores.changed(await view.stores.token());
  const last = one.client;
  await one.close();
  one.heardToken(jwt[1], true);
  await settled();
  assert.deepEqual([one.client === last, other.client === last, said], [true, true, []]);
});

test("Fault 359: a page whose user changes, and whose new client others have open already, hears that it is open again", async () => {
  for (const [state, told] of [
    ["open", ["reconnecting", "open"]],
    ["connecting", ["reconnecting"]],
  ] as const) {
    const view = new ClientView("https://example.com/mcp", new Backlog(10), {}, {} as UserStores);
    const clientIn = (now: string): CoreClient => ({
      url: "https://example.com/mcp", state: now, all: () => [],
    }) as unknown as CoreClient;
    view.comesTo(
      { goesOn: () => view.uses(clientIn(state)) } as unknown as Parameters<ClientView["comesTo"]>[0],
    );
    view.uses(clientIn("open"));
    const states: string[] = [];
    view.listeners.add("state", (event) => states.push(event.state));
    view.leaves();
    await settled();
    assert.deepEqual(states, told);
  }
});

test("Fault 467: a call of the last user that a page still holds is not run again, whoever else has the client of that user", () => {
  const view = new ClientView("https://example.com/mcp", new Backlog(10), {}, {} as UserStores);
  let again = 0;
  const callOf = (has: boolean): CoreCall<unknown> => (
    { of: () => (has ? {} : undefined), repeat: () => (again++, { of: () => undefined, show: () => ({}) }) }
  ) as unknown as CoreCall<unknown>;
  assert.throws(() => view.rerun(callOf(false)), (error: unknown) => coded("closed")(error));
  assert.equal(again, 0);
});

test("Fault 367: while a client waits for what its server says to the new user, nothing is refused that the server could do", () => {
  const server = new ServerFacts();
  server.heard(
    "open",
    {
      initialize: {
        serverInfo: { name: "a", version: "1" }, instructions: "for ada", capabilities: { tools: {} },
      }
    },
    0,
  );
  const next = new ServerFacts(server);
  assert.deepEqual(
    [next.server, next.instructions, next.capabilities],
    [{ name: "", version: "" }, undefined, { tools: {} }],
  );
  for (const [version, initialize] of [
    [
      1,
      {
        agentInfo: { name: "a", version: "1" }, agentCapabilities: { loadSession: true },
        authMethods: [{ id: "one", name: "One" }],
      },
    ],
    [
      2,
      {
        info: { name: "a", version: "1" }, capabilities: { session: {} },
        authMethods: [{ methodId: "one", type: "agent", name: "One" }],
      },
    ],
  ] as const) {
    const agent = new AgentFacts();
    agent.heard("open", { version, restored: false, transport: "http", initialize });
    const { capabilities, authMethods } = agent;
    const next = agent.ofAnotherUser();
    assert.deepEqual(
      [next.info, next.capabilities, next.authMethods],
      [{ name: "", version: "" }, capabilities, authMethods],
    );
    assert.equal(next.authMethods.length, 1);
  }
});
