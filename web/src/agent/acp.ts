// ACP's own types, as far as this API speaks of them, in the shape of version 2's
// schema; what a version 1 agent says is brought into it (dialects.ts). Members
// that no version names yet stay; null is as good as missing.

import type { RPCError } from "../base/errors.js";
import type { Open } from "../base/mcp.js";
import type { ToolCallItem } from "./items.js";

/** What an agent can do with sessions. A member that is there, even empty, says that it can. */
export interface AgentSessionCapabilities extends Open {
  /** Which blocks a prompt may have, beside text and resource links. */
  prompt?: { image?: object | null; audio?: object | null; embeddedContext?: object | null } & Open;
  /** To which MCP servers the agent connects. */
  mcp?: { stdio?: object | null; http?: object | null; sse?: object | null } & Open;
  list?: object | null;
  /** It goes on with a session that it has. */
  resume?: object | null;
  /** It tells the history of one. */
  load?: object | null;
  close?: object | null;
  delete?: object | null;
  additionalDirectories?: object | null;
}

/** What an agent says it can do (schema: AgentCapabilities). */
export interface AgentCapabilities extends Open {
  session?: AgentSessionCapabilities | null;
}

/** A way to log in (schema: AuthMethod). `agent`: by {@link Agent.login}; a page can do no other. */
export interface AuthMethod extends Open {
  methodId: string;
  type: "agent" | "terminal" | (string & {});
  name: string;
  description?: string | null;
}

/** An MCP server that the agent shall connect to (schema: McpServer). */
export interface McpServer extends Open {
  /** Default "stdio". */
  type?: "http" | "stdio" | (string & {});
  name: string;
  /** Of "http". */
  url?: string;
  headers?: { name: string; value: string }[];
  /** Of "stdio": absolute. */
  command?: string;
  args?: string[];
  env?: { name: string; value: string }[];
}

/** A session that the agent has (schema: SessionInfo). */
export interface SessionInfo extends Open {
  sessionId: string;
  cwd: string;
  additionalDirectories?: string[];
  title?: string | null;
  /** RFC 3339. */
  updatedAt?: string | null;
}

/** One page of the agent's sessions. */
export interface SessionPage extends Open {
  sessions: SessionInfo[];
  /** Names the next page. Not to be kept: it is the agent's. */
  nextCursor?: string | null;
}

/** A command that the user can give as "/name" (schema: AvailableCommand). */
export interface AvailableCommand extends Open {
  type?: "command" | (string & {});
  name: string;
  description: string;
  input?: ({ type?: string; hint?: string } & Open) | null;
}

/** A setting of a session (schema: SessionConfigOption). */
export interface ConfigOption extends Open {
  type: "select" | "boolean" | (string & {});
  configId: string;
  name: string;
  description?: string | null;
  /** What it is about: "mode", "model" ... */
  category?: string | null;
  currentValue?: string | boolean;
  /** Of "select": values, or groups of them. */
  options?: Open[];
}

/** How full the context is, in tokens, and what the session has cost (schema: UsageUpdate). */
export interface ContextUsage extends Open {
  used: number;
  size: number;
  cost?: { amount: number; currency: string } | null;
}

/** What goes on while the session is idle (schema: BackgroundWork). */
export interface BackgroundWork extends Open {
  type: "terminal" | "tool_call" | (string & {});
  terminalId?: string;
  toolCallId?: string;
}

/** Who is at work (schema: StateUpdate). Only "idle" means nobody; an agent may have words that are new. */
export type SessionState = "idle" | "running" | "requires_action" | (string & {});

/** Why a turn ended (schema: IdleStateUpdate). */
export type StopReason =
  "end_turn" | "max_tokens" | "max_turn_requests" | "refusal" | "cancelled" | "error" | (string & {});

/** How a turn ended. */
export interface TurnEnd {
  /** Undefined where the agent does not say. */
  stopReason?: StopReason;
  /** Of "error". */
  error?: RPCError;
  /** What the turn took, where the agent says it (unstable in the schema). */
  usage?: Open;
}

/** What a permission is asked for (schema: RequestPermissionSubject). */
export interface PermissionSubject extends Open {
  type: "tool_call" | "command" | (string & {});
  /** Of "tool_call": it is in the transcript, under `toolCall.toolCallId`. */
  toolCall?: { toolCallId: string } & Partial<Omit<ToolCallItem, "type" | "id">>;
  /** Of "command". */
  command?: string;
  cwd?: string;
}

/** One of the answers to a request for permission (schema: PermissionOption). */
export interface PermissionOption extends Open {
  optionId: string;
  name: string;
  kind: "allow_once" | "allow_always" | "reject_once" | "reject_always" | (string & {});
}
