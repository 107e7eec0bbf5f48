// Events that a slow reader of a call does not have in memory any more, read again
// from the store: row after row, a bounded part at a time.

import type { Gap } from "../base/eventqueue.js";
import { GAP, type RawEvent } from "./events.js";
import type { LogRow, LogPlace } from "../storage/storage.js";

/** Rows that are read at first in one go: each may have over 1 MiB. */
const FEW = 4;
/** Rows that are read at most. */
const MANY = 256;
/** As long as so many bytes are read in one go, more rows are. */
const LITTLE = 256 << 10;

/** Before the first row of a log. */
const START: LogPlace = { epoch: 1, n: 0 };

/** The functions that a second reading of events uses. */
export interface StoredEventsUse {
  /** The next rows of the call's log; none where that is over. */
  rows(after: LogPlace, most: number): Promise<LogRow[]>;
  /** Resolves when the commit under way is over. */
  landed(): Promise<void>;
  /**
   * The events of a row that are in the gap, and the position of its last one; `position` is that of the last
   * one before it.
   */
  replay(row: LogRow, position: number): { last: number; events: RawEvent[] };
  /** So many events were reported as missing. */
  missing(events: number): void;
}

/**
 * The events of a gap in their order, and in the place of each that is not stored what says so; where nobody knows
 * how many there were, of those behind the last row that is there: the call may have been deleted. Never rejects.
 */
export async function* storedEvents(
  gap: Gap, use: StoredEventsUse,
): AsyncGenerator<RawEvent, void, undefined> {
  const isCounted = gap.events > 0;
  let left = gap.events;
  let next = gap.from;
  const read = (position: number): void => {
    if (!isCounted) next = Math.max(next, position + 1);
  };
  for await (const raw of rowsOf(gap, use, read)) {
    if (isCounted && raw.position > next) {
      yield gapEvent(raw.position - next, next, raw.position - 1, use);
      left -= raw.position - next;
    }
    yield raw;
    left--;
    next = Math.max(next, raw.position + 1);
  }
  if (!isCounted) left = gap.to + 1 - next;
  if (left > 0) yield gapEvent(left, next, gap.to, use);
}

/** The events of a gap of which nothing is stored. */
export async function* missing({ events, from, to }: Gap): AsyncGenerator<RawEvent, void, undefined> {
  const count = events || to + 1 - from;
  if (count > 0) yield gapEvent(count, from, to);
}

/**
 * The stored events up to `to`, without the gaps between them. The number of missing events is unknown there.
 * A gap that reaches `to` stays.
 */
export async function* withoutGaps(
  events: AsyncIterator<RawEvent>, to: number,
): AsyncGenerator<RawEvent, void, undefined> {
  for await (const raw of { [Symbol.asyncIterator]: () => events })
    if (raw.kind !== GAP || raw.position >= to) yield raw;
}

async function* rowsOf(
  gap: Gap, { rows, landed, replay }: StoredEventsUse, readUpTo: (position: number) => void,
): AsyncGenerator<RawEvent, void, undefined> {
  let after = START;
  let position = 0;
  let most = FEW;
  // Events that were just delivered may wait for their commit: for the one under way, and then for the next
  // one.
  for (let waits = 2; gap.from <= gap.to && position < gap.to; ) {
    const read = await rows(after, most);
    if (read.length === 0) {
      if (waits-- === 0) return;
      await landed();
      continue;
    }
    let bytes = 0;
    for (const row of read) {
      after = row;
      bytes += row.plain.length;
      let replayed: ReturnType<typeof replay>;
      try {
        replayed = replay(row, position);
      } catch {
        return; // the runtime has exited
      }
      position = replayed.last;
      yield* replayed.events;
      readUpTo(position);
    }
    most = bytes < LITTLE ? Math.min(4 * most, MANY) : FEW;
  }
}

function gapEvent(events: number, from: number, to: number, use?: StoredEventsUse): RawEvent {
  use?.missing(events);
  return { kind: GAP, position: to, text: JSON.stringify({ events, from, to }) };
}
