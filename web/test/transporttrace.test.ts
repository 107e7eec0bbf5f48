// Spans of the official clients over the transport: with their own classes, OpenTelemetry's own SDK, in both
// hosts.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Client as Client2 } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import * as api from "@opentelemetry/api";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import {
  BasicTracerProvider, InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { EVENT, OUTCOME } from "../src/base/border.js";
import { HoldfastError } from "../src/base/errors.js";
import { openTelemetry } from "../packages/trace/opentelemetry.js";
import { CALL_KEY } from "../src/transport/requests.js";
import { holdfastError } from "../src/transport/refusals.js";
import { HoldfastTransport, type HoldfastTransportOptions } from "../src/transport/transport.js";
import { Origin } from "./bothhosts.js";
import { until } from "./ready.js";

const CALLER = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const URL_ = "https://mcp.example/mcp?token=secret";
const HOSTS = ["page", "loop", "shared"] as const;
const REVISIONS = ["2025-11-25", "2026-07-28"] as const;

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

const exporter = new InMemorySpanExporter();
api.trace.setGlobalTracerProvider(
  new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
);
api.propagation.setGlobalPropagator(new W3CTraceContextPropagator());

/** Both majors, of which a test has the little that they have in common. */
interface Client {
  connect(transport: HoldfastTransport): Promise<void>;
  close(): Promise<void>;
  callTool(params: { name: string; arguments: object; _meta?: object }): Promise<unknown>;
  listTools(): Promise<unknown>;
  ping(params?: object): Promise<unknown>;
}
const MAJORS: Record<string, () => Client> = {
  "client 2.x": () => new Client2({ name: "app", version: "1" }) as unknown as Client,
  "sdk 1.x": () => new Client1({ name: "app", version: "1" }) as unknown as Client,
};

/** Connects a Client of an origin's page. */
async function connected(
  origin: Origin, make: () => Client = MAJORS["client 2.x"]!, more: HoldfastTransportOptions = {},
): Promise<{ client: Client; transport: HoldfastTransport }> {
  const client = make();
  const transport = new HoldfastTransport(URL_, {
    ...origin.options, trace: openTelemetry(api, "my-app"), ...more
  });
  await client.connect(transport);
  return { client, transport };
}

/** The span of that name that has ended last. */
const spanOf =
  (name: string): ReadableSpan => exporter.getFinishedSpans().filter((span) => span.name === name).at(-1)!;
/** What says of a span that something belongs to it. */
const parentOf =
  (span: ReadableSpan): string => `00-${span.spanContext().traceId}-${span.spanContext().spanId}-01`;

for (const host of HOSTS) {
  for (const revision of REVISIONS) {
    for (const [major, make] of Object.entries(MAJORS)) {
      test(`the requests of ${major} have spans of OpenTelemetry's, and the server hears of them (${host}, ${revision})`, async () => {
        exporter.reset();
        const origin = new Origin(host, revision);
        const { client } = await connected(origin, make);
        const calling = client.callTool({ name: "render", arguments: { scene: 7 } });
        await until(() => origin.core.calls.length === 1);
        const call = origin.core.last("tools/call");
        const { port } = origin.core;
        port.deliver(call.id, EVENT.status, 0, `{"state":"open"}`);
        port.deliver(call.id, EVENT.status, 0, `{"state":"cut","why":"network","delay":0}`);
        port.deliver(call.id, EVENT.resumed, 0, `{"outcome":"continued","proven":false,"cuts":1}`);
        port.settle(call.id, OUTCOME.result, `{"content":[{"type":"text","text":"done"}]}`);
        await calling;
        const span = spanOf("tools/call render");
        assert.equal(call.meta["traceparent"], parentOf(span));
        assert.equal(span.kind, api.SpanKind.CLIENT);
        assert.deepEqual(span.attributes, {
          "server.address": "mcp.example", "mcp.protocol.version": revision, "mcp.method.name": "tools/call",
          "gen_ai.tool.name": "render",
        });
        assert.deepEqual(
          span.events.map(({ name, attributes }) => [name, attributes]),
          [["resumed", { "holdfast.outcome": "continued" }]],
        );
        const resume = spanOf("tools/call render resume");
        assert.deepEqual(
          [resume.spanContext().traceId, resume.parentSpanContext?.spanId],
          [span.spanContext().traceId, span.spanContext().spanId],
        );
        assert.equal(spanOf("mcp connection"), undefined);
        await client.close();
        await until(() => spanOf("mcp connection") !== undefined);
        assert.equal(kept.size, 0, "nothing of a call that is over");
      });
    }
  }
}

test("Fault 453: a traceparent that the caller of the official Client has put there goes out as it is, and is the parent of the span, in both hosts", async () => {
  for (const host of HOSTS) {
    exporter.reset();
    const origin = new Origin(host);
    const { client } = await connected(origin);
    const calling = client.callTool({
      name: "render", arguments: {}, _meta: { traceparent: CALLER, tracestate: "theirs=1", other: 7 },
    });
    await until(() => origin.core.calls.length === 1);
    const call = origin.core.last("tools/call");
    assert.deepEqual(
      [call.meta["traceparent"], call.meta["tracestate"], call.meta["other"]], [CALLER, "theirs=1", 7],
    );
    origin.core.port.settle(call.id, OUTCOME.result, `{"content":[]}`);
    await calling;
    const span = spanOf("tools/call render");
    assert.deepEqual(
      [span.spanContext().traceId, span.parentSpanContext?.spanId],
      [CALLER.slice(3, 35), CALLER.slice(36, 52)],
    );
    await client.close();
  }
});

test("Fault 454: after a reload the official Client finds its call by its key: the request has one traceparent, and the span of the page is of that trace, in both hosts", async () => {
  for (const host of HOSTS) {
    exporter.reset();
    kept.clear();
    const origin = new Origin(host);
    const { client } = await connected(origin);
    const request = { name: "render", arguments: { scene: 7 }, _meta: { [CALL_KEY]: "render-7" } };
    client.callTool(request).catch(() => {});
    await until(() => origin.core.calls.length === 1);
    const { traceparent } = origin.core.last("tools/call").meta;
    origin.reload();
    const { client: next, transport } = await connected(origin);
    const again = next.callTool(request);
    await until(() => origin.core.calls.length === 1);
    const call = origin.core.last("tools/call");
    assert.equal(call.meta["traceparent"], traceparent);
    assert.equal((await transport.calls()).length, 1);
    origin.core.port.settle(call.id, OUTCOME.result, `{"content":[]}`);
    await again;
    assert.equal(origin.core.calls.length, 1, "nothing was sent again");
    const rest = exporter.getFinishedSpans().find(
      ({ attributes }) => attributes["holdfast.restored"] === true,
    )!;
    assert.deepEqual(
      [rest.spanContext().traceId, rest.parentSpanContext?.spanId],
      [String(traceparent).slice(3, 35), String(traceparent).slice(36, 52)],
    );
    assert.equal(kept.size, 0);
    await next.close();
  }
});

test("Fault 455: two Clients whose hooks differ, one of which throws: each request has its own trace or none, and none fails, in both hosts", async () => {
  for (const host of HOSTS) {
    reported.length = 0;
    const origin = new Origin(host);
    const throwing = (): never => {
      throw new Error("no exporter");
    };
    const { client: one } = await connected(origin, MAJORS["client 2.x"]!, { principal: "ada" });
    const { client: other } = await connected(origin, MAJORS["sdk 1.x"]!, {
      principal: "ada", trace: throwing,
    });
    const calling = [one, other].map((client, i) => client.callTool({ name: `tool-${i}`, arguments: {} }));
    await until(() => origin.core.calls.length === 2);
    const [mine, theirs] = ["tool-0", "tool-1"].map(
      (name) => origin.core.calls.find(({ params }) => params["name"] === name)!,
    );
    assert.ok(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/.test(String(mine!.meta["traceparent"])));
    assert.equal(theirs!.meta["traceparent"], undefined);
    for (const { id } of origin.core.calls) origin.core.port.settle(id, OUTCOME.result, `{"content":[]}`);
    await Promise.all(calling);
    assert.ok(reported.length > 0 && reported.every((error) => (error as Error).message === "no exporter"));
    await Promise.all([one.close(), other.close()]);
  }
});

test("what the Client asks beside calls has a span; what fails below says its code there", async () => {
  exporter.reset();
  const origin = new Origin("page");
  const { client } = await connected(origin);
  const pinging = client.ping();
  await until(() => origin.core.calls.length === 1);
  const ping = origin.core.last("ping");
  assert.equal(typeof ping.meta["traceparent"], "string");
  origin.core.port.settle(
    ping.id, OUTCOME.failure,
    `{"code":"network_error","message":"gone","op":"ping","status":0,"retryable":true}`,
  );
  await assert.rejects(pinging, (error) => holdfastError(error)?.code === "network_error");
  assert.equal(spanOf("ping").attributes["error.type"], "network_error");
  assert.equal(spanOf("ping").status.code, api.SpanStatusCode.ERROR);
  await client.close();
});

test("a hook that is none is refused by name; without one nothing is traced", async () => {
  assert.throws(
    () => new HoldfastTransport(URL_, { trace: {} as never }),
    (error) => error instanceof HoldfastError && error.code === "bad_argument" &&
      error.message.includes("trace has to be a function"),
  );
  exporter.reset();
  const origin = new Origin("page");
  const client = MAJORS["client 2.x"]!();
  await client.connect(new HoldfastTransport(URL_, origin.options));
  client.callTool({ name: "render", arguments: {} }).catch(() => {});
  await until(() => origin.core.calls.length === 1);
  assert.equal(origin.core.last("tools/call").meta["traceparent"], undefined);
  await client.close();
  assert.deepEqual(exporter.getFinishedSpans(), []);
});
