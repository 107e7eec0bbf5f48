import { generationOf, isTombstone, tombstone } from "./generation.js";
import { wipeMemory } from "./memorystores.js";
import { DATABASE, isDenied, PATIENCE } from "./open.js";
import { openAny } from "./openany.js";
import type { StoreError } from "./store.js";
import { forgetTraces, TRACES } from "./traces.js";
import { commit, storeError, transact } from "./transaction.js";

/**
 * Forgets everything of this origin, of every server and user: for a logout.
 * The open stores of all tabs end with `closed`. Resolves once nothing is left;
 * rejects with a StoreError.
 *
 * The contents go first, the key with them, since the database itself may be
 * held by a tab that is frozen: then it is deleted when that one thaws.
 */
export async function wipeAll(): Promise<void> {
  wipeMemory();
  // opaque, a sandboxed frame's: for such a one nothing is ever stored
  if (globalThis.origin === "null") return;
  let databases: IDBFactory;
  try {
    databases = globalThis.indexedDB;
    if (!databases) return;
  } catch {
    return; // it may not be used here, so nothing is in it
  }
  const traces = forgetTraces();
  traces.catch(() => {}); // waited for below
  let failure: unknown;
  const emptied = await empty().then(
    () => true,
    (error: unknown) => {
      failure = error;
      return isDenied((error as StoreError).cause); // so nothing is in it, or nobody gets at it
    },
  );
  const deleted = await remove(databases, DATABASE);
  const recordings = await traces.then(
    () => undefined,
    // A database that does not open is deleted whole, as the stores are.
    async (error: unknown) => ((await remove(databases, TRACES)) ? undefined : error),
  );
  if (!emptied && !deleted) throw storeError(failure);
  if (recordings !== undefined) throw recordings;
}

/**
 * Clears every object store, whichever version made them. Of the generations of the stores tombstones remain:
 * a page that does not know yet writes nothing back.
 */
async function empty(): Promise<void> {
  const db = await openAny(DATABASE);
  if (!db) return;
  try {
    const stores = [...db.objectStoreNames];
    if (stores.length === 0) return;
    await clearAll(db, stores, true).catch((error: unknown) => {
      // For the tombstones there may be no room; what is only deleted needs none.
      if (storeError(error).reason !== "quota") throw error;
      return clearAll(db, stores, false);
    });
  } finally {
    db.close();
  }
}

/** Clears these object stores; `marks` leaves the tombstones, for which there has to be room. */
function clearAll(db: IDBDatabase, stores: string[], marks: boolean): Promise<void> {
  return transact(db, { stores, mode: "readwrite", strict: true }, (tx, then) => {
    const clear = (): void => stores.forEach((store) => tx.objectStore(store).clear());
    if (!marks || !stores.includes("keys")) clear();
    else {
      const keys = tx.objectStore("keys");
      then(keys.getAll(), (records: unknown[]) => {
        clear();
        for (const record of records) {
          const generation = generationOf(record);
          if (generation !== undefined) keys.put(tombstone(generation, Date.now()));
          else if (isTombstone(record)) keys.put(record);
        }
        commit(tx);
      });
    }
    return () => undefined;
  });
}

/** Deletes the database of that name. Whether that was done while anybody waited. */
function remove(databases: IDBFactory, name: string): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), PATIENCE.blocked);
    const settle = (done: boolean): void => {
      clearTimeout(timer);
      resolve(done);
    };
    let request: IDBOpenDBRequest;
    try {
      request = databases.deleteDatabase(name);
    } catch {
      return settle(false); // it may not be used here
    }
    request.onsuccess = () => settle(true);
    request.onerror = (event) => {
      event.preventDefault();
      settle(false);
    };
  });
}
