// The stores of the page's memory, in the place of the database. A wipe empties them without the code that
// reads and writes them (memory.ts).

import type { Tombstone } from "./calltombstones.js";
import type { HeadRecord, LogRecord, ServerRecord } from "./rows.js";

/** The store of one server in memory. Rows are in the order of (epoch, n). */
export interface Held {
  ids: { last: number } | undefined;
  server: ServerRecord | undefined;
  heads: Map<number, HeadRecord>;
  log: Map<number, LogRecord[]>;
  /** Whose each key is, as long as that call is held. */
  keys: Map<string, number>;
  /** By their places. */
  tombstones: Map<string, Tombstone>;
}

/** All of it, by server: two clients of a page share it, as two tabs share the database. */
export const held: Map<string, Held> = new Map();

/**
 * A store in memory that is open. Those of clients and those of agents may be of two copies of the class:
 * none reaches into another.
 */
export interface OpenInMemory {
  readonly server: string;
  /** Ends it for a reason of its own. */
  end(): void;
}

/** The stores that are open, which a wipe ends. */
export const openInMemory: Set<OpenInMemory> = new Set();

/** Forgets all of it, and ends every store. */
export function wipeMemory(): void {
  held.clear();
  for (const store of [...openInMemory]) store.end();
}
