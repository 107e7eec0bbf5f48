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
 * that both find nothing settle it in the write transaction: the second finds
 * what the first has added.
 */
export async function identify(db: IDBDatabase): Promise<Identified> {
  const found = await transact(db, { stores: ["keys"], mode: "readonly" }, (tx, then) => {
    const stored: { mark: string | undefined; key: CryptoKey | undefined } = { mark: undefined, key: undefined };
    const keys = tx.objectStore("keys");
    then(keys.get(["mark"]), (record) => (stored.mark = markOf(record)));
    then(keys.get(["key"]), (record) => (stored.key = keyOf(record)));
    return () => stored;
  });
  if (found.mark !== undefined && found.key) return { mark: found.mark, key: found.key };

  // Some browsers have a cipher and yet cannot store a key: then it is of no
  // use, since what it seals would be lost with the page.
  const made = await makeKey().catch(() => null);
  const mark = await add(db, "mark", hex(crypto.getRandomValues(new Uint8Array(16))), markOf);
  return { mark, key: made && (await add(db, "key", made, keyOf).catch(() => null)) };
}

/** Adds a value to the store of keys unless a valid one is there. Returns the one that then is. */
function add<T>(db: IDBDatabase, name: string, value: T, read: (record: unknown) => T | undefined): Promise<T> {
  return transact(db, { stores: ["keys"], mode: "readwrite", strict: true }, (tx, then) => {
    let kept = value;
    const keys = tx.objectStore("keys");
    then(keys.get([name]), (record) => {
      const stored = read(record);
      if (stored === undefined) keys.put({ name, value });
      else kept = stored;
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
