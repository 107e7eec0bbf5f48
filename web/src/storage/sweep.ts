// The sweep: once a day one page of the origin deletes what nobody comes back to.
// Each store says in its generation when it was last opened or written to; those of
// users who have not returned, and of addresses that are used no more, go 30 days
// later, and what is left of those that were forgotten as well; so do the tokens of a
// sign-in that nobody has asked for so long. Ages are counted to
// a time that is sure to have come (clock.ts), so one wrong clock deletes nothing.

import { readingsOf } from "./clock.js";
import { type GenerationRecord, generationName, isTombstone, serverOf, timeOf } from "./generation.js";
import { CLOCK } from "./keys.js";
import { random } from "./random.js";
import { AUTH_ROWS } from "./open.js";
import { resultsOf } from "./resultrows.js";
import type { SweepUse } from "./store.js";
import { commit, type Then, transact } from "./transaction.js";
import { sweepUnreadable } from "./unreadable.js";
import { forgetServer } from "./write.js";

/** How long what nobody comes back to is kept, in ms. */
const KEPT = 30 * 24 * 3_600_000;

/** How often it is looked for, in ms. */
const EVERY = 24 * 3_600_000;

/** The name under which `keys` has the time of the last sweep, `at`. */
const SWEEP = "sweep";

/** Where records are of servers. */
const STORES = ["ids", "servers", "calls", "log"];

/** Prefix of the names of rows that hold the tokens of a sign-in. */
const GRANTS = `${AUTH_ROWS}grant/`;

/** The times that a sweep compares. */
export interface Times {
  /** The latest time that is sure to have come, in ms since 1970. */
  sound: number;
  /** The latest reading of the clock, which may be wrong. */
  latest: number;
  /**
   * The last sweep read the clock, and that reading is sure: so this one is later. One that lies ahead of it
   * is wrong.
   */
  confirmed: boolean;
}

/** Sweeps, where the last one is a day ago. `server` is that of the page, whose user is present. */
export async function sweep(db: IDBDatabase, server: string, use: SweepUse): Promise<void> {
  // It is only read as a rule: then nobody waits for it.
  if (!(await isDue(db)) || use.over()) return;
  const times = await begin(db);
  if (!times) return;
  const inUse = await use.inUse();
  const left = (await aged(db, times)).filter((one) => one !== server && !inUse(one));
  for (const one of left) {
    if (use.over()) return;
    // unless its user has just come back
    await forgetServer(db, one, (record) => isOver(timeOf(record), times));
  }
  if (!use.over()) await sweepUnreadable(db, server, use, { ...times, isOver: (at) => isOver(at, times) });
}

/** True if a record of that time is to go: its age is {@link KEPT}, for example. */
function isOver(at: number | undefined, { sound }: Times): boolean {
  return at !== undefined && sound - at >= KEPT;
}

function isDue(db: IDBDatabase): Promise<boolean> {
  return transact(db, { stores: ["keys"], mode: "readonly" }, (tx, then) => {
    let due = false;
    then(tx.objectStore("keys").get([SWEEP]), (record) => (due = !isRecent(timeOf(record))));
    commit(tx);
    return () => due;
  });
}

/** Also where it lies ahead: then a clock was wrong. */
function isRecent(at: number | undefined): boolean {
  return at !== undefined && Math.abs(Date.now() - at) < EVERY;
}

/** Notes that this page sweeps; null where another one has, since it was found to be due. */
function begin(db: IDBDatabase): Promise<Times | null> {
  return transact(db, { stores: ["keys"], mode: "readwrite" }, (tx, then) => {
    let times: Times | null = null;
    const keys = tx.objectStore("keys");
    then(keys.get([CLOCK]), (clock) => {
      then(keys.get([SWEEP]), (last) => {
        const readings = readingsOf(clock);
        const at = timeOf(last);
        if (!readings || isRecent(at)) return;
        times = { ...readings, confirmed: at !== undefined && at <= readings.sound };
        // The reading of this page: one of another page confirms it, a day later.
        keys.put({ name: SWEEP, at: readings.latest });
      });
    });
    return () => times;
  });
}

/**
 * The servers whose stores are to go. Those that do not say yet when they were
 * written to, since a page wrote to them that a logout without room had not reached, say from
 * here on that it was now; so do those for which a wrong clock has said that it is yet to come.
 */
function aged(db: IDBDatabase, times: Times): Promise<string[]> {
  return transact(db, { stores: [...STORES, "keys"], mode: "readwrite" }, (tx, then) => {
    const over: string[] = [];
    const keys = tx.objectStore("keys");
    eachServer(tx, then, (unnamed) => {
      then(keys.getAll(), (records: { name: string }[]) => {
        for (const record of records) {
          const server = serverOf(record);
          if (server === undefined && !isTombstone(record) && !String(record.name).startsWith(GRANTS))
            continue;
          if (server !== undefined) for (const name of [server, resultsOf(server)]) unnamed.delete(name);
          const at = timeOf(record);
          if (at === undefined || at > times.latest) {
            if (times.confirmed) keys.put({ ...record, at: times.latest });
          } else if (isOver(at, times)) {
            if (server === undefined) keys.delete([record.name]);
            else over.push(server);
          }
        }
        if (!times.confirmed) return;
        for (const server of unnamed)
          keys.put(
            { name: generationName(server), value: random(), at: times.latest } satisfies GenerationRecord,
          );
      });
    });
    return () => over;
  });
}

/** The servers of which there is anything: of each, one key is read per object store. */
function eachServer(tx: IDBTransaction, then: Then, next: (servers: Set<string>) => void): void {
  const found = new Set<string>();
  let left = STORES.length;
  for (const store of STORES) {
    then(tx.objectStore(store).openKeyCursor(), (cursor) => {
      if (!cursor) {
        if (--left === 0) next(found);
        return;
      }
      const [server] = cursor.key as IDBValidKey[];
      if (typeof server === "string") found.add(server);
      cursor.continue([server!, []]); // beyond what else it has
    });
  }
}
