import type { Durability } from "../tabs/journalclient.js";
import { CEILING_SHIFT, FLOOR_SHIFT, GUARANTEE_WORDS, type GuaranteeWord } from "../base/border.js";
import type { Guarantee } from "./events.js";

/**
 * The guarantees of a tool call: `floor` is where the call starts, `ceiling` is the best that the call can
 * reach.
 */
export interface Guarantees {
  floor: Guarantee;
  ceiling: Guarantee;
}

/**
 * What calls can count on, by the facts of the connection; what is in memory ends with the page, and so does
 * what a call is resumed with where the store can seal nothing.
 */
export function guaranteesOf(durability: Durability, seals: boolean, facts: number): Guarantees {
  const floor = guaranteeAt(facts, FLOOR_SHIFT);
  return { floor, ceiling: durability === "memory" || !seals ? floor : guaranteeAt(facts, CEILING_SHIFT) };
}

/**
 * What a reload does to a call, by what the core says, which knows no host: `outlives` says whether the host
 * outlives the page.
 */
export function inHost(core: Guarantee, outlives: boolean): Guarantee {
  return outlives && core === "lost-on-reload" ? "survives-reload" : core;
}

function guaranteeAt(facts: number, shift: number): GuaranteeWord {
  return GUARANTEE_WORDS[(facts >> shift) & 0xff]!;
}
