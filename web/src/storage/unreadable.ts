// Unreadable records of a store whose user is present: damaged ones, and calls that another build has
// written. They stay for a build that can read them (fault 70), and go 30 days after their last write. They
// do not show that time, so a note has the time of the find and their size: records that grow are still
// written.

import { timeOf } from "./generation.js";
import { below, isBesideHeads } from "./ranges.js";
import { isAck, isHead, isLog } from "./rows.js";
import type { SweepUse } from "./store.js";
import { type Then, transact } from "./transaction.js";

/** The note of the unreadable records, in `keys`. */
interface Notes {
  name: string;
  /** By the calls, as JSON: how many records, and when so many were found first, in ms since 1970. */
  calls: Map<string, { records: number; at: number }>;
}

/** The time, as a sweep has it. */
interface Ages {
  latest: number;
  confirmed: boolean;
  isOver(at: number): boolean;
}

/** Records that one request reads. */
const BATCH = 64;

/** The name under which `keys` has the note about a server. */
export function notesName(server: string): string {
  return `unreadable ${server}`;
}

/**
 * The records of a call that cannot be read, by object store; all that there are of it, where it cannot be
 * read as a whole.
 */
interface Found {
  calls: IDBValidKey[];
  log: IDBValidKey[];
}

type Records = { call: IDBValidKey; epoch: IDBValidKey; n: IDBValidKey }[];

/**
 * Deletes of a server what cannot be read, and was found so long ago that it is over; notes the rest as found
 * now, where the time is confirmed.
 */
export async function sweepUnreadable(
  db: IDBDatabase, server: string, use: SweepUse, { latest, confirmed, isOver }: Ages,
): Promise<void> {
  const found = await find(db, server, use);
  const name = notesName(server);
  await transact(db, { stores: ["keys", "calls", "log"], mode: "readwrite" }, (tx, then) => {
    const keys = tx.objectStore("keys");
    then(keys.get([name]), (before: Partial<Notes> | undefined) => {
      const noted =
        before?.calls instanceof Map ? before.calls : new Map<string, { records: number; at: number }>();
      const calls: Notes["calls"] = new Map();
      for (const [call, { calls: heads, log }] of found) {
        const records = heads.length + log.length;
        const note = noted.get(call);
        const at = note?.records === records ? timeOf(note) : undefined;
        if (at === undefined || at > latest) {
          if (confirmed) calls.set(call, { records, at: latest });
          else if (at !== undefined) calls.set(call, { records, at });
        } else if (!isOver(at)) {
          calls.set(call, { records, at });
        } else {
          for (const key of heads) tx.objectStore("calls").delete(key);
          for (const key of log) tx.objectStore("log").delete(key);
        }
      }
      if (calls.size > 0) keys.put({ name, calls } satisfies Notes);
      else if (before) keys.delete([name]);
    });
    return () => undefined;
  });
}

/** Finds the unreadable records: their keys, by the calls as JSON. */
function find(db: IDBDatabase, server: string, use: SweepUse): Promise<Map<string, Found>> {
  return transact(db, { stores: ["calls", "log"], mode: "readonly" }, (tx, then) => {
    const found = new Map<string, Found>();
    const readable = new Set<IDBValidKey>();
    const add = (store: keyof Found, call: IDBValidKey, key: IDBValidKey): void => {
      const name = JSON.stringify(call);
      if (!found.has(name)) found.set(name, { calls: [], log: [] });
      found.get(name)![store].push(key);
    };
    const heads = (records: Records): void => {
      for (const head of records) {
        if (isHead(head) && use.reads(head.call)) readable.add(head.call);
        else if (!isBesideHeads(head.call)) add("calls", head.call, [server, head.call]);
      }
    };
    const log = (records: Records): void => {
      for (const row of records) {
        if (readable.has(row.call) && (isLog(row) || isAck(row))) continue;
        add("log", row.call, [server, row.call, row.epoch, row.n]);
      }
    };
    // A call that another page adds meanwhile is either not there, or as a whole.
    inBatches(tx.objectStore("calls"), then, below(server), heads, ({ call }) => [server, call], () => {
      inBatches(
        tx.objectStore("log"),
        then,
        below(server),
        log,
        ({ call, epoch, n }) => [server, call, epoch, n],
        () => undefined,
      );
    });
    return () => found;
  });
}

/** Reads a range, a number of records at a time: a large store is never in memory as a whole. */
function inBatches(
  store: IDBObjectStore,
  then: Then,
  range: IDBKeyRange,
  each: (records: Records) => void,
  keyOf: (record: Records[number]) => IDBValidKey,
  next: () => void,
): void {
  then(store.getAll(range, BATCH), (records: Records) => {
    each(records);
    const last = records.at(-1);
    if (!last || records.length < BATCH) next();
    else inBatches(store, then, IDBKeyRange.bound(keyOf(last), range.upper, true), each, keyOf, next);
  });
}
