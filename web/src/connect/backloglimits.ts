import { bound } from "../base/arguments.js";
import type { CommonOptions } from "./commonoptions.js";

/**
 * Limits on the events that may wait for their readers: limits.backlog, limits.backlogBytes and
 * limits.backlogTotal.
 */
export function backlogLimits(op: string, { limits = {} }: CommonOptions): [number, number, number] {
  const at = (name: "backlog" | "backlogBytes" | "backlogTotal"): number =>
    bound(`limits.${name}`, limits[name], op);
  return [at("backlog"), at("backlogBytes"), at("backlogTotal")];
}
