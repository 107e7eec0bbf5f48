// The trial of the store of keys. Some workers of WebKit can store everything but a CryptoKey: its shared
// worker has no way to the key that wraps a CryptoKey for the disk, and put throws a DataCloneError.

import { makeKey } from "./seal.js";

/** A database that never comes to be: its upgrade is aborted, so that nothing of it is left. */
const TRIED = "holdfast-tried";
/** ms that the trial may take. A database that hangs is another fault, and nothing is said of keys then. */
const PATIENCE = 1_000;

let asked: Promise<boolean> | undefined;

/**
 * True if this worker can store a CryptoKey. One trial answers for good. True as well where no trial can
 * tell: without a cipher or IndexedDB no key is stored anywhere, and each of the two reports that by itself.
 */
export function storesKeys(): Promise<boolean> {
  return (asked ??= tryKey().catch(() => true));
}

/** Tries to store a key, and leaves nothing behind. */
export async function tryKey(): Promise<boolean> {
  const { indexedDB } = globalThis as { indexedDB?: IDBFactory };
  const key = indexedDB && (await makeKey());
  if (!key) return true;
  return new Promise((resolve) => {
    const failed = (error: unknown): void =>
      resolve((error as DOMException | null)?.name !== "DataCloneError");
    setTimeout(resolve, PATIENCE, true);
    const opening = indexedDB.open(TRIED);
    opening.onupgradeneeded = () => {
      const { transaction, result } = opening;
      try {
        const put = result.createObjectStore("keys").put(key, 0);
        put.onsuccess = () => {
          resolve(true);
          transaction!.abort();
        };
        put.onerror = (event) => {
          event.preventDefault();
          failed(put.error);
          transaction!.abort();
        };
      } catch (error) {
        failed(error);
        transaction!.abort();
      }
    };
    opening.onsuccess = () => opening.result.close(); // the app has one of that name
    opening.onerror = (event) => {
      event.preventDefault(); // it was aborted; Firefox would say so on the console
      resolve(true);
    };
  });
}
