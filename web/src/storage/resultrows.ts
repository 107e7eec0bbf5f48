// Results that servers let a client keep for a while, so that the next page need not ask for
// them. They are a cache: what cannot be stored, or not be read, is asked for again. They
// lie among the logs, under a name of their own, and all that has to be known to make room
// is in their keys: no load, no sweep and no deletion reads one. They are sealed under the
// generation of the store: none opens once that is forgotten.

import type { StoreConnection } from "./connector.js";
import type { Bytes } from "./rows.js";
import { type Identity, seal, unseal } from "./seal.js";
import { type ListName, type NewResult, type ResultName, type Results, UNREADABLE } from "./store.js";
import { commit, storeError, transact } from "./transaction.js";

/** Prefix of a name that stands for the server's own, over the results of that server. */
const RESULTS = "results ";

/** Bytes of the results of all servers and users of an origin: more would be taken from the calls. */
export const MOST_BYTES: number = 16 << 20;

/** How many there may be. */
export const MOST = 512;

/** Bytes of one. */
export const MOST_OF_ONE: number = 4 << 20;

/**
 * How long it is known that a list has changed, in ms: as long as a page may take to write one that it had
 * asked for before.
 */
const CHANGE_KEPT = 600_000;

/** By how much the clocks of two pages may differ, in ms. */
const SLACK = 5_000;

/** Where the digest would be in the key of a note that says when a list has changed. */
const CHANGED = "changed";

/**
 * When it was received (of a note: when the list has changed), until when it may be fresh, in ms since 1970;
 * its bytes, sealed.
 */
type Place = [at: number, until: number, bytes: number];

/** The key of a row. */
export type ResultKey = [results: string, list: string, digest: string, place: Place];

interface ResultRecord {
  server: string;
  call: string;
  epoch: string;
  n: Place;
  sealed: Bytes;
}

/** The name that a server's results are under. */
export function resultsOf(server: string): string {
  return RESULTS + server;
}

/** The keys of all that is kept of a server. */
export function resultKeys(server: string): IDBKeyRange {
  return IDBKeyRange.bound([resultsOf(server)], [resultsOf(server), []]);
}

const everywhere = (): IDBKeyRange => IDBKeyRange.bound([RESULTS], [`${RESULTS}\uffff`]);

/** A result that is about to be stored. */
export interface SealedResult extends Omit<NewResult, "bytes"> {
  sealed: Bytes;
}

/**
 * Makes room for new results: names those to delete, and those to add. First go the results that no page will
 * use any more, then the oldest. A result is not added if it was asked for before its list changed, or is
 * older than the stored one. `there` is all that is stored in the origin.
 */
export function makeRoom(
  server: string, there: readonly ResultKey[], added: readonly SealedResult[], now: number,
): {
  over: ResultKey[]; kept: SealedResult[];
} {
  const over: ResultKey[] = [];
  let left: ResultKey[] = [];
  for (const key of there) {
    const [at, until] = key[3];
    // A result from a future time is over as well: no page would take it for fresh.
    (until <= now || at > now + SLACK ? over : left).push(key);
  }
  const kept: SealedResult[] = [];
  for (const result of added) {
    const isIts = ([results, list]: ResultKey): boolean => results === resultsOf(server) &&
      list === result.list;
    const before = left.filter((key) => isIts(key) && key[2] === result.digest);
    const isLate = left.some((key) => isIts(key) && key[2] === CHANGED && key[3][0] >= result.asked) ||
      before.some((key) => key[3][0] > result.at);
    if (isLate || result.sealed.byteLength > MOST_OF_ONE) continue;
    over.push(...before);
    left = left.filter((key) => !before.includes(key));
    kept.push(result);
  }
  let bytes = [...left.map((key) => key[3][2]), ...kept.map(({ sealed }) => sealed.byteLength)].reduce(
    (sum, one) => sum + one, 0,
  );
  left.sort((a, b) => a[3][0] - b[3][0]);
  while (bytes > MOST_BYTES || left.length + kept.length > MOST) {
    const oldest = left.shift();
    if (oldest) over.push(oldest);
    bytes -= oldest ? oldest[3][2] : kept.shift()!.sealed.byteLength;
  }
  return { over, kept };
}

/**
 * The results of one server and user in the database. There are none without a cipher: a list may be for one
 * user only.
 */
export class ResultRows implements Results {
  readonly #server: string;
  readonly #run: <T>(operation: (connection: StoreConnection) => Promise<T>) => Promise<T>;

  /** `run` runs an operation on the open database. */
  constructor(
    server: string, run: <T>(operation: (connection: StoreConnection) => Promise<T>) => Promise<T>,
  ) {
    this.#server = server;
    this.#run = run;
  }

  get({ list, digest }: ResultName): Promise<{ bytes: Uint8Array; latest: number } | null> {
    return this.#run(async ({ db, key, generation, at: latest }) => {
      const name = [resultsOf(this.#server), list, digest];
      const record = await transact(db, { stores: ["log"], mode: "readonly" }, (tx, then) => {
        let found: ResultRecord | undefined;
        then(
          tx.objectStore("log").getAll(IDBKeyRange.bound(name, [...name, [[]]])),
          (records: ResultRecord[]) => (found = records.at(-1)),
        );
        commit(tx);
        return () => found;
      });
      if (!(record?.sealed instanceof Uint8Array)) return null;
      return {
        bytes: (await unseal(key, this.#identity(generation, list, digest), record.sealed)) ?? UNREADABLE,
        latest,
      };
    });
  }

  put(results: readonly NewResult[]): Promise<void> {
    return this.#run(async ({ db, key, generation }) => {
      if (!key) return;
      const added = await Promise.all(
        results.map(
          async ({ bytes, ...result }): Promise<SealedResult> => ({
            ...result, sealed: await seal(key, this.#identity(generation, result.list, result.digest), bytes),
          }),
        ),
      );
      await transact(db, { stores: ["log"], mode: "readwrite", generation }, (tx, then) => {
        const log = tx.objectStore("log");
        then(log.getAllKeys(everywhere()), (keys) => {
          const { over, kept } = makeRoom(this.#server, keys.filter(isResultKey), added, Date.now());
          for (const key of over) log.delete(key);
          for (const { list, digest, at, until, sealed } of kept) {
            log.put(
              {
                server: resultsOf(this.#server),
                call: list,
                epoch: digest,
                n: [at, until, sealed.byteLength],
                sealed,
              } satisfies ResultRecord,
            );
          }
          commit(tx);
        });
        return () => undefined;
      });
    });
  }

  drop(lists: readonly ListName[], at: number): Promise<void> {
    return this.#run(async ({ db, generation }) => {
      const noted = (): Promise<void> =>
        transact(db, { stores: ["log"], mode: "readwrite", generation }, (tx) => {
          const log = tx.objectStore("log");
          const server = resultsOf(this.#server);
          for (const list of lists) {
            log.delete(IDBKeyRange.bound([server, list], [server, list, []]));
            log.put({ server, call: list, epoch: CHANGED, n: [at, at + CHANGE_KEPT, 0] });
          }
          commit(tx); // blind: the page may be going
          return () => undefined;
        });
      await withRoom(db, noted).catch((error: unknown) => {
        if (storeError(error).reason !== "quota") throw error; // else none is left
      });
    });
  }

  /**
   * The identity that binds a sealed result to its generation. A forgotten store's leftover rows do not open
   * in the next.
   */
  #identity(generation: string, list: string, digest: string): Identity {
    return ["results", this.#server, generation, list, digest];
  }
}

/** Bytes of what is kept of a server. */
export function bytesOf(keys: readonly IDBValidKey[]): number {
  return keys.filter(isResultKey).reduce((sum, [, , , [, , bytes]]) => sum + bytes, 0);
}

/** True if this build has made the key. Another build may have added keys of another form. */
function isResultKey(key: IDBValidKey): key is ResultKey & IDBValidKey {
  const place = (key as unknown[])[3];
  return Array.isArray(place) && place.length === 3 && place.every((part) => typeof part === "number");
}

/**
 * Runs a transaction, and once more where there is no room: as one that needs none, where it
 * `deletes` and does no more, else without the lists of all servers, which can be asked for again.
 */
export async function withRoom<T>(
  db: IDBDatabase, run: (full: boolean) => Promise<T>, deletes = false,
): Promise<T> {
  try {
    return await run(false);
  } catch (error) {
    if (storeError(error).reason !== "quota" || !(deletes || (await dropAllResults(db)))) throw error;
    return run(deletes);
  }
}

/** Deletes the results of all servers, where there is no room for calls. Whether there were any. */
function dropAllResults(db: IDBDatabase): Promise<boolean> {
  return transact(db, { stores: ["log"], mode: "readwrite" }, (tx, then) => {
    let some = false;
    const log = tx.objectStore("log");
    then(log.count(everywhere()), (n) => {
      some = n > 0;
      if (some) log.delete(everywhere());
    });
    return () => some;
  });
}
