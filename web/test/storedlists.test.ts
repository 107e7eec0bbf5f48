import assert from "node:assert/strict";
import { test } from "node:test";
import { ClientView } from "../src/client/clientview.js";
import type { UserStores } from "../src/connect/userstores.js";
import { Backlog } from "../src/base/backlog.js";
import { openStore, wipeAll } from "../src/storage/storage.js";
import { makeRoom, MOST, MOST_BYTES, MOST_OF_ONE, type ResultKey, type SealedResult } from "../src/storage/resultrows.js";
import { random } from "./chance.js";
import { WallClock } from "../src/tabs/wallclock.js";
import { Page, Server } from "./listsrig.js";
import { until } from "./ready.js";
import { all, bytes, head, row } from "./storecontract.js";
import { Shim } from "./storeshim.js";

declare const process: { env: Record<string, string | undefined> };

/** Rows of lists in the database, notes of changes left out. */
async function rows(shim: Shim): Promise<{ server: string; call: string; n: number[]; sealed: Uint8Array }[]> {
  return (await shim.dump())["log"]?.filter(({ server, epoch }) => String(server).startsWith("results ") && epoch !== "changed") ?? [];
}

/** Resolves when that many lists are stored. */
async function stored(shim: Shim, n: number): Promise<void> {
  await until(async () => (await rows(shim)).length === n);
}

/** Resolves when all that was to be written before is written, or will not be: what comes later is there. */
async function written(shim: Shim, server: Server, page?: Page): Promise<void> {
  const later = page ?? (await Page.open(server, { key: `https://later.test/mcp#${++barriers}` }));
  const cursor = `later ${++barriers}`;
  const before = (await rows(shim)).filter(({ call }) => call === "resources").length;
  await later.client.listResources({ cursor });
  await until(async () => (await rows(shim)).filter(({ call }) => call === "resources").length !== before);
}

let barriers = 0;

/** Resolves once the clock shows another ms. */
async function tick(): Promise<void> {
  const now = Date.now();
  await until(() => Date.now() !== now);
}

/** Runs with a wall clock that is ahead by so many ms. */
async function ahead(ms: number, run: () => Promise<void>): Promise<void> {
  const real = Date.now;
  Date.now = () => real() + ms;
  try {
    await run();
  } finally {
    Date.now = real;
  }
}

test("Fault 458: a wall clock that is put back while the page is there is noticed, and one that is set ahead, or a machine that sleeps, is not that", { timeout: 60_000 }, async () => {
  const clock = new WallClock();
  const seen: boolean[] = [];
  for (const ms of [0, -4_000, -10_000, -10_000, 3_600_000, 3_599_000, 3_000_000]) await ahead(ms, async () => void seen.push(clock.wasPutBack()));
  assert.deepEqual(seen, [false, false, true, false, false, false, true]);
});

test("Fault 458: by a clock that lies behind what was written no list is fresh, in the page that has it nor in the next", { timeout: 60_000 }, async () => {
  const [shim, server] = [new Shim(), new Server()];
  const page = await Page.open(server);
  await page.list();
  await stored(shim, 1);
  await ahead(-3_600_000, async () => {
    server.version = 2;
    assert.deepEqual(await page.list(), ["v2 of all"]);
    assert.deepEqual(await (await Page.open(server)).list(), ["v2 of all"], "as of then");
  });
  // It was received by a clock that was wrong, and is right again.
  await ahead(86_400_000, async () => void (await (await Page.open(server, { key: "https://t.test/mcp#ada" })).list()));
  server.version = 3;
  assert.deepEqual(await (await Page.open(server, { key: "https://t.test/mcp#ada" })).list(), ["v3 of all"]);
});

test("Fault 467: a list of several pages whose client changes its user meanwhile is no list of both", { timeout: 60_000 }, async () => {
  for (const revision of ["2025-11-25", "2026-07-28"]) {
    const server = new Server();
    const page = await Page.open(server, { memory: true, revision });
    const next = await Page.open(server, { memory: true, revision });
    const view = new ClientView("http://localhost/mcp", new Backlog(1), {}, {} as UserStores);
    view.comesTo({ goesOn: (_: ClientView, part: (isLast: boolean) => void) => (part(true), view.uses(next.client)) } as never);
    view.uses(page.client);
    server.more = { nextCursor: "n" };
    const answer = server.answer.bind(server);
    server.answer = (method, params, whose) => {
      if (params) {
        view.leaves();
        server.more = {};
      }
      return answer(method, params, whose);
    };
    await assert.rejects(view.ask("tools/list", "listTools", {}), (error) => (error as { code: string }).code === "closed");
    assert.deepEqual(server.asked, ["tools/list", "tools/list n"]);
    server.asked.length = 0;
    assert.deepEqual([await next.list(), server.asked], [["v1 of all"], ["tools/list"]], "of the next user the first page is asked for");
  }
});

test("Fault 459: a list that is fresh is there for the next page and for another tab, without a request; each page of a list by itself, and not for longer than its server says", { timeout: 60_000 }, async () => {
  const [shim, server] = [new Shim(), new Server()];
  const first = await Page.open(server);
  assert.deepEqual(await first.list(), ["v1 of all"]);
  await first.client.listPrompts();
  await first.client.listResources();
  await first.client.listResourceTemplates();
  await first.client.listTools({ cursor: "2" });
  await stored(shim, 5);
  const asked = server.asked.length;
  assert.equal(asked, 5);
  for (const page of [await Page.open(server), first]) {
    assert.deepEqual(await page.list(), ["v1 of all"]);
    assert.equal((await page.client.listPrompts()).prompts[0]!.name, "p1");
    await page.client.listResources();
    await page.client.listResourceTemplates();
    await page.client.listTools({ cursor: "2" });
    (await page.client.listTools()).tools.length = 0; // what an app does to its own
    assert.deepEqual(await page.list(), ["v1 of all"]);
  }
  assert.equal(server.asked.length, asked);
  await ahead(59_000, async () => assert.deepEqual(await (await Page.open(server)).list(), ["v1 of all"]));
  assert.equal(server.asked.length, asked);
  await ahead(60_000, async () => {
    server.version = 2;
    assert.deepEqual(await first.list(), ["v2 of all"], "also in the page that had it");
    assert.deepEqual(await (await Page.open(server)).list(), ["v2 of all"]);
  });
  server.version = 3;
  const { tools } = await first.client.listTools({ cache: "reload" });
  assert.deepEqual([tools[0]!.name, await first.list()], ["v3 of all", ["v3 of all"]], "the app wants to know");
});

test("Fault 459: what the server does not let a client keep is not stored, nor what took a round of questions, contents of resources, or a list of an earlier revision", { timeout: 60_000 }, async () => {
  for (const [hints, revision, rounds] of [
    [{ ttlMs: 0, cacheScope: "private" }, "2026-07-28", 0],
    [{ ttlMs: -5 }, "2026-07-28", 0],
    [{ ttlMs: "60000" }, "2026-07-28", 0],
    [{}, "2026-07-28", 0],
    [{ ttlMs: 60_000 }, "2025-11-25", 0],
    [{ ttlMs: 60_000 }, "2026-07-28", 1],
  ] as const) {
    const [shim, server] = [new Shim(), new Server()];
    server.hints = hints;
    const page = await Page.open(server, { revision });
    page.client.rounds = rounds;
    await page.list();
    await page.client.listTools({ meta: { x: 1 } });
    server.hints = { ttlMs: 60_000 };
    page.client.rounds = 0;
    await page.client.readResource("file:///x");
    await written(shim, server);
    assert.deepEqual((await rows(shim)).map(({ call }) => call), ["resources"], "but what came later");
    server.version = 2;
    assert.deepEqual(await (await Page.open(server, { revision })).list(), ["v2 of all"], JSON.stringify([hints, revision, rounds]));
  }
});

test("Fault 460: a list is for the user, the server, the authorization, the capabilities and the revision that it was given to", { timeout: 60_000 }, async () => {
  const [shim, server] = [new Shim(), new Server()];
  const ada = { key: "https://s.test/mcp#ada", token: "ada's" };
  await (await Page.open(server, ada)).list();
  await stored(shim, 1);
  for (const [other, n] of [
    [{ ...ada, key: "https://s.test/mcp#bob", token: "bob's" }, 2],
    [{ ...ada, key: "https://t.test/mcp#ada" }, 3],
    [{ ...ada, variant: "with roots" }, 4],
    [{ ...ada, revision: "2026-12-01" }, 5],
    [{ ...ada, token: "ada's next" }, 5], // takes the place of hers
  ] as const) {
    assert.deepEqual(await (await Page.open(server, other)).list(), [`v1 of ${other.token}`]);
    assert.ok(server.asked.length > 0, "it was not asked");
    server.asked.length = 0;
    await stored(shim, n);
    await until(async () => {
      const page = await Page.open(server, other);
      await page.list();
      return server.asked.splice(0).length === 0;
    });
  }
  // At rest nothing of it can be read.
  const text = JSON.stringify(await rows(shim), (_, value: unknown) => (value instanceof Uint8Array ? String.fromCharCode(...value) : value));
  for (const word of ["v1 of", "ada's", "roots", "cursor"]) assert.ok(!text.includes(word), word);
});

test("Fault 460: a public list outlives a token, of the same user; a sign-in that has got another token, or another scope, leaves nothing", { timeout: 60_000 }, async () => {
  const [shim, server] = [new Shim(), new Server()];
  server.hints = { ttlMs: 60_000, cacheScope: "public" };
  const page = await Page.open(server, { token: "one" });
  await page.list();
  await stored(shim, 1);
  page.takes("two");
  assert.deepEqual([await page.list(), await (await Page.open(server, { token: "three" })).list(), server.asked.length], [["v1 of one"], ["v1 of one"], 1]);
  const signedIn = await Page.open(server, { key: "https://t.test/mcp#ada", token: "signed-in", signsIn: true });
  await signedIn.list();
  await stored(shim, 2);
  signedIn.takes("signed-in"); // the core asks only where a request was refused
  await stored(shim, 1);
  assert.deepEqual(await (await Page.open(server, { key: "https://t.test/mcp#ada", token: "signed-in", signsIn: true })).list(), ["v1 of signed-in"]);
  assert.equal(server.asked.length, 3);
  // A token that comes while a list is under way: nothing says which of the two it is of.
  let open = (): void => {};
  server.gate = new Promise((resolve) => (open = resolve));
  const late = await Page.open(server, { key: "https://u.test/mcp#ada", token: "one" });
  const listed = late.list();
  while (server.asked.length < 4) await tick();
  late.takes("two");
  open();
  await listed;
  await late.list();
  assert.equal(server.asked.length, 5);
});

test("Fault 461: once the server has said that a list has changed no page uses what was listed before, nor what was asked for before", { timeout: 60_000 }, async () => {
  const [shim, server] = [new Shim(), new Server()];
  const [one, two] = [await Page.open(server), await Page.open(server)];
  await one.list();
  await one.client.listPrompts();
  await stored(shim, 2);
  server.version = 2;
  one.client.hears("notifications/tools/list_changed");
  await stored(shim, 1); // the prompts are as they were
  await tick(); // it is asked for after that: what is asked for in the same ms is not kept
  assert.deepEqual(await (await Page.open(server)).list(), ["v2 of all"]);
  await stored(shim, 2);
  // A list that is under way when it is said, in this page and in another one that has not heard of it yet.
  for (const page of [one, two]) {
    const before = server.asked.length;
    let open = (): void => {};
    server.gate = new Promise((resolve) => (open = resolve));
    one.client.hears("notifications/tools/list_changed");
    while ((await rows(shim)).some(({ call }) => call === "tools")) await tick();
    await tick(); // it is asked for after that
    const listed = page.list();
    await until(() => server.asked.length !== before);
    server.version++;
    one.client.hears("notifications/tools/list_changed");
    open();
    assert.deepEqual(await listed, [`v${server.version - 1} of all`], "what was asked for is the app's");
    server.gate = undefined;
    await written(shim, server, page);
    assert.equal((await rows(shim)).filter(({ call }) => call === "tools").length, 0);
    assert.deepEqual(await (await Page.open(server)).list(), [`v${server.version} of all`]);
    await written(shim, server);
  }
});

test("Fault 461: a list that waits to be written, or is read, while the server says that it has changed", { timeout: 60_000 }, async () => {
  const [shim, server] = [new Shim(), new Server()];
  const page = await Page.open(server);
  await page.list();
  page.client.hears("notifications/tools/list_changed"); // before it is written
  await page.client.listPrompts();
  await stored(shim, 1);
  server.version = 2;
  assert.deepEqual(await page.list(), ["v2 of all"]);
  await stored(shim, 2);
  const next = await Page.open(server);
  const reading = next.list();
  server.version = 3;
  next.client.hears("notifications/tools/list_changed"); // while it is read
  assert.deepEqual(await reading, ["v3 of all"]);
  // However often it is said, one transaction at a time.
  let changes = 0;
  shim.spoil((tx) => tx.mode === "readwrite" && changes++);
  for (let i = 0; i < 1_000; i++) next.client.hears("notifications/tools/list_changed");
  await until(async () => !(await rows(shim)).some(({ call }) => call === "tools"));
  assert.ok(changes === 1 || changes === 2, `${changes} transactions`);
});

test("Fault 461: a cursor that the server does not know any more: no page of that list is used again", { timeout: 60_000 }, async () => {
  const [shim, server] = [new Shim(), new Server()];
  server.more = { nextCursor: "2" };
  const page = await Page.open(server);
  await page.list(); // its second page is the first again (fault 668)
  await stored(shim, 2);
  const next = await Page.open(server);
  server.unknown = "3";
  await assert.rejects(next.client.listTools({ cursor: "3" }), (error) => /unknown cursor/.test(String(error)));
  await stored(shim, 0);
});

const key = (server: string, at: number, size: number, until = at + 1e9, list = "tools", digest = `${at}`): ResultKey => [`results ${server}`, list, digest, [at, until, size]];
const sealed = (digest: string, at: number, size: number, list: "tools" | "prompts" = "tools"): SealedResult => ({ list, digest, asked: at, at, until: at + 1e9, sealed: new Uint8Array(size) as SealedResult["sealed"] });

test("Fault 462: what all servers let clients keep has a bound; the oldest goes, what is over and what no clock has seen first", () => {
  const now = 1_790_000_000_000;
  const hundred = Array.from({ length: 100 }, (_, i) => key(`s${i}`, now - 1_000 * (100 - i), 1 << 20));
  const { over, kept } = makeRoom("s", hundred, [sealed("x", now, 1 << 20)], now);
  assert.equal(kept.length, 1);
  assert.deepEqual(over.map(([server]) => server), hundred.slice(0, 85).map(([server]) => server));
  assert.deepEqual(makeRoom("s", [key("a", now - 9, 9, now), key("b", now + 60_000, 9), key("c", now - 1, 9)], [], now).over.map(([s]) => s), ["results a", "results b"]);
  assert.deepEqual(makeRoom("s", [], [sealed("x", now, MOST_OF_ONE + 1), sealed("y", now, MOST_OF_ONE)], now).kept.map(({ digest }) => digest), ["y"]);
  const many = Array.from({ length: MOST + 5 }, (_, i) => key("s", now - 1 - i, 1));
  assert.equal(makeRoom("s", many, [sealed("x", now, 1)], now).over.length, 6);
  assert.deepEqual(makeRoom("s", [key("s", now - 5, 9, now + 9, "tools", "x")], [sealed("x", now, 9), sealed("x", now, 9, "prompts")], now).over.length, 1);
  assert.deepEqual(makeRoom("s", [key("s", now + 1, 9, now + 9, "tools", "x")], [sealed("x", now, 9)], now).kept, [], "a newer one of another tab stays");
});

test("Fault 462: whatever is stored and comes, no more is there than may be, and none of the newest goes before an older one", () => {
  const seed = Number(process.env["HOLDFAST_SEED"] ?? Date.now() % 1e9);
  const pick = random(seed);
  const now = 1_790_000_000_000;
  for (let i = 0; i < 60; i++) {
    const there = Array.from({ length: pick(700) }, () => key(`s${pick(5)}`, now - 1 - pick(1e6), pick(1 << 17), now + pick(1e6) - 1e5, "tools", `${pick(1e9)}`));
    const added = Array.from({ length: pick(5) }, (_, n) => sealed(`new ${n}`, now, pick(MOST_OF_ONE)));
    const { over, kept } = makeRoom("s1", there, added, now);
    const gone = new Set(over);
    const left = there.filter((one) => !gone.has(one));
    const size = left.reduce((sum, [, , , [, , n]]) => sum + n, 0) + kept.reduce((sum, one) => sum + one.sealed.byteLength, 0);
    assert.ok(size <= MOST_BYTES && left.length + kept.length <= MOST, `seed ${seed}`);
    const oldest = Math.min(...left.map(([, , , [at]]) => at));
    for (const [, , , [at, until]] of over) assert.ok(until <= now || at <= oldest, `seed ${seed}`);
    for (const [, , , [, until]] of left) assert.ok(until > now, `seed ${seed}`);
    assert.equal(kept.length, added.length, `seed ${seed}`);
  }
});

test("Fault 462: a store that fails changes nothing but the cache; where there is no room for a call the lists go", { timeout: 60_000 }, async () => {
  const [shim, server] = [new Shim(), new Server()];
  const page = await Page.open(server);
  await page.list();
  await stored(shim, 1);
  const next = await Page.open(server);
  shim.spoil(() => {
    throw new DOMException("no", "DataError");
  });
  assert.deepEqual(await next.list(), ["v1 of all"]);
  assert.deepEqual(await next.list(), ["v1 of all"]);
  next.client.hears("notifications/tools/list_changed");
  await next.list();
  await (await Page.open(server, { key: "https://t.test/mcp#ada" })).list();
  while ((await rows(shim)).every(({ server }) => !server.includes("t.test"))) await tick();
  // No room: the first transaction that adds to the log aborts, as long as a list is there.
  let lists = (await rows(shim)).length;
  assert.ok(lists > 0);
  const full = await openStore({ server: "https://s.test/mcp#ada", tab: "full" });
  let aborted = 0;
  const real = shim.handle.transaction.bind(shim.handle);
  shim.handle.transaction = (...args) => {
    const tx = real(...args);
    if (args[1] !== "readwrite" || !(args[0] as string[]).includes("calls") || lists === 0) return tx;
    tx.commit = () => {};
    aborted++;
    queueMicrotask(() => (tx as unknown as { _abort(name: string): void })._abort("QuotaExceededError"));
    lists = 0;
    return tx;
  };
  await full.commit([head(1), row(1, 1, 0, "token")], true);
  assert.deepEqual([aborted, (await full.load(all)).calls.length], [1, 1]);
  assert.deepEqual((await shim.dump())["log"]!.filter(({ server }) => server.startsWith("results ")), []);
});

test("Fault 462: a store that says nothing holds nobody up: neither what is read nor what is written", { timeout: 60_000 }, async () => {
  const [shim, server] = [new Shim(), new Server()];
  const page = await Page.open(server);
  const held = new Promise<never>(() => {});
  Object.assign(page.store!.results!, { get: () => held, put: () => held, drop: () => held });
  assert.deepEqual(await page.list(), ["v1 of all"]);
  server.version = 2;
  page.client.hears("notifications/tools/list_changed");
  page.client.hears("notifications/tools/list_changed");
  assert.deepEqual(await page.list(), ["v2 of all"]);
  assert.deepEqual([await page.list(), server.asked.length], [["v2 of all"], 2]);
  assert.deepEqual(await rows(shim), []);
});

test("Fault 462: without a store, and where it is one in memory, a list ends with its page; without a cipher nothing rests in plain", { timeout: 60_000 }, async () => {
  const [shim, server] = [new Shim(), new Server()];
  const page = await Page.open(server, { memory: true });
  assert.deepEqual([await page.list(), await page.list(), server.asked.length], [["v1 of all"], ["v1 of all"], 1]);
  await (await Page.open(server, { memory: true })).list();
  assert.equal(server.asked.length, 2);
  const { subtle } = crypto;
  Object.defineProperty(crypto, "subtle", { value: undefined, configurable: true });
  try {
    const plain = await Page.open(server);
    await plain.list();
    await plain.store!.results!.put([{ list: "tools", digest: "x", asked: 1, at: Date.now(), until: Date.now() + 60_000, bytes: bytes("a list") }]);
    assert.deepEqual(await rows(shim), []);
  } finally {
    Object.defineProperty(crypto, "subtle", { value: subtle, configurable: true });
  }
});

test("Fault 463: forget() and wipe() leave nothing, nor does what is written meanwhile; stored() counts it", { timeout: 60_000 }, async () => {
  const [shim, server] = [new Shim(), new Server()];
  const [ada, bob] = [await Page.open(server), await Page.open(server, { key: "https://s.test/mcp#bob" })];
  const empty = (await ada.store!.usage()).bytes;
  await ada.list();
  await bob.list();
  await stored(shim, 2);
  assert.ok((await ada.store!.usage()).bytes > empty + 100);
  const late = await Page.open(server); // a tab that has not heard of it
  await late.client.listPrompts();
  await ada.store!.forget();
  await written(shim, server);
  assert.deepEqual((await shim.dump())["log"]!.map(({ server }) => server).filter((name) => !name.includes("later")), ["results https://s.test/mcp#bob"]);
  server.asked.length = 0;
  await (await Page.open(server, { key: "https://s.test/mcp#bob" })).list();
  assert.equal(server.asked.length, 0);
  await (await Page.open(server)).list();
  assert.equal(server.asked.length, 1);
  await wipeAll();
  assert.deepEqual(await shim.dump(), {});
});

test("Fault 463: lists of a store that was forgotten, and those that a newer build writes, are not used, nor do they stand in the way", { timeout: 60_000 }, async () => {
  const [shim, server] = [new Shim(), new Server()];
  await (await Page.open(server)).list();
  await stored(shim, 1);
  // Another store of the same server and user.
  await shim.edit("keys", (keys) => void keys.delete(["generation https://s.test/mcp#ada"]));
  server.version = 2;
  assert.deepEqual(await (await Page.open(server)).list(), ["v2 of all"]);
  const { sealed, n } = (await rows(shim))[0]!;
  // Rows of a shape and of names that this build does not write, and one that does not open.
  await shim.edit("log", (log) => {
    log.put({ server: "results https://s.test/mcp#ada", call: "tools", epoch: "later", n: 7, value: "of a newer build" });
    log.put({ server: "results https://s.test/mcp#ada", call: "skills", epoch: "later", n: [1, 2, 3, 4], sealed });
    log.put({ server: "results https://u.test/mcp#eve", call: "tools", epoch: "x", n, sealed: new Uint8Array(9) });
  });
  assert.ok((await (await Page.open(server)).store!.usage()).bytes > 0);
  assert.deepEqual(await (await Page.open(server, { key: "https://u.test/mcp#eve" })).list(), ["v2 of all"]);
  const later = await Page.open(server, { key: "https://w.test/mcp#ada" });
  const write = later.store!.results!.put.bind(later.store!.results);
  later.store!.results!.put = (results) => write(results.map((one) => ({ ...one, bytes: bytes(new TextDecoder().decode(one.bytes).replace('"v":1', '"v":2')) })));
  await later.list();
  while ((await rows(shim)).every(({ server }) => !server.includes("w.test"))) await tick();
  server.version = 3;
  assert.deepEqual(await (await Page.open(server, { key: "https://w.test/mcp#ada" })).list(), ["v3 of all"], "a row of a newer build is not read");
});

test("Fault 721: a stored list that does not open is told, and asked for again", { timeout: 60_000 }, async () => {
  const [shim, server] = [new Shim(), new Server()];
  await (await Page.open(server)).list();
  await stored(shim, 1);
  const [row] = await rows(shim);
  await shim.edit("log", (log) => void log.put({ ...row, sealed: row!.sealed.map((byte, at) => (at === 20 ? byte ^ 1 : byte)) }));
  server.version = 2;
  const page = await Page.open(server);
  const told: string[] = [];
  page.client.on("integrity", ({ what, cause }) => told.push(`${what}: ${cause}`));
  assert.deepEqual(await page.list(), ["v2 of all"]);
  assert.deepEqual(told, ["quarantined_record: what is stored of tools/list does not open: it is asked for"]);
});
