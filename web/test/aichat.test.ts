import assert from "node:assert/strict";
import { test } from "node:test";
import { acknowledgeToolCalls, unfinishedToolCalls, type ChatMessage } from "../packages/ai/chat.js";
import type { ToolSource } from "../packages/ai/chatchecks.js";
import { Call, type CallControl } from "../src/client/call.js";
import { Backlog } from "../src/base/backlog.js";
import { OUTCOME } from "../src/base/border.js";
import { HoldfastError } from "../src/base/errors.js";

/** A page that comes back to calls of these keys; those with "!" have ended. */
function source(...keys: string[]): { from: ToolSource; acked: string[] } {
  const acked: string[] = [];
  const calls = keys.map((name) => {
    const key = name.replace("!", "");
    const call = new Call("tools/call", new Backlog(), false, "{}", { key, createdAt: 1 });
    call.bind(
      1,
      new Proxy({} as CallControl, {
        get: (_, ask) => () => (ask === "ack" ? (acked.push(key), Promise.resolve()) : undefined),
      }),
      undefined, true,
    );
    if (name.includes("!")) call.settle(OUTCOME.result, `{"content":[]}`);
    return call;
  });
  return {
    from: { callTool: () => {}, listTools: () => {}, calls: async () => calls } as unknown as ToolSource,
    acked,
  };
}

const MESSAGES: ChatMessage[] = [
  {
    parts: [
      { type: "text" }, { type: "tool-count", toolCallId: "done", state: "output-available" },
      { type: "tool-web", toolCallId: "theirs", state: "input-available", providerExecuted: true },
    ]
  },
  {
    parts: [
      {
        type: "dynamic-tool", toolName: "render", toolCallId: "runs", state: "input-available",
        input: { scene: 7 },
      },
      { type: "tool-count", toolCallId: "half", state: "output-available", preliminary: true },
      { type: "tool-pay", toolCallId: "agreed", state: "approval-responded", approval: { approved: true } },
      { type: "tool-pay", toolCallId: "refused", state: "approval-responded", approval: { approved: false } },
      { type: "tool-count", toolCallId: "streams", state: "input-streaming" },
      { type: "tool-count", toolCallId: "broke", state: "output-error" },
    ],
  },
];

test("Fault 392: the tool calls that a reload interrupted are found by their ids, and what has an output is none of them", async () => {
  const { from } = source("runs", "half!", "done!", "else");
  const found = await unfinishedToolCalls(from, MESSAGES);
  assert.deepEqual(found.map(({ toolCallId, tool, call }) => [toolCallId, tool, call?.key, call?.settled]), [
    ["runs", "render", "runs", false],
    ["half", "count", "half", true],
    ["agreed", "pay", undefined, undefined],
  ]);
  assert.deepEqual(found[0]!.input, { scene: 7 });
  const keyed = await unfinishedToolCalls(source("chat-7 runs").from, MESSAGES, {
    key: (id) => `chat-7 ${id}`,
  });
  assert.equal(keyed[0]!.call?.key, "chat-7 runs");
});

test("Fault 393: what is acknowledged has ended, and is in the chat with its output", async () => {
  const { from, acked } = source("done!", "runs", "half!", "broke!", "streams!");
  await acknowledgeToolCalls(from, MESSAGES);
  assert.deepEqual(acked.sort(), ["broke", "done"]);
  const early = source("done");
  await acknowledgeToolCalls(early.from, MESSAGES);
  assert.deepEqual(early.acked, []);
});

test("what is no chat is named", async () => {
  const { from } = source();
  const bad = (word: string) => (error: unknown): boolean => error instanceof HoldfastError &&
    error.code === "bad_argument" && error.message.includes(word);
  await assert.rejects(unfinishedToolCalls(from, undefined as never), bad("messages"));
  await assert.rejects(
    unfinishedToolCalls(from, [{ role: "user", content: "hello" } as never]), bad("messages"),
  );
  await assert.rejects(acknowledgeToolCalls({} as never, []), bad("client"));
  await assert.rejects(unfinishedToolCalls(from, [], { keys: 1 } as never), bad("keys is no option"));
  assert.deepEqual(await unfinishedToolCalls(from, []), []);
});
