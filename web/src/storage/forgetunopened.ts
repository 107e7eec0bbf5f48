// Deletes a store that cannot be opened, for want of room: a deletion needs none.

import { openDatabase } from "./open.js";
import { StoreError } from "./store.js";
import { forgetServer } from "./write.js";

/** Deletes all that is stored of a server and user. Makes nothing where there is nothing. Rejects with a StoreError. */
export async function forgetUnopened(server: string): Promise<void> {
  let db: IDBDatabase;
  try {
    db = await openDatabase(() => undefined, { make: false });
  } catch (error) {
    // There is no database, or none can be had here: so nothing is in it.
    if (error instanceof StoreError && (error.reason === "closed" || error.reason === "missing")) return;
    throw error;
  }
  try {
    await forgetServer(db, server);
  } finally {
    db.close();
  }
}
