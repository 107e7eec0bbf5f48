import { dynamicTool, jsonSchema, type JSONSchema7, type ToolSet } from "ai";
import type { JSONSchema, Tool } from "holdfast";
import { badArgument } from "../shared/checks.js";
import { checkOptions, checkSource, type ToolSource } from "./chatchecks.js";
import { executed, type ToolCallOptions, type ToolOutput } from "./execution.js";
import { modelOutput } from "./modeloutput.js";

/** Options of {@link tools}. */
export interface ToolsOptions extends ToolCallOptions {
  /** Which tools of the server the model gets; without it, all. */
  filter?: (tool: Tool) => boolean;
}

/** Names that every provider takes for a tool. */
const TAKEN_BY_ALL = /^[A-Za-z0-9_-]{1,64}$/;
const LONGEST = 64;

/** Names that may be a model's names in the place of the server's, e.g. "read_file" for "read/file". */
const MADE_HERE = /_|^tool$|^.{64}$/;

/** The server's names of the tools, by the model's names. */
const renamed = new WeakMap<ToolSource, Map<string, string>>();

/**
 * The tools of a server, or of a hub, for `streamText`, `generateText` and the agents of Vercel's AI SDK. A
 * call shows its progress as preliminary results; `abortSignal` cancels it; its key is the id of the model's
 * tool call, so that a later page finds it ({@link unfinishedToolCalls}).
 *
 * ```ts
 * const { fullStream } = streamText({ model, messages, tools: await tools(mcp) });
 * ```
 *
 * A name that not every provider takes, such as "files/read", gets another one: "files_read".
 *
 * @throws HoldfastError `bad_argument`, and what listing the tools rejects with
 */
export async function tools(source: ToolSource, options: ToolsOptions = {}): Promise<ToolSet> {
  checkSource("tools", source);
  const { filter, ...call } = options;
  if (filter !== undefined && typeof filter !== "function")
    throw badArgument("tools", "filter", "has to be a function");
  checkOptions("tools", call);
  const listed = await source.listTools();
  const named = learned(source, listed.tools);
  const chosen = listed.tools.filter((tool) => !filter || filter(tool));
  return Object.fromEntries(
    chosen.map((tool) => [
      named.get(tool.name)!,
      dynamicTool({
        ...(tool.description !== undefined && { description: tool.description }),
        ...titleOf(tool),
        inputSchema: jsonSchema(objectSchema(tool.inputSchema)),
        execute: (input, { toolCallId, abortSignal }) => executed(source, () => tool.name, input, {
          toolCallId, abortSignal, options: call,
        }),
        toModelOutput: ({ output }) => modelOutput(output as ToolOutput),
      }),
    ]),
  );
}

/** A tool call of a model's, as `onToolCall` of `useChat` and the parts of a message have it. */
export interface ModelToolCall {
  toolCallId: string;
  toolName: string;
  input: unknown;
}

/**
 * Makes one tool call of a model's, or finds it where it was made: for chats whose model is at a server of
 * the app's, which has the tools without `execute`. Gives how it stands, and last its result.
 *
 * ```ts
 * onToolCall: async ({ toolCall }) => {
 *   let output;
 *   for await (output of execute(mcp, toolCall)) show(output);
 *   addToolOutput({ tool: toolCall.toolName, toolCallId: toolCall.toolCallId, output });
 * }
 * ```
 *
 * @throws HoldfastError `bad_argument`, at once; iterating it, what the call, or listing the tools, rejects
 *   with
 */
export function execute(
  source: ToolSource, call: ModelToolCall, options: ToolCallOptions & { abortSignal?: AbortSignal } = {},
): AsyncGenerator<ToolOutput, void, undefined> {
  checkSource("execute", source);
  const { abortSignal, ...others } = options;
  checkOptions("execute", others);
  const { toolCallId, toolName, input } = call ?? {};
  if (typeof toolCallId !== "string" || toolCallId === "")
    throw badArgument("execute", "call.toolCallId", "has to be the id of a tool call");
  if (typeof toolName !== "string" || toolName === "")
    throw badArgument("execute", "call.toolName", "has to be the name of a tool");
  return executed(source, () => nameOf(source, toolName, abortSignal), input, {
    toolCallId, abortSignal, options: others,
  });
}

/**
 * The server's name for a tool. A page that has not made the {@link tools}, as after a reload, or not since
 * that tool came, asks for their list. For a hub the page always does: a hub calls some tools by its own
 * names alone, and not before it has listed them.
 */
function nameOf(
  source: ToolSource, shown: string, signal: AbortSignal | undefined,
): string | Promise<string> {
  const known = (): string | undefined => renamed.get(source)?.get(shown);
  const name = known();
  if (name !== undefined || !("servers" in source || MADE_HERE.test(shown))) return name ?? shown;
  return source.listTools({ ...(signal && { signal }) }).then((listed) => {
    learned(source, listed.tools);
    return known() ?? shown;
  });
}

/** Makes and keeps the model's names for the tools of a source, by the server's names. */
function learned(source: ToolSource, all: readonly Tool[]): Map<string, string> {
  const named = namesOf(all);
  renamed.set(source, new Map([...named].map(([name, shown]) => [shown, name])));
  return named;
}

/** The model's name for each tool, by the server's name; no two tools get one name. */
function namesOf(all: readonly Tool[]): Map<string, string> {
  const names = new Map<string, string>();
  const taken = new Set(all.map(({ name }) => name).filter((name) => TAKEN_BY_ALL.test(name)));
  for (const { name } of all) {
    if (TAKEN_BY_ALL.test(name)) {
      names.set(name, name);
      continue;
    }
    const plain = name.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, LONGEST) || "tool";
    let free = plain;
    for (let n = 2; taken.has(free); n++) free = `${plain.slice(0, LONGEST - `_${n}`.length)}_${n}`;
    taken.add(free);
    names.set(name, free);
  }
  return names;
}

function titleOf({ title, annotations }: Tool): { title?: string } {
  const shown = title ?? annotations?.title;
  return shown === undefined ? {} : { title: shown };
}

/**
 * The schema of a tool's arguments as models want it: an object with its members named, and no others unless
 * it says so.
 */
function objectSchema(schema: JSONSchema): JSONSchema7 {
  return {
    additionalProperties: false, ...schema, type: "object", properties: schema["properties"] ?? {},
  } as JSONSchema7;
}
