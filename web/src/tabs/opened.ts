import { type Loaded, memoryStore, openStore, type Store, StoreError, type StoreOptions } from "../storage/storage.js";
import { loadedStore } from "./orphans.js";
import type { Tab } from "./tab.js";

/** A store, what it holds, and the pages that live. */
export interface Opened {
  store: Store;
  loaded: Loaded;
  living: Set<string>;
  /** The reason why the store is in memory; empty where it is not. */
  why: string;
}

/**
 * Opens a store, reads it once `ready` says so, and takes over what nobody
 * carries; one in memory where there is no other.
 */
export async function openedStore(options: StoreOptions, tab: Tab, ready: Promise<unknown>): Promise<Opened> {
  let opened: Store | undefined;
  try {
    const store = (opened = await openStore(options));
    await ready;
    return { store, ...(await loadedStore(store, tab)), why: "" };
  } catch (error) {
    opened?.close();
    const why = error instanceof StoreError ? error.reason : "failed";
    const store = memoryStore(options);
    return { store, ...(await loadedStore(store, tab)), why };
  }
}
