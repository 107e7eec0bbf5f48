import { MISSED_BY } from "../base/border.js";
import { StoreError } from "./store.js";
import { storeError } from "./transaction.js";

/** The one database of an origin. */
export const DATABASE = "holdfast";

/**
 * Raised only if a new object store or field will not do: a frozen tab that
 * holds the old version blocks the upgrade, and nobody learns of it (fault 67).
 */
const VERSION = 1;

/** The object stores, with the fields that make a record's key. */
export const SCHEMA = {
  /** The last id epoch of a server. Apart from the server's row, which is put without reading. */
  ids: ["server"],
  servers: ["server"],
  calls: ["server", "call"],
  log: ["server", "call", "epoch", "n"],
  /** The origin's key, and the mark that tells one database from the next. */
  keys: ["name"],
} as const;

/** Prefix of the names of sign-in rows, among the keys. */
export const AUTH_ROWS = "auth ";

/**
 * How long an open may take, in ms: until it counts as blocked, until it is given up, and until it is where
 * the browser answers nothing about its databases.
 */
export interface Patience {
  blocked: number;
  timeout: number;
  slow?: number;
}

/** How a database is opened. */
export interface OpenOptions {
  /**
   * Make it where it is missing, which is so by default; else that is `closed`: it was there, and has been
   * deleted.
   */
  make?: boolean;
  patience?: Patience;
}

/** How long an operation of the runtime waits. */
export const PATIENCE: Patience = { blocked: 1_500, timeout: 3_000, slow: 10_000 };

/**
 * Opens the database, and makes it. A hung open gets no event at all: neither
 * behind another tab's blocked one nor where the holder is frozen (faults 63,
 * 66, 67), so time decides. A browser that has just started, on a busy machine, is slow, and not hung:
 * it does not answer either which databases there are, and is given longer (fault 470).
 * Rejects with a StoreError; an open that succeeds after that is closed at once.
 */
export function openDatabase(
  onBlocked: () => void, { make = true, patience = PATIENCE }: OpenOptions = {},
): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    let request: IDBOpenDBRequest;
    try {
      request = globalThis.indexedDB.open(DATABASE, VERSION);
    } catch (error) {
      reject(new StoreError("missing", "IndexedDB cannot be used here", error));
      return;
    }
    let over = false;
    let blocked = false;
    let missing = false;
    // A page whose timer is later than that was stalled or asleep, and waits once more (fault 84).
    let late = performance.now() + patience.timeout + MISSED_BY;
    const settle = (settled: () => void): void => {
      over = true;
      clearTimeout(blockedTimer);
      clearTimeout(timeoutTimer);
      settled();
    };
    let answers = false;
    const blockedTimer = setTimeout(() => {
      void Promise.resolve(globalThis.indexedDB.databases?.()).catch(() => {}).then(() => (answers = true));
      onBlocked();
    }, patience.blocked);
    const givenUp = performance.now() + (patience.slow ?? patience.timeout);
    const expired = (): void => {
      if (!answers && !blocked && performance.now() < givenUp) {
        timeoutTimer = setTimeout(expired, patience.blocked);
        return;
      }
      if (performance.now() > late) {
        late = Infinity; // once
        timeoutTimer = setTimeout(expired, patience.timeout);
        return;
      }
      const error = blocked
        ? new StoreError("blocked", "another tab holds the database")
        : new StoreError("timeout", "the database does not open");
      settle(() => reject(error));
    };
    let timeoutTimer = setTimeout(expired, patience.timeout);

    request.onblocked = () => {
      blocked = true;
    };
    request.onupgradeneeded = () => {
      if (!make) {
        missing = true;
        request.transaction!.abort(); // or an empty one would be left
        return;
      }
      for (const [name, keyPath] of Object.entries(SCHEMA))
        request.result.createObjectStore(name, { keyPath: [...keyPath] });
    };
    request.onsuccess = () => {
      if (over) request.result.close();
      else settle(() => resolve(request.result));
    };
    request.onerror = (event) => {
      // Firefox reports an error that nobody has handled on the console.
      event.preventDefault();
      const error = missing ? new StoreError("closed", "the database was deleted") : openError(request.error);
      if (!over) settle(() => reject(error));
    };
  });
}

/**
 * True if the error says that the browser denies storage to the page: by a setting of the user's, often for
 * other sites' frames alone. Chrome says so in an UnknownError.
 */
export function isDenied(error: unknown): boolean {
  const { name, message } = (error ?? {}) as { name?: unknown; message?: unknown };
  return name === "UnknownError" && /denied permission/i.test(String(message));
}

/**
 * The error of an open that failed. Private windows of some browsers have an indexedDB that refuses to open,
 * and so has a page that is denied storage: `missing`.
 */
export function openError(error: DOMException | null): StoreError {
  if (error?.name === "InvalidStateError" || error?.name === "SecurityError" || isDenied(error)) {
    return new StoreError("missing", "IndexedDB cannot be used here", error);
  }
  return storeError(error);
}
