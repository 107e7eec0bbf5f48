import { HoldfastError } from "holdfast";
import type { Asks, ClientBackend, Makes } from "../client/backend.js";
import type { Call } from "../client/call.js";
import type { McpClient } from "../client/client.js";
import type { CallOptions } from "../client/options.js";
import type { Open } from "../shared/mcp.js";
import { badArgument, checkClient } from "../store/checks.js";
import { forgetParent, noteParent, parentOf } from "./callparents.js";
import { metaOf, type Span, type SpanAttributes, type SpanKind, type StartSpan, type TraceContext } from "./spans.js";

/** A call of whatever result: nothing here looks at it. */
type AnyCall = Call<any>;

/** What goes to the server: lists and resources do not, since a client may have them from its cache, which a request of a trace cannot use. */
const WITH_CONTEXT: ReadonlySet<string> = new Set<keyof Asks>(["getPrompt", "complete", "ping", "subscribeResource", "unsubscribeResource"]);

/**
 * The same client, whose calls and connection have spans: `start` begins them, and what it gives goes to the server in `_meta`
 * (`traceparent`, `tracestate`, `baggage`: SEP-414). It stays with the call over cuts, resumes and reloads.
 *
 * ```ts
 * const mcp = traced(await connect(url), openTelemetry({ trace, context, propagation }, "my-app"));
 * ```
 *
 * Give `mcp` to everything else. Nothing is read of a call by it, and an exception of the app's hook is reported and harms nothing.
 *
 * @throws HoldfastError `bad_argument`
 */
export function traced(client: McpClient, start: StartSpan): McpClient {
  checkClient("traced", client);
  if (typeof start !== "function") throw badArgument("traced", "start", "has to be a function that begins a span: what openTelemetry() gives, or the app's own");
  const spans = new Spans(client, start);
  const inner = (client as unknown as { backend: ClientBackend }).backend;
  return Object.create(client, { backend: { value: tracedBackend(inner, spans) } }) as McpClient;
}

/** Spans of one client. */
class Spans {
  readonly #client: McpClient;
  readonly #start: StartSpan;
  readonly #connection: Span | undefined;
  readonly #known = new WeakSet<AnyCall>();

  constructor(client: McpClient, start: StartSpan) {
    this.#client = client;
    this.#start = start;
    this.#connection = this.begin("connection", "mcp connection", { "holdfast.host": client.host, "holdfast.state": client.state }, undefined);
    client.on("state", ({ state, error }) => {
      said(this.#connection, "state", { "holdfast.state": state });
      if (state === "closed" || state === "failed") ended(this.#connection, error);
    });
    client.on("restored", ({ call }) => this.restored(call));
    client.on("call", ({ call }) => this.#retried(call));
    void client.calls().then((calls) => calls.forEach((call) => call.restored && this.restored(call)), () => {});
  }

  begin(kind: SpanKind, name: string, more: SpanAttributes, parent: TraceContext | undefined): Span | undefined {
    const { revision, url } = this.#client;
    const attributes = { "server.address": new URL(url).hostname, ...(revision && { "mcp.protocol.version": revision }), ...more };
    return guarded(() => this.#start({ kind, name, attributes, parent }));
  }

  /** A request that is answered, and no more. */
  async asked<T>(name: string, ask: (meta: Open | undefined) => Promise<T>): Promise<T> {
    const span = this.begin("call", name, { "mcp.method.name": name }, undefined);
    try {
      const answer = await ask(metaOf(span?.context) as Open | undefined);
      ended(span);
      return answer;
    } catch (error) {
      ended(span, error as HoldfastError);
      throw error;
    }
  }

  /** A call that is made now. */
  made(method: string, tool: string | undefined, make: (meta: Open | undefined) => AnyCall): AnyCall {
    const span = this.begin("call", nameOf(method, tool), attributesOf(method, tool), undefined);
    const meta = metaOf(span?.context);
    let call: AnyCall;
    try {
      call = make(meta as Open | undefined);
    } catch (error) {
      ended(span, error as HoldfastError);
      throw error;
    }
    if (call.restored) this.restored(call);
    if (this.#known.has(call)) ended(span); // one that was there, by its key
    else this.#follow(call, span, meta?.traceparent === undefined ? undefined : (meta as TraceContext));
    return call;
  }

  /** A call of an earlier page, of which this one has the rest. */
  restored(call: AnyCall): void {
    if (this.#known.has(call) || call.settled) return;
    const parent = parentOf(call.id);
    const tool = toolOf(call);
    this.#follow(call, this.begin("resume", nameOf(call.method, tool), { ...attributesOf(call.method, tool), "holdfast.restored": true }, parent), parent);
  }

  /** What {@link Call.retry} has made is not by way of the client. */
  #retried(call: AnyCall): void {
    if (this.#known.has(call) || call.settled || call.method !== "tools/call") return;
    const tool = toolOf(call);
    this.#follow(call, this.begin("call", nameOf(call.method, tool), attributesOf(call.method, tool), parentOf(call.id)), undefined);
  }

  #follow(call: AnyCall, span: Span | undefined, context: TraceContext | undefined): void {
    this.#known.add(call);
    if (context && call.kept) noteParent(call.id, context);
    let resume: Span | undefined;
    call.whenStreaming((event) => {
      if (event.type === "status" && event.state === "cut" && !resume) {
        resume = this.begin("resume", `${nameOf(call.method, toolOf(call))} resume`, { "holdfast.cut": event.why ?? "network" }, span?.context ?? context);
      } else if (event.type === "resumed" || (event.type === "status" && event.state === "open")) {
        if (event.type === "resumed") {
          said(span, "resumed", { "holdfast.outcome": event.outcome });
          said(resume, "resumed", { "holdfast.outcome": event.outcome });
        }
        ended(resume);
        resume = undefined;
      } else if (event.type === "status") said(span, event.state, event.why === undefined ? {} : { "holdfast.why": event.why });
    });
    const over = (): void => {
      ended(resume, call.failure);
      resume = undefined;
      forgetParent(call.id);
      ended(span, call.failure);
    };
    if (call.settled) over();
    else call.ended.addEventListener("abort", over, { once: true });
  }
}

/** The client's backend, with a span around what is asked of it. */
function tracedBackend(inner: ClientBackend, spans: Spans): ClientBackend {
  const ask = (op: string, method: keyof Asks, ...args: unknown[]): Promise<unknown> =>
    spans.asked(op, (meta) => {
      const at = args.length - 1;
      const given = meta && WITH_CONTEXT.has(method) && at >= 0 ? [...args.slice(0, at), withMeta(args[at] as CallOptions, meta)] : args;
      return inner.ask(op, method, ...(given as never)) as Promise<unknown>;
    });
  const make = (op: string, method: keyof Makes, args: Makes[keyof Makes], options: CallOptions): AnyCall => {
    const isTool = method === "callTool";
    return spans.made(isTool ? "tools/call" : op, isTool ? args[0] : undefined, (meta) => inner.make(op, method, args as never, meta ? withMeta(options, meta) : options));
  };
  return new Proxy(inner, { get: (target, name) => (name === "ask" ? ask : name === "make" ? make : bound(target, Reflect.get(target, name, target))) });
}

function bound(target: object, value: unknown): unknown {
  return typeof value === "function" ? (value as () => unknown).bind(target) : value;
}

/** The app's own word on a request's trace counts. */
function withMeta(options: CallOptions, meta: Open): CallOptions {
  return { ...options, meta: { ...meta, ...options?.meta } };
}

function toolOf({ method, params }: AnyCall): string | undefined {
  return method === "tools/call" ? String(params["name"]) : undefined;
}

function nameOf(method: string, tool: string | undefined): string {
  return tool === undefined ? method : `${method} ${tool}`;
}

function attributesOf(method: string, tool: string | undefined): SpanAttributes {
  return { "mcp.method.name": method, ...(tool !== undefined && { "gen_ai.tool.name": tool }) };
}

function said(span: Span | undefined, name: string, attributes: SpanAttributes): void {
  guarded(() => span?.event?.(name, attributes));
}

function ended(span: Span | undefined, error?: HoldfastError): void {
  guarded(() => (error === undefined ? span?.end() : span?.end(error)));
}

/** What a hook of the app's throws harms no call. */
function guarded<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    reportError(error);
    return undefined;
  }
}
