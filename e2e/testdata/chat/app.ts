// A chat that is in the page as a whole: a model that calls a tool, and messages that are stored as they come.
import { readUIMessageStream, streamText, type UIMessage } from "ai";
import { MockLanguageModelV4, simulateReadableStream } from "ai/test";
import { connect } from "holdfast";
import { acknowledgeToolCalls, tools, unfinishedToolCalls } from "holdfast/ai";

declare const story: { servers: { mcp: string }; args: object } & Record<string, unknown>;

const CHAT = "chat";
const usage = { inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 1, text: 1, reasoning: 0 } };
const mcp = await connect(story.servers.mcp, { host: "page" });

/** A model that calls the tool count. */
const model = (): MockLanguageModelV4 =>
  new MockLanguageModelV4({
    doStream: async () => ({
      stream: simulateReadableStream({
        chunks: [
          { type: "tool-call", toolCallId: "toolu_a", toolName: "count", input: JSON.stringify(story.args) },
          { type: "finish", finishReason: { unified: "tool-calls", raw: undefined }, usage },
        ],
      }),
    }),
  });

const stored = (): UIMessage[] => JSON.parse(localStorage.getItem(CHAT) ?? "[]") as UIMessage[];

Object.assign(story, {
  stored,
  ask: async () => {
    const stream = streamText({ model: model(), prompt: "count", tools: await tools(mcp, { ack: "manual" }) }).toUIMessageStream();
    for await (const message of readUIMessageStream({ stream })) localStorage.setItem(CHAT, JSON.stringify([message]));
  },
  /** Goes on with what the last page had: the chat with the tool's result. */
  goOn: async () => {
    const messages = stored();
    for (const { toolCallId, tool, call } of await unfinishedToolCalls(mcp, messages)) {
      const output = call && (await call.result);
      for (const part of messages.flatMap(({ parts }) => parts) as unknown as Record<string, unknown>[]) {
        if (part["toolCallId"] !== toolCallId) continue;
        delete part["preliminary"];
        Object.assign(part, output ? { state: "output-available", output } : { state: "output-error", errorText: `${tool} was interrupted` });
      }
    }
    localStorage.setItem(CHAT, JSON.stringify(messages));
    return messages;
  },
  kept: async () => (await mcp.calls()).map(({ key }) => key),
  acknowledge: () => acknowledgeToolCalls(mcp, stored()),
  isOpen: true,
});
