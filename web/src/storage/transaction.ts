import { fence, fenceDeletions } from "./generation.js";
import { StoreError } from "./store.js";

/** Scope of a transaction: the stores that it may touch, its mode and its durability. */
export interface Scope {
  stores: readonly string[];
  mode: IDBTransactionMode;
  /** Wait for the disk. */
  strict?: boolean;
  /** The generation of the store that writes: it fails with `closed` once that store has been forgotten. */
  generation?: string;
  /** True if the transaction only deletes, and `work` does not commit it: then it needs no room. */
  onlyDeletes?: boolean;
}

/** Runs `next` with a request's result. Once something has thrown, nothing more runs. */
export type Then = <T>(request: IDBRequest<T>, next: (result: T) => void) => void;

/**
 * Runs one transaction. `work` issues the first requests and returns how to
 * read the result off; whatever follows from a request is issued in its
 * callback, since awaiting between two ends the transaction (fault 69).
 *
 * Resolves when the transaction is complete, and only then: a request succeeds
 * long before that, and with no room left the transaction then aborts without
 * an error event anywhere (faults 62, 68). Rejects with a StoreError.
 */
export function transact<T>(
  db: IDBDatabase, scope: Scope, work: (tx: IDBTransaction, then: Then) => () => T,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let failure: unknown;
    let result: () => T;
    const { generation } = scope;
    const stores = generation === undefined ? scope.stores : [...scope.stores, "keys"];
    const tx =
      db.transaction(stores as string[], scope.mode, { durability: scope.strict ? "strict" : "relaxed" });
    const fail = (error: unknown): void => {
      failure = error ?? new Error("nothing thrown");
      try {
        tx.abort();
      } catch {
        // It is over already, and onabort tells or has told.
      }
    };
    // Chrome, clearing the data, forgets a transaction that is just committing:
    // it neither completes nor aborts, and only the handle hears of the end.
    const closed = (): void =>
      reject(new StoreError("lost", "the database was closed under the transaction"));
    db.addEventListener("close", closed);
    tx.oncomplete = () => {
      db.removeEventListener("close", closed);
      resolve(result());
    };
    tx.onabort = () => {
      db.removeEventListener("close", closed);
      reject(storeError(failure ?? tx.error));
    };
    try {
      if (generation !== undefined && scope.onlyDeletes) fenceDeletions(tx, generation, fail);
      else if (generation !== undefined) fence(tx, generation, (error) => (failure = error));
      result = work(tx, (request, next) => {
        request.onsuccess = () => {
          if (failure !== undefined) return;
          try {
            next(request.result);
          } catch (error) {
            fail(error);
          }
        };
      });
    } catch (error) {
      fail(error);
    }
  });
}

/**
 * Has a transaction that needs no callback any more commit now. A browser that cannot be told (before
 * Firefox 74 and Safari 15) commits after the last callback.
 */
export function commit(tx: IDBTransaction): void {
  (tx as { commit?: () => void }).commit?.();
}

/**
 * Names of errors that say the handle is dead, in Chrome, Firefox or Safari: a new one may well work (fault
 * 64).
 */
const BROKEN = new Set(["InvalidStateError", "UnknownError", "AbortError"]);

/** Makes a StoreError of whatever IndexedDB reported. */
export function storeError(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  // The browser ended the transaction: no code aborted it, and no request failed.
  if (error === null || error === undefined) return new StoreError("lost", "the transaction was aborted");
  const { name, message } = error as { name?: unknown; message?: unknown };
  switch (true) {
    case name === "QuotaExceededError":
      return new StoreError("quota", "there is no room left", error);
    case name === "VersionError":
      return new StoreError("newer", "the database is of a newer version", error);
    case BROKEN.has(String(name)) || /connection .*lost|connection is clos/i.test(String(message)):
      return new StoreError("lost", "the connection to the database broke", error);
    default:
      return new StoreError("failed", `the database refused: ${String(name)}`, error);
  }
}
