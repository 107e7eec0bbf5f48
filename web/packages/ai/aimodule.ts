/**
 * `holdfast/ai`: the tools of MCP servers for Vercel's AI SDK (`ai`, version 7), with calls that a reload of
 * the chat does not end.
 *
 * @module
 */
export { execute, tools, type ModelToolCall, type ToolsOptions } from "./aitools.js";
export { isProgress, type ToolCallOptions, type ToolOutput, type ToolProgress } from "./execution.js";
export {
  acknowledgeToolCalls, unfinishedToolCalls, type ChatMessage, type ChatOptions, type ChatPart,
  type UnfinishedToolCall,
} from "./chat.js";
export type { ToolSource } from "./chatchecks.js";
