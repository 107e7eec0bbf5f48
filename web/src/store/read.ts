// The transactions that read. Each returns records; what is sealed in them is
// opened afterwards, since no cipher may be waited for in a transaction.

import { count, type Found, foundCall, type Loading, loading, taking } from "./journal.js";
import { isServer, type ServerRecord } from "./rows.js";
import type { Usage } from "./store.js";
import { transact } from "./transaction.js";

/** Records that one request of usage reads: a large store is never in memory as a whole. */
const BATCH = 64;

/** Reads all of a server, and takes over what `isGone` says. See Store.load. */
export function readAll(db: IDBDatabase, server: string, tab: string, isGone: (owner: string) => boolean): Promise<Loading> {
  // Strict: with an id epoch that a power cut takes back, the next load would
  // send ids that the server has seen.
  const scope = { stores: ["ids", "servers", "calls", "log"], mode: "readwrite", strict: true } as const;
  return transact(db, scope, (tx, then) => {
    let done: Loading;
    const records = { ids: undefined as unknown, server: undefined as unknown, heads: [] as unknown[], rows: [] as unknown[] };
    then(tx.objectStore("ids").get([server]), (found) => (records.ids = found));
    then(tx.objectStore("servers").get([server]), (found) => (records.server = found));
    then(tx.objectStore("calls").getAll(below(server)), (found) => (records.heads = found));
    then(tx.objectStore("log").getAll(below(server)), (found) => {
      records.rows = found;
      done = loading(records, tab, isGone);
      tx.objectStore("ids").put({ server, last: done.idEpoch });
      for (const head of done.taken) tx.objectStore("calls").put(head);
      for (const call of done.orphans) tx.objectStore("log").delete(below(server, call));
      tx.commit();
    });
    return () => done;
  });
}

/** Takes one call over. Its scope has the log, so that no row is added between its reading and its seal. */
export function takeCall(
  db: IDBDatabase,
  server: string,
  call: number,
  epoch: number,
  tab: string,
  again: boolean,
): Promise<Found | null> {
  return transact(db, { stores: ["calls", "log"], mode: "readwrite" }, (tx, then) => {
    let taken: Found | null = null;
    then(tx.objectStore("calls").get([server, call]), (head) => {
      then(tx.objectStore("log").getAll(below(server, call)), (rows) => {
        taken = taking(head, rows, epoch, tab, again);
        if (taken) tx.objectStore("calls").put(taken.head);
        tx.commit();
      });
    });
    return () => taken;
  });
}

/** Reads one call. */
export function readCall(db: IDBDatabase, server: string, call: number): Promise<Found | null> {
  return transact(db, { stores: ["calls", "log"], mode: "readonly" }, (tx, then) => {
    let head: unknown;
    let found: Found | null = null;
    then(tx.objectStore("calls").get([server, call]), (record) => (head = record));
    then(tx.objectStore("log").getAll(below(server, call)), (rows) => (found = foundCall(head, rows)));
    tx.commit(); // it must not wait for callbacks: the page may be frozen, and then it would hold up those that write
    return () => found;
  });
}

/** Reads the server's row. */
export function readServer(db: IDBDatabase, server: string): Promise<ServerRecord | null> {
  return transact(db, { stores: ["servers"], mode: "readonly" }, (tx, then) => {
    let row: ServerRecord | null = null;
    then(tx.objectStore("servers").get([server]), (found) => (row = isServer(found) ? found : null));
    tx.commit();
    return () => row;
  });
}

/** Adds all records of a server to `usage`. */
export function countAll(db: IDBDatabase, server: string, usage: Usage): Promise<void> {
  return transact(db, { stores: ["servers", "calls", "log"], mode: "readonly" }, (tx, then) => {
    then(tx.objectStore("servers").getAll([server]), (found) => count(usage, "server", found));
    const next = (name: "calls" | "log", range: IDBKeyRange): void => {
      then(tx.objectStore(name).getAll(range, BATCH), (records: { call: number; epoch: number; n: number }[]) => {
        count(usage, name === "log" ? "log" : "head", records);
        const last = records.at(-1);
        if (!last || records.length < BATCH) return;
        const key = name === "log" ? [server, last.call, last.epoch, last.n] : [server, last.call];
        next(name, IDBKeyRange.bound(key, range.upper, true));
      });
    };
    next("calls", below(server));
    next("log", below(server));
    return () => undefined;
  });
}

/** All keys that begin with `prefix` and go on: an array sorts behind every number and text. */
export function below(...prefix: (string | number)[]): IDBKeyRange {
  return IDBKeyRange.bound(prefix, [...prefix, []]);
}
