import {
  type Call,
  type CallOptions,
  type CallToolResult,
  type ClientEvents,
  HoldfastError,
  type McpClient,
  type Open,
  type RequestOptions,
  type Tool,
} from "holdfast";
import { badArgument } from "../shared/checks.js";
import { HubNames } from "./hubnames.js";

/** One of the servers of a hub. */
export interface HubServer {
  /** The app's own name for it: letters, digits, "_" and "-". */
  name: string;
  /**
   * The client that {@link connect} resolved to. The app owns the client: a hub that is closed closes none.
   */
  client: McpClient;
  /**
   * The prefix of its tools' names; by default the server's name and "_". With `false` the names stay as they
   * are, where no other server has them.
   */
  prefix?: string | false;
  /**
   * True for the tools that the hub offers; without a filter, all. The others cannot be called here either.
   */
  filter?: (tool: Tool) => boolean;
}

/** A tool of one of several servers; `name` is the hub's, which no other tool has. */
export interface HubTool extends Tool {
  /** The name of the tool's server. */
  server: string;
  /** The server's own name for the tool. */
  toolName: string;
}

/** A server of which something could not be had, and why. */
export interface HubFailure {
  server: string;
  error: HoldfastError;
}

/** The tools of all servers. */
export interface HubTools {
  tools: HubTool[];
  /** The servers whose tools could not be had, and why: theirs are not among them. */
  failed: HubFailure[];
}

/** The calls of all servers. */
export interface HubCalls extends Array<Call<CallToolResult>> {
  /** The servers whose calls could not be had, and why: theirs are not among them. */
  readonly failed: readonly HubFailure[];
}

/** Events of a hub: those of its clients, each with the name of the server. */
export type HubEvents = { [E in keyof ClientEvents]: ClientEvents[E] & { server: string } };

/** A server with what listens to it. */
interface Entry extends HubServer {
  leave: Map<keyof ClientEvents, () => void>;
}

type Listener = (event: never) => void;

/**
 * Several servers as one: one list of tools, each under a name of its own, and one list of calls. It has what
 * `holdfast/ai` takes in the place of a client.
 */
export class Hub {
  readonly #servers = new Map<string, Entry>();
  readonly #names = new HubNames();
  readonly #listeners = new Map<keyof ClientEvents, Set<Listener>>();
  /** The name of each call's server. */
  readonly #owners = new WeakMap<Call<CallToolResult>, string>();

  /**
   * @internal A framework leaves alone what says what it is: behind its proxy an object has no private
   * members.
   */
  get [Symbol.toStringTag](): string {
    return "Hub";
  }

  /** @internal Use {@link hub}. */
  constructor(servers: readonly HubServer[]) {
    for (const server of servers) this.#take("hub", server);
  }

  /** The names of the servers, in the order in which they came. */
  get servers(): string[] {
    return [...this.#servers.keys()];
  }

  /** The client of a server; undefined where the hub has none of that name. */
  client(server: string): McpClient | undefined {
    return this.#servers.get(server)?.client;
  }

  /**
   * Takes one more server: one that has answered later than the others, say. Tells of it by `changed`.
   *
   * @throws HoldfastError `bad_argument`
   */
  add(server: HubServer): void {
    this.#take("add", server);
    this.#emit("changed", { what: "tools", server: server.name });
  }

  /**
   * Gives a server back, whose client is open as before. Its calls go on there. Does nothing where there is
   * none of that name.
   */
  remove(server: string): void {
    const entry = this.#servers.get(server);
    if (!entry) return;
    for (const leave of entry.leave.values()) leave();
    this.#servers.delete(server);
    this.#names.forget(server);
    this.#emit("changed", { what: "tools", server });
  }

  /**
   * The tools of all servers. One that does not answer is in `failed`, and keeps the others from nothing;
   * rejects where all fail. What servers let clients keep (`ttlMs`, 2026-07-28) is asked for again once it is
   * stale, or has `changed`.
   */
  async listTools(options: RequestOptions = {}): Promise<HubTools> {
    const { answers, failed } = await this.#askAll((client) => client.listTools(options));
    const names = this.#names.of(
      answers.map(
        ({ entry, answer }) => ({
          server: entry.name, prefix: prefixOf(entry),
          tools: answer.tools.filter((tool) => entry.filter?.(tool) ?? true),
        }),
      )
    );
    return {
      tools: names.map(({ name, server, tool }) => ({ ...tool, name, server, toolName: tool.name })), failed,
    };
  }

  /**
   * Calls a tool by the hub's name for it; as {@link McpClient.callTool} else. A page that has not listed the
   * tools may call them all the same, where one server's prefix alone fits, and that has no `filter`.
   *
   * @throws HoldfastError `bad_argument`, at once
   */
  callTool<T = CallToolResult>(name: string, args?: Open, options?: CallOptions): Call<T>;
  /** The same in the words of the official client. */
  callTool<T = CallToolResult>(tool: { name: string; arguments?: Open }, options?: CallOptions): Call<T>;
  callTool<T>(tool: string | { name: string; arguments?: Open }, second?: unknown, third?: unknown): Call<T> {
    const name = typeof tool === "string" ? tool : tool?.name;
    if (typeof name !== "string" || name === "")
      throw badArgument("tools/call", "name", "has to be the name of a tool");
    const { server, toolName } = this.#find(name);
    const { client } = this.#servers.get(server)!;
    const call = typeof tool === "string"
      ? client.callTool<T>(toolName, second as Open, third as CallOptions)
      : client.callTool<T>({ ...tool, name: toolName } as never, second as CallOptions);
    this.#owners.set(call as unknown as Call<CallToolResult>, server);
    return call;
  }

  /**
   * The calls of all servers that are kept and not acknowledged, in the order of their making. As
   * {@link Connection.calls}. A client that has failed is in `failed`, and keeps those of the others from
   * nobody; rejects where all fail.
   */
  async calls(): Promise<HubCalls> {
    const { answers, failed } = await this.#askAll((client) => client.calls());
    for (const { entry, answer } of answers) for (const call of answer) this.#owners.set(call, entry.name);
    return Object.assign(answers.flatMap(({ answer }) => answer).sort((a, b) => a.createdAt - b.createdAt), {
      failed,
    });
  }

  /** The name of a call's server; undefined for a call that the hub has neither made nor given. */
  serverOf(call: Call<any>): string | undefined {
    return this.#owners.get(call);
  }

  /**
   * Listens to all clients: each event of theirs, with the `server` that it is of. Returns what stops
   * listening.
   *
   * @throws HoldfastError `bad_argument`
   */
  on<E extends keyof ClientEvents>(event: E, listener: (event: HubEvents[E]) => void): () => void {
    if (typeof listener !== "function") throw badArgument("on", "listener", "has to be a function");
    const heard = this.#listeners.get(event) ?? new Set<Listener>();
    const own: Listener = (told) => listener(told);
    const isFirst = heard.size === 0;
    heard.add(own);
    this.#listeners.set(event, heard);
    const leave = (): void => {
      heard.delete(own);
      if (heard.size === 0 && this.#listeners.get(event) === heard) this.#unheard(event);
    };
    try {
      if (isFirst) for (const entry of this.#servers.values()) this.#hear(entry, event);
    } catch (error) {
      leave(); // there is no such event
      throw error;
    }
    return leave;
  }

  /** The last listener of an event has left: the hub stops listening. The next listener begins anew. */
  #unheard(event: keyof ClientEvents): void {
    this.#listeners.delete(event);
    for (const { leave } of this.#servers.values()) {
      leave.get(event)?.();
      leave.delete(event);
    }
  }

  #take(op: string, server: HubServer): void {
    check(op, server, this.#servers);
    const entry: Entry = { ...server, leave: new Map() };
    this.#servers.set(server.name, entry);
    for (const event of this.#listeners.keys()) this.#hear(entry, event);
  }

  #hear(entry: Entry, event: keyof ClientEvents): void {
    entry.leave.set(
      event,
      entry.client.on(event, (told) => {
        const { call } = told as { call?: Call<CallToolResult> };
        if (call) this.#owners.set(call, entry.name);
        this.#emit(event, { ...told, server: entry.name });
      }),
    );
  }

  #emit(event: keyof ClientEvents, told: object): void {
    for (const listener of [...(this.#listeners.get(event) ?? [])]) {
      try {
        listener(told as never);
      } catch (error) {
        reportError(error);
      }
    }
  }

  /**
   * Asks all clients; throws where all fail. Servers that have gone meanwhile have neither answered nor
   * failed.
   */
  async #askAll<T>(
    ask: (client: McpClient) => Promise<T>,
  ): Promise<{ answers: { entry: Entry; answer: T }[]; failed: HubFailure[] }> {
    const answers: { entry: Entry; answer: T }[] = [];
    const failed: HubFailure[] = [];
    const asked = [...this.#servers.values()].map((entry) => ({ entry, coming: ask(entry.client) }));
    const settled = await Promise.allSettled(asked.map(({ coming }) => coming));
    settled.forEach((each, i) => {
      const { entry } = asked[i]!;
      if (this.#servers.get(entry.name) !== entry) return;
      if (each.status === "fulfilled") answers.push({ entry, answer: each.value });
      else failed.push({ server: entry.name, error: each.reason as HoldfastError });
    });
    if (failed.length > 0 && answers.length === 0) throw failed[0]!.error;
    return { answers, failed };
  }

  #find(name: string): { server: string; toolName: string } {
    const known = this.#names.get(name);
    if (known) return known;
    const fitting = [...this.#servers.values()].filter(
      (entry) => prefixOf(entry) !== "" && name.startsWith(prefixOf(entry)) &&
        name.length > prefixOf(entry).length,
    );
    // A filter looks at a tool: of a name alone nobody knows whether it leaves that out.
    if (fitting.length === 1 && !fitting[0]!.filter)
      return { server: fitting[0]!.name, toolName: name.slice(prefixOf(fitting[0]!).length) };
    const problems = [
      "is no tool's: it begins with no server's prefix",
      "is that of no tool that was listed: the filter of its server leaves it out, or nobody has asked for " +
        "the list yet",
    ];
    throw new HoldfastError({
      code: "bad_argument",
      op: "tools/call",
      message: `name ${problems[fitting.length] ?? "may be a tool's of more than one server"}`,
      hint: "await hub.listTools() first: it says what each tool is called here.",
    });
  }
}

/**
 * Makes one of several servers.
 *
 * ```ts
 * const all = hub([{ name: "github", client: github }, { name: "files", client: files }]);
 * const { tools } = await all.listTools(); // github_search, files_read ...
 * ```
 *
 * @throws HoldfastError `bad_argument`
 */
export function hub(servers: readonly HubServer[] = []): Hub {
  if (!Array.isArray(servers)) throw badArgument("hub", "servers", "has to be a list of { name, client }");
  return new Hub(servers as readonly HubServer[]);
}

const NAME = /^[A-Za-z0-9_-]+$/;
const MEMBERS = ["name", "client", "prefix", "filter"];

function check(op: string, server: HubServer, taken: ReadonlyMap<string, unknown>): void {
  const { name, client, prefix, filter } = server ?? {};
  for (const member of Object.keys(server ?? {}))
    if (!MEMBERS.includes(member))
      throw badArgument(op, member, `is no option: there are ${MEMBERS.join(", ")}`);
  if (typeof name !== "string" || !NAME.test(name))
    throw badArgument(
      op, "name", 'has to be the app\'s name for the server, of letters, digits, "_" and "-"',
    );
  if (taken.has(name)) throw badArgument(op, "name", `is that of another server: ${name}`);
  if (typeof (client as Partial<McpClient> | undefined)?.listTools !== "function")
    throw badArgument(op, `client of ${name}`, "has to be an McpClient: what connect resolves to");
  if (prefix !== undefined && prefix !== false && (typeof prefix !== "string" || !NAME.test(prefix)))
    throw badArgument(op, "prefix", 'has to be false, or text of letters, digits, "_" and "-"');
  if (filter !== undefined && typeof filter !== "function")
    throw badArgument(op, "filter", "has to be a function");
}

function prefixOf({ name, prefix = `${name}_` }: HubServer): string {
  return prefix === false ? "" : prefix;
}
