import { bound } from "../base/arguments.js";
import type { CommonOptions } from "./commonoptions.js";

/** What may wait for those who read events: limits.backlog, limits.backlogBytes and limits.backlogTotal. */
export function backlogLimits(op: string, { limits = {} }: CommonOptions): [number, number, number] {
  const at = (name: "backlog" | "backlogBytes" | "backlogTotal"): number =>
    bound(`limits.${name}`, limits[name], op);
  return [at("backlog"), at("backlogBytes"), at("backlogTotal")];
}
