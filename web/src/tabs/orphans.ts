import type { Loaded, Store } from "../storage/storage.js";
import type { Tab } from "./tab.js";

/**
 * Reads a store, and takes over the calls of pages that are gone. Who lives is
 * asked once it is known who carries what: the other way round, of several pages
 * that start at once each would count the one that has just taken over as dead.
 * Returns what was read, and the names of those that live.
 */
export async function loadedStore(store: Store, tab: Tab): Promise<{ loaded: Loaded; living: Set<string> }> {
  let asked: Promise<Set<string>> | undefined;
  let known: Set<string> | undefined;
  const loaded = await store.load(
    (owner) => known?.has(owner) ?? true,
    () => {
      known = undefined; // by a try of the load that broke off, whose answer may come yet
      const now = (asked = tab.living());
      now.then((names) => asked === now && (known = names)).catch(() => undefined); // where the load fails nobody waits for it
    },
  );
  const living = await asked!;
  // As a rule the answer was there before the logs were, and nobody who is gone has anything any more.
  const owners = new Set(loaded.calls.map((call) => call.owner));
  owners.delete(""); // nobody
  if ([...owners].every((owner) => living.has(owner))) return { loaded, living };
  return { loaded: await store.load((owner) => living.has(owner) || !owners.has(owner)), living };
}
