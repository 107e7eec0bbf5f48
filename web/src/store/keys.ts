import { isKey, makeKey } from "./seal.js";
import { transact } from "./transaction.js";

/** What a database is known by. */
export interface Identified {
  /** A random mark, made with the database: another mark is another database, and the old one is gone. */
  mark: string;
  /** The key of the origin; null where there is no cipher. */
  key: CryptoKey | null;
}

/**
 * Reads the mark and the key of the origin, and makes what is missing. Two tabs
 * that both find nothing settle it in the one transaction: the second finds what
 * the first has added.
 */
export async function identify(db: IDBDatabase): Promise<Identified> {
  const mark = hex(crypto.getRandomValues(new Uint8Array(16)));
  // Made before it is known to be missing: a transaction does not wait for it.
  const key = await makeKey().catch(() => null);
  return settle(db, mark, key).catch((error: unknown) => {
    // Some browsers have a cipher and yet cannot store a key: then it is of no
    // use, since what it seals would be lost with the page.
    if (!key) throw error;
    return settle(db, mark, null);
  });
}

/** What the store of keys has, and where it has none what is given. */
function settle(db: IDBDatabase, mark: string, key: CryptoKey | null): Promise<Identified> {
  return transact(db, { stores: ["keys"], mode: "readwrite", strict: true }, (tx, then) => {
    const kept: Identified = { mark, key };
    const keys = tx.objectStore("keys");
    then(keys.get(["mark"]), (record) => {
      const stored = markOf(record);
      if (stored === undefined) keys.put({ name: "mark", value: mark });
      else kept.mark = stored;
    });
    then(keys.get(["key"]), (record) => {
      const stored = keyOf(record);
      if (stored) kept.key = stored;
      else if (key) keys.put({ name: "key", value: key });
    });
    return () => kept;
  });
}

function markOf(record: unknown): string | undefined {
  const { value } = (record ?? {}) as { value?: unknown };
  return typeof value === "string" ? value : undefined;
}

function keyOf(record: unknown): CryptoKey | undefined {
  const { value } = (record ?? {}) as { value?: unknown };
  return isKey(value) ? value : undefined;
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
