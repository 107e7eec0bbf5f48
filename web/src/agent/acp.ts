// ACP's own types, as far as this API speaks of them, in the shape of version 2's
// schema; what a version 1 agent says is brought into it (dialects.ts). Members
// that no version names yet stay; null is as good as missing.

import type { RPCError } from "../base/errors.js";
import type { Open } from "../base/mcp.js";
import type { ToolCallItem } from "./items.js";

/** Capabilities of an agent for sessions. A member that is present, even empty, declares the capability. */
export interface AgentSessionCapabilities extends Open {
  /** The blocks that a prompt may have, beside text and resource links. */
  prompt?: { image?: object | null; audio?: object | null; embeddedContext?: object | null } & Open;
  /** The transports by which the agent connects to MCP servers. */
  mcp?: { stdio?: object | null; http?: object | null; sse?: object | null } & Open;
  list?: object | null;
  /** The agent can resume a session that it has. */
  resume?: object | null;
  /** The agent can replay the history of a session. */
  load?: object | null;
  close?: object | null;
  delete?: object | null;
  additionalDirectories?: object | null;
}

/** Capabilities that an agent declares (schema: AgentCapabilities). */
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
  /** The server's address, for "http". */
  url?: string;
  headers?: { name: string; value: string }[];
  /** The absolute path of the program, for "stdio". */
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
  /** The subject of the setting: "mode", "model" ... */
  category?: string | null;
  currentValue?: string | boolean;
  /** The values of a "select", or groups of them. */
  options?: Open[];
}

/** How full the context is, in tokens, and what the session has cost (schema: UsageUpdate). */
export interface ContextUsage extends Open {
  used: number;
  size: number;
  cost?: { amount: number; currency: string } | null;
}

/** Work that continues while the session is idle (schema: BackgroundWork). */
export interface BackgroundWork extends Open {
  type: "terminal" | "tool_call" | (string & {});
  terminalId?: string;
  toolCallId?: string;
}

/**
 * State of a session (schema: StateUpdate). Only "idle" means that no work is under way; an agent may send
 * states that are new.
 */
export type SessionState = "idle" | "running" | "requires_action" | (string & {});

/** Why a turn ended (schema: IdleStateUpdate). */
export type StopReason =
  "end_turn" | "max_tokens" | "max_turn_requests" | "refusal" | "cancelled" | "error" | (string & {});

/** How a turn ended. */
export interface TurnEnd {
  /** Undefined where the agent does not say. */
  stopReason?: StopReason;
  /** The agent's error, for the stop reason "error". */
  error?: RPCError;
  /** The usage of the turn, e.g. its tokens, where the agent says so (unstable in the schema). */
  usage?: Open;
}

/** The subject of a request for permission (schema: RequestPermissionSubject). */
export interface PermissionSubject extends Open {
  type: "tool_call" | "command" | (string & {});
  /** The tool call, for "tool_call". The transcript has the call under `toolCall.toolCallId`. */
  toolCall?: { toolCallId: string } & Partial<Omit<ToolCallItem, "type" | "id">>;
  /** The command line, for "command". */
  command?: string;
  cwd?: string;
}

/** One of the answers to a request for permission (schema: PermissionOption). */
export interface PermissionOption extends Open {
  optionId: string;
  name: string;
  kind: "allow_once" | "allow_always" | "reject_once" | "reject_always" | (string & {});
}
