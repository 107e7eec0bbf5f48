// The rows of sign-ins, in the store of keys: an older build leaves them alone there, and a wipe of the
// origin deletes them with its key.

import type { KeptAuth } from "./keptauth.js";
import { keyOf } from "./keys.js";
import { random } from "./random.js";
import { AUTH_ROWS } from "./open.js";
import { type Bytes } from "./rows.js";
import { seal, unseal } from "./seal.js";
import { StoreError } from "./store.js";
import { type Scope, storeError, type Then, transact } from "./transaction.js";

/** An open database, and the key of its origin. */
export interface SealedDatabase {
  db: IDBDatabase;
  /** Null where there is no cipher: nothing of a sign-in rests in plain. */
  key: CryptoKey | null;
  /** The mark of the database: after a wipe it is another one. */
  mark: string;
}

/**
 * A row. Its name, version and time can be read; all else is sealed, but for keys that nobody can read
 * anyway.
 */
interface AuthRecord {
  name: string;
  version: number;
  /**
   * When it was last written, or a grant read, to the day, in ms since 1970: for the sweep. The builds before
   * it do not write it.
   */
  at?: number;
  sealed: Bytes;
  keys: CryptoKey[];
}

/** How old the time of a grant may be that is read, in ms. */
const DAY = 24 * 3_600_000;

/** Form of a row's name since no address is in it: the kind of the row, and a digest. */
const NAME = /^[a-z]+\/[0-9a-f]{64}$/;

/** Stands for a key in the sealed text. */
const KEY = "holdfast:CryptoKey";

/**
 * The rows of all sign-ins of an origin, with compare-and-set over all its tabs and workers.
 * Rejects with a StoreError; `closed` where the origin was wiped since it was opened.
 */
export class AuthRows {
  readonly #connect: () => Promise<SealedDatabase>;

  constructor(connect: () => Promise<SealedDatabase>) {
    this.#connect = connect;
  }

  /**
   * The value under a key, and the version that the next write has to name. A value that does not open is
   * deleted: no page can use it.
   */
  async get<T>(key: string): Promise<{ value: T; version: number } | undefined> {
    const { db, key: cipher } = await this.#connect();
    const record = await run(db, { stores: ["keys"], mode: "readonly" }, (tx, then) => {
      let found: unknown;
      then(tx.objectStore("keys").get([AUTH_ROWS + key]), (one) => (found = one));
      return () => found;
    });
    if (record === undefined) return undefined;
    const { name, version, at = 0 } = record as AuthRecord;
    // nobody waits for it
    if (key.startsWith("grant/") && !(Math.abs(Date.now() - at) < DAY)) void used(db, name).catch(() => {});
    const value = await opened(cipher, key, record);
    if (value !== undefined) return { value: value as T, version };
    await this.set(key, typeof version === "number" ? version : 0, undefined);
    return undefined;
  }

  /**
   * Writes a value, or deletes it where it is undefined, if what is there has that version; 0 stands for
   * nothing.
   */
  async set(key: string, version: number, value: unknown): Promise<boolean> {
    const { db, key: cipher, mark } = await this.#connect();
    // Sealed before the transaction, which does not wait for a cipher.
    const record = value === undefined ? undefined : await recordOf(cipher, key, value);
    return run(db, { stores: ["keys"], mode: "readwrite", strict: true }, (tx, then) => {
      let done = false;
      const keys = tx.objectStore("keys");
      then(keys.get(["mark"]), (stored) => {
        if ((stored as { value?: unknown } | undefined)?.value !== mark)
          throw new StoreError("closed", "the origin was wiped");
        then(keys.get([AUTH_ROWS + key]), (there) => {
          if (versionOf(there) !== version) return;
          done = true;
          if (record) keys.put(record);
          else keys.delete([AUTH_ROWS + key]);
        });
      });
      return () => done;
    });
  }

  /**
   * Deletes what earlier builds have stored: its names say of which server it is, and its flows do not say of
   * which sign-in.
   */
  async dropFormer(): Promise<void> {
    for (const key of await this.keys("flow/")) {
      const flow = await this.get<{ signIn?: unknown }>(key);
      if (flow && typeof flow.value.signIn !== "string") await this.set(key, flow.version, undefined);
    }
    const former = (await this.keys("")).filter((key) => !NAME.test(key));
    if (former.length === 0) return;
    const { db } = await this.#connect();
    await run(db, { stores: ["keys"], mode: "readwrite" }, (tx) => {
      for (const key of former) tx.objectStore("keys").delete([AUTH_ROWS + key]);
      return () => undefined;
    });
  }

  /** The keys that begin so. */
  async keys(prefix: string): Promise<string[]> {
    const { db } = await this.#connect();
    const from = AUTH_ROWS + prefix;
    return run(db, { stores: ["keys"], mode: "readonly" }, (tx, then) => {
      let found: IDBValidKey[] = [];
      then(
        tx.objectStore("keys").getAllKeys(IDBKeyRange.bound([from], [`${from}\uffff`])),
        (all) => (found = all),
      );
      return () => found.map((key) => String((key as [string])[0]).slice(AUTH_ROWS.length));
    });
  }
}

/** The stored rows, by their keys. Rows that do not open are left out. */
export async function openedRows(
  { rows, key: cipher }: KeptAuth,
): Promise<Map<string, { value: unknown; version: number }>> {
  const all = new Map<string, { value: unknown; version: number }>();
  for (const row of rows as AuthRecord[]) {
    const key = row.name.slice(AUTH_ROWS.length);
    const value = await opened(keyOf(cipher) ?? null, key, row);
    if (value !== undefined) all.set(key, { value, version: row.version });
  }
  return all;
}

/** The value of a row; undefined where the row does not open. */
async function opened(cipher: CryptoKey | null, key: string, record: unknown): Promise<unknown> {
  if (!isRecord(record)) return undefined;
  const text = await unseal(cipher, [key, record.version], record.sealed);
  return text ? revive(new TextDecoder().decode(text), record.keys) : undefined;
}

/** Notes that somebody still uses a grant. It stays the same version. */
function used(db: IDBDatabase, name: string): Promise<void> {
  return run(db, { stores: ["keys"], mode: "readwrite" }, (tx, then) => {
    const keys = tx.objectStore("keys");
    then(keys.get([name]), (there: object | undefined) => there && keys.put({ ...there, at: Date.now() }));
    return () => undefined;
  });
}

/** A transaction. A handle that is closed throws at once, in words of its own. */
function run<T>(
  db: IDBDatabase, scope: Scope, work: (tx: IDBTransaction, then: Then) => () => T,
): Promise<T> {
  return transact(db, scope, work).catch((error: unknown) => {
    throw storeError(error);
  });
}

async function recordOf(cipher: CryptoKey | null, key: string, value: unknown): Promise<AuthRecord> {
  if (!cipher) throw new StoreError("missing", "there is no cipher to seal it with");
  const keys: CryptoKey[] = [];
  const text = JSON.stringify(
    value, (_, one: unknown) => (one instanceof CryptoKey ? { [KEY]: keys.push(one) - 1 } : one),
  );
  // Random, so that what was deleted and written again is another version.
  const version = 1 + Number.parseInt(random().slice(0, 12), 16);
  return {
    name: AUTH_ROWS + key, version, at: Date.now(),
    sealed: await seal(cipher, [key, version], new TextEncoder().encode(text)), keys,
  };
}

function revive(text: string, keys: readonly CryptoKey[]): unknown {
  return JSON.parse(text, (_, one: unknown) => {
    const at = (one as Record<string, unknown> | null)?.[KEY];
    return typeof at === "number" ? keys[at] : one;
  });
}

function isRecord(record: unknown): record is AuthRecord {
  const { version, sealed, keys } = record as Partial<AuthRecord>;
  return typeof version === "number" && sealed instanceof Uint8Array && Array.isArray(keys);
}

/** The version of a row. A damaged version counts as 0, as of a row that is missing. */
function versionOf(record: unknown): number {
  const { version } = (record ?? {}) as Partial<AuthRecord>;
  return typeof version === "number" ? version : 0;
}
