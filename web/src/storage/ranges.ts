// The ranges of keys in the database: an array sorts behind every number and text,
// and a text behind every number.

/** Prefix of a key's record, where a head has the number of its call. The digest follows. */
export const KEY = "key ";

/** The same of a tombstone: this and its place. */
export const TOMBSTONE = "ended ";

/** All keys that begin with `prefix` and go on. */
export function below(...prefix: (string | number)[]): IDBKeyRange {
  return IDBKeyRange.bound(prefix, [...prefix, []]);
}

/** The heads of a server's calls. */
export function headsOf(server: string): IDBKeyRange {
  return IDBKeyRange.bound([server], [server, ""], false, true);
}

/** The range of the records beside the heads: those of keys, and tombstones. */
export function besideHeads(server: string): IDBKeyRange {
  return IDBKeyRange.bound([server, ""], [server, []]);
}

/** True if a record there is a key or a tombstone, and no damaged head. */
export function isBesideHeads(call: unknown): boolean {
  return typeof call === "string" && (call.startsWith(KEY) || call.startsWith(TOMBSTONE));
}
