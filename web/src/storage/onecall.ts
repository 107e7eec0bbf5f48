// How one call stands, which its head alone does not say: an ended one may be another
// tab's by the record of ids (heirs.ts).

import { heirsOf } from "./heirs.js";
import { foundCall } from "./loading.js";
import { below } from "./ranges.js";
import type { HeadRecord } from "./rows.js";
import type { Then } from "./transaction.js";

/** Reads all that says how a call stands. */
export function asWritten(
  tx: IDBTransaction,
  then: Then,
  server: string,
  call: number,
  next: (ids: unknown, head: unknown, rows: unknown[]) => void,
): void {
  let ids: unknown;
  let head: unknown;
  then(tx.objectStore("ids").get([server]), (found) => (ids = found));
  then(tx.objectStore("calls").get([server, call]), (found) => (head = found));
  then(tx.objectStore("log").getAll(below(server, call)), (rows) => next(ids, head, rows));
}

/** The tab that has a call which is stored, also where this build cannot read its head; null for nobody. */
export function ownerOf(ids: unknown, head: unknown, rows: unknown[]): string | null {
  return (foundCall(head, rows, heirsOf(ids))?.head ?? (head as HeadRecord)).owner;
}
