// Revisions of servers in a worker, which has no localStorage (revisions.ts). They are one record of the
// journal's database. A read does not make that database, and its deletion takes the record along.

import { openDatabase } from "./open.js";
import { transact } from "./transaction.js";

/** The name of the record in `keys`. */
const NAME = "revisions";

/** The stored value, unchecked; undefined for none. Rejects with a StoreError where there is no database. */
export function readRevisions(): Promise<unknown> {
  return inDatabase("readonly", (stored) => stored);
}

/**
 * Stores what `change` makes of what is stored, where that is another value. Resolves to what was
 * stored before. Rejects with a StoreError where there is no database.
 */
export function changeRevisions(change: (stored: unknown) => unknown): Promise<unknown> {
  return inDatabase("readwrite", change);
}

async function inDatabase(mode: IDBTransactionMode, change: (stored: unknown) => unknown): Promise<unknown> {
  const db = await openDatabase(() => undefined, { make: false });
  db.onversionchange = () => db.close(); // nobody waits for this one to delete it
  try {
    return await transact(db, { stores: ["keys"], mode }, (tx, then) => {
      let stored: unknown;
      const keys = tx.objectStore("keys");
      then(keys.get([NAME]), (record: { value?: unknown } | undefined) => {
        stored = record?.value;
        const value = change(stored);
        if (value !== stored) keys.put({ name: NAME, value });
      });
      return () => stored;
    });
  } finally {
    db.close();
  }
}
