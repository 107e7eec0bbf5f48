import assert from "node:assert/strict";
import { test } from "node:test";
import { Backlog } from "../src/base/backlog.js";
import { EVENT } from "../src/base/border.js";
import { HoldfastError } from "../src/base/errors.js";
import { EventQueue, Gap } from "../src/base/eventqueue.js";
import { GAP, type RawEvent } from "../src/client/events.js";
import { missing, storedEvents, withoutGaps } from "../src/client/storedevents.js";
import { ready } from "./ready.js";
import type { LogRow } from "../src/storage/storage.js";

const KiB = 1 << 10;

/** A log whose rows have one event each, of the positions that a test lets be stored; what was told of it. */
class Log {
  readonly positions: number[] = [];
  /** Positions that the next commit stores. */
  readonly flying: number[] = [];
  missing = 0;
  reads = 0;

  constructor(...positions: number[]) {
    this.positions.push(...positions);
  }

  events(gap: Gap): AsyncGenerator<RawEvent> {
    return storedEvents(gap, {
      rows: async ({ n }, most) => {
        this.reads++;
        return this.positions.slice(n, n + most)
          .map((_, i): LogRow => ({ epoch: 1, n: n + i + 1, plain: new Uint8Array(8), secret: null }));
      },
      landed: async () => void this.positions.push(...this.flying.splice(0, 1)),
      replay: ({ n }, position) => {
        const last = this.positions[n - 1]!;
        assert.ok(last > position);
        return { last, events: last >= gap.from && last <= gap.to ? [event(last)] : [] };
      },
      missing: (events) => (this.missing += events),
    });
  }
}

const event = (position: number): RawEvent => ({ kind: EVENT.progress, position, text: "{}" });

/**
 * A queue of ten events whose readers get past them from a log; what comes of each event: its position, or
 * what is missing there.
 */
function queue(log: Log, kept = true): EventQueue<RawEvent, number | string> {
  return new EventQueue<RawEvent, number | string>({
    backlog: new Backlog(10),
    decode: ({ kind, position, text }) =>
      (kind === GAP ? text : kind === EVENT.status ? `status ${position}` : position),
    gaps: {
      positionOf: ({ position }) => position,
      isStored: ({ kind }) => kind !== EVENT.status,
      stored: () => kept,
      refill: (gap) => log.events(gap),
    },
  });
}

const upTo = (n: number, from = 1): number[] => Array.from({ length: n - from + 1 }, (_, i) => from + i);

async function all<T>(events: AsyncIterable<T>): Promise<T[]> {
  const got: T[] = [];
  for await (const one of events) got.push(one);
  return got;
}

test("Fault 168: a slow reader gets from the store what did not wait for it, in its place", async () => {
  const log = new Log();
  const events = queue(log);
  const push = (n: number): void => {
    log.positions.push(n);
    events.push(event(n), KiB);
  };
  for (let n = 1; n <= 100; n++) push(n);
  const got: (number | string)[] = [];
  let n = 100;
  for await (const one of events.read()) {
    got.push(one);
    for (let more = 0; more < 3 && n < 400; more++) push(++n); // faster than the reader
    if (n === 400) events.end(undefined);
  }
  assert.deepEqual(got, upTo(400));
  assert.equal(log.missing, 0);
});

test("Fault 168: what is not stored either is told where it is missing, and counted", async () => {
  // Of 100 events the first ten wait; the store has lost 21 to 30 and what came after 90.
  const log = new Log(...upTo(20), ...upTo(90, 31));
  const events = queue(log);
  for (const n of upTo(100)) events.push(event(n), KiB);
  events.push({ kind: EVENT.status, position: 100, text: "{}" }, KiB); // is never stored
  events.end(undefined);
  const gap = (events: number, from: number, to: number): string => JSON.stringify({ events, from, to });
  assert.deepEqual(
    await all(events.read()), [...upTo(20), gap(10, 21, 30), ...upTo(90, 31), gap(11, 91, 100)],
  );
  assert.equal(log.missing, 21);
  // Of a call that is not kept: nothing is dropped that has room again.
  const other = queue(new Log(), false);
  for (const n of upTo(20)) other.push(event(n), KiB);
  const reader = other.read();
  assert.equal((await reader.next()).value, 1);
  assert.equal((await reader.next()).value, 2);
  other.push(event(21), KiB);
  other.end(undefined);
  assert.deepEqual(await all(reader), [...upTo(10, 3), gap(10, 11, 20), 21]);
});

test("Fault 168: what is never stored is told to be missing, and nothing is read for it", async () => {
  const log = new Log(...upTo(12));
  const events = queue(log);
  for (const n of upTo(10)) events.push(event(n), KiB);
  for (const _ of upTo(3)) events.push({ kind: EVENT.status, position: 10, text: "{}" }, KiB);
  const reader = events.read();
  for (const n of upTo(10)) assert.equal((await reader.next()).value, n);
  assert.equal((await reader.next()).value, JSON.stringify({ events: 3, from: 11, to: 10 }));
  events.push(event(11), KiB);
  events.end(undefined);
  assert.deepEqual([await all(reader), log.reads, log.missing], [[11], 0, 3]);
  // Among others they say nothing of where those are.
  const gap = new Gap();
  gap.add(4, false);
  gap.add(5, true);
  gap.add(5, false);
  gap.add(6, true);
  gap.add(6, false);
  assert.deepEqual([gap.events, gap.from, gap.to], [5, 5, 6]);
});

test("Fault 168: what waits for its commit is waited for", async () => {
  const log = new Log(...upTo(12));
  log.flying.push(13, 14);
  const events = queue(log);
  for (const n of upTo(14)) events.push(event(n), KiB);
  events.end(undefined);
  assert.deepEqual(await all(events.read()), upTo(14));
});

test("Fault 168: a reader that waits behind a gap is woken, by the end as well", async () => {
  const log = new Log(...upTo(20));
  const events = queue(log);
  for (const n of upTo(20)) events.push(event(n), KiB);
  const reader = events.read();
  const asked = upTo(22).map(() => reader.next());
  const error = new HoldfastError({ code: "lost", message: "x" });
  assert.deepEqual(
    await Promise.all(asked.slice(0, 20)).then((all) => all.map(({ value }) => value)), upTo(20),
  );
  events.push(event(21), KiB);
  assert.equal((await asked[20]!).value, 21);
  events.end(error);
  await assert.rejects(asked[21]!, (e) => e === error);
  assert.equal((await reader.next()).done, true);
  // One that leaves in a gap is done.
  const other = queue(log);
  for (const n of upTo(20)) other.push(event(n), KiB);
  const leaver = other.read();
  for (const n of upTo(11)) assert.equal((await leaver.next()).value, n);
  const last = leaver.next();
  await leaver.return?.();
  assert.equal((await last).done, true);
});

test("Fault 168: of a log of small rows many are read at a time", async () => {
  const log = new Log(...upTo(2_000));
  const events = queue(log);
  for (const n of upTo(2_000)) events.push(event(n), KiB);
  events.end(undefined);
  assert.deepEqual(await all(events.read()), upTo(2_000));
  assert.ok(log.reads < 20, `${log.reads} reads`);
});

test("Fault 791: where nobody knows how many events there were, those behind the last row that is there are told to be missing", async () => {
  const gap = (to: number, from = 1): Gap => Object.assign(new Gap(), { from, to });
  const log = new Log(1, 2, 4, 5); // the third was a question, which is not told again
  const told = async (of: Gap): Promise<(number | string)[]> =>
    (await all(log.events(of))).map(({ kind, position, text }) => (kind === GAP ? text : position));
  assert.deepEqual([await told(gap(5)), log.missing], [[1, 2, 4, 5], 0]);
  assert.deepEqual([await told(gap(9)), log.missing], [[1, 2, 4, 5, `{"events":4,"from":6,"to":9}`], 4]);
  log.positions.length = 0; // the call is deleted
  assert.deepEqual(await told(gap(9, 3)), [`{"events":7,"from":3,"to":9}`]);
  assert.deepEqual(await told(gap(2, 3)), []);
  const late = new EventQueue<RawEvent, number | string>({
    backlog: new Backlog(10),
    decode: ({ kind, position, text }) => (kind === GAP ? text : position),
    gaps: { positionOf: ({ position }) => position, isStored: () => true, stored: () => true, refill: (of) => missing(of) },
  });
  late.skipped(gap(6));
  late.push(event(7), 1);
  late.end(undefined);
  assert.deepEqual(await all(late.read()), [`{"events":6,"from":1,"to":6}`, 7]);
});

test("Fault 548: a loop that is left in the middle of stored events leaves nothing that reads for it", async () => {
  let ended = 0;
  let gate: Promise<void> | undefined;
  const stored = async function* (): AsyncGenerator<RawEvent> {
    try {
      for (let n = 1; ; n++) {
        await gate;
        yield event(n);
      }
    } finally {
      ended++;
    }
  };
  const use = {
    positionOf: ({ position }: RawEvent) => position,
    isStored: () => true,
    stored: () => true,
    refill: () => withoutGaps(stored(), 9),
  };
  const left = async (leave: (reader: AsyncIterableIterator<number>) => Promise<void>): Promise<void> => {
    const events = new EventQueue<RawEvent, number>({
      backlog: new Backlog(10), decode: ({ position }) => position, gaps: use,
    });
    events.skipped(Object.assign(new Gap(), { events: 9, from: 1, to: 9 }));
    await leave(events.read());
    for (let n = 0; n < 3; n++) await ready();
  };
  await left(async (reader) => {
    for await (const n of reader) if (n === 3) break;
  });
  assert.equal(ended, 1);
  // While the store is being read.
  let open = (): void => {};
  gate = new Promise((resolve) => (open = resolve));
  await left(async (reader) => {
    const next = reader.next();
    await reader.return!();
    assert.deepEqual(await next, { done: true, value: undefined });
    open();
  });
  assert.equal(ended, 2);
});
