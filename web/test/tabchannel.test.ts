import assert from "node:assert/strict";
import { test } from "node:test";
import { EVENT } from "../src/base/border.js";
import { memoryStore, openStore } from "../src/storage/storage.js";
import { Channel, type Message } from "../src/tabs/channel.js";
import { forgetStored } from "../src/tabs/forget.js";
import { Journal } from "../src/tabs/journal.js";
import { Unheard } from "../src/tabs/unheard.js";
import { random } from "./chance.js";
import { settled } from "./ready.js";
import { all, head } from "./storecontract.js";
import { full, Shim, until, withGlobal } from "./storeshim.js";

/** What a channel takes of what another script of the origin says there. */
async function taken(said: readonly unknown[]): Promise<Message[]> {
  let port!: { onmessage: (event: { data: unknown }) => void };
  class Fake {
    constructor() {
      port = this as unknown as typeof port;
    }
    close(): void {}
  }
  const heard: Message[] = [];
  await withGlobal("BroadcastChannel", { value: Fake, writable: true }, async () => {
    const channel = new Channel("s", "mine", (_, message) => heard.push(message));
    for (const data of said) port.onmessage({ data });
    channel.close();
  });
  return heard;
}

const GOOD: Message[] = [
  { kind: "hello" },
  { kind: "here", to: "mine" },
  { kind: "stored", ops: new Uint8Array(3) },
  { kind: "session" },
  { kind: "taken", call: 1, epoch: 2, sealed: 3, ops: new Uint8Array(0) },
  { kind: "released", call: 1 },
  { kind: "frozen" },
  { kind: "cancel", call: 1, reason: "" },
  { kind: "forward", text: "{}" },
  { kind: "settled", to: "mine", request: 1, outcome: 0, text: "" },
  { kind: "said", event: EVENT.log, position: 0, text: `{"level":"info"}` },
  { kind: "wiped", generation: "g" },
  { kind: "ping", to: "mine" },
];

test("Fault 733: what pages tell each other is taken, and nothing else that is said on their channel", async () => {
  assert.deepEqual(await taken(GOOD.map((message) => ({ from: "x", message }))), GOOD);
  const bad: unknown[] = [
    undefined,
    null,
    7,
    "",
    [],
    {},
    { from: "x" },
    { from: "x", message: null },
    { from: "x", message: "hello" },
    { message: { kind: "hello" } },
    { from: 7, message: { kind: "hello" } },
    { from: "mine", message: { kind: "hello" } },
  ];
  const messages: unknown[] = [
    { kind: "constructor" },
    { kind: ["hello"] },
    { kind: "stored", ops: null },
    { kind: "stored", ops: [1] },
    { kind: "stored" },
    { kind: "taken", call: "1", epoch: 2, sealed: 3, ops: new Uint8Array(0) },
    { kind: "taken", call: 1, epoch: 2, sealed: 3 },
    { kind: "released", call: -1 },
    { kind: "cancel", call: NaN, reason: "" },
    { kind: "cancel", call: 1, reason: {} },
    { kind: "forward", text: "}" },
    { kind: "forward", text: "null" },
    { kind: "said", event: EVENT.log, position: 0, text: "x" },
    { kind: "said", event: EVENT.durability, position: 0, text: `{"durability":"memory","why":"closed"}` },
    { kind: "settled", to: "mine", request: 1.5, outcome: 0, text: "" },
    { kind: "here" },
    { kind: "wiped" },
    { kind: "wiped", generation: null },
    { kind: "ping", to: 7 },
  ];
  assert.deepEqual(await taken([...bad, ...messages.map((message) => ({ from: "x", message }))]), []);
});

test("Fault 733: whatever a script says on the channel at random, no tab throws", async () => {
  const seed = Number(
    (globalThis as { process?: { env: Record<string, string> } }).process?.env.HOLDFAST_SEED ??
      Math.floor(Math.random() * 2 ** 32),
  );
  const next = random(seed);
  const values: unknown[] = [
    undefined,
    null,
    0,
    1,
    -1,
    2 ** 53,
    NaN,
    "",
    "x",
    "{}",
    "null",
    [],
    {},
    true,
    7n,
    new Uint8Array(5),
    new ArrayBuffer(2),
    EVENT.log,
    EVENT.durability,
  ];
  const any = (): unknown => values[next(values.length)];
  const said = Array.from({ length: 20_000 }, () => {
    const message: Record<string, unknown> = { ...GOOD[next(GOOD.length)] };
    for (const member of [...Object.keys(message), "ops", "call", "text"])
      if (next(4) === 0) message[member] = any();
    return next(10) === 0
      ? any()
      : { from: next(5) === 0 ? any() : "x", message: next(10) === 0 ? any() : message };
  });
  const heard =
    await taken(said).catch((error: unknown) => assert.ok(false, `seed ${seed}: ${String(error)}`));
  assert.ok(heard!.length > 0 && heard!.length < said.length, `seed ${seed}: ${heard!.length}`);
});

test("Fault 733: a logout that was none ends nothing, however often it is said; one that was ends the tab", () => withGlobal("addEventListener", { value: () => {}, writable: true }, async () => {
  const shim = new Shim();
  const { journal } = await Journal.open("s", false);
  let looks = 0;
  shim.spoil((tx) => (looks += Number([...tx.objectStoreNames].join() === "keys")));
  const elsewhere = await openStore({ server: "s", tab: "other" });
  await elsewhere.load(all);
  await elsewhere.commit([head(1)], false);
  const { generation } = elsewhere;
  elsewhere.close();
  const say = (said: string): void => journal.receive("x", { kind: "wiped", generation: said });
  journal.attach(
    {
      wire: { runtime: new Proxy({}, { get: () => () => undefined }), handle: 1 } as never,
      streams: { rest: () => {} },
      reconnecting: () => false,
      connected: () => new Promise<void>(() => {}),
      said: () => {},
    },
    false,
  );
  await settled();
  for (let n = 0; n < 10_000; n++) for (const said of ["", generation, "another"]) say(said);
  await until(() => looks > 0);
  await settled();
  assert.equal(journal.forgotten, false);
  assert.ok(looks <= 4, `it looked ${looks} times`);
  await forgetStored("s");
  say(generation);
  await until(() => journal.forgotten);
  journal.close();
}));

test("Fault 733: a store in memory ends where that on the disk has ended, and not because somebody says so", async () => {
  const shim = new Shim();
  const memory = memoryStore({ server: "s", tab: "m" });
  assert.equal(await memory.isForgotten("x"), false, "there is no database");
  const disk = await openStore({ server: "s", tab: "a" });
  await disk.load(all);
  for (const said of ["", "x", disk.generation])
    assert.equal(await memory.isForgotten(said), false, `${said}`);
  const ended = await disk.forget();
  assert.equal(await memory.isForgotten(ended), true);
  const empty = full(shim);
  try {
    assert.equal(await memory.isForgotten(""), true, "there was no room to open one");
  } finally {
    empty();
    memory.close();
  }
});

test("Fault 733: what a page that sleeps keeps of a script that goes on and on is bounded", () => {
  const unheard = new Unheard();
  for (let n = 0; n < 200_000; n++)
    unheard.add("x", { kind: "cancel", call: n, reason: "x".repeat(n % 100) });
  for (let n = 0; n < 100; n++) unheard.add("x", { kind: "cancel", call: n, reason: "x".repeat(1 << 20) });
  assert.ok(unheard.take().messages.length <= 1 << 18);
  unheard.add("x", { kind: "frozen" });
  assert.equal(unheard.take().messages.length, 1);
});
