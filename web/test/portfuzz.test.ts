// A hostile page at the port of a worker that has another user's calls and tokens.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { connect } from "../src/host/choose/hosts.js";
import { mayName, NAMES } from "../src/host/worker/pagenames.js";
import { FROM_PAGE, type PageMessage } from "../src/host/wire/protocol.js";
import { OUTCOME } from "../src/base/border.js";
import { BUILD } from "../src/base/build.js";
import { random } from "./chance.js";
import { Origin } from "./bothhosts.js";
import { settled, until } from "./ready.js";

const SERVER = "https://mcp.example/mcp";
const SECRETS = ["token-of-ada", "payload-of-ada", "key-of-ada"];

/** A user with a call under way in a shared worker, and the port of another page there. */
async function besideAda() {
  const origin = new Origin("shared");
  const mcp = await connect(SERVER, {
    ...origin.options, principal: "ada", token: async () => "token-of-ada",
  });
  await until(() => mcp.state === "open");
  const { core } = origin;
  const call = mcp.callTool("t", { secret: "payload-of-ada" }, { key: "key-of-ada" });
  await until(() => core.calls.length === 1);
  const { port } = new (
    globalThis as unknown as { SharedWorker: new () => { port: MessagePort } }
  ).SharedWorker();
  const heard: unknown[] = [];
  port.onmessage = ({ data }) => void heard.push(data);
  const say = (message: object): void => port.postMessage(message);
  say({ t: "hello", build: BUILD, lock: "holdfast.page.hostile", outlives: true });
  await until(() => heard.length > 0);
  /** Ada's call ends as if nobody else were there. */
  const goesOn = async (): Promise<void> => {
    core.port.settle(
      core.calls[0]!.id, OUTCOME.result, `{"content":[{"type":"text","text":"payload-of-ada"}]}`,
    );
    assert.deepEqual(await call.result, { content: [{ type: "text", text: "payload-of-ada" }] });
    assert.equal(mcp.state, "open");
    await mcp.close();
    say({ t: "bye" });
    port.close();
  };
  return { origin, core, heard, say, goesOn };
}

test("Fault 723: what a message names that its page may not, a worker drops", () => {
  const connecting = {
    t: "connect", client: 2, url: SERVER, options: {}, handlers: [], token: false, again: false,
    ifKeys: false,
  };
  const auth = {
    t: "auth", client: 2, url: SERVER, principal: "", how: { options: {}, how: "popup", storage: "memory" },
    file: "f", window: "", seen: true, back: false,
  };
  const may: object[] = [
    connecting,
    { ...connecting, url: "no address, as its client says" },
    { ...connecting, options: { principal: "ada", token: undefined }, handlers: ["roots", "permission"] },
    { ...connecting, options: { validator: "holdfast-validate-3f2a.mjs", recorder: "holdfast-record.mjs" } },
    auth,
    { ...auth, answer: { state: "s", code: undefined } },
    { t: "hello", build: "b", lock: "", outlives: true },
    { t: "hello", build: "b", lock: "holdfast.page.1", outlives: true },
    { t: "forget", ask: 2, url: "wss://a.example/acp", user: "ada", agents: true },
  ];
  const mayNot: object[] = [
    ...[
      "javascript:alert(1)", "data:text/html,x", "file:///x", "blob:https://a.example/x", "ftp://a.example/",
    ].flatMap(
      (url) => [{ ...connecting, url }, { ...auth, url }, { t: "forget", ask: 2, url, agents: false }],
    ),
    ...["fetch", "token", "auth", "handlers", "signal", "worker", "host"].map(
      (name) => ({ ...connecting, options: { [name]: {} } }),
    ),
    { t: "make", client: 2, call: 2, op: "", method: "callTool", args: "[]", options: { signal: {} } },
    { ...connecting, handlers: [7] },
    { ...connecting, handlers: ["constructor"] },
    { ...auth, how: {} },
    { ...auth, how: { options: {}, how: { kind: "program" }, storage: "memory" } },
    { ...auth, how: { options: null, how: "popup", storage: "memory" } },
    { ...auth, answer: { state: {} } },
    { t: "hello", build: "b", lock: "holdfast.tab.7c4f", outlives: true },
    { t: "hello", build: "b", lock: "holdfast.port.7c4f", outlives: true },
  ];
  for (const message of may) assert.equal(mayName(message as PageMessage), true, JSON.stringify(message));
  for (const message of mayNot) assert.equal(mayName(message as PageMessage), false, JSON.stringify(message));
});

test("Fault 723: a hostile page gets no token and no row of another user, and harms nobody, whatever it says at random", async () => {
  const seed = Number(
    (globalThis as { process?: { env: Record<string, string> } }).process?.env.HOLDFAST_SEED ??
      Math.floor(Math.random() * 2 ** 32),
  );
  const next = random(seed);
  const { core, heard, say, goesOn } = await besideAda();
  const pick = <T>(all: readonly T[]): T => all[next(all.length)]!;
  const texts = [
    "", "x", "{}", "[]", "null", "__proto__", "constructor", "ada", "mallory", "t", "callTool", "request",
    "listTools", "calls", "stored", "recorded", "close", "logout", "terminate", "ping", "notify", SERVER,
    "javascript:alert(1)", "holdfast.tab.1", "https://app.test/x.wasm", '["t",{}]', '{"action":"accept"}',
    "x".repeat(5_000),
  ];
  const objects = (): object => pick<object>(
    [
      {}, [], { principal: "mallory" }, { principal: "mallory", wasm: "https://app.test/x.wasm" },
      { key: "key-of-ada" }, { journal: true, principal: 7 }, { limits: { calls: "x" } }, { timeouts: null },
      { headers: [["Authorization", "x"]] }, { meta: { a: 1 } },
      { options: {}, how: "manual", storage: "memory" }, { state: "s", code: "c" },
      { code: "closed", message: "m" }, new Map(), new Error("x"),
    ],
  );
  const of = (kind: string): unknown => {
    if (next(12) === 0) return pick<unknown>([undefined, null, -1, 1.5, NaN, 2 ** 53, "", {}, [], true, 7n]);
    switch (kind.replace("?", "")) {
      case "n":
        return pick([0, 1, 2, 3, 4, 5, 6, 8, 10, 101, 2 ** 40]);
      case "s":
        return pick(texts);
      case "b":
        return next(2) === 0;
      case "a":
        return pick<unknown>(
          [
            [], ["elicitation"], ["roots", "sampling"], [{}], [{ cursor: "x" }], ["a", {}], [null],
            [{ principal: "ada" }], [7n],
          ],
        );
      case "o":
        return objects();
      default:
        return pick<unknown>([undefined, "token-of-mallory", objects()]);
    }
  };
  // files are another matter
  const kinds = Object.keys(FROM_PAGE).filter(
    (t) => !["bye", "load", "auth"].includes(t),
  ) as (keyof typeof FROM_PAGE)[];
  for (let n = 0; n < 6_000; n++) {
    const t = pick(kinds);
    const message: Record<string, unknown> = { t };
    for (const [member, kind] of Object.entries(FROM_PAGE[t])) message[member] = of(kind as string);
    if (t === "away") message["cached"] = false;
    say(message);
    if (n % 200 === 0) await settled();
  }
  say({ t: "back" });
  say({ t: "credit", bytes: 1 << 30 });
  await settled();
  const all = JSON.stringify(
    heard, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value),
  );
  for (const secret of SECRETS) assert.ok(!all.includes(secret), `seed ${seed}: it has heard ${secret}`);
  assert.equal(core.isOver, false, `seed ${seed}`);
  assert.equal(core.calls.length, 1, `seed ${seed}: calls of hers: ${JSON.stringify(core.calls)}`);
  await goesOn();
});

test("Fault 752: a client names a sign-in of its own user at its own address, and no other one", async () => {
  const { heard, say, goesOn } = await besideAda();
  const options = { principal: "ada" };
  const { BroadcastChannel: Real } = globalThis;
  // A worker has its sign-ins as long as it lives; here Node would wait for them.
  globalThis.BroadcastChannel = class extends Real {
    constructor(name: string) {
      super(name);
      (this as unknown as { unref(): void }).unref();
    }
  };
  const of = (options: object) => ({ options, how: "manual", storage: "memory", client: "c" });
  say({
    t: "auth", client: 100, url: SERVER, principal: "ada", how: of({ redirectUrl: "https://app.test/" }),
    file: "none.mjs", window: "", seen: true, back: false,
  });
  say({
    t: "auth", client: 102, url: SERVER, principal: "ada", how: of({ scopes: {} }), file: "none.mjs",
    window: "", seen: true, back: false,
  });
  const elsewhere = "https://mcp.example/other";
  const rows: readonly [string, number, string, object][] = [
    ["another address", 100, elsewhere, options],
    ["another user", 100, SERVER, { principal: "mallory" }],
    ["no user", 100, SERVER, {}],
    ["no sign-in", 101, SERVER, options],
    ["one that is none", 102, SERVER, options],
  ];
  let client = 200;
  for (const [what, auth, url, given] of rows) {
    for (const t of ["connect", "agent"]) {
      client += 2;
      say({ t, client, url, options: given, handlers: [], token: false, auth, again: false, ifKeys: false });
      await until(() => heard.some((message) => (message as { client?: number }).client === client));
      const word = heard.find((message) => (message as { client?: number }).client === client);
      const { t: said, error } = word as { t: string; error?: { message: string } };
      const want = auth === 102
        ? "scopes has to be a list of strings"
        : "auth is no sign-in of that user at that address";
      assert.equal(`${said} ${error?.message}`, `failed ${want}`, `${what}, ${t}`);
    }
  }
  await goesOn();
  globalThis.BroadcastChannel = Real;
});

test("Fault 753: a worker takes options of the kinds that a page checks, and no other ones", async () => {
  const { core, heard, say, goesOn } = await besideAda();
  const begins = (said: string, words: string): void => assert.ok(
    said.startsWith(words), `${said}, and not ${words}`,
  );
  const answer = async (key: "client" | "ask" | "call", n: number): Promise<string> => {
    const ends = ["failed", "answered", "fail", "opened"];
    const is = (message: unknown): boolean =>
      (message as Record<string, unknown>)[key] === n && ends.includes((message as { t: string }).t);
    await until(() => heard.some(is));
    const { t, error } = heard.find(is) as { t: string; error?: { code: string; message: string } };
    return `${t} ${error?.code} ${error?.message}`;
  };
  let client = 200;
  for (const [options, words] of [
    [{ principal: 7 }, "principal has to be a string"],
    [{ principal: {} }, "principal has to be a string"],
    [{ journal: { seal: {} } }, "journal.seal has to be"],
    [{ client: [] }, "client has to be an object with a name"],
    [{ record: { most: -1 } }, "record.most has to be a positive integer"],
    [{ credentials: 7 }, "credentials has to be"],
    [{ fetchLike: 7 }, "fetchLike is no option"],
    [{ limits: { calls: "x" } }, "limits.calls has to be a positive integer"],
    [{ wasm: 7 }, "wasm has to be a URL"],
  ] as const) {
    for (const t of ["connect", "agent"]) {
      if (t === "agent" && ("record" in options || "limits" in options)) continue;
      client += 2;
      say({ t, client, url: SERVER, options, handlers: [], token: false, again: false, ifKeys: false });
      begins(await answer("client", client), `failed bad_argument ${words}`);
    }
  }
  client += 2;
  say({
    t: "connect", client, url: SERVER, options: { principal: "mallory" }, handlers: [], token: false,
    again: false, ifKeys: false,
  });
  begins(await answer("client", client), "opened");
  let ask = 1_000;
  for (const [method, args, words] of [
    ["listTools", [{ cursor: {} }], "cursor has to be a string"],
    ["listTools", [], "options has to be an object"],
    ["readResource", [{}, {}], "uri has to be a string"],
    ["getPrompt", ["p", [], {}], "args has to be an object"],
    ["notify", ["", {}, {}], "method has to be a string"],
    ["ping", [{ timeouts: { total: -1 } }], "timeouts.total has to be a number"],
  ] as const) {
    ask += 2;
    say({ t: "ask", client, ask, op: "x", method, args });
    begins(await answer("ask", ask), `answered bad_argument ${words}`);
  }
  for (const [method, args, options, words] of [
    ["callTool", '["t"]', {}, "args has to be an object"],
    ["callTool", '["t",{}]', { key: 7 }, "key has to be a string"],
    ["callTool", '["t",{}]', { task: 7 }, "task has to be"],
    ["request", '["",null]', {}, "method has to be a string"],
    ["request", '["x",null]', { madeAt: "x" }, "madeAt has to be"],
  ] as const) {
    ask += 2;
    say({ t: "make", client, call: ask, op: "x", method, args, options });
    begins(await answer("call", ask), `fail bad_argument ${words}`);
  }
  assert.equal(core.calls.length, 1);
  await goesOn();
});

test("Fault 723: a page that opens clients without end, and takes nothing, has a bounded number of them and of answers", async () => {
  const { origin, say, heard, goesOn } = await besideAda();
  for (let client = 2; client < 2_200; client += 2)
    say({
      t: "connect", client, url: SERVER, options: { principal: `mallory ${client}` }, handlers: [],
      token: false, again: false, ifKeys: false,
    });
  for (let n = 0; n < 50; n++) await settled();
  assert.ok(origin.clients.length <= 1_001, `${origin.clients.length} clients`);
  say({ t: "away", cached: false });
  for (let ask = 2; ask < 160_000; ask += 2)
    say({ t: "ask", client: 999_999, ask, op: "x", method: "ping", args: [] });
  await settled();
  const before = heard.length;
  say({ t: "back" });
  for (let n = 0; n < 50; n++) await settled();
  assert.ok(heard.length - before < 75_000, `${heard.length - before} answers`);
  await goesOn();
});

test("Fault 723: each member of each message of a page has a row", () => {
  assert.deepEqual(
    Object.fromEntries(Object.entries(NAMES).map(([t, members]) => [t, Object.keys(members).sort()])),
    Object.fromEntries(Object.entries(FROM_PAGE).map(([t, members]) => [t, Object.keys(members).sort()])),
  );
});

test("Fault 723: what the page of threats says that a message can name is what the table has", () => {
  const all = Object.entries(NAMES).flatMap(([t, members]) =>
    Object.entries(members).map(([member, named]) => ({ t, member, named: named as string })));
  const table = new Map<string, Set<string>>();
  for (const { t, member, named } of all) {
    const isAlways = all.every((other) => other.member !== member || other.named === named);
    if (named !== "nothing")
      table.set(named, (table.get(named) ?? new Set()).add(isAlways ? member : `${t}.${member}`));
  }
  const page = readFileSync("docs/threats.md", "utf8");
  const said = [...page.matchAll(/^- ((?:`[\w.]+`(?:, )?)+): /gm)].map(([, members]) => members!);
  const rows = [...table.values()].map((members) => [...members].map((member) => `\`${member}\``).join(", "));
  assert.deepEqual(said.sort(), rows.sort());
});
