// The transactions that read. Each returns records; what is sealed in them is
// opened afterwards, since no cipher may be waited for in a transaction.

import type { KeyRecord } from "./callkeys.js";
import { heirsOf } from "./heirs.js";
import { count, type Found, foundCall, Gathering, type Loading, taking } from "./loading.js";
import { asWritten } from "./onecall.js";
import { below, besideHeads, headsOf, isBesideHeads } from "./ranges.js";
import { isHead, isServer, type LogRecord, nextIdEpoch, type ServerRecord, validRows } from "./rows.js";
import type { LogPlace, Usage } from "./store.js";
import { outcomeOf, placeOf, type Tombstone } from "./calltombstones.js";
import { bytesOf, resultKeys } from "./resultrows.js";
import { commit, type Scope, transact } from "./transaction.js";
import { besideName, type Writer } from "./write.js";

/** Records that one request of usage reads: a large store is never in memory as a whole. */
const BATCH = 64;

/** Calls whose logs one request of a load reads. */
const STRETCH = 128;

/**
 * Reads all of a server, and takes over what `isGone` says. See Store.load. `full`: there is no room, and it
 * only reads, with an id epoch at random.
 */
export function readAll(
  db: IDBDatabase, server: string, generation: string, tab: string, isGone: (owner: string) => boolean,
  known: () => void, full: boolean,
): Promise<Loading> {
  const stores = ["ids", "servers", "calls", "log", "keys"];
  // Strict: with an id epoch that a power cut takes back, the next load would
  // send ids that the server has seen.
  const scope: Scope = full
    ? { stores, mode: "readonly" }
    : { stores, mode: "readwrite", strict: true, generation };
  return transact(db, scope, (tx, then) => {
    let done: Loading;
    let ids: unknown;
    let row: unknown;
    then(tx.objectStore("ids").get([server]), (found) => (ids = found));
    let rowBeside: unknown;
    then(tx.objectStore("servers").get([server]), (found) => (row = found));
    then(tx.objectStore("keys").get([besideName(server)]), (found) => (rowBeside = found));
    const finish = (gathering: Gathering): void => {
      done = gathering.end(tab, isGone);
      if (isServer(rowBeside)) done.beside = rowBeside;
      if (full) {
        done.idEpoch = nextIdEpoch(undefined);
        return;
      }
      const { idEpoch: last, heirs } = done;
      tx.objectStore("ids").put(heirs.size > 0 ? { server, last, heirs } : { server, last });
      for (const head of done.taken) tx.objectStore("calls").put(head);
      const calls = new Set(gathering.numbers());
      for (const record of beside) {
        const isOver = "outcome" in record ? outcomeOf(record, record.of) === 0 : !calls.has(record.of);
        if (isOver && isBesideHeads(record.call)) tx.objectStore("calls").delete([server, record.call]);
      }
      for (const call of done.orphans) tx.objectStore("log").delete(below(server, call));
      commit(tx);
    };
    let beside: (KeyRecord | Tombstone)[] = [];
    then(
      tx.objectStore("calls").getAll(besideHeads(server)),
      (found: (KeyRecord | Tombstone)[]) => (beside = found),
    );
    then(tx.objectStore("calls").getAll(headsOf(server)), (heads: { call: number }[]) => {
      known();
      const gathering = new Gathering(ids, row, heads);
      const logs = stretches(server, heads);
      let left = logs.length;
      for (const range of logs) {
        then(tx.objectStore("log").getAll(range), (rows) => {
          gathering.logs(rows);
          if (--left === 0) finish(gathering);
        });
      }
    });
    return () => done;
  });
}

/**
 * Key ranges that have all logs of a server between them, each of a number of
 * calls: while the database reads one, the page takes the one before apart.
 */
function stretches(server: string, heads: readonly { call: number }[]): IDBKeyRange[] {
  const ranges: IDBKeyRange[] = [];
  let from: (string | number)[] = [server];
  for (let i = STRETCH; i < heads.length; i += STRETCH) {
    const to = [server, heads[i]!.call];
    ranges.push(IDBKeyRange.bound(from, to, false, true));
    from = to;
  }
  return [...ranges, IDBKeyRange.bound(from, [server, []])];
}

/** Takes one call over. Its scope has the log, so that no row is added between its reading and its seal. */
export function takeCall(
  db: IDBDatabase, { server, generation, tab, retry }: Writer, call: number, epoch: number,
): Promise<Found | null> {
  return transact(db, { stores: ["ids", "calls", "log"], mode: "readwrite", generation }, (tx, then) => {
    let taken: Found | null = null;
    asWritten(tx, then, server, call, (ids, head, rows) => {
      taken = taking(head, rows, heirsOf(ids), epoch, tab, retry);
      if (taken) tx.objectStore("calls").put(taken.head);
      commit(tx);
    });
    return () => taken;
  });
}

/** Gives one call up, if this tab has it. Its scope is that of a takeover. */
export function releaseCall(
  db: IDBDatabase, { server, generation, tab }: Omit<Writer, "retry">, call: number,
): Promise<void> {
  return transact(db, { stores: ["ids", "calls", "log"], mode: "readwrite", generation }, (tx, then) => {
    asWritten(tx, then, server, call, (ids, head, rows) => {
      const found = foundCall(head, rows, heirsOf(ids));
      if (found?.head.owner === tab) tx.objectStore("calls").put({ ...found.head, owner: null });
      commit(tx);
    });
    return () => undefined;
  });
}

/** Reads one call. */
export function readCall(db: IDBDatabase, server: string, call: number): Promise<Found | null> {
  return transact(db, { stores: ["ids", "calls", "log"], mode: "readonly" }, (tx, then) => {
    let found: Found | null = null;
    asWritten(tx, then, server, call, (ids, head, rows) => (found = foundCall(head, rows, heirsOf(ids))));
    // it must not wait for callbacks: the page may be frozen, and then it would hold up those that write
    commit(tx);
    return () => found;
  });
}

/**
 * Reads the valid rows of a call's log behind a place, `most` of them or fewer; none where there are no more.
 */
export function readRows(
  db: IDBDatabase, server: string, call: number, after: LogPlace, most: number,
): Promise<LogRecord[]> {
  return transact(db, { stores: ["calls", "log"], mode: "readonly" }, (tx, then) => {
    let rows: LogRecord[] = [];
    then(tx.objectStore("calls").get([server, call]), (head: unknown) => {
      const next = (from: LogPlace): void => {
        const range = IDBKeyRange.bound([server, call, from.epoch, from.n], [server, call, []], true, true);
        then(tx.objectStore("log").getAll(range, most), (found: LogRecord[]) => {
          rows = isHead(head) ? validRows(head, found) : [];
          const last = found.at(-1);
          if (rows.length === 0 && last && isHead(head)) next(last); // all of them behind a seal
        });
      };
      next(after);
    });
    return () => rows;
  });
}

/** Reads how a call had ended that is stored no more. */
export function readEnded(db: IDBDatabase, server: string, call: number): Promise<number> {
  return transact(db, { stores: ["calls"], mode: "readonly" }, (tx, then) => {
    let outcome = 0;
    then(tx.objectStore("calls").get([server, placeOf(call)]), (found) => (outcome = outcomeOf(found, call)));
    commit(tx);
    return () => outcome;
  });
}

/** Reads the server's row, and the one beside it. */
export function readServer(db: IDBDatabase, server: string): Promise<(ServerRecord | null)[]> {
  return transact(db, { stores: ["servers", "keys"], mode: "readonly" }, (tx, then) => {
    const rows: (ServerRecord | null)[] = [null, null];
    then(tx.objectStore("servers").get([server]), (found) => (rows[0] = isServer(found) ? found : null));
    then(
      tx.objectStore("keys").get([besideName(server)]), (found) => (rows[1] = isServer(found) ? found : null),
    );
    commit(tx);
    return () => rows;
  });
}

/** Adds all records of a server to `usage`. */
export function countAll(db: IDBDatabase, server: string, usage: Usage): Promise<void> {
  return transact(db, { stores: ["servers", "calls", "log"], mode: "readonly" }, (tx, then) => {
    then(tx.objectStore("servers").getAll([server]), (found) => count(usage, "server", found));
    const next = (name: "calls" | "log", range: IDBKeyRange): void => {
      then(tx.objectStore(name).getAll(range, BATCH), (
        records: { call: number; epoch: number; n: number }[]
      ) => {
        if (name === "log") count(usage, "log", records);
        else count(usage, "head", records.filter(({ call }) => !isBesideHeads(call)));
        const last = records.at(-1);
        if (!last || records.length < BATCH) return;
        const key = name === "log" ? [server, last.call, last.epoch, last.n] : [server, last.call];
        next(name, IDBKeyRange.bound(key, range.upper, true));
      });
    };
    next("calls", below(server));
    next("log", below(server));
    then(tx.objectStore("log").getAllKeys(resultKeys(server)), (keys) => (usage.bytes += bytesOf(keys)));
    return () => undefined;
  });
}
