// The ranges of keys in the database: an array sorts behind every number and text,
// and a text behind every number.

/** What a record of a key is named by, where a head has the number of its call: this and the digest. */
export const KEY = "key ";

/** All keys that begin with `prefix` and go on. */
export function below(...prefix: (string | number)[]): IDBKeyRange {
  return IDBKeyRange.bound(prefix, [...prefix, []]);
}

/** The heads of a server's calls. */
export function headsOf(server: string): IDBKeyRange {
  return IDBKeyRange.bound([server], [server, ""], false, true);
}

/** The records of the keys that they have. */
export function keysOf(server: string): IDBKeyRange {
  return IDBKeyRange.bound([server, KEY], [server, `${KEY}\uffff`]);
}
