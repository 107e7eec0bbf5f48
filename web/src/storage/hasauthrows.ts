// Apart from what reads and writes the rows of sign-ins: every page that wipes asks this, and few
// have such rows.

import { AUTH_ROWS, openDatabase } from "./open.js";
import { storeError, transact } from "./transaction.js";

/** Whether anything of a sign-in is stored for this origin. Makes no database where there is none, and rejects then with a StoreError. */
export async function hasAuthRows(): Promise<boolean> {
  const db = await openDatabase(() => {}, { make: false });
  try {
    return await transact(db, { stores: ["keys"], mode: "readonly" }, (tx, then) => {
      let count = 0;
      then(tx.objectStore("keys").count(IDBKeyRange.bound([AUTH_ROWS], [`${AUTH_ROWS}\uffff`])), (found) => (count = found));
      return () => count > 0;
    });
  } catch (error) {
    throw storeError(error);
  } finally {
    db.close();
  }
}
