import assert from "node:assert/strict";
import { test } from "node:test";
import { stepCountIs, streamText, type ToolSet } from "ai";
import { MockLanguageModelV4, simulateReadableStream } from "ai/test";
import { execute, tools } from "../packages/ai/aitools.js";
import type { ToolSource } from "../packages/ai/chatchecks.js";
import type { ToolOutput } from "../packages/ai/execution.js";
import { Call, type CallControl } from "../src/client/call.js";
import type { CallOptions } from "../src/client/options.js";
import { Backlog } from "../src/base/backlog.js";
import { EVENT, OUTCOME } from "../src/base/border.js";
import type { McpClient } from "../src/client/client.js";
import { hub } from "../packages/hub/hub.js";
import { HoldfastError } from "../src/base/errors.js";
import { nextFrame } from "../packages/observe/frames.js";

const LISTED = [
  {
    name: "count", description: "Counts.", title: "Count",
    inputSchema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
  },
  { name: "files/read", inputSchema: { type: "object" } },
  { name: "files_read", inputSchema: { type: "object", additionalProperties: true } },
  { name: "x".repeat(70), inputSchema: {} },
];

/** A source of tools, the calls that were made of it, and what was asked of them. */
function source(): {
  from: ToolSource;
  made: { call: Call; name: string; args: object; options: CallOptions }[];
  asked: string[]
} {
  const made: { call: Call; name: string; args: object; options: CallOptions }[] = [];
  const asked: string[] = [];
  const callTool = (name: string, args: object, options: CallOptions = {}): Call => {
    const known = made.find((each) => options.key !== undefined && each.options.key === options.key);
    if (known) return known.call;
    const call = new Call(
      "tools/call", new Backlog(), false, JSON.stringify({ name, arguments: args }),
      options.key === undefined ? {} : { key: options.key },
    );
    const control = new Proxy({} as CallControl, {
      get: (_, ask: string) => (...rest: unknown[]) => void asked.push([ask, ...rest.slice(1)].join(" ")),
    });
    call.bind(made.length + 1, control, options.signal, true);
    made.push({ call, name, args, options });
    return call;
  };
  const listTools = async (): Promise<object> => ({ tools: structuredClone(LISTED) });
  return {
    from: { callTool, listTools, calls: async () => made.map(({ call }) => call) } as unknown as ToolSource,
    made, asked,
  };
}

const settles = (call: Call, result: object): void => call.settle(OUTCOME.result, JSON.stringify(result));
const bad = (word: string) => (error: unknown): boolean => error instanceof HoldfastError &&
  error.code === "bad_argument" && error.message.includes(word);
const frame = async (): Promise<void> => {
  for (let n = 0; n < 100; n++) await undefined;
  await new Promise<void>((resolve) => nextFrame({ publish: resolve }));
  for (let n = 0; n < 100; n++) await undefined;
};

/** A model that calls a tool, and then says something. */
function model(toolName: string, input: object): MockLanguageModelV4 {
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };
  let turn = 0;
  return new MockLanguageModelV4({
    doStream: async () => ({
      stream: simulateReadableStream({
        initialDelayInMs: null,
        chunkDelayInMs: null,
        chunks: (turn++ === 0
            ? [
                { type: "tool-call", toolCallId: "toolu_1", toolName, input: JSON.stringify(input) },
                { type: "finish", finishReason: { unified: "tool-calls", raw: undefined }, usage },
              ]
            : [
                { type: "text-start", id: "1" },
                { type: "text-delta", id: "1", delta: "done" },
                { type: "text-end", id: "1" },
                { type: "finish", finishReason: { unified: "stop", raw: undefined }, usage },
              ]) as never[],
      }),
    }),
  });
}

test("streamText calls a tool under the id of the model's call: progress as preliminary results, and the result for the model", async () => {
  const { from, made, asked } = source();
  const doing = model("count", { n: 2 });
  const { fullStream } = streamText({
    model: doing, prompt: "count", tools: await tools(from), stopWhen: stepCountIs(2),
  });
  const results: { preliminary: boolean | undefined; output: unknown }[] = [];
  let text = "";
  const reading = (async () => {
    for await (const part of fullStream) {
      if (part.type === "tool-result") results.push({ preliminary: part.preliminary, output: part.output });
      if (part.type === "text-delta") text += part.text;
    }
  })();
  while (made.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  const { call, name, args, options } = made[0]!;
  assert.deepEqual([name, args, options.key], ["count", { n: 2 }, "toolu_1"]);
  for (let n = 1; n <= 3; n++) call.deliver(EVENT.progress, n, `{"progress":${n},"total":3}`);
  await frame();
  call.deliver(EVENT.segment, 4, `{"seqNr":1,"type":"text","text":"half"}`);
  await frame();
  const result = { content: [{ type: "text", text: "two" }], structuredContent: { n: 2 } };
  settles(call, result);
  await reading;
  const half = [{ type: "text", text: "half" }];
  assert.deepEqual(results, [
    {
      preliminary: true,
      output: { preliminary: true, status: "working", progress: { progress: 3, total: 3 }, content: [] },
    },
    {
      preliminary: true,
      output: { preliminary: true, status: "working", progress: { progress: 3, total: 3 }, content: half },
    },
    { preliminary: true, output: result },
    { preliminary: undefined, output: result },
  ]);
  assert.equal(text, "done");
  const said = doing.doStreamCalls[1]!.prompt.at(-1)!;
  assert.deepEqual((said.content as { output?: object }[])[0]!.output, {
    type: "content", value: [{ type: "text", text: "two" }],
  });
  assert.deepEqual(asked, ["handed"], "whoever wanted the result has had it");
});

test("tools have names that every provider takes, and schemas that say what they have", async () => {
  const { from, made } = source();
  const set: ToolSet = await tools(from, { filter: ({ name }) => name !== "count" });
  assert.deepEqual(Object.keys(set), ["files_read_2", "files_read", "x".repeat(64)]);
  const schema = (name: string): unknown => (set[name]!.inputSchema as { jsonSchema: unknown }).jsonSchema;
  assert.deepEqual(schema("files_read_2"), { type: "object", properties: {}, additionalProperties: false });
  assert.deepEqual(schema("files_read"), { type: "object", properties: {}, additionalProperties: true });
  void execute(from, { toolCallId: "1", toolName: "files_read_2", input: {} }).next();
  await frame();
  assert.equal(made[0]!.name, "files/read", "by the name that the model was given");
});

test("a tool's failure is said to the model as one, an error of the call ends the tool call", async () => {
  const { from, made, asked } = source();
  const set = await tools(from);
  const outputs = set["count"]!.execute!(
    { n: 1 }, { toolCallId: "a", messages: [], context: {} }
  ) as AsyncGenerator<ToolOutput>;
  const first = outputs.next();
  await frame();
  settles(made[0]!.call, { content: [{ type: "text", text: "no such number" }], isError: true });
  const { value } = await first;
  assert.deepEqual(
    await set["count"]!.toModelOutput!({ toolCallId: "a", input: {}, output: value as never }),
    { type: "error-text", value: "no such number" },
  );
  assert.deepEqual(asked, [], "not before the one who wanted it asks for more");
  const failing = execute(from, { toolCallId: "b", toolName: "count", input: "" });
  const failed = failing.next();
  await frame();
  assert.deepEqual(made[1]!.args, {});
  made[1]!.call.settle(OUTCOME.rpcError, `{"code":-32000,"message":"broken"}`);
  await assert.rejects(failed, (error) => (error as HoldfastError).code === "rpc_error");
});

test("the signal cancels the call, also one that was found; leaving cancels nothing", async () => {
  const { from, made, asked } = source();
  void execute(from, { toolCallId: "a", toolName: "count", input: {} }).next();
  await frame();
  const left = execute(from, { toolCallId: "a", toolName: "count", input: {} });
  const waits = left.next();
  made[0]!.call.deliver(EVENT.progress, 1, `{"progress":1}`);
  await waits;
  await left.return();
  assert.deepEqual(asked, []);
  const giveUp = new AbortController();
  void execute(
    from, { toolCallId: "a", toolName: "count", input: {} }, { abortSignal: giveUp.signal },
  ).next();
  await frame();
  assert.equal(made.length, 1, "one call of that id");
  giveUp.abort();
  assert.deepEqual(asked, ["cancel the model's answer was given up"]);
});

test("what is no client, no tool call, or no option is named at once", async () => {
  const { from } = source();
  const call = { toolCallId: "a", toolName: "count", input: {} };
  for (const [run, word] of [
    [() => execute(undefined as never, call), "client"],
    [() => execute(from, { ...call, toolCallId: "" }), "toolCallId"],
    [() => execute(from, { ...call, toolName: 7 as never }), "toolName"],
    [() => execute(from, call, { key: "x" as never }), "key"],
    [() => execute(from, call, { signal: 1 } as never), "signal is the AI SDK's"],
  ] as const) assert.throws(run, bad(word));
  await assert.rejects(tools(Promise.resolve(from) as never), bad("client"));
  await assert.rejects(tools(from, { filter: "count" as never }), bad("filter"));
  await assert.rejects(execute(from, { ...call, input: [1] }).next(), bad("input"));
});

test("Fault 555: a page that has not made the tools calls one by the name that the model has for it, also where it finds the call of the page before", async () => {
  for (
    const [toolName, name] of [
      ["files_read_2", "files/read"], ["x".repeat(64), "x".repeat(70)], ["files_read", "files_read"],
      ["new_tool", "new_tool"], ["count", "count"],
    ] as const
  ) {
    const { from, made } = source();
    const run = execute(from, { toolCallId: "a", toolName, input: {} });
    void run.next();
    await frame();
    assert.deepEqual(made.map((call) => call.name), [name]);
  }
});

test("Fault 555: where nobody can say what a tool is called nothing is called; a tool call that is given up meanwhile is none", async () => {
  const { from, made } = source();
  const asked: (AbortSignal | undefined)[] = [];
  let answer!: { resolve(list: object): void; reject(error: Error): void };
  from.listTools = (options) => {
    asked.push(options?.signal);
    return new Promise(
      (resolve, reject) => (answer = { resolve: resolve as (list: object) => void, reject }),
    );
  };
  const call = { toolCallId: "a", toolName: "files_read_2", input: {} };
  const first = execute(from, call).next();
  answer.reject(new HoldfastError({ code: "network_error", message: "away" }));
  await assert.rejects(first, (error) => (error as HoldfastError).code === "network_error");
  const giveUp = new AbortController();
  const second = execute(from, call, { abortSignal: giveUp.signal }).next();
  assert.equal(asked[1], giveUp.signal);
  giveUp.abort();
  answer.reject(new HoldfastError({ code: "cancelled", message: "given up" }));
  await assert.rejects(second, (error) => (error as HoldfastError).code === "cancelled");
  assert.deepEqual(made, []);
  void execute(from, call).next();
  answer.resolve({ tools: structuredClone(LISTED) });
  await frame();
  void execute(from, { ...call, toolCallId: "b" }).next();
  await frame();
  assert.deepEqual(
    [made.map(({ name }) => name), asked.length], [["files/read", "files/read"], 3],
    "the list is asked for once",
  );
});

test("Fault 604: a page that has not made the tools of a hub calls one of a server with a filter, whatever its prefix; what has come since they were made is asked for", async () => {
  for (const prefix of ["gh-", false] as const) {
    const { from, made } = source();
    const all = hub(
      [
        {
          name: "gh", client: Object.assign(from, { on: () => () => {} }) as unknown as McpClient, prefix,
          filter: () => true,
        }
      ],
    );
    void execute(all, { toolCallId: "a", toolName: `${prefix || ""}count`, input: {} }).next();
    await frame();
    assert.deepEqual(made.map(({ name }) => name), ["count"]);
  }
  const { from, made } = source();
  await tools(from);
  LISTED.push({ name: "files/write", inputSchema: {} });
  try {
    void execute(from, { toolCallId: "a", toolName: "files_write", input: {} }).next();
    await frame();
    assert.deepEqual(made.map(({ name }) => name), ["files/write"]);
  } finally {
    LISTED.pop();
  }
});
