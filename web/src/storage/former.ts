// Stores that the last build made under other keys, and that this one never opens.

import { generationOf, isUnopened } from "./generation.js";
import { openDatabase } from "./open.js";
import { StoreError } from "./store.js";
import { forgetServer } from "./write.js";

/**
 * Deletes all that is stored under these keys, but what this build has opened: that
 * is another user's. Makes nothing where there is nothing. Rejects with a StoreError.
 *
 * @param servers keys as of formerKeys
 */
export async function forgetFormer(servers: readonly string[]): Promise<void> {
  let db: IDBDatabase;
  try {
    db = await openDatabase(() => undefined, { make: false });
  } catch (error) {
    // There is no database, or none can be had here: so nothing is in it.
    if (error instanceof StoreError && (error.reason === "closed" || error.reason === "missing")) return;
    throw error;
  }
  try {
    for (const server of servers) await forgetServer(db, server, (record) => generationOf(record) === undefined || isUnopened(record));
  } finally {
    db.close();
  }
}
