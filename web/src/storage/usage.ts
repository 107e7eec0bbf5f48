import { type Store, StoreError, type Usage } from "./storage.js";
import { storageFailed } from "./storagefailed.js";

/**
 * The usage of a store, of one server and user. Null for a store that is gone: a logout
 * or a hand has deleted it, or its client is closed (fault 146).
 *
 * @throws HoldfastError `storage_failed` where it cannot be read now
 */
export async function usageOf(store: Store): Promise<Usage | null> {
  try {
    return await store.usage();
  } catch (error) {
    if (error instanceof StoreError && (error.reason === "closed" || error.reason === "missing")) return null;
    throw storageFailed("stored", error, "what is stored could not be counted");
  }
}
