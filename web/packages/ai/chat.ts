import type { Call } from "holdfast";
import { badArgument } from "../shared/checks.js";
import { checkOptions, checkSource, type ToolSource } from "./chatchecks.js";

/** A message of a chat, as `useChat` has it (UIMessage of the AI SDK), as far as it is read here. */
export interface ChatMessage {
  readonly parts: readonly ChatPart[];
}

/** A part of one; those of tools have `toolCallId`. */
export interface ChatPart {
  readonly type: string;
  readonly toolCallId?: string;
  readonly toolName?: string;
  readonly state?: string;
  readonly input?: unknown;
  /** An output that another one follows. */
  readonly preliminary?: boolean;
  readonly approval?: { readonly approved?: boolean };
  /** The model's provider has run it. */
  readonly providerExecuted?: boolean;
}

/** How the calls of a chat are found. */
export interface ChatOptions {
  /** As {@link ToolCallOptions.key}: what the calls were made with. */
  key?: (toolCallId: string) => string;
}

/**
 * A tool call of a chat that has no output yet: the page was reloaded, or the stream of the model's answer
 * was cut.
 */
export interface UnfinishedToolCall {
  toolCallId: string;
  /** The tool as the chat names it: what `addToolOutput` takes for `tool`. */
  tool: string;
  input: unknown;
  /**
   * The call, which goes on, or has ended meanwhile. Undefined where none is kept: it never left, or its
   * outcome was handed out and the chat was not stored with it. Whether it may run again, {@link execute}, is
   * the app's to know.
   */
  call: Call | undefined;
}

/**
 * The tool calls of a chat that were interrupted, with the calls that go on.
 *
 * ```ts
 * for (const { tool, toolCallId, call } of await unfinishedToolCalls(mcp, messages)) {
 *   if (call) addToolOutput({ tool, toolCallId, output: await call.result });
 *   else addToolOutput({ tool, toolCallId, state: "output-error", errorText: "It was interrupted." });
 * }
 * ```
 *
 * @throws HoldfastError `bad_argument`
 */
export async function unfinishedToolCalls(
  source: ToolSource, messages: readonly ChatMessage[], options: ChatOptions = {},
): Promise<UnfinishedToolCall[]> {
  const { keyOf, parts } = given("unfinishedToolCalls", source, messages, options);
  const open = parts.filter(isUnfinished);
  if (open.length === 0) return [];
  const byKey = await callsByKey(source);
  return open.map(({ toolCallId, toolName, type, input }) => ({
    toolCallId,
    tool: toolName ?? type.slice(STATIC.length),
    input,
    call: byKey.get(keyOf(toolCallId)),
  }));
}

/**
 * Says that the chat has been stored with these messages: the calls whose outputs are in them no later page
 * needs. For calls with `ack: "manual"`, so that none is lost between its end and the storing of the chat.
 *
 * @throws HoldfastError `bad_argument`, and what {@link Call.ack} rejects with
 */
export async function acknowledgeToolCalls(
  source: ToolSource, messages: readonly ChatMessage[], options: ChatOptions = {},
): Promise<void> {
  const { keyOf, parts } = given("acknowledgeToolCalls", source, messages, options);
  const done = parts.filter(
    (part) => !part.preliminary && (part.state === "output-available" || part.state === "output-error"),
  );
  if (done.length === 0) return;
  const byKey = await callsByKey(source);
  const ended = done.map(({ toolCallId }) => byKey.get(keyOf(toolCallId))).filter((call) => call?.settled);
  await Promise.all(ended.map((call) => call!.ack()));
}

/**
 * The prefix of a part's type, if the app has named the part's tool to the AI SDK; the others are
 * "dynamic-tool".
 */
const STATIC = "tool-";

type ToolPart = ChatPart & { toolCallId: string };

function given(
  op: string, source: ToolSource, messages: readonly ChatMessage[],
  { key = (id) => id, ...others }: ChatOptions,
): { keyOf: (id: string) => string; parts: ToolPart[] } {
  checkSource(op, source);
  checkOptions(op, { key });
  for (const name of Object.keys(others)) throw badArgument(op, name, "is no option: there is key");
  if (!Array.isArray(messages) || messages.some((message) => !Array.isArray(message?.parts)))
    throw badArgument(op, "messages", "has to be a list of messages with parts, as useChat has them");
  const all = messages.flatMap(({ parts }: ChatMessage) => parts);
  const isTool =
    (part: ChatPart): part is ToolPart => (part.type === "dynamic-tool" || part.type.startsWith(STATIC)) &&
    typeof part.toolCallId === "string" && !part.providerExecuted;
  return { keyOf: key, parts: all.filter(isTool) };
}

/** True if the tool was called, and has given no final output: none, or a preliminary one. */
function isUnfinished({ state, preliminary, approval }: ToolPart): boolean {
  return state === "input-available" || (state === "output-available" && preliminary === true) ||
    (state === "approval-responded" && approval?.approved === true);
}

async function callsByKey(source: ToolSource): Promise<Map<string, Call>> {
  const kept = await source.calls();
  return new Map(kept.flatMap((call) => (call.key === undefined ? [] : [[call.key, call]])));
}
