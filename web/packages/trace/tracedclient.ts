// A traced client, without checks of the app's arguments: holdfast/trace makes those. The transport of the
// official client has this in a chunk of its own. Only types are imported from the module, so that both use
// the app's classes.

import type { Call, CallOptions, HoldfastError, McpClient, Open } from "holdfast";
import { forgetParent, noteParent, parentOf } from "./callparents.js";
import {
  metaOf, type Span, type SpanAttributes, type SpanKind, type StartSpan, type TraceContext,
} from "./spans.js";

/** A call of whatever result: nothing here looks at it. */
type AnyCall = Call<any>;

/**
 * The methods whose requests carry the context. Lists and resources carry none: a client may have them from
 * its cache, which a request of a trace cannot use.
 */
const WITH_CONTEXT: ReadonlySet<string> = new Set<string & keyof McpClient>(
  ["getPrompt", "complete", "ping", "subscribeResource", "unsubscribeResource"],
);

/** The part of a client's backend that a trace wraps. */
interface Backend {
  ask(op: string, method: string, ...args: unknown[]): Promise<unknown>;
  make(op: string, method: string, args: [name: string, params?: Open], options: CallOptions): AnyCall;
  logout(): Promise<void>;
}

/**
 * How a call ends in this page alone, or so that the app may run it again: it stays a part of its trace until
 * the app has done with it.
 */
const GOES_ON: ReadonlySet<string | undefined> = new Set(
  ["closed", "runtime_exited", "lost", "outcome_unknown", "unsent"],
);

/** The same client, whose calls and connection have spans that `start` begins. */
export function tracedClient(client: McpClient, start: StartSpan): McpClient {
  const spans = new Spans(client, start);
  const inner = (client as unknown as { backend: Backend }).backend;
  return Object.create(client, { backend: { value: tracedBackend(inner, spans) } }) as McpClient;
}

/** Spans of one client. */
class Spans {
  readonly #client: McpClient;
  readonly #start: StartSpan;
  readonly #connection: Span | undefined;
  readonly #known = new WeakSet<AnyCall>();
  /** The calls of which a trace may be noted. */
  readonly #noted = new Set<string>();

  constructor(client: McpClient, start: StartSpan) {
    this.#client = client;
    this.#start = start;
    this.#connection = this.begin(
      "connection", "mcp connection", { "holdfast.host": client.host, "holdfast.state": client.state },
      undefined,
    );
    client.on("state", ({ state, error }) => {
      said(this.#connection, "state", { "holdfast.state": state });
      if (state === "closed" || state === "failed") ended(this.#connection, error);
    });
    client.on("restored", ({ call }) => this.restored(call));
    client.on("call", ({ call }) => this.#retried(call));
    void client.calls().then(
      (calls) => calls.forEach((call) => call.restored && this.restored(call)), () => {},
    );
  }

  begin(
    kind: SpanKind, name: string, more: SpanAttributes, parent: TraceContext | undefined,
  ): Span | undefined {
    const { revision, url } = this.#client;
    const attributes = {
      "server.address": new URL(url).hostname, ...(revision && { "mcp.protocol.version": revision }), ...more
    };
    return guarded(() => this.#start({ kind, name, attributes, parent }));
  }

  /** A request that is answered, and no more; `parent` is what the app says itself of its trace. */
  async asked<T>(
    name: string, parent: TraceContext | undefined, ask: (meta: Open | undefined) => Promise<T>,
  ): Promise<T> {
    const span = this.begin("call", name, { "mcp.method.name": name }, parent);
    try {
      const answer = await ask(metaOf(span?.context) as Open | undefined);
      ended(span);
      return answer;
    } catch (error) {
      ended(span, error as HoldfastError);
      throw error;
    }
  }

  /** A call that is made now; `parent` is what the app says itself of its trace. */
  made(
    method: string, tool: string | undefined, parent: TraceContext | undefined,
    make: (meta: Open | undefined) => AnyCall,
  ): AnyCall {
    const span = this.begin("call", nameOf(method, tool), attributesOf(method, tool), parent);
    const meta = metaOf(span?.context);
    let call: AnyCall;
    try {
      call = make(meta as Open | undefined);
    } catch (error) {
      ended(span, error as HoldfastError);
      throw error;
    }
    if (call.restored) this.restored(call);
    if (this.#known.has(call)) ended(span, call.failure); // one that was there, by its key
    else this.#follow(call, span, meta?.traceparent === undefined ? undefined : (meta as TraceContext));
    return call;
  }

  /** A call of an earlier page, of which this one has the rest. */
  restored(call: AnyCall): void {
    if (this.#known.has(call)) return;
    if (call.settled) {
      this.#known.add(call); // it has its trace, in which it may be run again
      return this.#notes(call);
    }
    const parent = parentOf(call.id);
    const tool = toolOf(call);
    this.#follow(
      call,
      this.begin(
        "resume", nameOf(call.method, tool),
        { ...attributesOf(call.method, tool), "holdfast.restored": true }, parent,
      ),
      parent,
    );
  }

  /** Begins a span for a call that {@link Call.retry} has made: no method of the client makes that call. */
  #retried(call: AnyCall): void {
    if (this.#known.has(call) || call.settled || call.method !== "tools/call") return;
    const tool = toolOf(call);
    this.#follow(
      call, this.begin("call", nameOf(call.method, tool), attributesOf(call.method, tool), parentOf(call.id)),
      undefined,
    );
  }

  /** Deletes the notes of all calls: after a logout no page may find whose calls they were. */
  forgotten(): void {
    for (const id of this.#noted) this.#forget(id);
  }

  #forget(id: string): void {
    this.#noted.delete(id);
    forgetParent(id);
  }

  #notes(call: AnyCall): void {
    this.#noted.add(call.id);
    call.when("done", () => this.#forget(call.id));
  }

  #follow(call: AnyCall, span: Span | undefined, context: TraceContext | undefined): void {
    this.#known.add(call);
    this.#notes(call);
    if (context && call.kept) noteParent(call.id, context);
    let resume: Span | undefined;
    call.whenStreaming((event) => {
      if (event.type === "status" && event.state === "cut" && !resume) {
        resume = this.begin(
          "resume", `${nameOf(call.method, toolOf(call))} resume`, { "holdfast.cut": event.why ?? "network" },
          span?.context ?? context,
        );
      } else if (event.type === "resumed" || (event.type === "status" && event.state === "open")) {
        if (event.type === "resumed") {
          said(span, "resumed", { "holdfast.outcome": event.outcome });
          said(resume, "resumed", { "holdfast.outcome": event.outcome });
        }
        ended(resume);
        resume = undefined;
      } else if (event.type === "status")
        said(span, event.state, event.why === undefined ? {} : { "holdfast.why": event.why });
    });
    const over = (): void => {
      ended(resume, call.failure);
      resume = undefined;
      if (!GOES_ON.has(call.failure?.code)) this.#forget(call.id);
      ended(span, call.failure);
    };
    // Listeners hear of its stream in microtasks: what came with the outcome, in one chunk, comes before the
    // end.
    if (call.settled) over();
    else call.ended.addEventListener("abort", () => queueMicrotask(over), { once: true });
  }
}

/** The client's backend, with a span around what is asked of it. */
function tracedBackend(inner: Backend, spans: Spans): Backend {
  const ask: Backend["ask"] = (op, method, ...args) =>
    spans.asked(op, parentIn(args.at(-1) as CallOptions | undefined), (meta) => {
      const at = args.length - 1;
      const given = meta && WITH_CONTEXT.has(method) && at >= 0
        ? [...args.slice(0, at), withMeta(args[at] as CallOptions, meta)]
        : args;
      return inner.ask(op, method, ...given);
    });
  const make: Backend["make"] = (op, method, args, options) => {
    const isTool = method === "callTool";
    // The params of a request may have a _meta as well. The option's members come before those.
    const own = isTool
      ? options
      : { ...options, meta: { ...(args[1]?.["_meta"] as Open | undefined), ...options.meta } };
    return spans.made(
      isTool ? "tools/call" : op, isTool ? args[0] : undefined, parentIn(own),
      (meta) => inner.make(op, method, args, meta ? withMeta(own, meta) : options),
    );
  };
  const logout = async (): Promise<void> => {
    spans.forgotten();
    await inner.logout();
  };
  const own: Partial<Record<PropertyKey, unknown>> = { ask, make, logout } satisfies Backend;
  return new Proxy(inner, {
    get: (target, name) => (
      Object.hasOwn(own, name) ? own[name] : bound(target, Reflect.get(target, name, target))
    ),
  });
}

function bound(target: object, value: unknown): unknown {
  return typeof value === "function" ? (value as () => unknown).bind(target) : value;
}

/** The app's own context for a request: that of the app's caller, or one that its own tracer has set. */
function parentIn(options: CallOptions | undefined): TraceContext | undefined {
  return metaOf(options?.meta as Partial<TraceContext> | undefined) as TraceContext | undefined;
}

/**
 * The app's own word on a request's trace counts. Where that is a traceparent, no tracestate of the span's
 * goes with it: the two are of one parent (W3C Trace Context section 3.3).
 */
function withMeta(options: CallOptions, { tracestate, ...meta }: Open): CallOptions {
  const own = options?.meta;
  const state = tracestate !== undefined && own?.["traceparent"] === undefined && { tracestate };
  return { ...options, meta: { ...meta, ...state, ...own } };
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

/** Runs a hook of the app's. An error that the hook throws harms no call. */
function guarded<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    reportError(error);
    return undefined;
  }
}
