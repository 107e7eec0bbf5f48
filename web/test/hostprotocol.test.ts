import assert from "node:assert/strict";
import { test } from "node:test";
import { EventQueue, Gap } from "../src/base/eventqueue.js";
import { Backlog } from "../src/base/backlog.js";
import { HoldfastError } from "../src/base/errors.js";
import { decodeEvent, type RawEvent } from "../src/client/events.js";
import { Credits, Taken } from "../src/host/wire/credits.js";
import { AppError, errorData, errorFrom, holdfastErrorFrom } from "../src/host/wire/errordata.js";
import { eachEvent, EventBatch } from "../src/host/wire/eventbatch.js";
import {
  checked, FROM_HOST, FROM_PAGE, type HostMessage, type PageMessage,
} from "../src/host/wire/protocol.js";

test("A message of a port is taken where each member is what it has to be, and is nothing else", () => {
  const good: PageMessage[] = [
    { t: "hello", build: "b", lock: "", outlives: true },
    { t: "ack", ask: 2, call: 4, position: 0 },
    { t: "reply", question: 1 },
    { t: "reply", question: 1, value: null },
    { t: "away", cached: true },
    {
      t: "auth", client: 2, url: "u", principal: "", how: {}, file: "f", window: "", seen: true, back: false,
    },
    {
      t: "auth", client: 2, url: "u", principal: "", how: {}, file: "f", window: "", seen: true, back: true,
      answer: { state: "s", code: "c" },
    },
    {
      t: "connect", client: 4, url: "u", options: {}, handlers: [], token: false, auth: 2, again: false,
      ifKeys: false,
    },
  ];
  for (const message of good) assert.equal(checked<PageMessage>(FROM_PAGE, message), message);
  const bad: unknown[] = [
    undefined,
    null,
    7,
    "hello",
    [],
    {},
    { t: "constructor" },
    { t: "__proto__" },
    { t: ["away"], call: 1 },
    { t: "hello", build: "b" },
    { t: "ack", ask: 2, call: -4, position: 0 },
    { t: "ack", ask: 2, call: 4, position: NaN },
    { t: "ack", ask: "2", call: 4, position: 0 },
    { t: "pause", call: 4, on: "yes" },
    { t: "make", client: 2, call: 4, op: "x", method: "callTool", args: [], options: {} },
    { t: "reply", question: 1, error: "no" },
    { t: "settle", call: 4, outcome: 1, text: "{}" },
    {
      t: "auth", client: 2, url: "u", principal: "", how: {}, file: "f", window: "", seen: true, back: false,
      answer: "code",
    },
    {
      t: "connect", client: 4, url: "u", options: {}, handlers: [], token: false, auth: -2, again: false,
      ifKeys: false,
    },
    { t: "seen", client: 2 },
  ];
  for (const message of bad)
    assert.equal(checked<PageMessage>(FROM_PAGE, message), undefined, JSON.stringify(message));
  assert.equal(
    checked<HostMessage>(FROM_HOST, { t: "events", heads: new Uint8Array(4), texts: [] }), undefined,
  );
  for (const texts of ["", undefined, [1], ["[]", null]]) {
    assert.equal(
      checked<HostMessage>(FROM_HOST, { t: "events", heads: new Uint32Array(4), texts } as never), undefined,
      JSON.stringify(texts),
    );
  }
});

/**
 * So many events: of several calls, some with a text of all planes, some with none, and one in 50 that fills
 * a string by itself.
 */
function manyEvents(count: number): (
  readonly [call: number, kind: number, position: number, text: string, stream: number]
)[] {
  return Array.from({ length: count }, (_, at) => {
    const n = at + 1;
    const message = n % 50 === 0 ? "x".repeat(70_000) : n % 7 === 0 ? "\u00fc\u{1f600}" : "x".repeat(n % 400);
    return [
      2 * (n % 3), n % 9, n, n % 5 === 1 ? "" : `{"progress":${n},"message":"${message}"}`, n % 4,
    ] as const;
  });
}

test("Events cross in one message, in their order, whatever their texts are; what is not whole ends it", () => {
  for (const count of [0, 1, 2, 49, 50, 51, 700]) {
    const batch = new EventBatch();
    const sent = manyEvents(count);
    for (const event of sent) batch.add(...event);
    const { heads, texts } = batch.take();
    assert.equal(batch.isEmpty, true);
    assert.ok(texts.every((piece) => piece.length < 140_000), `${texts.map((piece) => piece.length)}`);
    const got: unknown[][] = [];
    eachEvent(heads, texts, (...event) => got.push(event.slice(0, 5)));
    assert.deepEqual(got, sent.map((event) => [...event]));
    for (let piece = 0; piece < texts.length; piece++) {
      const before: unknown[] = [];
      eachEvent(heads, texts.slice(0, piece), (_, __, position) => before.push(position));
      const broken: unknown[] = [];
      eachEvent(
        heads, texts.map((whole, at) => (at === piece ? whole.slice(0, 1) : whole)),
        (_, __, position) => broken.push(position),
      );
      assert.deepEqual(broken, before, "nothing of a string that is not whole, and nothing behind it");
      assert.deepEqual(before, sent.slice(0, before.length).map(([, , position]) => position));
    }
    eachEvent(heads.slice(0, 3), texts, () => assert.ok(false, "no whole numbers"));
    const again = new EventBatch();
    again.addAll({ heads, texts }, (call) => call === 2);
    const left = again.take();
    got.length = 0;
    eachEvent(left.heads, left.texts, (...event) => got.push(event.slice(0, 5)));
    assert.deepEqual(got, sent.filter(([call]) => call === 2).map((event) => [...event]));
  }
});

test("Events of one message are parsed together; where one is no JSON it fails alone", () => {
  const parsed = (...given: string[]): unknown[] => {
    const batch = new EventBatch();
    for (const [n, text] of given.entries()) batch.add(2, 1, n + 1, text, 0);
    const { heads, texts } = batch.take();
    const raws: RawEvent[] = [];
    eachEvent(
      heads, texts,
      (_, kind, position, text, __, together, at) => raws.push({ kind, position, text, texts: together, at }),
    );
    return raws.reverse().map((raw) => {
      try {
        return (decodeEvent(raw) as { progress?: unknown }).progress;
      } catch (error) {
        return (error as Error).name;
      }
    });
  };
  const one = (n: number): string => `{"progress":${n}}`;
  assert.deepEqual(parsed(one(1), one(2), one(3)), [3, 2, 1]);
  assert.deepEqual(parsed(one(1), "{", one(3)), [3, "SyntaxError", 1]);
  assert.deepEqual(parsed(one(1), "", one(3)), [3, "SyntaxError", 1]);
  assert.deepEqual(parsed(one(1), `${one(7)},${one(8)}`, one(3)), [3, "SyntaxError", 1]);
  assert.deepEqual(parsed(), []);
  const many = Array.from({ length: 5_000 }, (_, n) => one(n).padEnd(40));
  assert.deepEqual(parsed(...many), many.map((_, n) => n).reverse());
});

test("Events of one string are parsed together also where the first is read before the next is handed out", () => {
  const batch = new EventBatch();
  for (let n = 0; n < 3_000; n++)
    batch.add(2, 1, n + 1, `{"progress":${n},"message":"${"x".repeat(40)}"}`, 0);
  const { heads, texts } = batch.take();
  assert.ok(texts.length > 2, `${texts.length} strings`);
  const { parse } = JSON;
  let parses = 0;
  JSON.parse = (...all) => (parses++, parse(...all));
  try {
    const got: unknown[] = [];
    eachEvent(
      heads, texts,
      (_, kind, position, text, __, together, at) => got.push(
        (decodeEvent({ kind, position, text, texts: together, at }) as { progress?: unknown }).progress,
      ),
    );
    assert.deepEqual(got, got.map((_, n) => n));
    assert.equal(got.length, 3_000);
  } finally {
    JSON.parse = parse;
  }
  assert.equal(parses, texts.length);
});

test("A page that takes nothing is sent no more than its credit, and what it says more than it got gives it none", () => {
  const credits = new Credits();
  credits.add(1 << 30);
  let sent = 0;
  while (credits.any) {
    credits.spend(1 << 20);
    sent += 1 << 20;
  }
  assert.equal(sent, 8 << 20);
  assert.equal(credits.add(1), true);
  assert.equal(credits.add(1), false, "it could go on before");
});

test("What a page takes it says where it is much, and never so late that its host waits", () => {
  const said: number[] = [];
  const taken = new Taken((bytes) => said.push(bytes));
  taken.add(10);
  taken.add(20);
  assert.deepEqual(said, []);
  taken.add(2 << 20);
  assert.deepEqual(said, [30 + (2 << 20)]);
  // All that was sent has been taken: what is not said of it leaves the host something to send.
  const credits = new Credits();
  let sent = 0;
  const page = new Taken((bytes) => credits.add(bytes));
  for (; credits.any; sent += 700_000) credits.spend(700_000);
  for (let bytes = 700_000; bytes <= sent; bytes += 700_000) page.add(700_000);
  assert.equal(credits.any, true);
});

test("An error crosses with all that it has; what the app threw is the app's own again", () => {
  const thrown = new RangeError("mine");
  const error = new HoldfastError({
    code: "unauthorized", op: "token", message: "it rejected", status: 401, retryable: true, hint: "h",
    rpc: { code: 1, message: "m" },
    cause: new AppError({ code: "", name: "RangeError", message: "mine", question: 7 }),
  });
  const data = structuredClone(errorData(error));
  const back = errorFrom(data, (question) => (question === 7 ? thrown : undefined)) as HoldfastError;
  assert.ok(back instanceof HoldfastError);
  assert.deepEqual(back.toJSON(), error.toJSON());
  assert.equal(back.cause, thrown);
  assert.equal(((errorFrom(data) as HoldfastError).cause as Error).name, "RangeError");
  assert.equal(holdfastErrorFrom(errorData(new TypeError("slip")), "x").code, "runtime_exited");
  assert.equal(errorData("text").message, "text");
});

test("A reader gets events that did not come from the store, between those that did", async () => {
  const queue = new EventQueue<number, number>({
    backlog: new Backlog(10),
    decode: (n) => n,
    gaps: {
      positionOf: (n) => n,
      isStored: () => true,
      stored: () => true,
      refill: async function* ({ from, to }) {
        for (let n = from; n <= to; n++) yield n;
      },
    },
  });
  const gap = (from: number, to: number): Gap => Object.assign(new Gap(), {
    events: to - from + 1, from, to,
  });
  const first = queue.read();
  const waits = first.next();
  queue.skipped(gap(1, 2)); // where a reader waits
  queue.push(3, 8);
  const second = queue.read();
  queue.skipped(gap(4, 6));
  queue.push(7, 8);
  queue.end(undefined);
  const seen = [(await waits).value];
  for await (const n of first) seen.push(n);
  assert.deepEqual(seen, [1, 2, 3, 4, 5, 6, 7]);
  const others: number[] = [];
  for await (const n of second) others.push(n);
  assert.deepEqual(others, [4, 5, 6, 7]);
});
