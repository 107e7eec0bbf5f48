import type { Loaded, LoadedCall, Store } from "../store/index.js";
import type { Tab } from "./tab.js";

/**
 * Takes over the calls of pages that are gone. Who lives is asked once it is
 * known who carries what: the other way round, of several pages that start at
 * once each would count the one that has just taken over as dead. Returns the
 * names of those that live.
 */
export async function takeOrphans(store: Store, tab: Tab, loaded: Loaded): Promise<Set<string>> {
  const living = await tab.living();
  const calls: LoadedCall[] = [];
  for (const call of loaded.calls) {
    if (call.owned || living.has(call.owner)) {
      calls.push(call);
      continue;
    }
    // Another page may have been quicker, or have forgotten it.
    const found = (await store.takeOver(call.call, call.epoch)) ?? (await store.read(call.call));
    if (found) calls.push(found);
  }
  loaded.calls = calls;
  return living;
}
