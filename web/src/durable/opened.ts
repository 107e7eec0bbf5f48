import { type Loaded, memoryStore, openStore, type Store, StoreError, type StoreOptions } from "../store/index.js";

/** Opens a store and reads it; one in memory where there is no other, and `why`. */
export async function openedStore(
  options: StoreOptions,
  alive: (owner: string) => boolean,
): Promise<{ store: Store; loaded: Loaded; why: string }> {
  try {
    const store = await openStore(options);
    return { store, loaded: await store.load(alive), why: "" };
  } catch (error) {
    const store = memoryStore(options);
    const why = error instanceof StoreError ? error.reason : "failed";
    return { store, loaded: await store.load(alive), why };
  }
}
