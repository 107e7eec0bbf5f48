// Which revision each server spoke last: a legacy one is then not asked first
// whether it is a modern one, which saves a round trip (2026-07-28
// basic/versioning: the era SHOULD be cached per origin and MAY be persisted).

import { isPlace, placeOf } from "./serverkey.js";

const STORE = "holdfast:revisions";
const MOST = 100;

/** What this page remembers where nothing can be stored (a worker, a private window). */
const remembered = new Map<string, string>();

/** The revision that the server at this URL spoke last; empty if not known. */
export async function lastRevision(url: string): Promise<string> {
  const place = await placeOf(url);
  return load().get(place) ?? "";
}

/** Notes the revision that a server speaks. */
export async function noteRevision(url: string, revision: string): Promise<void> {
  const key = await placeOf(url);
  // What is stored now, and not what this page has read once: another one may have
  // forgotten a server, or all of them (a logout).
  const known = load();
  known.delete(key);
  known.set(key, revision);
  while (known.size > MOST) known.delete(known.keys().next().value!);
  save(known);
}

/** Forgets what a server spoke. */
export async function forgetRevision(url: string): Promise<void> {
  const place = await placeOf(url);
  const known = load();
  known.delete(place);
  save(known); // without what an earlier build has noted, with its path
}

/** Forgets what all servers spoke. */
export function forgetRevisions(): void {
  save(new Map());
}

function save(known: ReadonlyMap<string, string>): void {
  try {
    if (!globalThis.localStorage) throw new TypeError("there is none");
    if (known.size === 0) localStorage.removeItem(STORE);
    else localStorage.setItem(STORE, JSON.stringify([...known]));
    remembered.clear();
  } catch {
    // No storage (a worker, a private window, a full disk): this page remembers.
    remembered.clear();
    for (const [key, revision] of known) remembered.set(key, revision);
  }
}

// What is stored is as untrusted as any input: only pairs of strings count, and of
// an earlier build's only those whose path may be kept as it is.
function load(): Map<string, string> {
  let text: string | null;
  try {
    if (!globalThis.localStorage) return new Map(remembered);
    text = localStorage.getItem(STORE);
  } catch {
    return new Map(remembered); // there is one, and it may not be used
  }
  const known = new Map<string, string>();
  try {
    const pairs: unknown = JSON.parse(text ?? "[]");
    if (!Array.isArray(pairs)) return known;
    for (const pair of pairs.slice(-MOST) as unknown[]) {
      if (Array.isArray(pair) && typeof pair[0] === "string" && isPlace(pair[0]) && typeof pair[1] === "string") known.set(pair[0], pair[1]);
    }
  } catch {
    // Somebody else's text.
  }
  return known;
}
