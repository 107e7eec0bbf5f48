import type { Backlog } from "../base/backlog.js";
import { EVENT, NAMED_METHODS, OUTCOME } from "../base/border.js";
import { Calls } from "./calls.js";
import type { ClientEvents } from "./clientevents.js";
import { NO_COUNTERS, type Counters } from "./counters.js";
import { refusedFields } from "./diagnose.js";
import type { Durability } from "../tabs/journalclient.js";
import { Streams } from "../tabs/streams.js";
import type { HoldfastError, RPCError } from "../base/errors.js";
import { guaranteesOf, type Guarantees } from "./guarantees.js";
import type { DeclaredHandlers, Handlers } from "../input/handlers.js";
import { Lifetime } from "../connect/lifetime.js";
import { Listeners } from "../base/listeners.js";
import type { CallToolResult, Implementation, Open, ServerCapabilities } from "../base/mcp.js";
import type { CallOptions, CallKeeping } from "./options.js";
import { nameOf } from "./methodname.js";
import { outgoing, type Outgoing } from "./outgoing.js";
import type { Changed } from "./resultcache.js";
import { fieldsBlocked } from "../base/origins.js";
import { forgetRevision } from "../storage/revisions.js";
import type { ClientPort } from "../runtime/port.js";
import type { Runtime } from "../runtime/runtime.js";
import type { Made, MadeFor, CoreCall } from "./corecall.js";
import { ServerFacts } from "./serverfacts.js";
import { ServerRequests } from "../input/serverrequests.js";
import type { Usage } from "../storage/storage.js";
import type { ConnectionUse } from "./connectionuse.js";
import { noteSpoken } from "./spoken.js";
import { isForOthers, tellUnasked } from "./unasked.js";
import { acknowledged, completed } from "./watch.js";
import type { Wire } from "../runtime/wire.js";
import type { ClientState, TokenSubject } from "../base/clientstate.js";
import { badArgument } from "../base/arguments.js";
import type { NegotiationStep } from "../base/negotiation.js";
import { unlessAborted } from "../connect/abort.js";
import { settledState } from "../connect/settled.js";

/** The stream for unasked messages, since 2026-07-28. */
const OP = "subscriptions/listen";

/**
 * A connection to one MCP server, which all clients of the app's with the same URL, user and options share:
 * its state, requests and events. It has one user for its life. {@link CoreClient} adds MCP's methods.
 */
export class CoreConnection {
  /** The server's URL, absolute. */
  readonly url: string;
  readonly #wire: Wire;
  readonly #calls: Calls;
  readonly #streams: Streams;
  readonly #requests: ServerRequests;
  readonly #listeners = new Listeners<ClientEvents>();
  readonly #life: Lifetime<ServerFacts, Counters>;
  #listens = true;
  readonly #keeping: CallKeeping;
  readonly #handlers: DeclaredHandlers;
  #unsafeVisits = 0;
  /** Reports about the store that arrived before the app could listen. */
  #early: (() => void)[] | undefined = [];
  /** Calls that were restored just now. */
  readonly #back: CoreCall<CallToolResult>[] = [];
  #durability: Durability;
  /** Why what is kept ends with the page; empty where it does not, or where the app wants it so. */
  #why: string;
  /** @internal Who uses it. */
  use: ConnectionUse | undefined;

  /** @internal Use {@link connect}. `like`: it has the server, and the app, of that one, for another user; what is known of that holds until it turns out otherwise. */
  constructor(runtime: Runtime, url: string, backlog: Backlog, handlers: Handlers, keeping: CallKeeping, like?: CoreConnection) {
    this.url = url;
    this.#keeping = keeping;
    this.#durability = keeping.journal?.durability ?? like?.durability ?? "memory";
    this.#why = keeping.why ?? "";
    this.#handlers = { ...handlers, unsafe: (problem) => (this.#unsafeVisits++, this.integrity("unsafe_visit", `the page to visit ${problem}`)) };
    this.#listeners.tap((event, value) => this.use?.emit(event, value));
    this.#wire = { runtime, handle: 0 };
    this.#streams = new Streams(this.#wire, url, () => void this.noteSpoken());
    this.#requests = new ServerRequests(this.#wire, this.#handlers, url);
    this.#calls = this.#callsOf(backlog);
    this.#life = new Lifetime(this.#wire, keeping, this.#listeners, {
      facts: new ServerFacts(like?.serverFacts),
      counters: { ...NO_COUNTERS },
      reject: (why, comes) => {
        this.#calls.fail(why, comes);
        this.#requests.abort();
      },
      restored: () => this.#calls.restored(),
      tokenCame: () => this.forgotten(), // it may be one for other things
      opened: (why) => this.#kept(keeping.journal?.durability ?? "memory", why),
    });
    this.on("notification", ({ method, params }) => {
      if (method === "notifications/cancelled") this.#requests.cancelled(params as Open | undefined);
    });
  }

  #callsOf(backlog: Backlog): Calls {
    const { url } = this;
    const keeping = this.#keeping;
    return new Calls(this.#wire, {
      url,
      handlers: this.#handlers,
      backlog,
      opening: () => this.#life.opening,
      question: () => this.#life.question,
      streams: this.#streams,
      cancelElsewhere: (record, reason) => keeping.journal?.cancel(record, reason),
      unkept: () => (this.#durability === "memory" ? this.#why : ""),
      landed: () => keeping.journal?.landed() ?? Promise.resolve(),
      rows: async (record, after, most) => (await keeping.journal?.rows(record, after, most)) ?? [],
      rerun: (method, params, options, made) => this.request(method, params, options, made),
      restored: (call) => this.#restored(call as CoreCall<CallToolResult>),
      refusedFields: () => this.refusedFields(),
      headersAfter: (method, params, rpc) => this.headersAfter(method, params, rpc),
      refused: (method, header, over) => this.#refused(method, header, over),
      blocked: (method, fields, cause) => fieldsBlocked(url, method, fields, cause),
      completed: (id, over) => completed((event, listener) => this.on(event, listener), id, over),
      inspect: (method, params, text) => this.inspect(method, params, text),
    });
  }

  /** The attempts to find the revision, in order; empty where the revision was known. */
  get negotiation(): readonly NegotiationStep[] {
    return this.#life.facts.steps;
  }

  /** Where the client stands. */
  get state(): ClientState {
    return this.#life.state;
  }

  /** The protocol revision in use, such as "2025-11-25". */
  get revision(): string {
    return this.#life.facts.revision;
  }

  /** @internal What is known of the server. */
  protected get serverFacts(): ServerFacts {
    return this.#life.facts;
  }

  /** True if the server keeps a session for this client. */
  get session(): boolean {
    return this.#life.facts.session;
  }

  /** The server's own name and version; for display only. */
  get server(): Implementation {
    return this.#life.facts.server;
  }

  /** The capabilities that the server declares. */
  get capabilities(): ServerCapabilities {
    return this.#life.facts.capabilities;
  }

  /** How to use the server, in its own words; for a model. */
  get instructions(): string | undefined {
    return this.#life.facts.instructions;
  }

  /** Where calls of tools are kept: `memory` ends with the page. */
  get durability(): Durability {
    return this.#durability;
  }

  /** The guarantees that a tool call starts with here, and can reach. */
  get guarantees(): Guarantees {
    return guaranteesOf(this.#durability, this.#keeping.journal?.seals ?? false, this.#life.facts.bits);
  }

  /** The calls that are kept and not acknowledged, in the order of their making. */
  calls(): CoreCall<CallToolResult>[] {
    return this.#calls.kept() as CoreCall<CallToolResult>[];
  }

  /** The question for a token that has no answer yet. */
  get question(): object | undefined {
    return this.#life.question;
  }

  /** All that is under way or stored. */
  all(): Set<CoreCall<unknown>> {
    return this.#calls.all();
  }

  /** Calls that have a result, which is still inspected. */
  get inspected(): Iterable<CoreCall<unknown>> {
    return this.#calls.inspected;
  }

  /** The size of the store of this server and user; null where there is no store, or no longer one. */
  async stored(): Promise<Usage | null> {
    return (await this.#keeping.journal?.usage()) ?? null;
  }

  /** The key under which the recording of this server and user is stored; null where nothing is recorded. */
  async recorded(): Promise<string | null> {
    return (await this.#keeping.recording?.stored(this.#keeping.journal)) ?? null;
  }

  /** Closes it for all who use it, and ends the session, unless another tab carries a call, which may be in that. */
  logout(): Promise<void> {
    this.#calls.closing();
    const ends = this.#keeping.journal?.logout() ?? true;
    return this.#life.logOut(ends ? () => this.#wire.runtime.terminate(this.#wire.handle) : undefined);
  }

  /** Ends it as a page does that is left: its session is for whoever comes next. */
  suspend(): Promise<void> {
    this.#calls.closing();
    return this.#life.close(() => this.#wire.runtime.closeKeepingSession(this.#wire.handle));
  }

  /** A page of it is being left: what waits to be stored is stored. */
  left(): void {
    this.#keeping.journal?.left();
  }

  /** A page has come to it: what waits after failures is tried. */
  visited(): void {
    if (!this.#life.over && this.#wire.handle !== 0) this.#wire.runtime.visited(this.#wire.handle);
  }

  /** Deletes all that is stored of this server and user; what goes on goes on in memory. */
  async forget(): Promise<void> {
    await forgetRevision(this.url);
    await this.#keeping.journal?.forget();
  }

  /** Notes for the next page what the server speaks. */
  async noteSpoken(): Promise<void> {
    if (this.revision && !this.#keeping.journal?.forgotten) await noteSpoken(this.url, this.revision, this.#streams.scarce);
  }

  /** True if the client keeps calls at all. Example: true also where the calls are kept in memory only. */
  get keeps(): boolean {
    return this.#keeping.journal !== undefined;
  }

  /**
   * True if another view may join the client. Example: false where a page has deleted the stored data, or
   * where the runtime has exited.
   */
  get isShareable(): boolean {
    return this.#keeping.journal?.forgotten !== true && !this.#life.loggedOut && !this.#wire.runtime.death;
  }

  /** The instance of the Go program that it is in. */
  get runtime(): Runtime {
    return this.#wire.runtime;
  }

  /** Numbers of messages and events that were dropped or repaired so far. */
  get counters(): Counters {
    return { ...this.#life.counters, unsafeVisits: this.#unsafeVisits };
  }

  /** Makes any request. Progress is always asked for. */
  request<T = unknown>(method: string, params?: Open, options: CallOptions = {}, made?: Made): CoreCall<T> {
    return this.#send<T>(method, params, options, false, made);
  }

  /** Sends a notification; resolves once the server has taken it. */
  async notify(method: string, params?: Open, options: Pick<CallOptions, "meta"> & MadeFor = {}): Promise<void> {
    await this.#send<null>(method, params, options, true).result;
  }

  /** Asks the server for a sign of life. */
  async ping(options: CallOptions = {}): Promise<void> {
    await this.request("ping", undefined, options).result;
  }

  /** Listens to the client. Returns the function that stops listening. */
  on<E extends keyof ClientEvents>(event: E, listener: (event: ClientEvents[E]) => void): () => void {
    return this.#listeners.add(event, listener);
  }

  /** Closes it for all who use it. */
  close(): Promise<void> {
    this.#calls.closing();
    return this.#life.close();
  }

  /** @internal Starts the client; resolves when it is open. */
  start(options: object, credentials: RequestCredentials): Promise<void> {
    this.#use(options);
    return this.#life.start(() => this.#run(options, credentials));
  }

  /** Begins it with a store that is to be opened yet: what is asked meanwhile waits for that. */
  startLater(options: object, credentials: RequestCredentials): void {
    this.#use(options);
    this.#life.startLater(() => this.#run(options, credentials));
  }

  #use(options: object): void {
    this.#listens = (options as { noListen?: boolean }).noListen !== true;
  }

  /** Makes the client in the core and starts it, with what the journal has read. */
  #run(options: object, credentials: RequestCredentials): void {
    const journal = this.#keeping.journal;
    this.#streams.begin();
    this.#wire.handle = this.#wire.runtime.connect({ ...options, ...journal?.options(), scarce: this.#streams.scarce }, this.#port(credentials), (handle) => {
      this.#wire.handle = handle; // calls come back before the client is started
      const client = {
        wire: this.#wire,
        streams: this.#streams,
        reconnecting: () => this.#life.reconnecting,
        connected: () => settledState(this, 15_000),
        said: (...said: [number, number, string]) => (!this.serverFacts.selfDescribing || this.#streams.scarce) && this.#event(...said), // else it hears it itself
      };
      return journal?.attach(client, this.#listens);
    });
  }

  /** Why what is kept ends with the page, empty where it does not, or where the app wants it so; whose the token is, where that is not whom it names. */
  get told(): { why: string; subject: TokenSubject | undefined } {
    return { why: this.#why, subject: this.#life.subject };
  }

  #kept(durability: Durability, why: string): void {
    this.#why = why;
    if (durability === this.#durability) return;
    this.#durability = durability;
    this.#listeners.emit("durability", why ? { durability, why } : { durability });
  }

  /** The app can listen from here on. */
  connected(): void {
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const tell of early) tell();
  }

  // Not before the app can have a listener: connect resolves after it.
  #restored(call: CoreCall<CallToolResult>): void {
    this.use?.recalled(call);
    if (this.#back.push(call) > 1) return;
    setTimeout(() => {
      for (const call of this.#back.splice(0)) this.#listeners.emit("restored", { call });
    }, 0);
  }

  #port(credentials: RequestCredentials): ClientPort {
    const { stores, fetch, journal, recording } = this.#keeping;
    return {
      credentials,
      get fetch() {
        return recording?.fetchFor(journal) ?? fetch;
      },
      get sender() {
        return stores?.sender;
      },
      isLoggedOut: () => this.#life.loggedOut,
      deliver: (call, kind, position, text, stream) => {
        if (kind === EVENT.request) void this.#requests.answer(position, text, call, this.#calls.under(call));
        else if (kind === EVENT.draft) this.#requests.draft(position, text);
        else if (call === 0) this.#unasked(kind, position, text);
        else this.#calls.deliver(call, kind, position, text, stream);
      },
      settle: (id, outcome, text) => {
        if (outcome === OUTCOME.failure) this.#requests.failed(id);
        void this.#calls.settle(id, outcome, text);
      },
      state: (text, facts) => this.#life.changed(text, facts),
      token: () => void this.#life.askForToken(),
      store: (ticket, how, ops) => this.#keeping.journal?.commit(ticket, how, ops),
      tabs: (kind, ticket, payload) => this.#keeping.journal?.tabs(kind, ticket, payload),
      mirrored: (call, text) => this.#calls.mirrored(call, text),
      recall: (call, text) => this.#calls.recall(call, text),
      replay: (call, position, events) => this.#calls.replayed(call, position, events),
      handshake: () => void this.#keeping.journal?.handshake(),
      exited: (error) => this.#life.exited(error),
    };
  }

  #send<T>(method: string, params: Open | undefined, options: CallOptions, notify: boolean, made = (options as MadeFor).made): CoreCall<T> {
    let out: Outgoing;
    try {
      out = outgoing(method, params, options, this.#keeping.defaults);
    } catch (error) {
      return this.refused(nameOf(method), error as HoldfastError);
    }
    if (this.#life.over) return this.refused(method, this.#life.overError(method));
    return this.#calls.send<T>(out, { ...params }, options, notify, made);
  }

  /** @internal Tells the core what calls need to know of the tools that were listed; empty: the list has changed. */
  protected tellTools(listed: string): void {
    if (!this.#life.over) this.#wire.runtime.tools(this.#wire.handle, listed);
  }

  /** @internal In which header fields a call of a tool would repeat its arguments now: name, value, name, value. */
  protected mirrored(params: Open): string[] {
    const text = this.#life.over ? "" : this.#wire.runtime.mirrored(this.#wire.handle, JSON.stringify(params));
    return text ? (JSON.parse(text) as string[]) : [];
  }

  /** @internal The header fields that the server's CORS rules refuse, in small letters, with a blank behind each. */
  protected refusedFields(): string {
    return "";
  }

  /** @internal Those of a request that a server has refused; undefined where there is nothing new to say, an error where it cannot be said. */
  protected async headersAfter(_method: string, _params: Open, _rpc: RPCError): Promise<string[] | HoldfastError | undefined> {
    return undefined;
  }

  /** @internal The server's CORS rules do not allow these header fields, which a request can do without. */
  protected headersRefused(_fields: readonly string[]): void {}

  async #refused(method: string, header: readonly string[], over: AbortSignal): Promise<string[]> {
    const names = header.filter((_, i) => i % 2 === 0);
    if (this.serverFacts.selfDescribing && (NAMED_METHODS as readonly string[]).includes(method)) names.push("Mcp-Name");
    // The app's own fetch is not checked: the rules that bind the browser's fetch say nothing about another
    // one.
    const refused = this.#keeping.fetch ? [] : await refusedFields(this.url, names, over);
    const params = refused.filter((name) => name !== "Mcp-Name");
    if (params.length > 0) {
      this.headersRefused(params);
      this.integrity("header_refused", `the server's CORS rules do not allow ${params.join(", ")}`);
    }
    return refused;
  }

  /** @internal What is wrong with a result, as JSON; undefined where there is nothing to look at. */
  protected inspect(_method: string, _params: Open, _text: string): Promise<HoldfastError | undefined> | undefined {
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

  // Reports every list as changed: the server's notices were lost while the listen stream was away.
  #missed(): void {
    this.forgotten();
    for (const what of ["tools", "prompts", "resources"] as const)
      if ((this.capabilities[what] as { listChanged?: boolean } | undefined)?.listChanged) this.changed(what);
  }

  /** @internal Tells the listeners that the server broke a rule. */
  protected integrity(what: string, cause: string): void {
    this.#listeners.emit("integrity", { what, cause });
  }

  /**
   * @internal Sets the resources whose updates the listen stream of 2026-07-28
   * asks for; resolves once the server has acknowledged a stream that asks so, where options say how long to wait.
   */
  protected async watch(uris: string[], options?: CallOptions): Promise<void> {
    if (!this.#listens) throw badArgument(OP, "listen", "is false in the options of connect");
    await unlessAborted(OP, options?.signal, Promise.resolve(this.#life.opening));
    // Without any there may be no stream left that could be acknowledged.
    const heard = uris.length === 0 || !options ? undefined : acknowledged((event, listener) => this.on(event, listener), () => this.#life.overError(OP), options);
    if (!this.runtime.death) this.runtime.subscribe(this.#wire.handle, JSON.stringify(uris)); // the next one is told as it begins
    await heard;
  }

  /** @internal A call that was never sent. */
  refused<T>(op: string, error: HoldfastError): CoreCall<T> {
    return this.#calls.refused(op, error);
  }

  // Pages that share a session, or few connections, hear what the server says to one of them.
  #unasked(kind: number, position: number, text: string): void {
    if (isForOthers(this.serverFacts.selfDescribing, kind, text)) this.#keeping.journal?.said(kind, position, text);
    this.#event(kind, position, text);
  }

  #event(kind: number, position: number, text: string): void {
    if (this.#early && (kind === EVENT.integrity || kind === EVENT.evicted)) return void this.#early.push(() => this.#event(kind, position, text));
    tellUnasked(kind, position, text, {
      listeners: this.#listeners,
      kept: (durability, why) => {
        if (why === "closed") void forgetRevision(this.url); // what was stored is deleted, and this with it
        this.#kept(this.#keeping.journal?.durability === "memory" ? "memory" : durability, why);
      },
      missed: () => this.#missed(),
      noticed: (method, params) => this.noticed(method, params),
    });
  }
}
