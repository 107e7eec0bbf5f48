import type { Backlog } from "../base/backlog.js";
import { CoreConnection } from "./coreconnection.js";
import { HoldfastError, rpcError, type RPCError } from "../base/errors.js";
import type {
  CallToolResult,
  CompleteResult,
  GetPromptResult,
  ListPromptsResult,
  ListResourcesResult,
  ListResourceTemplatesResult,
  ListTasksResult,
  ListToolsResult,
  LoggingLevel,
  Open,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
  Task,
  Tool,
} from "../base/mcp.js";
import type { Handlers } from "../input/handlers.js";
import type { CallKeeping } from "./options.js";
import type { CallOptions, CompleteOptions, ListOptions } from "./options.js";
import { loadValidator, Outputs, type ValidatePolicy } from "../output-schema/outputs.js";
import { fieldsBlocked } from "../base/origins.js";
import { changedBy, type Fresh, ResultCache, type Changed } from "./resultcache.js";
import type { Runtime } from "../runtime/runtime.js";
import type { Made, MadeFor, CoreCall } from "./corecall.js";
import { StoredResults } from "./storedresults.js";
import { LISTS } from "../storage/storage.js";
import { factsOf } from "./toolfacts.js";
import type { MadeThere } from "./outgoing.js";
import { toolHeaders } from "./toolheaders.js";
import { badArgument, throwIfAborted } from "../base/arguments.js";

/** Pages of a list that are followed before the server is taken to be going in circles. */
const MAX_PAGES = 1000;

/** Pages without an item, behind a cursor that has been there, that are followed: a server that filters may give some, and have more. */
const EMPTY_PAGES = 10;

/** The member of `_meta` by which a self-describing request names the log messages it wants. */
const META_LEVEL = "io.modelcontextprotocol/logLevel";

/** @internal How results of tools are validated. */
export interface Validation {
  policy: ValidatePolicy;
  /** The place of the chunk, if not beside the module. */
  validator?: URL;
}

/**
 * An MCP client as the core has it, for all clients of the app's with the same URL,
 * user and options: what one of them learns of the server all of them know.
 */
export class CoreClient extends CoreConnection {
  /** Fields that the server's CORS rules refuse, in small letters. */
  readonly #refusedHeaders: Set<string>;
  /** The facts about the listed tools, as the core got them. */
  #listed = names();
  /** The resources that the app has subscribed to, and whether the server has taken that. */
  readonly #watched = new Map<string, { isMade: boolean }>();
  #level: LoggingLevel | undefined;
  readonly #cache: ResultCache;
  readonly #stored: StoredResults;
  readonly #keeping: CallKeeping;
  /** True if the client has had a token. */
  #authorized = false;
  readonly #outputs: Outputs;
  readonly #hasRoots: boolean;

  /** @internal Use {@link connect}. */
  constructor(runtime: Runtime, url: string, backlog: Backlog, handlers: Handlers, { policy, validator }: Validation, keeping: CallKeeping, like?: CoreClient) {
    super(runtime, url, backlog, handlers, keeping, like);
    this.#hasRoots = handlers.roots !== undefined;
    this.#refusedHeaders = new Set(like ? like.#refusedHeaders : []);
    this.#level = like ? like.#level : undefined; // the app's word, whoever its user is
    this.#keeping = keeping;
    const fresh: Fresh = (...times) => this.runtime.fresh(...times);
    this.#cache = new ResultCache(fresh);
    this.#stored = new StoredResults({
      rows: () => (this.serverFacts.selfDescribing ? keeping.journal?.results : undefined), // earlier revisions say nothing of how long
      fresh,
      variant: () => `${this.revision} ${keeping.variant ?? ""}`,
      token: () => keeping.stores?.given ?? "",
      unreadable: (list) => this.integrity("quarantined_record", `what is stored of ${list}/list does not open: it is asked for`),
    });
    this.#outputs = new Outputs(
      policy,
      (what, cause) => this.integrity(what, cause),
      () => loadValidator(validator),
    );
    let before = "";
    this.on("state", ({ state }) => {
      // A runtime that starts again has no subscriptions, and the server may speak 2026-07-28 by now, where the listen stream has them.
      if ((state === "connecting" || state === "reconnecting") && this.#watched.size > 0) void this.watch([...this.#watched.keys()]).catch(() => {});
      if (state === "open" && before !== "awaiting_authorization") this.#tellSession(); // else it is the one that there was
      before = state;
    });
  }

  /**
   * The server's tools, all pages of them; with a cursor, the one page it names.
   * The server may change them: listen for `changed`.
   */
  async listTools(options: ListOptions = {}): Promise<ListToolsResult> {
    const { cursor, ...rest } = options;
    if (cursor !== undefined) return this.#usable(await this.#page<ListToolsResult>("tools/list", "tools", { cursor }, rest), false);
    const { items, last } = await this.#pages<Tool>("tools/list", "tools", rest);
    return this.#usable({ ...last, tools: items }, true);
  }

  /**
   * Calls a tool. The call starts at once; iterate it for progress and logs,
   * await its `result`. A tool's own failure is a result with `isError`.
   */
  callTool(name: string, args: Open = {}, options: CallOptions = {}, made?: Made): CoreCall<CallToolResult> {
    if (typeof name !== "string" || name === "") {
      return this.refused("tools/call", badArgument("tools/call", "name", "has to be the name of a tool"));
    }
    const tool = { ...options, tool: true } satisfies CallOptions & MadeThere;
    return this.request<CallToolResult>("tools/call", { name, arguments: args }, tool, made);
  }

  /**
   * The tasks that the server has for this client (tasks/list of 2025-11-25), all
   * pages of them; with a cursor, the one page it names. What it lists is the
   * server's to decide: on one that does not tell its clients apart that may be
   * the tasks of others, and an id may be all that it takes to read a result. The
   * calls of this client are in {@link CoreConnection.calls}.
   *
   * @throws HoldfastError `unsupported` where the server does not say that it has `tasks.list`
   */
  async listTasks(options: ListOptions = {}): Promise<ListTasksResult> {
    const method = "tasks/list";
    if (!this.capabilities.tasks?.list) {
      throw new HoldfastError({ code: "unsupported", op: method, message: `the server has no list of tasks (${this.revision}, capability tasks.list)` });
    }
    const { cursor, cache: _, ...rest } = options;
    if (cursor !== undefined) return this.#page<ListTasksResult>(method, "tasks", { cursor }, { ...rest, cache: "reload" });
    const { items, last } = await this.#pages<Task>(method, "tasks", rest);
    return { ...last, tasks: items };
  }

  /** The server's resources, all pages of them. */
  async listResources(options: ListOptions = {}): Promise<ListResourcesResult> {
    const { cursor, ...rest } = options;
    if (cursor !== undefined) return this.#page<ListResourcesResult>("resources/list", "resources", { cursor }, rest);
    const { items, last } = await this.#pages<Resource>("resources/list", "resources", rest);
    return { ...last, resources: items };
  }

  /** The server's resource templates (RFC 6570), all pages of them. */
  async listResourceTemplates(options: ListOptions = {}): Promise<ListResourceTemplatesResult> {
    const { cursor, ...rest } = options;
    const method = "resources/templates/list";
    if (cursor !== undefined) return this.#page<ListResourceTemplatesResult>(method, "resourceTemplates", { cursor }, rest);
    const { items, last } = await this.#pages<ResourceTemplate>(method, "resourceTemplates", rest);
    return { ...last, resourceTemplates: items };
  }

  /** Reads a resource. */
  readResource(uri: string, options: CallOptions = {}): Promise<ReadResourceResult> {
    return this.#cached<ReadResourceResult>("resources/read", { uri }, options);
  }

  /** Subscribes to changes of a resource: notifications/resources/updated, by `on("notification")`. It holds over lost sessions. */
  async subscribeResource(uri: string, options: CallOptions = {}): Promise<void> {
    throwIfAborted("resources/subscribe", options.signal);
    const watch = { isMade: this.serverFacts.selfDescribing };
    this.#watched.set(uri, watch); // at once: it may be ended before it is made
    if (this.serverFacts.selfDescribing) {
      await this.watch([...this.#watched.keys()], options);
    } else {
      try {
        await this.request("resources/subscribe", { uri }, options).result;
      } catch (error) {
        if (this.#watched.get(uri) === watch) this.#watched.delete(uri);
        throw error;
      }
    }
    watch.isMade = true;
  }

  /** Ends {@link CoreClient.subscribeResource}. */
  async unsubscribeResource(uri: string, options: CallOptions = {}): Promise<void> {
    throwIfAborted("resources/unsubscribe", options.signal);
    this.#watched.delete(uri);
    if (this.serverFacts.selfDescribing) await this.watch([...this.#watched.keys()], options);
    else await this.request("resources/unsubscribe", { uri }, options).result;
  }

  /** The server's prompts, all pages of them. */
  async listPrompts(options: ListOptions = {}): Promise<ListPromptsResult> {
    const { cursor, ...rest } = options;
    if (cursor !== undefined) return this.#page<ListPromptsResult>("prompts/list", "prompts", { cursor }, rest);
    const { items, last } = await this.#pages<Prompt>("prompts/list", "prompts", rest);
    return { ...last, prompts: items };
  }

  /** Fills in a prompt. */
  getPrompt(name: string, args: Record<string, string> = {}, options: CallOptions = {}): Promise<GetPromptResult> {
    return this.request<GetPromptResult>("prompts/get", { name, arguments: args }, options).result;
  }

  /**
   * Asks for completions of an argument's value.
   *
   * @param ref a prompt (`{ type: "ref/prompt", name }`) or a template (`{ type: "ref/resource", uri }`)
   */
  complete(ref: Open, argument: { name: string; value: string }, { context, ...options }: CompleteOptions = {}): Promise<CompleteResult> {
    const chosen = this.serverFacts.completionContext && context ? { context } : {}; // an earlier revision does not know it
    return this.request<CompleteResult>("completion/complete", { ref, argument, ...chosen }, options).result;
  }

  /**
   * Sets from which severity on the server sends log messages. Since 2026-07-28
   * each request says it for itself: those from now on do, in their `_meta`,
   * unless the app gives them a level of their own.
   */
  async setLoggingLevel(level: LoggingLevel, options: CallOptions = {}): Promise<void> {
    if (!this.serverFacts.selfDescribing) await this.request("logging/setLevel", { level }, options).result;
    this.#level = level;
  }

  /** Makes any request. Progress is always asked for. */
  override request<T = unknown>(method: string, params?: Open, options: CallOptions = {}, made?: Made): CoreCall<T> {
    if (this.#level === undefined || !this.serverFacts.selfDescribing) return super.request<T>(method, params, options, made);
    return super.request<T>(method, params, { ...options, meta: { [META_LEVEL]: this.#level, ...options.meta } }, made);
  }

  /**
   * Tells the server that the folders of `handlers.roots` have changed
   * (notifications/roots/list_changed), so that it asks for them again. From
   * 2026-07-28 on a server asks in each call that needs them: nothing is sent.
   *
   * @throws HoldfastError `bad_argument` where there is no such handler
   */
  async rootsChanged(options: MadeFor = {}): Promise<void> {
    if (!this.#hasRoots) throw badArgument("notifications/roots/list_changed", "handlers.roots", "is not in the options of connect");
    if (!this.serverFacts.selfDescribing) await this.notify("notifications/roots/list_changed", undefined, options);
  }

  /** @internal */
  protected override inspect(method: string, params: Open, text: string): Promise<HoldfastError | undefined> | undefined {
    const { name } = params;
    if (method !== "tools/call" || !this.#outputs.knows(name)) return undefined;
    let result: CallToolResult;
    try {
      result = JSON.parse(text) as CallToolResult;
    } catch {
      return undefined; // what is no JSON ends the call by itself
    }
    return this.#outputs.check(name as string, result);
  }

  /** @internal */
  protected override refusedFields(): string {
    return [...this.#refusedHeaders].map((name) => `${name} `).join("");
  }

  /** @internal */
  protected override headersRefused(fields: readonly string[]): void {
    for (const field of fields) this.#refusedHeaders.add(field.toLowerCase());
  }

  /** @internal */
  protected override async headersAfter(method: string, params: Open, rpc: RPCError): Promise<string[] | HoldfastError | undefined> {
    if (method !== "tools/call") return undefined;
    this.#stale("tools"); // what they were listed with is what was refused
    await this.listTools();
    const fields = this.mirrored(params);
    const missing = fields.filter((name, i) => i % 2 === 0 && this.#refusedHeaders.has(name.toLowerCase()));
    return missing.length > 0 ? fieldsBlocked(this.url, method, missing, rpcError(method, rpc)) : fields;
  }

  async #pages<T>(method: string, member: string, options: Omit<ListOptions, "cursor">): Promise<{ items: T[]; last: Open }> {
    const items: T[] = [];
    const byNext = new Map<string, string>(); // what a page has held, by the cursor behind it
    let empty = 0;
    let cursor: unknown;
    for (let pages = 1; ; pages++) {
      const params = cursor === undefined ? undefined : { cursor };
      const page = await this.#page<Open>(method, member, params, options);
      const next = page["nextCursor"] as string;
      const held = JSON.stringify(page[member]);
      if (byNext.get(next) === held && (held !== "[]" || ++empty === EMPTY_PAGES)) {
        this.integrity("repeated_page", `${method}: the server gives a page again that it has given, as one that knows no cursors does`);
        const { nextCursor: _, ...last } = page;
        return { items, last };
      }
      byNext.set(next, held);
      for (const item of page[member] as T[]) items.push(item);
      // An empty string is a cursor like any other; only its absence ends the
      // list, or null, which some servers send for it.
      const { nextCursor, ...last } = page;
      if (typeof nextCursor !== "string") return { items, last };
      if (pages === MAX_PAGES) {
        throw new HoldfastError({ code: "limit_exceeded", op: method, message: `the list has more than ${MAX_PAGES} pages` });
      }
      cursor = nextCursor;
    }
  }

  /** One page of a list. Null is an empty one: servers write it whose language has no other word for a list of nothing. */
  async #page<T extends Open>(method: string, member: string, params: Open | undefined, options: Omit<ListOptions, "cursor">): Promise<T> {
    const page = await this.#cached<T>(method, params, options);
    if (page[member] === null) return { ...page, [member]: [] };
    if (!Array.isArray(page[member])) throw new HoldfastError({ code: "protocol_error", op: method, message: `the result has no array of ${member}` });
    return page;
  }

  /** A request whose result may be kept where the server says so (2026-07-28). */
  async #cached<T extends Open>(method: string, params: Open | undefined, { cache, ...options }: CallOptions & Pick<ListOptions, "cache">): Promise<T> {
    if (!options.meta && cache !== "reload") {
      const reading = this.#cache.get(method, params) ?? this.#read(method, params);
      const kept = reading && (await reading); // where nothing can be stored, the request leaves at once
      if (kept) return kept as T;
    }
    const asked = this.#stored.asked();
    const { changes } = this.#cache;
    const call = this.request<T>(method, params, options);
    const result = await call.result.catch((error: unknown) => {
      // A cursor that the server does not know any more: the pages before it
      // belong to a list that is gone.
      if (params?.["cursor"] !== undefined) this.#stale(method.split("/")[0] as Changed);
      throw error;
    });
    if (typeof result !== "object" || result === null) throw new HoldfastError({ code: "protocol_error", op: method, message: "the result is no object" });
    // Results that are not cached: a result that took answers from the app fits these answers only, and a
    // result that the client asked for before the server reported a change may be old.
    if (options.meta || call.rounds > 0 || changes !== this.#cache.changes) return result;
    const now = this.#cache.received(method, params, result);
    if (now) this.#stored.put(method, params, now, asked);
    return result;
  }

  /** A fresh result that is stored; no promise where none can be. */
  #read(method: string, params: Open | undefined): Promise<Open | undefined> | undefined {
    const { changes } = this.#cache;
    return this.#stored.get(method, params)?.then((kept) => {
      if (!kept || changes !== this.#cache.changes) return undefined;
      this.#cache.put(method, params, kept);
      return this.#cache.get(method, params);
    });
  }

  /** Marks everything that is kept of these lists as stale. */
  #stale(what: Changed): void {
    this.#cache.changed(what);
    this.#stored.drop([what]);
  }

  /** @internal */
  protected override noticed(method: string, params: Open | undefined): void {
    const what = changedBy(method);
    if (what) {
      if (what === "tools") {
        this.#listed = names();
        this.tellTools(""); // another page may have heard it, and not the core
      }
      this.changed(what);
    } else if (method === "notifications/resources/updated") this.#cache.updated(params?.["uri"]);
  }

  /** @internal */
  protected override changed(what: Changed): void {
    if (what === "tools") this.#outputs.forget();
    this.#stale(what);
    super.changed(what);
  }

  /**
   * Repeats the log level and the subscriptions: a new session does not know what an earlier one was told.
   */
  #tellSession(): void {
    if (this.serverFacts.selfDescribing) return;
    const again = (asked: Promise<void>, lost?: () => void): void => void asked.catch((error: unknown) => (lost?.(), this.integrity("subscription_lost", String(error))));
    if (this.#level) again(this.setLoggingLevel(this.#level), () => (this.#level = undefined));
    for (const [uri, { isMade }] of [...this.#watched]) if (isMade) again(this.subscribeResource(uri)); // the others are under way
  }

  /** @internal */
  protected override forgotten(): void {
    this.#cache.clear();
    // Each stored list belongs to the token that the client asked for the list with. A sign-in tells this
    // client only that the token has changed, so the lists are dropped.
    if (this.#authorized && this.#keeping.stores?.sender) this.#stored.drop(LISTS);
    this.#authorized = this.#keeping.stores?.given !== undefined;
  }

  /** Remembers the tools; leaves out those whose header annotations cannot be honoured, and says why. */
  #usable(result: ListToolsResult, whole: boolean): ListToolsResult {
    if (whole) this.#listed = names();
    const tools = result.tools.filter((tool) => {
      if (typeof (tool as Tool | null)?.name !== "string") {
        this.integrity("invalid_tool", "there is a tool that has no name");
        return false;
      }
      const headers = toolHeaders(tool);
      this.#outputs.learn(tool);
      this.#listed[tool.name] = factsOf(tool, headers);
      if (headers.invalid === undefined || !this.serverFacts.selfDescribing) return true;
      this.integrity("invalid_tool", `${tool.name}: ${headers.invalid}`);
      return false;
    });
    this.tellTools(JSON.stringify({ tools: this.#listed }));
    return { ...result, tools };
  }
}

/** An object that may have members of any name. */
function names(): Open {
  return Object.create(null) as Open;
}
