import { abortReason, Call, OUTCOME, type CallControl } from "./call.js";
import { NO_COUNTERS, type Counters } from "./counters.js";
import { errorFromGo, HoldfastError, type RPCError } from "./errors.js";
import { decodeEvent, EVENT, isIntegrity, type StatusEvent } from "./events.js";
import type { Handlers } from "./handlers.js";
import { answerInput, answerRequest, visitPages, wantsVisits, type ServerRequest } from "./inputs.js";
import { Listeners } from "./listeners.js";
import type { Changed } from "./resultcache.js";
import type { Implementation, LoggingLevel, Open, ServerCapabilities } from "./mcp.js";
import { badArgument, checkSignal, milliseconds, type CallOptions, type TokenProvider } from "./options.js";
import type { CallTimes, ClientPort, Runtime } from "./runtime/runtime.js";

/** Where a client stands. `reconnecting`: the server has forgotten the session; a new one is being made. */
export type ClientState = "connecting" | "open" | "reconnecting" | "closing" | "closed" | "failed";

/** What a client tells its listeners ({@link McpClient.on}). */
export interface ClientEvents {
  /** The client's state changed. `error` says why, for "failed". */
  state: { state: ClientState; error?: HoldfastError };
  /** A notification that belongs to no call. */
  notification: { method: string; params?: unknown };
  /**
   * A list of the server's has changed, or may have while its notifications
   * could not be heard: list it again. Nothing kept of it is used any more.
   */
  changed: { what: Changed };
  /** A log message that belongs to no call. */
  log: { level: LoggingLevel; logger?: string; data: unknown };
  /** What the stream for unasked messages does; `off`: the server does not offer it, or it has ended for good. */
  listen: ListenEvent;
  /** The server broke a rule, and what came of it was dropped: `what` says how, as in {@link Counters}. */
  integrity: { what: string; cause?: string };
}

/** What the stream for unasked messages does. */
export type ListenEvent = Omit<StatusEvent, "state" | "type" | "position"> & { state: StatusEvent["state"] | "off" };

/** One step on the way to a revision. */
export interface NegotiationStep {
  /** What was sent. */
  method: string;
  /** HTTP status of the answer; 0 where fetch failed. */
  status: number;
  /** JSON-RPC error code in the answer, if there was one. */
  code?: number;
  /** What followed from it. */
  then: "initialize" | "modern" | "retry" | "unsupported" | "failed";
}

/** A call under way, with what is needed to send it again. */
interface Pending {
  call: Call<unknown>;
  resend: ((rpc: RPCError) => Promise<boolean>) | undefined;
}

const META_SERVER = "io.modelcontextprotocol/serverInfo";

/** Methods that the client itself sends. */
const OWN_METHODS = new Set(["server/discover", "subscriptions/listen", "initialize", "notifications/initialized", "notifications/cancelled"]);

/** A connection to one MCP server: its state, requests and events. {@link McpClient} adds MCP's methods. */
export class Connection {
  /** The server's URL, absolute. */
  readonly url: string;
  #runtime: Runtime;
  #handle = 0;
  #state: ClientState = "connecting";
  #initialize: Open = {};
  #revision = "";
  #session = false;
  #error: HoldfastError | undefined;
  readonly #backlog: number;
  readonly #handlers: Handlers;
  readonly #calls = new Map<number, Pending>();
  /** Calls that the server has refused for now, and that will be sent again. */
  readonly #between = new Map<number, Call<unknown>>();
  readonly #requests = new Map<number, AbortController>();
  readonly #listeners = new Listeners<ClientEvents>();
  readonly #control: CallControl = {
    cancel: (call, reason) => {
      const between = this.#between.get(call);
      if (between) between.fail(new HoldfastError({ code: "cancelled", op: between.method, message: reason || "cancelled by the app" }));
      else this.#runtime.cancel(this.#handle, call, reason);
    },
    pause: (call, paused) => this.#runtime.pause(this.#handle, call, paused),
    answer: (call, responses) => this.#runtime.answer(this.#handle, call, responses),
  };
  #steps: NegotiationStep[] = [];
  #closed: Promise<void> | undefined;
  #listens = true;
  #lastCounters: Counters = { ...NO_COUNTERS };

  /** @internal Use {@link connect}. */
  constructor(runtime: Runtime, url: string, backlog: number, handlers: Handlers) {
    this.#runtime = runtime;
    this.url = url;
    this.#backlog = backlog;
    this.#handlers = handlers;
  }

  /** What was tried to find the revision, in order; empty where it was known. */
  get negotiation(): readonly NegotiationStep[] {
    return this.#steps;
  }

  /** Where the client stands. */
  get state(): ClientState {
    return this.#state;
  }

  /** The protocol revision in use, such as "2025-11-25". */
  get revision(): string {
    return this.#revision;
  }

  /** Whether the server keeps a session for this client. */
  get session(): boolean {
    return this.#session;
  }

  /** Who the server says it is; for display only. */
  get server(): Implementation {
    // In _meta since 2026-07-28; at the top before it, and in its release candidate.
    const meta = this.#initialize["_meta"] as Open | undefined;
    return (this.#initialize["serverInfo"] ?? meta?.[META_SERVER] ?? { name: "", version: "" }) as Implementation;
  }

  /** What the server says it can do. */
  get capabilities(): ServerCapabilities {
    return (this.#initialize["capabilities"] ?? {}) as ServerCapabilities;
  }

  /** How to use the server, in its own words; for a model. */
  get instructions(): string | undefined {
    return this.#initialize["instructions"] as string | undefined;
  }

  /** What was dropped or repaired so far. */
  get counters(): Counters {
    const text = this.#isOver() ? "" : this.#runtime.counters(this.#handle);
    if (text) this.#lastCounters = JSON.parse(text) as Counters;
    return this.#lastCounters;
  }

  /** Makes any request. Progress is always asked for. */
  request<T = unknown>(method: string, params?: Open, options: CallOptions = {}): Call<T> {
    return this.#send<T>(method, params, options, false);
  }

  /** Sends a notification; resolves once the server has taken it. */
  async notify(method: string, params?: Open, options: Pick<CallOptions, "meta"> = {}): Promise<void> {
    await this.#send<null>(method, params, options, true).result;
  }

  /** Asks the server for a sign of life. */
  async ping(options: CallOptions = {}): Promise<void> {
    await this.request("ping", undefined, options).result;
  }

  /**
   * Listens to the client. Returns the function that stops listening. A
   * listener that throws is reported as an uncaught error and harms nobody.
   */
  on<E extends keyof ClientEvents>(event: E, listener: (event: ClientEvents[E]) => void): () => void {
    return this.#listeners.add(event, listener);
  }

  /**
   * Closes the connection: calls in flight reject with code `closed`, the
   * session is deleted at the server. Resolves when that is answered, after two
   * seconds at most; nothing happens any more from then on.
   */
  close(): Promise<void> {
    this.#closed ??= new Promise((resolve) => {
      if (this.#isOver()) {
        resolve();
        return;
      }
      const off = this.on("state", ({ state }) => {
        if (state !== "closed" && state !== "failed") return;
        off();
        resolve();
      });
      this.#runtime.close(this.#handle);
    });
    return this.#closed;
  }

  /** @internal Starts the client; resolves when it is open. */
  start(options: object, credentials: RequestCredentials, provider: TokenProvider | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const off = this.on("state", ({ state, error }) => {
        if (state === "connecting") return;
        off();
        if (state === "open") resolve();
        else reject(error ?? new HoldfastError({ code: "closed", op: "connect", message: "the client was closed" }));
      });
      this.#listens = (options as { noListen?: boolean }).noListen !== true;
      this.#handle = this.#runtime.connect(options, this.#port(credentials, provider));
    });
  }

  #port(credentials: RequestCredentials, provider: TokenProvider | undefined): ClientPort {
    return {
      credentials,
      deliver: (call, kind, position, text) => {
        if (kind === EVENT.request) void this.#asked(position, text);
        else if (kind === EVENT.input) void this.#input(call, position, text);
        else if (call === 0) this.#event(kind, position, text);
        else this.#calls.get(call)?.call.deliver(kind, position, text);
      },
      settle: (id, outcome, text) => void this.#settled(id, outcome, text),
      state: (text) => this.#changed(text),
      token: () => void this.#token(provider),
      exited: (error) => this.#exited(error),
    };
  }

  #send<T>(method: string, params: Open | undefined, options: CallOptions, notify: boolean): Call<T> {
    const op = typeof method === "string" ? method : "request";
    const { signal } = options;
    let frame: [string, string, string];
    let times: CallTimes;
    try {
      if (typeof method !== "string" || method === "") throw badArgument(op, "method", "has to be a JSON-RPC method");
      if (OWN_METHODS.has(method)) throw badArgument(op, "method", "is sent by the client itself");
      checkSignal(op, signal);
      times = {
        answer: milliseconds(op, "timeouts.answer", options.timeouts?.answer),
        idle: milliseconds(op, "timeouts.idle", options.timeouts?.idle),
        total: milliseconds(op, "timeouts.total", options.timeouts?.total),
      };
      const { _meta, ...rest } = params ?? {};
      const meta = { ...(_meta as Open | undefined), ...options.meta };
      if ("progressToken" in meta) throw badArgument(op, "meta.progressToken", "is given by the client itself");
      const empty = Object.keys(meta).length === 0;
      frame = [method, params === undefined ? "" : toJSON(op, "params", rest), empty ? "" : toJSON(op, "meta", meta)];
    } catch (error) {
      return this.refused(op, error as HoldfastError);
    }
    if (this.#isOver()) return this.refused(op, this.#overError(op));
    if (signal?.aborted) {
      // As with fetch: nothing is sent.
      return this.refused(op, new HoldfastError({ code: "cancelled", op, message: abortReason(signal) || "the signal was aborted before" }));
    }
    const call = new Call<T>(method, this.#backlog, options.input === "manual");
    const send = (header: string[], resend: Pending["resend"]): void => {
      try {
        this.#runtime.call(this.#handle, notify, [...frame, ...header], times, (id) => {
          this.#calls.set(id, { call: call as Call<unknown>, resend });
          call.bind(id, this.#control, signal);
        });
      } catch (error) {
        call.fail(error as HoldfastError);
      }
    };
    // A server that misses a header of the tool's says so before it runs it:
    // the request is sent once more with what the tool list says by then.
    const args = params ?? {};
    send(this.headersFor(method, args), async (rpc) => {
      let header: string[] | undefined;
      if (!wantsVisits(rpc)) header = await this.headersAfter(method, args, rpc);
      else if (await visitPages(rpc, call as Call<unknown>, this.#handlers, this.url, (id) => this.#completed(id, call.ended))) {
        header = this.headersFor(method, args);
      }
      if (header && !call.settled) send(header, undefined);
      return header !== undefined;
    });
    return call;
  }

  /** @internal Further header fields for a request: name, value, name, value. */
  protected headersFor(_method: string, _params: Open): string[] {
    return [];
  }

  /** @internal The same after a server has refused the request; undefined where there is nothing new to say. */
  protected async headersAfter(_method: string, _params: Open, _rpc: RPCError): Promise<string[] | undefined> {
    return undefined;
  }

  /** @internal A notification that belongs to no call has come. */
  protected noticed(_method: string, _params: Open | undefined): void {}

  /** @internal What was kept of the server's is not to be used any more. */
  protected forgotten(): void {}

  /** @internal Tells the listeners that a list has changed. */
  protected changed(what: Changed): void {
    this.#listeners.emit("changed", { what });
  }

  // Nobody heard what was said while the listen stream was away.
  #missed(): void {
    this.forgotten();
    for (const what of ["tools", "prompts", "resources"] as const) {
      if ((this.capabilities[what] as { listChanged?: boolean } | undefined)?.listChanged) this.changed(what);
    }
  }

  /** @internal Tells the listeners that something of the server's was dropped. */
  protected dropped(what: string, cause: string): void {
    this.#listeners.emit("integrity", { what, cause });
  }

  /**
   * @internal Sets the resources whose updates the listen stream of 2026-07-28
   * asks for; resolves once the server has acknowledged a stream that asks so.
   */
  protected async watch(uris: string[]): Promise<void> {
    if (!this.#listens) throw badArgument("subscriptions/listen", "listen", "is false in the options of connect");
    const acknowledged = new Promise<void>((resolve, reject) => {
      const undo: (() => void)[] = [];
      const end = (error?: HoldfastError): void => {
        for (const off of undo) off();
        if (error) reject(error);
        else resolve();
      };
      const refused = (): void =>
        end(new HoldfastError({ code: "protocol_error", op: "subscriptions/listen", message: "the server does not take subscriptions" }));
      undo.push(
        this.on("notification", ({ method }) => method === "notifications/subscriptions/acknowledged" && end()),
        this.on("listen", ({ state }) => state === "off" && uris.length > 0 && refused()),
        this.on("state", ({ state }) => (state === "closed" || state === "failed") && end(this.#overError("subscriptions/listen"))),
      );
      if (uris.length === 0) end(); // there may be no stream left that could be acknowledged
    });
    this.#runtime.subscribe(this.#handle, JSON.stringify(uris));
    await acknowledged;
  }

  async #settled(id: number, outcome: number, text: string): Promise<void> {
    const pending = this.#calls.get(id);
    this.#calls.delete(id);
    if (!pending) return;
    const { call, resend } = pending;
    if (outcome === OUTCOME.rpcError && resend && (isHeaderMismatch(text) || wantsVisits(JSON.parse(text) as RPCError))) {
      this.#between.set(id, call);
      const again = await resend(JSON.parse(text) as RPCError).catch(() => false);
      this.#between.delete(id);
      if (again) return;
    }
    call.settle(outcome, text);
  }

  async #input(id: number, position: number, text: string): Promise<void> {
    const pending = this.#calls.get(id);
    if (!pending) return;
    const { call } = pending;
    call.rounds++;
    if (call.manual) {
      call.deliver(EVENT.input, position, text);
      return;
    }
    const answer = await answerInput(text, call, this.#handlers, this.url);
    if (call.settled) return;
    if (typeof answer === "string") this.#runtime.answer(this.#handle, id, answer);
    else {
      call.fail(answer);
      this.#runtime.cancel(this.#handle, id, "the input was not given");
    }
  }

  /** Resolves when the server says that a URL elicitation is complete, or the call is over. */
  #completed(elicitationId: string, over: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const off = this.on("notification", ({ method, params }) => {
        if (method !== "notifications/elicitation/complete" || (params as Open | undefined)?.["elicitationId"] !== elicitationId) return;
        off();
        resolve();
      });
      over.addEventListener("abort", () => (off(), resolve()), { once: true });
    });
  }

  async #asked(request: number, text: string): Promise<void> {
    const controller = new AbortController();
    this.#requests.set(request, controller);
    const { id, method, params } = JSON.parse(text) as ServerRequest;
    const off = this.on("notification", (n) => {
      if (n.method === "notifications/cancelled" && (n.params as Open | undefined)?.["requestId"] === id) controller.abort();
    });
    const { ok, json } = await answerRequest(method, params ?? {}, this.#handlers, { server: this.url, signal: controller.signal });
    off();
    this.#requests.delete(request);
    this.#runtime.respond(this.#handle, request, ok, json);
  }

  /** @internal A call that was never sent. */
  protected refused<T>(op: string, error: HoldfastError): Call<T> {
    const call = new Call<T>(op, this.#backlog);
    call.fail(error);
    return call;
  }

  #event(kind: number, position: number, text: string): void {
    if (isIntegrity(kind)) {
      this.#listeners.emit("integrity", JSON.parse(text) as ClientEvents["integrity"]);
      return;
    }
    const { position: _, ...event } = decodeEvent(kind, position, text);
    switch (event.type) {
      case "log":
        this.#listeners.emit("log", event);
        break;
      case "status":
        if (event.missed) this.#missed();
        this.#listeners.emit("listen", event);
        break;
      case "notification":
        this.noticed(event.method, event.params as Open | undefined);
        this.#listeners.emit("notification", event);
        break;
    }
  }

  #changed(text: string): void {
    const json = JSON.parse(text) as {
      state: ClientState;
      revision?: string;
      session?: boolean;
      initialize?: Open;
      steps?: NegotiationStep[];
      error?: Parameters<typeof errorFromGo>[0];
    };
    this.#state = json.state;
    if (json.steps) this.#steps = json.steps;
    if (json.state === "open") {
      this.#revision = json.revision ?? "";
      this.#session = json.session ?? false;
      this.#initialize = json.initialize ?? {};
    }
    if (json.error) this.#error = errorFromGo(json.error);
    this.#listeners.emit("state", this.#error ? { state: json.state, error: this.#error } : { state: json.state });
    // The core has settled every call by then; its memory can go.
    if (this.#isOver()) {
      for (const controller of this.#requests.values()) controller.abort();
      queueMicrotask(() => {
        const text = this.#runtime.counters(this.#handle);
        if (text) this.#lastCounters = JSON.parse(text) as Counters;
        this.#runtime.release(this.#handle);
      });
    }
  }

  async #token(provider: TokenProvider | undefined): Promise<void> {
    let ok = false;
    let text: string;
    try {
      await undefined; // app code never runs within the core's effects
      const token: unknown = await provider?.();
      ok = typeof token === "string" && token !== "";
      text = ok ? (token as string) : "it gave no token";
    } catch (error) {
      text = error instanceof Error ? error.message : "it rejected";
    }
    this.forgotten(); // it may be another principal's token
    this.#runtime.token(this.#handle, ok, text);
  }

  #exited(error: HoldfastError): void {
    this.#error = error;
    this.#state = "failed";
    for (const { call } of this.#calls.values()) call.fail(error);
    for (const call of this.#between.values()) call.fail(error);
    this.#calls.clear();
    this.#listeners.emit("state", { state: "failed", error });
  }

  #isOver(): boolean {
    return this.#state === "closed" || this.#state === "failed";
  }

  #overError(op: string): HoldfastError {
    const error = this.#error;
    if (!error) return new HoldfastError({ code: "closed", op, message: "the client is closed" });
    return new HoldfastError({ code: error.code, op, message: "the client has failed", retryable: error.retryable, cause: error });
  }
}

/** -32020, and what the release candidate of 2026-07-28 had for it. */
function isHeaderMismatch(text: string): boolean {
  const { code, message = "" } = JSON.parse(text) as RPCError;
  return code === -32020 || (code === -32001 && /header/i.test(message));
}

function toJSON(op: string, argument: string, value: unknown): string {
  try {
    const text: string | undefined = JSON.stringify(value);
    if (text === undefined || !text.startsWith("{")) throw new TypeError("not an object");
    return text;
  } catch (cause) {
    throw new HoldfastError({ code: "bad_argument", op, message: `${argument} cannot be written as JSON`, cause });
  }
}
