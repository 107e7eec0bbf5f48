import { abortReason, Call, type CallControl } from "./call.js";
import { errorFromGo, HoldfastError } from "./errors.js";
import { decodeEvent, isIntegrity, type StatusEvent } from "./events.js";
import { Listeners } from "./listeners.js";
import type {
  CallToolResult,
  Implementation,
  ListToolsResult,
  LoggingLevel,
  Open,
  ServerCapabilities,
  Tool,
} from "./mcp.js";
import { badArgument, checkSignal, milliseconds, type CallOptions, type TokenProvider } from "./options.js";
import type { CallTimes, ClientPort, Runtime } from "./runtime/runtime.js";

/** Where a client stands. `reconnecting`: the server has forgotten the session; a new one is being made. */
export type ClientState = "connecting" | "open" | "reconnecting" | "closing" | "closed" | "failed";

/** What was dropped or repaired since connecting. Nothing disappears uncounted. */
export interface Counters {
  /** Texts on a stream that are no JSON-RPC message. */
  unreadableMessages: number;
  /** Responses to nothing that is in flight. */
  unknownResponses: number;
  /** Second responses to a request. */
  duplicateResponses: number;
  /** Events that a server replayed although they had been delivered. */
  duplicateEvents: number;
  /** Events of a type other than "message". */
  ignoredEvents: number;
  /** Progress for a call that has ended, or never was. */
  lateProgress: number;
  /** Other notifications on the stream of a call that has ended. */
  lateNotifications: number;
  /** Requests of the server's that nobody handles. */
  refusedRequests: number;
  /** Sessions that the server had forgotten. */
  sessionsLost: number;
}

/** What a client tells its listeners ({@link McpClient.on}). */
export interface ClientEvents {
  /** The client's state changed. `error` says why, for "failed". */
  state: { state: ClientState; error?: HoldfastError };
  /** A notification that belongs to no call. */
  notification: { method: string; params?: unknown };
  /** A log message that belongs to no call. */
  log: { level: LoggingLevel; logger?: string; data: unknown };
  /** What the stream for unasked messages does; `off`: the server does not offer it, or it has ended for good. */
  listen: ListenEvent;
  /** The server broke a rule, and what came of it was dropped: `what` says how, as in {@link Counters}. */
  integrity: { what: string; cause?: string };
}

/** What the stream for unasked messages does. */
export type ListenEvent = Omit<StatusEvent, "state" | "type" | "position"> & { state: StatusEvent["state"] | "off" };

/** Pages of a list that are followed before the server is taken to be going in circles. */
const MAX_PAGES = 1000;

/** Methods that the client itself sends. */
const OWN_METHODS = new Set(["initialize", "notifications/initialized", "notifications/cancelled"]);

/** A connection to one MCP server. Made by {@link connect}. */
export class McpClient {
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
  readonly #calls = new Map<number, Call<unknown>>();
  readonly #listeners = new Listeners<ClientEvents>();
  readonly #control: CallControl = {
    cancel: (call, reason) => this.#runtime.cancel(this.#handle, call, reason),
    pause: (call, paused) => this.#runtime.pause(this.#handle, call, paused),
  };
  #closed: Promise<void> | undefined;
  #lastCounters: Counters = { ...NO_COUNTERS };

  /** @internal Use {@link connect}. */
  constructor(runtime: Runtime, url: string, backlog: number) {
    this.#runtime = runtime;
    this.url = url;
    this.#backlog = backlog;
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
    return (this.#initialize["serverInfo"] ?? { name: "", version: "" }) as Implementation;
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

  /**
   * The server's tools, all pages of them; with a cursor, the one page it names.
   * The server may change them: listen for notifications/tools/list_changed.
   */
  async listTools(options: CallOptions & { cursor?: string } = {}): Promise<ListToolsResult> {
    const { cursor, ...rest } = options;
    if (cursor !== undefined) return this.request<ListToolsResult>("tools/list", { cursor }, rest).result;
    const tools: Tool[] = [];
    let page = await this.request<ListToolsResult>("tools/list", undefined, rest).result;
    for (let pages = 1; ; pages++) {
      if (!Array.isArray(page?.tools)) {
        throw new HoldfastError({ code: "protocol_error", op: "tools/list", message: "the result has no array of tools" });
      }
      for (const tool of page.tools) tools.push(tool);
      // An empty string is a cursor like any other; only its absence ends the
      // list, or null, which some servers send for it.
      if (typeof page.nextCursor !== "string") break;
      if (pages === MAX_PAGES) {
        throw new HoldfastError({ code: "limit_exceeded", op: "tools/list", message: `the list has more than ${MAX_PAGES} pages` });
      }
      page = await this.request<ListToolsResult>("tools/list", { cursor: page.nextCursor }, rest).result;
    }
    const { nextCursor: _, ...last } = page;
    return { ...last, tools };
  }

  /**
   * Calls a tool. The call starts at once; iterate it for progress and logs,
   * await its `result`. A tool's own failure is a result with `isError`.
   */
  callTool(name: string, args: Open = {}, options: CallOptions = {}): Call<CallToolResult> {
    if (typeof name !== "string" || name === "") {
      return this.#refused("tools/call", badArgument("tools/call", "name", "has to be the name of a tool"));
    }
    return this.request<CallToolResult>("tools/call", { name, arguments: args }, options);
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
      this.#handle = this.#runtime.connect(options, this.#port(credentials, provider));
    });
  }

  #port(credentials: RequestCredentials, provider: TokenProvider | undefined): ClientPort {
    return {
      credentials,
      deliver: (call, kind, position, text) => {
        if (call === 0) this.#event(kind, position, text);
        else this.#calls.get(call)?.deliver(kind, position, text);
      },
      settle: (id, outcome, text) => {
        const call = this.#calls.get(id);
        this.#calls.delete(id);
        call?.settle(outcome, text);
      },
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
      return this.#refused(op, error as HoldfastError);
    }
    if (this.#isOver()) return this.#refused(op, this.#overError(op));
    if (signal?.aborted) {
      // As with fetch: nothing is sent.
      return this.#refused(op, new HoldfastError({ code: "cancelled", op, message: abortReason(signal) || "the signal was aborted before" }));
    }
    const call = new Call<T>(method, this.#backlog);
    try {
      this.#runtime.call(this.#handle, notify, frame, times, (id) => {
        this.#calls.set(id, call as Call<unknown>);
        call.bind(id, this.#control, signal);
      });
    } catch (error) {
      call.fail(error as HoldfastError);
    }
    return call;
  }

  /** A call that was never sent. */
  #refused<T>(op: string, error: HoldfastError): Call<T> {
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
        this.#listeners.emit("listen", event);
        break;
      case "notification":
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
      error?: Parameters<typeof errorFromGo>[0];
    };
    this.#state = json.state;
    if (json.state === "open") {
      this.#revision = json.revision ?? "";
      this.#session = json.session ?? false;
      this.#initialize = json.initialize ?? {};
    }
    if (json.error) this.#error = errorFromGo(json.error);
    this.#listeners.emit("state", this.#error ? { state: json.state, error: this.#error } : { state: json.state });
    // The core has settled every call by then; its memory can go.
    if (this.#isOver()) {
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
    this.#runtime.token(this.#handle, ok, text);
  }

  #exited(error: HoldfastError): void {
    this.#error = error;
    this.#state = "failed";
    for (const call of this.#calls.values()) call.fail(error);
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

const NO_COUNTERS: Counters = {
  unreadableMessages: 0,
  unknownResponses: 0,
  duplicateResponses: 0,
  duplicateEvents: 0,
  ignoredEvents: 0,
  lateProgress: 0,
  lateNotifications: 0,
  refusedRequests: 0,
  sessionsLost: 0,
};

function toJSON(op: string, argument: string, value: unknown): string {
  try {
    const text: string | undefined = JSON.stringify(value);
    if (text === undefined || !text.startsWith("{")) throw new TypeError("not an object");
    return text;
  } catch (cause) {
    throw new HoldfastError({ code: "bad_argument", op, message: `${argument} cannot be written as JSON`, cause });
  }
}
