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

export { oauth, oauthProgram } from "./auth/oauthoption.js";
export { connect } from "./host/choose/hosts.js";
export { preload } from "./host/choose/preload.js";
export { ElicitationRequest } from "./agent/questions.js";
export { HoldfastError } from "./base/errors.js";
export { IDEMPOTENCY_KEY } from "./client/idempotency.js";
export { version } from "./runtime/beside.js";
export { wipe } from "./auth/wipe.js";
export type { PreloadOptions } from "./host/choose/preload.js";
export type { OAuthOptions, OAuthProgram } from "./auth/oauth.js";
export type { ServerSignIn } from "./auth/clientauth.js";
export type { OAuth } from "./auth/oauthoption.js";
export type { SignInState } from "./auth/signinstate.js";
export type { Host, HostEvent, HostReason } from "./base/host.js";
export type { Call } from "./client/call.js";
export type { CallStatus } from "./client/callstatus.js";
export type { Draft } from "./input/drafts.js";
export type { McpClient } from "./client/client.js";
export type { Changed } from "./client/resultcache.js";
export type { ToolCall } from "./client/toolcall.js";
export type { ClientEvents, EvictedCall, ListenEvent } from "./client/clientevents.js";
export type { Connection } from "./client/connection.js";
export type { ClientState, StateEvent, TokenSubject } from "./base/clientstate.js";
export type { Counters } from "./client/counters.js";
export type { Guarantees } from "./client/guarantees.js";
export type { Handlers, InputContext } from "./input/handlers.js";
export type { ErrorCode, InvalidOutput, RPCError } from "./base/errors.js";
export type { Durability, DurabilityReason } from "./tabs/journalclient.js";
export type { Usage } from "./storage/storage.js";
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
  SegmentEvent,
  TaskEvent,
} from "./client/events.js";
export type {
  AudioContent,
  CallToolResult,
  CompleteResult,
  ContentBlock,
  EmbeddedResource,
  GetPromptResult,
  ImageContent,
  Implementation,
  JSONSchema,
  ListPromptsResult,
  ListResourcesResult,
  ListResourceTemplatesResult,
  ListTasksResult,
  ListToolsResult,
  LoggingLevel,
  Open,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceContents,
  ResourceLink,
  ResourceTemplate,
  ServerCapabilities,
  Task,
  TaskStatus,
  TextContent,
  Tool,
  ToolAnnotations,
} from "./base/mcp.js";
export type {
  AckMode, CallOptions, CompleteOptions, ConnectOptions, Limits, ListOptions, Progress, RequestOptions,
  RerunPolicy, ResponseMode, Retention, Timeouts,
} from "./client/options.js";
export type { FetchLike } from "./runtime/sender.js";
export type { WasmSource } from "./runtime/loadruntime.js";
export type { NegotiationStep } from "./base/negotiation.js";
export type { ElicitationResult, FormElicitation, URLElicitation } from "./input/elicitation.js";
export type { Auth, JournalOptions, TokenProvider } from "./connect/useroptions.js";
export type { ValidatePolicy } from "./output-schema/outputs.js";
export type { ResumedEvent, StatusEvent } from "./base/streamevents.js";
