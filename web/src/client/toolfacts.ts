import { CallFlags } from "../base/border.js";
import type { Open, Tool } from "../base/mcp.js";
import type { ToolHeaders } from "./toolheaders.js";

/**
 * What the core needs to know of a tool (core/mcp/tool_facts.go): whether its calls may
 * become tasks, what they repeat in header fields, and what its annotations say of
 * running them twice. Those are hints: only what is said outright counts. Some servers write null for what
 * they do not say.
 */
export function factsOf({ annotations, execution }: Tool, { fields = [] }: ToolHeaders): Open {
  return {
    task: String((execution as Open | undefined)?.["taskSupport"] ?? "forbidden"),
    flags: (annotations?.readOnlyHint === true ? CallFlags.ReadOnly : 0) | (
      annotations?.idempotentHint === true ? CallFlags.Idempotent : 0
    ),
    ...(fields.length > 0 && { fields }),
  };
}
