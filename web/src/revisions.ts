// Which revision each server spoke last: a legacy one is then not asked first
// whether it is a modern one, which saves a round trip (2026-07-28
// basic/versioning: the era SHOULD be cached per origin and MAY be persisted).

const STORE = "holdfast:revisions";
const MOST = 100;

const known = new Map<string, string>();
let read = false;

/** The revision that the server at this URL spoke last; empty if not known. */
export function lastRevision(url: string): string {
  load();
  return known.get(place(url)) ?? "";
}

/** Notes the revision that a server speaks. */
export function noteRevision(url: string, revision: string): void {
  load();
  const key = place(url);
  known.delete(key);
  known.set(key, revision);
  while (known.size > MOST) known.delete(known.keys().next().value!);
  save();
}

/** Forgets what a server spoke. */
export function forgetRevision(url: string): void {
  load();
  if (known.delete(place(url))) save();
}

/** Forgets what all servers spoke. */
export function forgetRevisions(): void {
  load();
  known.clear();
  save();
}

/** What a server is kept under: without the query, which may hold a secret. */
function place(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

function save(): void {
  try {
    globalThis.localStorage?.setItem(STORE, JSON.stringify([...known]));
  } catch {
    // No storage (a worker, a private window, a full disk): this page remembers.
  }
}

// What is stored is as untrusted as any input: only pairs of strings count.
function load(): void {
  if (read) return;
  read = true;
  try {
    const pairs: unknown = JSON.parse(globalThis.localStorage?.getItem(STORE) ?? "[]");
    if (!Array.isArray(pairs)) return;
    for (const pair of pairs.slice(-MOST) as unknown[]) {
      if (Array.isArray(pair) && typeof pair[0] === "string" && typeof pair[1] === "string") known.set(pair[0], pair[1]);
    }
  } catch {
    // As above.
  }
}
