import { openError, PATIENCE } from "./open.js";
import { StoreError } from "./store.js";

/**
 * Opens the database of that name at whatever version it is; null if there is none. Waits for so many ms;
 * rejects with a StoreError.
 */
export function openAny(name: string, patience: number = PATIENCE.timeout): Promise<IDBDatabase | null> {
  return new Promise((resolve, reject) => {
    let request: IDBOpenDBRequest;
    try {
      request = globalThis.indexedDB.open(name);
    } catch (error) {
      reject(new StoreError("missing", "IndexedDB cannot be used here", error));
      return;
    }
    let none = false;
    let over = false;
    const timer = setTimeout(() => {
      over = true;
      reject(new StoreError("timeout", "the database does not open"));
    }, patience);
    request.onupgradeneeded = () => {
      none = true;
      request.transaction!.abort(); // or an empty database would be left
    };
    request.onsuccess = () => {
      clearTimeout(timer);
      if (over) request.result.close();
      else resolve(request.result);
    };
    request.onerror = (event) => {
      event.preventDefault();
      clearTimeout(timer);
      if (none) resolve(null);
      else reject(openError(request.error));
    };
  });
}
