// Tombstones of calls that have ended and were forgotten. A tombstone says how its call had ended, for a page
// that has seen the call under way, and looks for it only now. Tombstones lie beside the heads: a deletion of
// a server's heads deletes them as well. There is a fixed number of places, and each call has one of them: so
// a page that forgets a call writes, and looks for nothing.

import { TOMBSTONE } from "./ranges.js";

/** Places of a server: the numbers of a page's calls follow each other. */
const PLACES = 256;
/** How long one counts, in ms: a page that slept longer learns only that its call is gone. */
const KEPT = 24 * 3_600_000;

/** The tombstone of a call. */
export interface Tombstone {
  server: string;
  /** Where a head has the call's number: {@link TOMBSTONE} and the place. */
  call: string;
  of: number;
  outcome: number;
  /** When it was forgotten, in ms since 1970. */
  at: number;
}

/** The tombstone of a call that is forgotten now. */
export function tombstoneOf(server: string, call: number, outcome: number): Tombstone {
  return { server, call: placeOf(call), of: call, outcome, at: Date.now() };
}

/** Where that of a call is. */
export function placeOf(call: number): string {
  return TOMBSTONE + (call % PLACES);
}

/** How a call had ended, by what is in its place; 0 where that does not say. */
export function outcomeOf(record: unknown, call: number): number {
  const { of, outcome, at } = (record ?? {}) as Partial<Tombstone>;
  return of === call &&
    typeof outcome === "number" &&
    typeof at === "number" &&
    Math.abs(Date.now() - at) < KEPT
    ? outcome
    : 0;
}
