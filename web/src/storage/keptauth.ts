// Apart from what reads and writes the rows of sign-ins: every page that wipes asks this, and few
// have such rows.

import { AUTH_ROWS, openDatabase } from "./open.js";
import { storeError, transact } from "./transaction.js";

/** The stored sign-ins of this origin: sealed rows, and the record of the key that opens them. */
export interface KeptAuth {
  readonly rows: readonly unknown[];
  readonly key: unknown;
}

/**
 * Reads it as it is, so that it can be deleted at once and opened later. Makes no database where there is
 * none, and rejects then with a StoreError.
 */
export async function keptAuth(): Promise<KeptAuth> {
  const db = await openDatabase(() => {}, { make: false });
  try {
    return await transact(db, { stores: ["keys"], mode: "readonly" }, (tx, then) => {
      let [rows, key]: [unknown[], unknown] = [[], undefined];
      const keys = tx.objectStore("keys");
      then(keys.getAll(IDBKeyRange.bound([AUTH_ROWS], [`${AUTH_ROWS}\uffff`])), (found) => (rows = found));
      then(keys.get(["key"]), (found) => (key = found));
      return () => ({ rows, key });
    });
  } catch (error) {
    throw storeError(error);
  } finally {
    db.close();
  }
}
