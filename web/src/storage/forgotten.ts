// Looks up the tombstone of a store. Any script of the origin can write one.

import { generationName, generationOf, tombstone } from "./generation.js";
import { DATABASE } from "./open.js";
import { openAny } from "./openany.js";
import { transact } from "./transaction.js";

/**
 * True in `isForgotten` for a forgotten generation. `now` is the server's generation; undefined where it has
 * none.
 */
function standing(
  db: IDBDatabase, server: string, generation: string,
): Promise<{ isForgotten: boolean; now: string | undefined }> {
  return transact(db, { stores: ["keys"], mode: "readonly" }, (tx, then) => {
    const keys = tx.objectStore("keys");
    let isForgotten = false;
    let now: string | undefined;
    then(keys.get([tombstone(generation).name]), (mark) => (isForgotten = mark !== undefined));
    then(keys.get([generationName(server)]), (record) => (now = generationOf(record)));
    return () => ({ isForgotten, now });
  });
}

/** True if the store of that generation was forgotten, or the server has another one by now. */
export async function isOver(db: IDBDatabase, server: string, generation: string): Promise<boolean> {
  const { isForgotten, now } = await standing(db, server, generation);
  return isForgotten || now !== generation;
}

/**
 * The same for a store in memory, by what is said of the one on the disk: that of this generation was
 * forgotten; or, where none is named, it could not be opened for want of room, and then the server has none.
 */
export async function isOverBeside(server: string, said: string): Promise<boolean> {
  const db = await openAny(DATABASE);
  if (!db) return false;
  try {
    const { isForgotten, now } = await standing(db, server, said);
    return said === "" ? now === undefined : isForgotten;
  } finally {
    db.close();
  }
}
