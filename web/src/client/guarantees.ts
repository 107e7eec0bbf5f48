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
 * The guarantees of tool calls, by the facts of the connection. A store in memory ends with the page. A store
 * that can seal nothing does not keep what resumes a call.
 */
export function guaranteesOf(durability: Durability, seals: boolean, facts: number): Guarantees {
  const floor = guaranteeAt(facts, FLOOR_SHIFT);
  return { floor, ceiling: durability === "memory" || !seals ? floor : guaranteeAt(facts, CEILING_SHIFT) };
}

/**
 * The effect of a reload on a call, given the core's guarantee. The core knows no host: `outlives` says
 * whether the host outlives the page.
 */
export function inHost(core: Guarantee, outlives: boolean): Guarantee {
  return outlives && core === "lost-on-reload" ? "survives-reload" : core;
}

function guaranteeAt(facts: number, shift: number): GuaranteeWord {
  return GUARANTEE_WORDS[(facts >> shift) & 0xff]!;
}
