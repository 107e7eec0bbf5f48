// The items of a transcript (ACP v2 schema: SessionUpdate), as they stand: what
// updates have said so far, put together. Members that no version names stay.

import type { Open } from "../base/mcp.js";
import type { AgentContentBlock, ToolCallContent } from "./content.js";

/** A message: by the user, by the agent, or a thought of the agent. */
export interface MessageItem {
  readonly type: "user_message" | "agent_message" | "agent_thought";
  /** Unique among the messages of its type. Of version 1, which has none, "v1:" and a number. */
  readonly id: string;
  /** In order. Text that came in chunks is one block, unless they had annotations of their own. */
  readonly content: readonly AgentContentBlock[];
  /** True if the message had more than limits.item; the rest is missing. */
  readonly truncated?: boolean;
  readonly _meta?: Open;
  readonly [member: string]: unknown;
}

/** How a tool call stands (schema: ToolCallStatus). */
export type ToolCallStatus =
  "pending" | "in_progress" | "paused" | "completed" | "failed" | "cancelled" | (string & {});

/** The kind of work that a tool does (schema: ToolKind). */
export type ToolKind =
  | "read"
  | "edit"
  | "delete"
  | "move"
  | "search"
  | "execute"
  | "think"
  | "fetch"
  | "switch_mode"
  | "other"
  | (string & {});

/** A call of a tool by the agent. */
export interface ToolCallItem {
  readonly type: "tool_call";
  readonly id: string;
  readonly title?: string;
  /** The tool's own name. */
  readonly name?: string;
  readonly kind: ToolKind;
  readonly status: ToolCallStatus;
  readonly content: readonly ToolCallContent[];
  /** Files that it works on. */
  readonly locations: readonly ({ path: string; line?: number | null } & Open)[];
  readonly rawInput?: unknown;
  readonly rawOutput?: unknown;
  /** `cancel`: it can be cancelled by itself ({@link AgentSession.cancelToolCall}). */
  readonly capabilities?: { cancel?: object | null } & Open;
  readonly truncated?: boolean;
  readonly _meta?: Open;
  readonly [member: string]: unknown;
}

/** A terminal that the agent has. */
export interface TerminalItem {
  readonly type: "terminal";
  readonly id: string;
  readonly command?: string;
  readonly cwd?: string;
  /** The output of the terminal as the bytes came: ANSI sequences and all. */
  readonly output: Uint8Array;
  /** The output as text (UTF-8), up to the last character that is complete. */
  readonly text: string;
  readonly exitStatus?: { exitCode?: number | null; signal?: string | null } & Open;
  readonly size?: { cols: number; rows: number } & Open;
  /** `cancel`: its command can be ended ({@link AgentSession.cancelTerminal}). */
  readonly capabilities?: { cancel?: object | null } & Open;
  readonly truncated?: boolean;
  readonly _meta?: Open;
  readonly [member: string]: unknown;
}

/** One step of a plan. */
export interface PlanEntry extends Open {
  content: string;
  priority: "high" | "medium" | "low" | (string & {});
  status: "pending" | "in_progress" | "completed" | "cancelled" | (string & {});
}

/** The agent's plan. Each update replaces the whole plan. */
export interface PlanItem {
  readonly type: "plan";
  /** "" in version 1, which has one plan. */
  readonly id: string;
  readonly entries: readonly PlanEntry[];
  readonly _meta?: Open;
  readonly [member: string]: unknown;
}

/** The agent has put the history, up to here, in fewer words for itself. */
export interface CompactionItem {
  readonly type: "compaction";
  readonly id: string;
  readonly status?: "in_progress" | "completed" | "failed" | "cancelled" | (string & {});
  /** The summary. */
  readonly content: readonly AgentContentBlock[];
  readonly error?: string;
  readonly truncated?: boolean;
  readonly _meta?: Open;
  readonly [member: string]: unknown;
}

/** Something that the user should know. Not part of the history: a replay does not bring it back. */
export interface NoticeItem {
  readonly type: "notice";
  readonly id?: string;
  readonly severity: "info" | "warning" | "error" | (string & {});
  readonly title: string;
  readonly description?: string;
  readonly _meta?: Open;
  readonly [member: string]: unknown;
}

/** An update that no version has named yet. */
export interface UnknownItem {
  readonly type: "unknown";
  /** The item's own name. */
  readonly name: string;
  /** The whole of it, as the agent sent it. */
  readonly update: Readonly<Open>;
}

/**
 * An item of a transcript. Items are never changed: where something has changed
 * there is a new one in its place, so that `===` says whether to draw it again.
 */
export type TranscriptItem =
  MessageItem | ToolCallItem | TerminalItem | PlanItem | CompactionItem | NoticeItem | UnknownItem;

/** A prompt that was sent and is not in the history yet: the agent holds it, or has not answered. */
export interface PendingPrompt {
  /** The number of the prompt, in the order of sending. */
  readonly prompt: number;
  readonly content: readonly AgentContentBlock[];
}
