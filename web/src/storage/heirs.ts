// Heirs of the ended calls that closed pages have left. A tab adopts a call under way by a new head: its new
// owner writes on. An ended call is only kept until the app has done with it, and a page may find thousands.
// So one note in the server's record of ids stands for all that one owner has left.

import { type HeadRecord, hasEnded, isCount, type LogRecord, takenOver } from "./rows.js";

/** The heir of an owner's calls. */
export interface Heir {
  tab: string;
  /** How often it has changed hands. */
  turn: number;
  /** The last of the calls. An owner that was in the back/forward cache may make more, and has those. */
  last: number;
}

/**
 * The most turns of a call. No build writes more: a call that no app is done with has a turn with each
 * reload, and is forgotten after a week. Epochs are counted in a list.
 */
const MOST_TURNS = 10_000;

/** The heirs, by the owners that the heads name. */
export type Heirs = ReadonlyMap<string, Heir>;

/** Reads them off a record of ids. What is no heir is left out: then nobody has taken anything over. */
export function heirsOf(ids: unknown): Map<string, Heir> {
  const { heirs } = (ids ?? {}) as { heirs?: unknown };
  const found = new Map<string, Heir>();
  if (!(heirs instanceof Map)) return found;
  for (const [owner, heir] of heirs as Map<unknown, Partial<Heir> | null>) {
    const { tab, turn, last } = heir ?? {};
    if (
      typeof owner === "string" &&
      typeof tab === "string" &&
      isCount(turn) &&
      turn > 0 &&
      turn <= MOST_TURNS &&
      isCount(last)
    ) found.set(owner, { tab, turn, last });
  }
  return found;
}

/**
 * The heir of an ended call that its owner has made. The number of a call that the owner has adopted does not
 * tell when the owner adopted the call: such a call has no heir.
 */
export function heirTo(head: HeadRecord, heirs: Heirs): Heir | undefined {
  const heir = head.owner === null ? undefined : heirs.get(head.owner);
  return head.epoch === 1 && heir && head.call <= heir.last ? heir : undefined;
}

/**
 * The head of a call as its heir would have written it; `rows` are those that count
 * by the head as it is. The heir's own rows count by this one. The seal is not
 * written: what follows an outcome is how far the app is done with it, no more.
 */
export function inherited(head: HeadRecord, rows: readonly LogRecord[], heirs: Heirs): HeadRecord {
  const heir = heirTo(head, heirs);
  if (!heir || !hasEnded(rows)) return head;
  const first = takenOver(head, rows, heir.tab);
  // Heirs in between have written nothing: a write would have left a head of its own.
  return {
    ...first,
    epoch: head.epoch + heir.turn,
    sealed: [...first.sealed, ...new Array<number>(heir.turn - 1).fill(-1)],
  };
}

/** True if a call goes to the heir with all others that its owner has left; `rows` are those that count. */
export function goesAlong(head: HeadRecord, rows: readonly LogRecord[], heirs: Heirs): boolean {
  return head.owner !== null &&
    head.call <= (heirs.get(head.owner)?.last ?? Infinity) &&
    head.epoch === 1 &&
    rows.every((row) => row.epoch === 1) &&
    hasEnded(rows);
}

/** Notes that `tab` takes over what the heirs of these heads have, as they are written, or their owners. */
export function inherit(heirs: Map<string, Heir>, heads: readonly HeadRecord[], tab: string): void {
  const before = new Map(heirs);
  for (const { owner, call } of heads) {
    if (owner === null) continue;
    const heir = before.get(owner);
    heirs.set(owner, { tab, turn: (heir?.turn ?? 0) + 1, last: Math.max(heirs.get(owner)?.last ?? 0, call) });
  }
}
