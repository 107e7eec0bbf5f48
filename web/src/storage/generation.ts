// The generation of a store: from the page that makes it until it is forgotten. A
// page that a logout has not reached yet, or that is frozen, still writes under the
// generation that has ended; the fence in its transactions keeps that out.

import { StoreError } from "./store.js";

/** The note that says of which generation a server's store is. */
export interface GenerationRecord {
  name: string;
  /** Random: it says nothing of whose the store is. */
  value: string;
  /** When the store was last opened or written to, to the hour, in ms since 1970: for the sweep. */
  at: number;
}

const GENERATION = "generation ";
const FORGOTTEN = "forgotten ";

/** The name under which `keys` has the generation of a server's store. */
export function generationName(server: string): string {
  return GENERATION + server;
}

/** The generation that a record of `keys` names; undefined where it is none. */
export function generationOf(record: unknown): string | undefined {
  const { name, value } = (record ?? {}) as Partial<Record<"name" | "value", unknown>>;
  return typeof name === "string" && name.startsWith(GENERATION) && typeof value === "string"
    ? value
    : undefined;
}

/** The server whose generation a record of `keys` names; undefined where it is none. */
export function serverOf(record: unknown): string | undefined {
  return generationOf(record) === undefined
    ? undefined
    : (record as GenerationRecord).name.slice(GENERATION.length);
}

/** The time that a record of `keys` has, in ms since 1970; undefined where it has none. */
export function timeOf(record: unknown): number | undefined {
  const { at } = (record ?? {}) as { at?: unknown };
  return typeof at === "number" && Number.isFinite(at) ? at : undefined;
}

/** True if a record of `keys` is the tombstone of a store. */
export function isTombstone(record: unknown): boolean {
  const { name } = (record ?? {}) as { name?: unknown };
  return typeof name === "string" && name.startsWith(FORGOTTEN);
}

/**
 * The tombstone of a forgotten store: its random mark, and nothing of its user. `at` is the time of the
 * deletion, for the sweep.
 */
export function tombstone(generation: string, at?: number): { name: string; at?: number } {
  const name = FORGOTTEN + generation;
  return at === undefined ? { name } : { name, at };
}

/**
 * Has a transaction fail that writes for a store which has been forgotten; `keys` is
 * in its scope. It adds the tombstone, which fails where there is one, and takes it
 * back: no callback of it is needed, since a page that is being left has none.
 */
export function fence(tx: IDBTransaction, generation: string, fail: (error: StoreError) => void): void {
  const keys = tx.objectStore("keys");
  const mine = tombstone(generation);
  const request = keys.add(mine);
  request.onerror = () => {
    // Not where the transaction is aborted for another reason, such as want of room.
    if (request.error?.name === "ConstraintError") fail(forgotten());
  };
  keys.delete([mine.name]);
}

/**
 * The same for a transaction that only deletes: it adds nothing, since a browser lets
 * such a one through where there is no room left. It waits for its answer, which a
 * page that is being left does not get.
 */
export function fenceDeletions(
  tx: IDBTransaction, generation: string, fail: (error: StoreError) => void,
): void {
  const request = tx.objectStore("keys").get([tombstone(generation).name]);
  request.onsuccess = () => {
    if (request.result !== undefined) fail(forgotten());
  };
}

function forgotten(): StoreError {
  return new StoreError("closed", "what the store held was forgotten");
}
