/**
 * Holdfast for agents: ACP from a web page, for turns that outlive the connection.
 *
 * ```ts
 * import { connectAgent } from "holdfast/agent";
 *
 * const agent = await connectAgent("https://example.com/acp");
 * const session = await agent.newSession({ cwd: "/w" });
 * await session.prompt("Count to ten.");
 * ```
 *
 * Named exports only: every name added here is public API. What an app without agents imports has nothing of
 * it, nor of the wasm and the chunks that it loads.
 *
 * @module
 */

export { connectAgent, preloadAgent } from "./host/choose/agenthosts.js";
export { isA } from "./agent/content.js";
export { ElicitationRequest, PermissionRequest } from "./agent/questions.js";
export type { PreloadAgentOptions } from "./host/choose/agenthosts.js";
export type { Agent, SessionOptions } from "./agent/agent.js";
export type { AgentCounters } from "./agent/agentbackend.js";
export type { AgentEvents, AgentState } from "./agent/agentevents.js";
export type { AgentLimits, AgentOptions, AgentTimeouts } from "./agent/agentoptions.js";
export type {
  AgentCapabilities,
  AgentSessionCapabilities,
  AuthMethod,
  AvailableCommand,
  BackgroundWork,
  ConfigOption,
  ContextUsage,
  McpServer,
  PermissionOption,
  PermissionSubject,
  SessionInfo,
  SessionPage,
  SessionState,
  StopReason,
  TurnEnd,
} from "./agent/acp.js";
export type { AgentHandlers } from "./agent/openquestions.js";
export type {
  AudioBlock,
  BlockAnnotations,
  BlockContent,
  AgentContentBlock,
  DiffChange,
  DiffContent,
  ImageBlock,
  KnownBlock,
  KnownToolContent,
  ResourceBlock,
  ResourceLinkBlock,
  TerminalContent,
  TextBlock,
  ToolCallContent,
  Unlisted,
} from "./agent/content.js";
export type {
  CompactionItem,
  MessageItem,
  NoticeItem,
  PendingPrompt,
  PlanEntry,
  PlanItem,
  TerminalItem,
  ToolCallItem,
  ToolCallStatus,
  ToolKind,
  TranscriptItem,
  UnknownItem,
} from "./agent/items.js";
export type { SessionMode } from "./agent/modes.js";
export type { AgentQuestion } from "./agent/questions.js";
export type { AgentSession, PromptAccepted } from "./agent/session.js";
export type {
  SessionEvent, SessionEvents, SessionStatus, SessionTurn, WithdrawnReason,
} from "./agent/sessionevents.js";
