import type { Call } from "../client/call.js";
import type { McpClient } from "../client/client.js";
import type { ConnectOptions } from "../client/options.js";
import { loadedChunk, type PageChunk } from "../connect/loadchunk.js";
import { connect } from "../host/choose/hosts.js";
import { badArgument } from "../base/arguments.js";
import { closedError, HoldfastError } from "../base/errors.js";
import type { CallToolResult, Open } from "../base/mcp.js";
import type { StartSpan } from "../../packages/trace/spans.js";
import { checkRevision, initializeResult, introduction, notDiscovered } from "./handshake.js";
import type { ClientRequest, JSONRPCMessage, RequestId, SendOptions } from "./messages.js";
import { asRPCError } from "./refusals.js";
import { answer, type TransportCallOptions } from "./requests.js";
import { listenTo } from "./servernotifications.js";
import { ClientHandlers } from "./clienthandlers.js";

/**
 * Options of {@link HoldfastTransport}: those of `connect`, but for what the Client says itself. All are
 * optional.
 */
export interface HoldfastTransportOptions
  extends Omit<ConnectOptions, "client" | "handlers" | "capabilities"> {
  /**
   * Options for the call that a request of the Client's becomes; a tool's above all. With a `key` a request
   * that a later page makes again finds its call, and nothing runs twice.
   */
  call?: (request: { method: string; params: Open }) => TransportCallOptions | undefined;
  /**
   * Begins spans of the Client's requests and of the connection: what `openTelemetry()` of `holdfast/trace`
   * gives, or a hook of the app's own. The server hears of the trace in `_meta`, by polls, resumes and later
   * pages as well. A `traceparent` that a request's `_meta` has already stays as it is, and is the span's
   * parent.
   */
  trace?: StartSpan;
}

/** The chunk that begins spans: loaded where the option is there. */
const spans: PageChunk<Pick<typeof import("../../packages/trace/tracedclient.js"), "tracedClient">> = {
  op: "connect", inWorker: true, load: () => import("../../packages/trace/tracedclient.js"),
};

/**
 * Where the transport stands: `made`, then `started` by the Client, `open` once it has answered `initialize`,
 * `ready` when the Client has said `notifications/initialized`, and `closed`. It goes one way.
 */
type Standing = "made" | "started" | "open" | "ready" | "closed";

/** Options that the Client itself provides: its name, its capabilities and handlers. */
const OF_THE_CLIENT = ["client", "handlers", "capabilities"];

/**
 * A transport for the `Client` of `@modelcontextprotocol/client` and of `@modelcontextprotocol/sdk` that
 * stands on Holdfast: calls survive cuts, sleep and reloads, and all pages of the origin share one host.
 *
 * ```ts
 * const client = new Client({ name: "my-app", version: "1.0.0" });
 * await client.connect(new HoldfastTransport("https://example.com/mcp"));
 * ```
 *
 * The Client and the transport speak the handshake of 2025-11-25, whatever the server speaks. Errors that are
 * not the server's have what {@link holdfastError} reads in their `data`.
 */
export class HoldfastTransport {
  /** Called when the connection has ended for good, by whichever side. */
  onclose?: (() => void) | undefined;
  /** Called with what went wrong beside the requests: the server broke a rule. */
  onerror?: ((error: Error) => void) | undefined;
  /** Called with what the server says. The types of a message are the Client's. */
  onmessage?: ((message: any, extra?: any) => void) | undefined;

  /**
   * @internal A framework leaves alone what says what it is: behind its proxy an object has no private
   * members.
   */
  get [Symbol.toStringTag](): string {
    return "HoldfastTransport";
  }

  readonly #url: string | URL;
  readonly #options: HoldfastTransportOptions;
  readonly #questions = new ClientHandlers((message) => this.#tell(message));
  readonly #over = new AbortController();
  readonly #closes = (): void => void this.close();
  /** The Client's requests that are not answered. */
  readonly #pending = new Map<RequestId, AbortController>();
  /** Messages from before the Client was ready to hear them. */
  #early: JSONRPCMessage[] = [];
  #standing: Standing = "made";
  #mcp: McpClient | undefined;
  /** The revision that the Client has offered. */
  #offered: string | undefined;

  /**
   * @param url the server's endpoint, absolute or relative to the page
   * @throws HoldfastError `bad_argument` for an option that the Client has
   */
  constructor(url: string | URL, options: HoldfastTransportOptions = {}) {
    const wrong = OF_THE_CLIENT.find((name) => (options as Open)[name] !== undefined);
    if (wrong)
      throw badArgument(
        "connect", wrong, "is the Client's to say: its name, its capabilities and its request handlers",
      );
    if (options.call !== undefined && typeof options.call !== "function")
      throw badArgument("connect", "call", "has to be a function");
    if (options.trace !== undefined && typeof options.trace !== "function")
      throw badArgument(
        "connect", "trace",
        "has to be a function that begins a span: what openTelemetry() of holdfast/trace gives, or the " +
          "app's own",
      );
    this.#url = url;
    this.#options = options;
  }

  /**
   * Holdfast's own client below: for what the official one has no words for, such as calls of an earlier page
   * and where the host is. It is the transport's: close the Client, and not this.
   *
   * @throws HoldfastError `closed` before the Client has connected
   */
  get mcp(): McpClient {
    if (this.#mcp) return this.#mcp;
    throw new HoldfastError({
      code: "closed", op: "mcp", message: "the Client has not connected",
      hint: "await client.connect(transport) first",
    });
  }

  /**
   * The calls that are kept and not acknowledged, those of earlier pages included: see
   * {@link McpClient.calls}.
   */
  async calls(): Promise<Call<CallToolResult>[]> {
    return await this.mcp.calls();
  }

  /** Called by the Client; a transport serves one Client, once. */
  async start(): Promise<void> {
    if (this.#standing !== "made")
      throw new HoldfastError({
        code: "bad_argument", op: "start",
        message: "the transport was started before: each connect of a Client needs a new one",
      });
    this.#standing = "started";
  }

  /** Called by the Client: a request, a notification, or the response to what the server has asked. */
  async send(message: JSONRPCMessage, options: SendOptions = {}): Promise<void> {
    const { id, method, params = {} } = message;
    if (this.#standing === "made" || this.#standing === "closed") throw notOpen(method ?? "send");
    if (method === undefined) this.#questions.answered(message);
    else if (id === undefined) await this.#notified(method, params as Open);
    else this.#requested({ id, method, params: params as Open }, options);
  }

  /** Called by the Client: calls that are kept go on, and a later page finds them. */
  async close(): Promise<void> {
    if (this.#standing === "closed") return;
    this.#ended();
    await this.#mcp?.close();
  }

  /** Called by the Client with the revision that it speaks. */
  setProtocolVersion(version: string): void {
    checkRevision(version, this.#offered);
  }

  #requested(request: ClientRequest, send: SendOptions): void {
    const { id, method } = request;
    const over = new AbortController();
    const { requestSignal } = send;
    if (requestSignal?.aborted) return; // nobody waits for it: nothing is sent
    this.#pending.set(id, over);
    const abort = (): void => over.abort(requestSignal?.reason);
    requestSignal?.addEventListener("abort", abort);
    void this.#answer(request, over.signal, send).then((response) => {
      requestSignal?.removeEventListener("abort", abort); // it may be the app's, and live as long
      if (this.#pending.get(id) === over) this.#pending.delete(id);
      // nobody waits (2025-11-25 basic/utilities/cancellation)
      if (over.signal.aborted || this.#standing === "closed") return;
      if (method === "initialize" && "result" in response) this.#standing = "open";
      this.#deliver({ jsonrpc: "2.0", id, ...response });
    });
  }

  async #answer(
    request: ClientRequest, over: AbortSignal, send: SendOptions,
  ): Promise<Pick<JSONRPCMessage, "result" | "error">> {
    const { method, params } = request;
    try {
      if (method === "server/discover") throw notDiscovered();
      if (method === "initialize") return { result: await this.#initialize(params) };
      const result = await answer(request, {
        mcp: this.mcp, over, send, optionsFor: this.#options.call, tell: (message) => this.#tell(message),
        report: (error) => this.onerror?.(error),
      });
      return { result: result as object };
    } catch (error) {
      return { error: asRPCError(error) };
    }
  }

  async #initialize(params: Open): Promise<object> {
    const { offered, capabilities, client } = introduction(params);
    this.#offered = offered;
    if (this.#mcp) throw badArgument("initialize", "initialize", "was answered before");
    const { call: _, signal, trace, ...options } = this.#options;
    signal?.addEventListener("abort", this.#closes);
    if (signal?.aborted) void this.close();
    // before the connection, which says things as soon as it is there
    const tracing = trace && (await loadedChunk(spans, {}));
    const untraced = await connect(this.#url, {
      validate: false, // the Client does
      ...options,
      client,
      capabilities,
      handlers: this.#questions.handlersOf(capabilities),
      signal: this.#over.signal,
    });
    if (this.#standing === "closed") {
      await untraced.close(); // in the moment in which it was there: nobody else would
      throw notOpen("initialize");
    }
    const mcp = (this.#mcp = tracing ? tracing.tracedClient(untraced, trace!) : untraced);
    listenTo(mcp, {
      tell: (message) => this.#tell(message),
      report: (error) => this.onerror?.(error),
      ended: () => this.#ended(),
    });
    return initializeResult(mcp, offered);
  }

  async #notified(method: string, params: Open): Promise<void> {
    switch (method) {
      case "notifications/initialized": // the client below has said so to the server
        this.#standing = "ready";
        for (const message of this.#early.splice(0)) this.#deliver(message);
        return;
      case "notifications/cancelled":
        this.#pending.get(params["requestId"] as RequestId)?.abort(params["reason"] ?? "");
        return;
      case "notifications/roots/list_changed":
        return await this.mcp.rootsChanged();
      default: {
        const { _meta, ...rest } = params;
        await this.mcp.notify(method, rest, _meta ? { meta: _meta as Open } : {});
      }
    }
  }

  /** Tells the Client what the server says, not before it is ready (2025-11-25 basic/lifecycle). */
  #tell(message: JSONRPCMessage): void {
    if (this.#standing === "ready") this.#deliver(message);
    else if (this.#standing !== "closed") this.#early.push(message);
  }

  #deliver(message: JSONRPCMessage): void {
    try {
      this.onmessage?.(message);
    } catch (error) {
      this.onerror?.(error as Error);
    }
  }

  /** Ends the transport after either side has closed the connection. */
  #ended(): void {
    if (this.#standing === "closed") return;
    this.#standing = "closed";
    this.#early = [];
    this.#pending.clear();
    this.#options.signal?.removeEventListener("abort", this.#closes);
    if (!this.#mcp) this.#over.abort(notOpen("initialize"));
    this.onclose?.();
  }
}

function notOpen(op: string): HoldfastError {
  return closedError(op, "the transport is not open");
}
