import { CallFlags } from "../base/border.js";
import type { Open, Tool } from "../base/mcp.js";
import type { ToolHeaders } from "./toolheaders.js";

/**
 * The facts that the core uses of a tool (core/mcp/tool_facts.go): whether its calls may become tasks, which
 * arguments its calls repeat in header fields, and whether its annotations allow a second run. Annotations
 * are hints: only an explicit value counts. Some servers write null for a missing value.
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
