import assert from "node:assert/strict";
import { test } from "node:test";
import * as api from "@opentelemetry/api";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import {
  BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import type { ClientBackend } from "../src/client/backend.js";
import { Call, type CallControl } from "../src/client/call.js";
import { McpClient } from "../src/client/client.js";
import type { ClientEvents } from "../src/client/clientevents.js";
import type { CallOptions } from "../src/client/options.js";
import { Backlog } from "../src/base/backlog.js";
import { EVENT, OUTCOME } from "../src/base/border.js";
import { HoldfastError } from "../src/base/errors.js";
import { Listeners } from "../src/base/listeners.js";
import { openTelemetry } from "../packages/trace/opentelemetry.js";
import { metaOf, type Span, type SpanStart, type StartSpan } from "../packages/trace/spans.js";
import { traced } from "../packages/trace/tracemodule.js";

const PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

/** What a tab keeps over a reload. */
const kept = new Map<string, string>();
Object.defineProperty(globalThis, "sessionStorage", {
  value: {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => void kept.set(name, value),
    removeItem: (name: string) => void kept.delete(name),
  },
});
const reported: unknown[] = [];
globalThis.reportError = (error: unknown) => void reported.push(error);

const later = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

/** A client, what it made and asked, and its events. */
function client(restored: Call<any>[] = []): {
  mcp: McpClient;
  made: { call: Call; options: CallOptions }[];
  asked: unknown[][];
  listeners: Listeners<ClientEvents>
} {
  const made: { call: Call; options: CallOptions }[] = [];
  const asked: unknown[][] = [];
  const listeners = new Listeners<ClientEvents>();
  const backend = {
    host: "page",
    state: "open",
    facts: { url: "https://mcp.example/mcp?token=secret", revision: "2025-11-25" },
    listeners,
    calls: () => restored,
    logout: async () => {},
    ask: async (op: string, method: string, ...args: unknown[]) => {
      asked.push([op, method, ...args]);
      if (method === "ping") throw new HoldfastError({ code: "timeout", op, message: "no answer" });
      return { tools: [] };
    },
    make: (op: string, method: string, args: [string, object], options: CallOptions) => {
      const known = restored.find(({ key }) => key !== undefined && key === options.key);
      if (known) return known;
      const call = new Call(
        method === "callTool" ? "tools/call" : op, new Backlog(), false, JSON.stringify({ name: args[0] }),
        { id: `id-${made.length}` },
      );
      call.bind(1, { ack: async () => {} } as unknown as CallControl, undefined, true);
      made.push({ call, options });
      listeners.emit("call", { call: call as Call<unknown> });
      return call;
    },
  };
  return { mcp: new McpClient(backend as unknown as ClientBackend), made, asked, listeners };
}

/** A hook that says what it was told. */
function hook(): { start: StartSpan; said: string[] } {
  const said: string[] = [];
  let last = 0;
  const start = ({ kind, name, parent }: SpanStart): Span => {
    const n = ++last;
    said.push(`${n} ${kind} ${name}${parent ? ` of ${parent.traceparent.slice(-5, -3)}` : ""}`);
    return {
      context: {
        traceparent: `00-0af7651916cd43dd8448eb211c80319c-00000000000000${String(n).padStart(2, "0")}-01`,
        tracestate: "a=1",
      },
      event: (what, attributes) => void said.push(
        `${n} ${what} ${Object.values(attributes).join()}`.trimEnd(),
      ),
      end: (error) => void said.push(`${n} end${error ? ` ${error.code}` : ""}`),
    };
  };
  return { start, said };
}

test("a call's trace goes with its request, and its span ends with the call; a cut has a span of its own", async () => {
  const { mcp, made } = client();
  const { start, said } = hook();
  const mine = traced(mcp, start);
  assert.ok(mine instanceof McpClient);
  const call = mine.callTool("render", { scene: 7 }, { meta: { app: 1 } });
  assert.deepEqual(made[0]!.options.meta, {
    traceparent: "00-0af7651916cd43dd8448eb211c80319c-0000000000000002-01", tracestate: "a=1", app: 1,
  });
  await later();
  assert.ok(kept.get("holdfast:traces")?.includes("id-0"));
  call.deliver(EVENT.status, 0, `{"state":"open"}`);
  call.deliver(EVENT.status, 0, `{"state":"cut","why":"network","delay":0}`);
  call.deliver(EVENT.status, 0, `{"state":"reconnecting"}`);
  call.deliver(EVENT.resumed, 0, `{"outcome":"continued","proven":false,"cuts":1}`);
  call.deliver(EVENT.status, 0, `{"state":"cut","why":"end"}`);
  await later();
  call.settle(OUTCOME.rpcError, `{"code":-32000,"message":"no"}`);
  await later();
  assert.deepEqual(said, [
    "1 connection mcp connection",
    "2 call tools/call render",
    "3 resume tools/call render resume of 02",
    "2 reconnecting",
    "2 resumed continued",
    "3 resumed continued",
    "3 end",
    "4 resume tools/call render resume of 02",
    "4 end rpc_error",
    "2 end rpc_error",
  ]);
  assert.equal(kept.size, 0, "nothing of a call that is over");
});

test("Fault 395: the call of an earlier page belongs to the trace in which it was made, and is made no second one of", async () => {
  kept.set("holdfast:traces", JSON.stringify([["id-7", PARENT], "nonsense"]));
  const back = new Call(
    "tools/call", new Backlog(), false, JSON.stringify({ name: "render" }), { id: "id-7", createdAt: 1 },
  );
  const { mcp, listeners } = client([back]);
  const { start, said } = hook();
  traced(mcp, start);
  listeners.emit("restored", { call: back });
  await later();
  back.settle(OUTCOME.result, `{"content":[]}`);
  await later();
  assert.deepEqual(said, ["1 connection mcp connection", "2 resume tools/call render of 31", "2 end"]);
  assert.equal(kept.get("holdfast:traces"), undefined);
});

test("Fault 593: a call that goes on without this page belongs to its trace on the next one, and so does one that is run again", async () => {
  const { mcp, made, listeners } = client();
  const mine = traced(mcp, hook().start);
  for (
    const code of [
      "closed", "runtime_exited", "outcome_unknown", "lost", "unsent", "cancelled", "timeout",
    ] as const
  ) {
    const call = mine.callTool("render");
    call.fail(new HoldfastError({ code, message: "over" }));
  }
  await later();
  const noted = (): string[] => (
    JSON.parse(kept.get("holdfast:traces") ?? "[]") as [string][]
  ).map(([id]) => id);
  assert.deepEqual(noted(), ["id-0", "id-1", "id-2", "id-3", "id-4"]);
  const next = client(
    [
      new Call(
        "tools/call", new Backlog(), false, JSON.stringify({ name: "render" }), { id: "id-0", createdAt: 1 },
      )
    ],
  );
  const { start, said } = hook();
  traced(next.mcp, start);
  next.listeners.emit("call", {
    call: new Call(
      "tools/call", new Backlog(), false, JSON.stringify({ name: "render" }), { id: "id-2" },
    ) as Call<unknown>,
  });
  await later();
  assert.deepEqual(
    said.slice(1).sort(), ["2 resume tools/call render of 02", "3 call tools/call render of 04"].sort(),
  );
  for (const { call } of made) await call.ack().catch(() => {}); // the app has done with them
  await later();
  assert.deepEqual(noted(), ["id-0"], "what ended only here is still under way");
  await mine.forget();
  assert.equal(kept.size, 0, "and a logout leaves nothing");
  listeners.emit("state", { state: "closed" });
});

test("Fault 640: a call of an earlier page that has ended, and that is found by its key, stays in the trace in which it was made", async () => {
  kept.set("holdfast:traces", JSON.stringify([["id-7", PARENT]]));
  const back = new Call(
    "tools/call", new Backlog(), false, JSON.stringify({ name: "render" }),
    { id: "id-7", key: "render-7", createdAt: 1 },
  );
  back.bind(1, { ack: async () => {} } as unknown as CallControl, undefined, true);
  back.fail(new HoldfastError({ code: "outcome_unknown", message: "it may have run" }));
  const { mcp, listeners } = client([back]);
  const { start, said } = hook();
  const mine = traced(mcp, start);
  assert.equal(mine.callTool("render", {}, { key: "render-7" }), back);
  await later();
  assert.deepEqual(JSON.parse(kept.get("holdfast:traces") ?? "[]"), [["id-7", PARENT]]);
  const again = new Call(
    "tools/call", new Backlog(), false, JSON.stringify({ name: "render" }), { id: "id-7" },
  );
  listeners.emit("call", { call: again as Call<unknown> }); // it is run again
  await later();
  again.settle(OUTCOME.result, `{"content":[]}`);
  await later();
  assert.deepEqual(
    said,
    [
      "1 connection mcp connection", "2 call tools/call render", "2 end outcome_unknown",
      "3 call tools/call render of 31", "3 end",
    ],
  );
  assert.equal(kept.get("holdfast:traces"), undefined);
});

test("what is asked has a span; a request that a cache may answer goes as it is", async () => {
  const { mcp, asked, listeners } = client();
  const { start, said } = hook();
  const mine = traced(mcp, start);
  await mine.listTools();
  await mine.getPrompt("hello", {}, { meta: { traceparent: PARENT } });
  await assert.rejects(mine.ping(), (error) => (error as HoldfastError).code === "timeout");
  assert.deepEqual(asked[0], ["tools/list", "listTools", {}]);
  assert.deepEqual((asked[1]!.at(-1) as CallOptions).meta, { traceparent: PARENT });
  listeners.emit("state", { state: "closed" });
  await later();
  assert.deepEqual(
    said,
    [
      "1 connection mcp connection", "2 call tools/list", "2 end", "3 call prompts/get of 31", "3 end",
      "4 call ping", "4 end timeout", "1 state closed", "1 end",
    ],
  );
});

test("Fault 453: a traceparent of the app is the parent of the span, and goes out with the tracestate of the app or none", async () => {
  const { mcp, made } = client();
  const { start, said } = hook();
  const mine = traced(mcp, start);
  mine.callTool("a", {}, { meta: { traceparent: PARENT } });
  mine.callTool({ name: "b", arguments: {}, _meta: { traceparent: PARENT, tracestate: "b=2" } });
  mine.request("x/y", { n: 1, _meta: { traceparent: PARENT } });
  mine.callTool("c", {}, { meta: { traceparent: "no trace context" } });
  assert.deepEqual(made.map(({ options }) => options.meta), [
    { traceparent: PARENT },
    { traceparent: PARENT, tracestate: "b=2" },
    { traceparent: PARENT },
    { traceparent: "no trace context" },
  ]);
  assert.deepEqual(
    said.slice(1),
    ["2 call tools/call a of 31", "3 call tools/call b of 31", "4 call x/y of 31", "5 call tools/call c"],
  );
});

test("Fault 396: a hook that throws, or gives what is no trace context, harms no call and sends nothing", async () => {
  const { mcp, made } = client();
  reported.length = 0;
  traced(mcp, () => {
    throw new Error("no exporter");
  }).callTool("render");
  assert.equal(made[0]!.options.meta, undefined);
  assert.ok(reported.length > 0);
  for (
    const traceparent of [
      "", "x", PARENT.replace("00-", "ff-"), PARENT.toUpperCase(), `00-${"0".repeat(32)}-b7ad6b7169203331-01`,
      7 as never,
    ]
  ) {
    traced(mcp, () => ({ context: { traceparent }, end: () => {} })).callTool("render");
    assert.equal(made.at(-1)!.options.meta, undefined, String(traceparent));
  }
  assert.deepEqual(metaOf({ traceparent: PARENT, tracestate: "", baggage: "user=1" }), {
    traceparent: PARENT, baggage: "user=1",
  });
});

test("OpenTelemetry's spans: one trace over the call and its resume, the server's part below it, and no secret in an attribute", async () => {
  const exporter = new InMemorySpanExporter();
  api.trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
  );
  api.propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  const { mcp, made } = client();
  const mine = traced(mcp, openTelemetry(api, "my-app"));
  const call = mine.callTool("render");
  const sent = made[0]!.options.meta as { traceparent: string };
  call.deliver(EVENT.status, 0, `{"state":"cut","why":"network"}`);
  await later();
  call.settle(OUTCOME.rpcError, `{"code":-32000,"message":"no"}`);
  await later();
  const spans = exporter.getFinishedSpans();
  const [resume, whole] = [
    spans.find(({ name }) => name.endsWith("resume"))!,
    spans.find(({ name }) => name === "tools/call render")!,
  ];
  assert.equal(sent.traceparent, `00-${whole.spanContext().traceId}-${whole.spanContext().spanId}-01`);
  assert.equal(resume.spanContext().traceId, whole.spanContext().traceId);
  assert.equal(resume.parentSpanContext?.spanId, whole.spanContext().spanId);
  assert.equal(whole.status.code, api.SpanStatusCode.ERROR);
  assert.equal(whole.kind, api.SpanKind.CLIENT);
  assert.deepEqual(whole.attributes, {
    "server.address": "mcp.example", "mcp.protocol.version": "2025-11-25", "mcp.method.name": "tools/call",
    "gen_ai.tool.name": "render", "error.type": "rpc_error",
  });
});

test("what is no client and no hook is named", () => {
  const { mcp } = client();
  const bad = (word: string) => (error: unknown): boolean => error instanceof HoldfastError &&
    error.code === "bad_argument" && error.message.includes(word);
  assert.throws(() => traced(undefined as never, () => undefined), bad("client"));
  assert.throws(() => traced(mcp, {} as never), bad("start"));
  assert.throws(() => openTelemetry({} as never), bad("api"));
});
