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
export { HoldfastError } from "./errors.js";
export { version } from "./runtime/load.js";
export type { Call } from "./call.js";
export type { McpClient } from "./client.js";
export type { ClientEvents, ClientState, Counters, ListenEvent } from "./client.js";
export type { ErrorCode, RPCError } from "./errors.js";
export type {
  CallEvent,
  LogEvent,
  NotificationEvent,
  ProgressEvent,
  ResumedEvent,
  StatusEvent,
} from "./events.js";
export type {
  CallToolResult,
  ContentBlock,
  Implementation,
  JSONSchema,
  ListToolsResult,
  LoggingLevel,
  MediaContent,
  Open,
  ResourceContent,
  ServerCapabilities,
  TextContent,
  Tool,
  ToolAnnotations,
} from "./mcp.js";
export type { CallOptions, ConnectOptions, Limits, Timeouts, TokenProvider } from "./options.js";
export type { WasmSource } from "./runtime/load.js";
