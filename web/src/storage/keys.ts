import { readClock, readingsOf } from "./clock.js";
import { type GenerationRecord, generationName, generationOf, timeOf } from "./generation.js";
import { isKey, makeKey } from "./seal.js";
import { random } from "./random.js";
import { storeError, transact } from "./transaction.js";

/** The identity of a database. */
export interface Identified {
  /** A random mark, made with the database: another mark is another database, and the old one is gone. */
  mark: string;
  /**
   * Generation of the store of the server and user, made with that store. Another generation is another
   * store, and the former one was forgotten.
   */
  generation: string;
  /** The latest time that is sure to have come, in ms since 1970; 0 for none. */
  sound: number;
  /** When the store was last written to, as its generation says, in ms since 1970. */
  at: number;
  /** The key of the origin; null where there is no cipher. */
  key: CryptoKey | null;
}

/**
 * Reads the marks of a server's store and the key of the origin, and makes what is
 * missing. Two tabs that both find nothing settle it in the one transaction: the
 * second finds what the first has added. Null where `last` was here, and is not any
 * more: then nothing is made, since what was stored has been deleted.
 */
export async function identify(
  db: IDBDatabase, server: string, last?: Identified,
): Promise<Identified | null> {
  // Made before it is known to be missing: a transaction does not wait for it.
  const made: Identified = {
    mark: random(),
    generation: random(),
    sound: 0,
    at: 0,
    key: last ? last.key : await makeKey().catch(() => null),
  };
  return settle(db, server, made, last);
}

/** Settles it with all that `made` has, and with less where the browser refuses that. */
function settle(
  db: IDBDatabase, server: string, made: Identified, last: Identified | undefined, notes = true,
): Promise<Identified | null> {
  return settled(db, server, made, last, notes).catch((error: unknown) => {
    // There is no room for another reading of the clock; what is stored can be read all the same, and
    // forgotten.
    if (notes && storeError(error).reason === "quota") return settle(db, server, made, last, false);
    // Some browsers have a cipher and yet cannot store a key, or have no room for it: then it is of
    // no use, since what it seals would be lost with the page.
    if (!made.key) throw error;
    return settle(db, server, { ...made, key: null }, last, notes);
  });
}

/** The name under which `keys` has what pages have read of the clock. */
export const CLOCK = "clock";

/**
 * The stored identity; for parts that the store of keys lacks, those of `made`. True in `notes` stores the
 * clock's reading as well, where there is room.
 */
function settled(
  db: IDBDatabase, server: string, made: Identified, last: Identified | undefined, notes: boolean,
): Promise<Identified | null> {
  return transact(db, { stores: ["keys"], mode: "readwrite", strict: true }, (tx, then) => {
    const kept: Identified = { ...made };
    let gone = false;
    const keys = tx.objectStore("keys");
    then(keys.get(["mark"]), (record) => {
      const stored = markOf(record);
      gone ||= last !== undefined && stored !== last.mark;
      if (stored !== undefined) kept.mark = stored;
      else if (!gone) keys.put({ name: "mark", value: made.mark });
    });
    then(keys.get([CLOCK]), (record) => {
      const readings = readClock(record, Date.now());
      kept.sound = readings.sound;
      // A clock that is put back makes no store older than it is.
      kept.at = Math.max(Date.now(), readingsOf(record)?.latest ?? 0);
      if (!gone && notes) keys.put({ name: CLOCK, ...readings });
    });
    then(keys.get([generationName(server)]), (record) => {
      const stored = generationOf(record);
      gone ||= last !== undefined && stored !== last.generation;
      if (stored !== undefined) kept.generation = stored;
      kept.at = Math.max(kept.at, timeOf(record) ?? 0);
      if (!gone && (notes || stored === undefined))
        keys.put(
          { name: generationName(server), value: kept.generation, at: kept.at } satisfies GenerationRecord,
        );
    });
    then(keys.get(["key"]), (record) => {
      const stored = keyOf(record);
      if (stored) kept.key = stored;
      else if (made.key && !gone) keys.put({ name: "key", value: made.key });
    });
    return () => (gone ? null : kept);
  });
}

function markOf(record: unknown): string | undefined {
  const { value } = (record ?? {}) as { value?: unknown };
  return typeof value === "string" ? value : undefined;
}

/** The key in a record, if there is one that can be used. */
export function keyOf(record: unknown): CryptoKey | undefined {
  const { value } = (record ?? {}) as { value?: unknown };
  return isKey(value) ? value : undefined;
}
