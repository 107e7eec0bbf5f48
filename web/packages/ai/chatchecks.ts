// Checks of the arguments that an app gives to holdfast/ai, before anything is called.

import type { McpClient, Open, RequestOptions, Tool } from "holdfast";
import { badArgument } from "../shared/checks.js";

/** A source of tools: a client, or a hub of several. */
export interface ToolSource extends Pick<McpClient, "callTool" | "calls"> {
  listTools(options?: RequestOptions): Promise<{ tools: Tool[] }>;
}

/** Refuses what has no tools; a promise of a client is a common slip. */
export function checkSource(op: string, source: unknown): void {
  const given = source as Partial<ToolSource> | null | undefined;
  if (typeof given?.callTool !== "function" || typeof given.listTools !== "function")
    throw badArgument(op, "client", "has to be an McpClient, which is what connect resolves to, or a hub");
}

/** Options that the AI SDK sets itself, or that would ask an app which nobody watches. */
const OTHERS: Record<string, string> = {
  signal: "is the AI SDK's to give: it passes abortSignal on",
  onprogress: "is no option: progress comes as preliminary results",
  input: "is no option: the handlers of connect answer what a server asks",
};

/** Refuses options that the calls of a model have no use for; the others callTool looks at. */
export function checkOptions(op: string, { key, ...options }: { key?: unknown }): void {
  if (key !== undefined && typeof key !== "function")
    throw badArgument(op, "key", "has to be a function: of the id of a tool call it makes a key");
  for (const name of Object.keys(options))
    if (Object.hasOwn(OTHERS, name)) throw badArgument(op, name, OTHERS[name]!);
}

/** The arguments that a model gives. An empty input counts as an object without members. */
export function asArguments(input: unknown): Open {
  if (input === undefined || input === null || input === "") return {};
  if (typeof input === "object" && !Array.isArray(input)) return input as Open;
  throw badArgument("tools/call", "input", "has to be an object: the model gave something else");
}
