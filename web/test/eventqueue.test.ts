import assert from "node:assert/strict";
import { test } from "node:test";
import { HoldfastError } from "../src/errors.js";
import { EventQueue } from "../src/eventqueue.js";
import { type CallEvent, decodeEvent, type RawEvent } from "../src/events.js";

const PROGRESS = 1;

function queue(limit = 100_000): { events: EventQueue<RawEvent, CallEvent>; push: (n: number) => void; pauses: boolean[] } {
  const pauses: boolean[] = [];
  const events = new EventQueue<RawEvent, CallEvent>({
    limit,
    decode: ({ kind, position, text }) => decodeEvent(kind, position, text),
    pause: (paused) => pauses.push(paused),
  });
  return { events, pauses, push: (position) => events.push({ kind: PROGRESS, position, text: `{"progress":${position}}` }) };
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
