// Which revision each server spoke last: a legacy one is then not asked first
// whether it is a modern one, which saves a round trip (2026-07-28
// basic/versioning: the era SHOULD be cached per origin and MAY be persisted).

import { isPlace, placeOf } from "./store/index.js";

const STORE = "holdfast:revisions";
const MOST = 100;

const known = new Map<string, string>();
let read = false;

/** The revision that the server at this URL spoke last; empty if not known. */
export async function lastRevision(url: string): Promise<string> {
  const place = await placeOf(url);
  load();
  return known.get(place) ?? "";
}

/** Notes the revision that a server speaks. */
export async function noteRevision(url: string, revision: string): Promise<void> {
  const key = await placeOf(url);
  load();
  known.delete(key);
  known.set(key, revision);
  while (known.size > MOST) known.delete(known.keys().next().value!);
  save();
}

/** Forgets what a server spoke. */
export async function forgetRevision(url: string): Promise<void> {
  const place = await placeOf(url);
  load();
  if (known.delete(place)) save();
}

/** Forgets what all servers spoke. */
export function forgetRevisions(): void {
  load();
  known.clear();
  save();
}

function save(): void {
  try {
    globalThis.localStorage?.setItem(STORE, JSON.stringify([...known]));
  } catch {
    // No storage (a worker, a private window, a full disk): this page remembers.
  }
}

// What is stored is as untrusted as any input: only pairs of strings count, and of
// an earlier build's only those whose path may be kept as it is.
function load(): void {
  if (read) return;
  read = true;
  try {
    const pairs: unknown = JSON.parse(globalThis.localStorage?.getItem(STORE) ?? "[]");
    if (!Array.isArray(pairs)) return;
    for (const pair of pairs.slice(-MOST) as unknown[]) {
      if (Array.isArray(pair) && typeof pair[0] === "string" && isPlace(pair[0]) && typeof pair[1] === "string") known.set(pair[0], pair[1]);
    }
  } catch {
    // As above.
  }
}
