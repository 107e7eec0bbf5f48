import { badArgument } from "../base/arguments.js";
import { check, group, name, open } from "../base/kinds.js";
import type { Open } from "../base/mcp.js";
import type { CallOptions } from "./options.js";

/** A call of a tool as the official client takes it (schema: CallToolRequestParams). */
export interface ToolCall {
  /** The name of the tool. */
  name: string;
  arguments?: Open;
  _meta?: Open;
}

const OP = "tools/call";
const CALLED = group({ name, arguments: open, _meta: open });

/** The arguments of callTool, which has two forms; throws `bad_argument`. */
export function toolCall(
  tool: string | ToolCall, second: unknown, third: unknown,
): { args: [name: string, args: Open]; options: CallOptions } {
  if (typeof tool === "string" && tool !== "") {
    const args = second === undefined ? {} : second;
    check(OP, "args", args, open);
    return { args: [tool, args as Open], options: (third === undefined ? {} : third) as CallOptions };
  }
  if (typeof tool !== "object" || tool === null)
    throw badArgument(OP, "name", "has to be the name of a tool, or an object with a name and arguments");
  check(OP, "name", tool.name, name);
  check(OP, "name", tool, CALLED);
  if (third !== undefined)
    throw badArgument(OP, "options", "come second where the first argument is an object");
  const { _meta, arguments: args = {} } = tool;
  const options = (second === undefined ? {} : second) as CallOptions;
  return {
    args: [tool.name, args], options: _meta ? { ...options, meta: { ..._meta, ...options?.meta } } : options,
  };
}
