import { CallFlags } from "../shared/border.js";
import type { Open, Tool } from "../shared/mcp.js";
import type { Mirrored, ToolHeaders } from "./toolheaders.js";

/**
 * What the core needs to know of a tool (core/mcp/tool_facts.go): whether its calls may
 * become tasks, and what its annotations say of running them twice. They are hints: only
 * what is said outright counts.
 */
export function factsOf({ annotations = {}, execution }: Tool, { fields = [] }: ToolHeaders): Open {
  return {
    task: String((execution as Open | undefined)?.["taskSupport"] ?? "forbidden"),
    flags: (annotations.readOnlyHint === true ? CallFlags.ReadOnly : 0) | (annotations.idempotentHint === true ? CallFlags.Idempotent : 0),
    ...(fields.length > 0 && { fields }),
  };
}

/** Takes over what an earlier page has stored, of tools that this one has not listed. Reports whether the server wants header fields that its revision does not have. */
export function recallTools(stored: Open, headers: Map<string, ToolHeaders>): boolean {
  for (const [name, { fields = [] }] of Object.entries((stored["tools"] ?? {}) as Record<string, { fields?: Mirrored[] }>)) {
    if (!headers.has(name)) headers.set(name, { fields });
  }
  return stored["mirrors"] === true;
}
