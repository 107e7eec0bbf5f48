// Which revision each server spoke last: a legacy one is then not asked first
// whether it is a modern one, which saves a round trip (2026-07-28
// basic/versioning: the era SHOULD be cached per origin and MAY be persisted).
// It is in localStorage, which a page can read before it has anything else. A
// worker has none: there it is in the database.

import { changeRevisions, readRevisions } from "./revisionrows.js";
import { placeOf } from "./serverkey.js";

const STORE = "holdfast:revisions";
const MOST = 100;

/** Revisions that this page remembers because they could not be stored (a private window, a full disk). */
const remembered = new Map<string, string>();
/** Writes to the database, one after the other. Never rejects. */
let writing: Promise<unknown> = Promise.resolve();

/** The revision that the server at this URL spoke last; empty if not known. */
export async function lastRevision(url: string): Promise<string> {
  const place = await placeOf(url);
  if (hasLocal()) return load().get(place) ?? "";
  await writing;
  return (await readRevisions().then(decoded, () => remembered)).get(place) ?? "";
}

/** Notes the revision that a server speaks. */
export async function noteRevision(url: string, spoken: string): Promise<void> {
  const key = await placeOf(url);
  // The stored revisions are read anew: another page may have forgotten a server since, or all of them (a
  // logout).
  const known = load();
  known.delete(key);
  known.set(key, spoken);
  while (known.size > MOST) known.delete(known.keys().next().value!);
  save(known);
  if (hasLocal()) return;
  void write((stored) => {
    const all = decoded(stored);
    if (all.get(key) === spoken) return stored;
    all.delete(key);
    all.set(key, spoken);
    return encoded(new Map([...all].slice(-MOST)));
  }).then((isStored) => {
    // A stored revision leaves the page's memory: another page may delete it from the database.
    if (isStored && remembered.get(key) === spoken) remembered.delete(key);
  });
}

/**
 * Forgets what this page, or another one, has noted of a server: a worker cannot. Resolves to the server's
 * place.
 */
export async function forgetInPage(url: string): Promise<string> {
  const place = await placeOf(url);
  const known = load();
  known.delete(place);
  save(known);
  return place;
}

/** Forgets what a server spoke; resolves when it is nowhere any more. */
export async function forgetRevision(url: string): Promise<void> {
  const place = await forgetInPage(url);
  // A worker of this origin may have noted it as well.
  await write((stored) => {
    const all = decoded(stored);
    return all.delete(place) ? encoded(all) : stored;
  });
}

/** Forgets what all servers spoke, but for what is in the database: that is deleted with it. */
export function forgetRevisions(): void {
  save(new Map());
}

/** Changes what is in the database, where there is one. Resolves to whether it was. */
function write(change: (stored: unknown) => unknown): Promise<boolean> {
  const written = writing.then(() => changeRevisions(change)).then(() => true, () => false);
  writing = written;
  return written;
}

function hasLocal(): boolean {
  try {
    return Boolean(globalThis.localStorage);
  } catch {
    return false; // there is one, and it may not be used
  }
}

function save(known: ReadonlyMap<string, string>): void {
  try {
    if (!globalThis.localStorage) throw new TypeError("there is none");
    if (known.size === 0) localStorage.removeItem(STORE);
    else localStorage.setItem(STORE, encoded(known));
    remembered.clear();
  } catch {
    // No storage (a worker, a private window, a full disk): this page remembers.
    remembered.clear();
    for (const [key, revision] of known) remembered.set(key, revision);
  }
}

function load(): Map<string, string> {
  try {
    if (globalThis.localStorage) return new Map([...decoded(localStorage.getItem(STORE)), ...remembered]);
  } catch {
    // There is one, and it may not be used.
  }
  return new Map(remembered);
}

function encoded(known: ReadonlyMap<string, string>): string {
  return JSON.stringify([...known]);
}

// Stored text is as untrusted as any input: only pairs of strings count.
function decoded(text: unknown): Map<string, string> {
  const known = new Map<string, string>();
  try {
    const pairs: unknown = JSON.parse(typeof text === "string" ? text : "[]");
    if (!Array.isArray(pairs)) return known;
    for (const pair of pairs.slice(-MOST) as unknown[]) {
      if (Array.isArray(pair) && typeof pair[0] === "string" && typeof pair[1] === "string")
        known.set(pair[0], pair[1]);
    }
  } catch {
    // Somebody else's text.
  }
  return known;
}
