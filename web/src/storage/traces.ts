// The database of recordings (holdfast/recorder). Only an app that asks for a recording has this database.
// The deletion is here, since every app may need it. The recorder's file writes and reads.

import { PATIENCE } from "./open.js";
import { openAny } from "./openany.js";
import type { StoreError } from "./store.js";
import { transact } from "./transaction.js";

/** The database, and its object stores. */
export const TRACES = "holdfast-traces";
/** Messages that crossed the network, under [server's key, number]. */
export const FRAMES = "frames";
/** Under a server's key: the ring of its frames. */
export const RINGS = "rings";

/** All frames of a server and user. */
export function framesOf(server: string, upTo: number = Infinity): IDBKeyRange {
  return IDBKeyRange.bound([server, 0], [server, upTo]);
}

/**
 * Deletes what was recorded of a server and user, or of all. Whoever records it finds no ring there of its
 * own, and writes no more. Resolves at once where nothing ever was recorded; rejects with a StoreError. A
 * busy browser is waited for (fault 470).
 */
export async function forgetTraces(server?: string): Promise<void> {
  if (globalThis.origin === "null") return; // opaque: nothing is ever stored
  const db = await openAny(TRACES, PATIENCE.slow).catch((error: unknown) => {
    if ((error as StoreError).reason === "missing") return null; // so nothing is in it
    throw error;
  });
  if (!db) return;
  try {
    await transact(db, { stores: [FRAMES, RINGS], mode: "readwrite", strict: true }, (tx) => {
      const [frames, rings] = [tx.objectStore(FRAMES), tx.objectStore(RINGS)];
      if (server === undefined) {
        frames.clear();
        rings.clear();
      } else {
        frames.delete(framesOf(server));
        rings.delete(server);
      }
      return () => {};
    });
  } finally {
    db.close();
  }
}
