import type { Open } from "../shared/mcp.js";
import type { Mirrored, ToolHeaders } from "./toolheaders.js";

/** More than this is not stored, in characters: the core takes no more bytes either. */
const MOST = 40_000;

/** What calls need to know of a server's tools, by name. */
export interface ToolFacts {
  /** What they repeat in header fields. */
  headers: Map<string, ToolHeaders>;
  /** What their annotations say of running them twice: CallFlags. */
  flags: Map<string, number>;
  /** Whether their calls may become tasks. */
  tasks: Map<string, string>;
}

/**
 * The facts as they are stored beside the session, so that a later page calls tools as
 * one does that has listed them; undefined where that is too much.
 * `mirrors`: the server wants header fields that its revision does not have.
 */
export function storedTools(facts: ToolFacts, mirrors: boolean): Open | undefined {
  const tools: Open = {};
  for (const [name, task] of facts.tasks) {
    const fields = facts.headers.get(name)?.fields ?? [];
    tools[name] = { task, flags: facts.flags.get(name) ?? 0, ...(fields.length === 0 ? {} : { fields }) };
  }
  const stored = { tools, ...(mirrors && { mirrors }) };
  return JSON.stringify(stored).length > MOST ? undefined : stored;
}

/** Takes over what an earlier page has stored, of tools that this one has not listed. Reports whether the server wants header fields that its revision does not have. */
export function recallTools(stored: Open, facts: ToolFacts): boolean {
  for (const [name, tool] of Object.entries((stored["tools"] ?? {}) as Record<string, { task: string; flags: number; fields?: Mirrored[] }>)) {
    if (facts.tasks.has(name)) continue;
    facts.tasks.set(name, tool.task);
    facts.flags.set(name, tool.flags);
    facts.headers.set(name, { fields: tool.fields ?? [] });
  }
  return stored["mirrors"] === true;
}
