import assert from "node:assert/strict";
import { test } from "node:test";
import { Backlog, bytesOf } from "../src/base/backlog.js";
import { Call } from "../src/client/call.js";
import { HoldfastError } from "../src/base/errors.js";
import { EventQueue } from "../src/base/eventqueue.js";
import { type CallEvent, decodeEvent, type RawEvent } from "../src/client/events.js";

const PROGRESS = 1;

function queue(limit = 0, bytes = 0): {
  events: EventQueue<RawEvent, CallEvent>;
  push: (n: number) => void;
  pauses: boolean[]
} {
  const pauses: boolean[] = [];
  const events = new EventQueue<RawEvent, CallEvent>({
    backlog: new Backlog(limit, bytes),
    decode: decodeEvent,
    pause: (paused) => pauses.push(paused),
  });
  return {
    events, pauses,
    push: (position) => events.push({ kind: PROGRESS, position, text: `{"progress":${position}}` }, 100),
  };
}

function progress(event: CallEvent): number {
  return event.type === "progress" ? event.progress : -1;
}

test("the first reader gets what came before it, a later one what comes after", async () => {
  const { events, push } = queue();
  push(1);
  const first = events.read();
  push(2);
  const second = events.read();
  push(3);
  events.end(undefined);
  const got: number[][] = [[], []];
  for await (const event of first) got[0]!.push(progress(event));
  for await (const event of second) got[1]!.push(progress(event));
  assert.deepEqual(got, [[1, 2, 3], [3]]);
});

test("Fault 710: where an app lets few events wait its stream is held up in time, and it gets them all", async () => {
  for (const limit of [1, 10, 300]) {
    const { events, push, pauses } = queue(limit);
    const reader = events.read();
    let read = 0;
    const next = async (): Promise<void> => {
      assert.equal(progress((await reader.next()).value as CallEvent), ++read);
    };
    let sent = 0;
    push(++sent);
    await next();
    for (let round = 0; round < 10; round++) {
      while (pauses.at(-1) !== true) push(++sent);
      assert.ok(sent - read <= limit, `${sent - read} of ${limit} wait`);
      while (pauses.at(-1) === true) await next();
    }
  }
});

test("a loop that waits gets events as they come, and the error at the end", async () => {
  const { events, push } = queue();
  const reader = events.read();
  const one = reader.next();
  const two = reader.next();
  push(1);
  push(2);
  assert.equal(progress((await one).value as CallEvent), 1);
  assert.equal(progress((await two).value as CallEvent), 2);
  const last = reader.next();
  const error = new HoldfastError({ code: "lost", message: "x" });
  events.end(error);
  await assert.rejects(last, (e) => e === error);
  assert.equal((await reader.next()).done, true);
});

test("TestFault50_SlowReaderPausesItsStreamAndLosesNothing", async () => {
  const { events, push, pauses } = queue();
  const reader = events.read();
  const total = 10_000;
  let sent = 0;
  // The stream: it sends for as long as it is read.
  while (pauses.at(-1) !== true && sent < total) push(++sent);
  assert.ok(sent < total, "the reader was never too slow");
  assert.ok(sent < 5_000, `${sent} events waited before the stream was paused`);
  for (let n = 1; n <= total; n++) {
    assert.equal(progress((await reader.next()).value as CallEvent), n);
    while (pauses.at(-1) === false && sent < total) push(++sent);
  }
  assert.ok(pauses.length >= 2, "it was never let go on");
});

test("TestFault50_CallThatNobodyReadsIsNeverPaused", async () => {
  const { events, push, pauses } = queue(6_000);
  for (let n = 1; n <= 7_000; n++) push(n);
  assert.deepEqual(pauses, []);
  events.end(undefined);
  let n = 0;
  await assert.rejects(
    (async () => {
      for await (const event of events.read()) assert.equal(progress(event), ++n);
    })(),
    (e) => e instanceof HoldfastError && e.code === "limit_exceeded" && e.message.includes("1000 events"),
  );
  assert.equal(n, 6_000);
});

test("a reader that left does not hold anybody up", async () => {
  const { events, push, pauses } = queue();
  for await (const _ of (push(1), events.read())) break;
  for (let n = 0; n < 10_000; n++) push(n);
  assert.deepEqual(pauses, []);
});

const MiB = 1 << 20;
const raw = (position: number, text = "{}"): RawEvent => ({ kind: PROGRESS, position, text });

test("Fault 140: what waits for readers is bounded in bytes, for each and for all of a client", async () => {
  const backlog = new Backlog(0, 8 * MiB, 20 * MiB);
  const queues = [0, 1, 2, 3].map(
    () => new EventQueue<RawEvent, number>({ backlog, decode: ({ position }) => position }),
  );
  for (const events of queues) for (let n = 1; n <= 1_500; n++) events.push(raw(n), MiB);
  assert.equal(backlog.held, 20 * MiB); // 8 of the first, 8 of the second, 4 of the third
  const had: number[] = [];
  for (const events of queues) {
    events.end(undefined);
    let n = 0;
    await assert.rejects(
      (async () => {
        for await (const position of events.read()) assert.equal(position, ++n);
      })(),
      (e) => e instanceof HoldfastError && e.code === "limit_exceeded" &&
        e.message.includes(`: ${1_500 - n} events`),
    );
    had.push(n);
  }
  assert.deepEqual(had, [8, 8, 4, 0]);
  assert.equal(backlog.held, 0);
  // One event is never too large for a reader that has none.
  queues[0]!.read();
  const one = new EventQueue<RawEvent, number>({ backlog, decode: ({ position }) => position });
  one.push(raw(1), 16 * MiB);
  one.end(undefined);
  const got: number[] = [];
  for await (const position of one.read()) got.push(position);
  assert.deepEqual(got, [1]);
});

test("Fault 140: a slow reader of large events holds up its own stream, and loses none", async () => {
  const backlog = new Backlog(0, 64 * MiB);
  const pauses: boolean[] = [];
  const events = new EventQueue<RawEvent, number>({
    backlog, decode: ({ position }) => position, pause: (paused) => pauses.push(paused),
  });
  const reader = events.read();
  let sent = 0;
  while (pauses.at(-1) !== true && sent < 100) events.push(raw(++sent), MiB);
  assert.equal(sent, 17);
  for (let n = 1; n <= 200; n++) {
    assert.equal((await reader.next()).value, n);
    while (pauses.at(-1) === false && sent < 200) events.push(raw(++sent), MiB);
  }
  assert.equal(backlog.held, 0);
});

test("Fault 140: a reader that leaves gives back what waited for it", () => {
  const backlog = new Backlog();
  const events = new EventQueue<RawEvent, number>({ backlog, decode: ({ position }) => position });
  events.push(raw(1), MiB);
  const [one, two] = [events.read(), events.read()];
  events.push(raw(2), MiB);
  assert.equal(backlog.held, 3 * MiB);
  void one.return?.();
  assert.equal(backlog.held, MiB);
  void two.return?.();
  assert.equal(backlog.held, 0);
});

test("Fault 140: the characters of a text are counted as JavaScript keeps them", () => {
  const overhead = bytesOf("");
  assert.equal(bytesOf("x".repeat(MiB)) - overhead, MiB);
  assert.equal(bytesOf("x".repeat(MiB) + "\u20ac") - overhead, 2 * (MiB + 1));
  assert.equal(bytesOf("x") - overhead, 2);
});

test("Fault 140: what waited for the reader of a call that nobody reads, or has any more, counts no more", async () => {
  const [{ setFlagsFromString }, { runInNewContext }] = await Promise.all(
    [import("node:v8" as string), import("node:vm" as string)],
  );
  setFlagsFromString("--expose-gc");
  const gc = runInNewContext("gc") as () => void;
  const backlog = new Backlog(0, 0, 20 * MiB);
  const queued = (): EventQueue<RawEvent, number> => {
    const events = new EventQueue<RawEvent, number>({ backlog, decode: ({ position }) => position });
    events.push(raw(1), MiB);
    events.end(undefined);
    return events;
  };
  const kept = queued();
  (() => {
    for (let n = 0; n < 18; n++) queued();
    new Call<unknown>("m", backlog, false, "{}", { createdAt: 1 }).replayed(1, new Uint8Array(64));
  })();
  assert.equal(backlog.held, 19 * MiB + 64);
  for (let tries = 0; backlog.held > MiB && tries < 100; tries++) {
    gc();
    await new Promise((resolve) => setTimeout(resolve, 0)); // it is told in a task of its own
  }
  assert.equal(backlog.held, MiB);
  assert.equal((await kept.read().next()).value, 1);
});

test("Fault 430: a reader that is there before it is known what its call has had gets all of it, from the store", async () => {
  const stored: RawEvent[] = [1, 2, 3].map(
    (position) => ({ kind: PROGRESS, position, text: `{"progress":${position}}` }),
  );
  const call = new Call("tools/call", new Backlog(0, 0));
  const reread = (_: number, gap: { from: number; to: number }): AsyncGenerator<RawEvent> =>
    (async function* () {
      yield* stored.slice(gap.from - 1, gap.to);
    })();
  call.bind(1, { reread, handed: () => {} } as never, undefined, true);
  const got: number[] = [];
  const read = (async () => {
    for await (const event of call) got.push(progress(event));
  })();
  call.from(3);
  call.settle(1, "{}");
  await read;
  assert.deepEqual(got, [1, 2, 3]);
});
