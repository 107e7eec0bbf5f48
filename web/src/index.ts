/**
 * Holdfast: MCP from a web page, for work that outlives the connection.
 *
 * ```ts
 * import { connect } from "holdfast";
 *
 * const mcp = await connect("https://example.com/mcp");
 * const call = mcp.callTool("render", { scene: 7 });
 * for await (const event of call) show(event);
 * const result = await call.result;
 * ```
 *
 * Named exports only: every name added here is public API.
 *
 * @module
 */

export { connect } from "./connect.js";
export { connectAgent } from "./agent/connectagent.js";
export { isA } from "./agent/content.js";
export { ElicitationRequest, PermissionRequest } from "./agent/questions.js";
export { HoldfastError } from "./errors.js";
export { IDEMPOTENCY_KEY } from "./idempotency.js";
export { version } from "./runtime/load.js";
export { wipe } from "./durable/wipe.js";
export type { Call } from "./call.js";
export type { CallStatus } from "./callstatus.js";
export type { Draft } from "./drafts.js";
export type { McpClient } from "./client.js";
export type { Changed } from "./resultcache.js";
export type { ListOptions } from "./sharedclient.js";
export type { ClientEvents, ClientState, EvictedCall, ListenEvent } from "./clientevents.js";
export type { Connection } from "./connection.js";
export type { NegotiationStep } from "./serverfacts.js";
export type { Counters } from "./counters.js";
export type { Guarantees } from "./guarantees.js";
export type { ElicitationResult, FormElicitation, Handlers, InputContext, URLElicitation } from "./handlers.js";
export type { ErrorCode, InvalidOutput, RPCError } from "./errors.js";
export type { Durability, DurabilityReason } from "./durable/journalclient.js";
export type { Usage } from "./store/index.js";
export type {
  CallEvent,
  GapEvent,
  Guarantee,
  GuaranteeEvent,
  InputEvent,
  InputRequest,
  LogEvent,
  NotificationEvent,
  ProgressEvent,
  ResumedEvent,
  SegmentEvent,
  StatusEvent,
  TaskEvent,
} from "./events.js";
export type {
  CallToolResult,
  CompleteResult,
  ContentBlock,
  GetPromptResult,
  Implementation,
  JSONSchema,
  ListPromptsResult,
  ListResourcesResult,
  ListResourceTemplatesResult,
  ListTasksResult,
  ListToolsResult,
  LoggingLevel,
  MediaContent,
  Open,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceContent,
  ResourceContents,
  ResourceTemplate,
  ServerCapabilities,
  Task,
  TaskStatus,
  TextContent,
  Tool,
  ToolAnnotations,
} from "./mcp.js";
export type { AckMode, CallOptions, ConnectOptions, JournalOptions, Limits, RerunPolicy, ResponseMode, Retention, Timeouts, TokenProvider, ValidatePolicy } from "./options.js";
export type { WasmSource } from "./runtime/load.js";
export type { Agent, AgentCounters, SessionOptions } from "./agent/agent.js";
export type {
  AgentEvents,
  AgentState,
  SessionEvent,
  SessionEvents,
  SessionStatus,
  SessionTurn,
  WithdrawnReason,
} from "./agent/agentevents.js";
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
export type { AgentHandlers } from "./agent/asked.js";
export type {
  AudioBlock,
  BlockAnnotations,
  BlockContent,
  ContentBlock as AgentContentBlock,
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
