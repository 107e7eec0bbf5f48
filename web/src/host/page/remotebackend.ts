import type { Asks, ClientBackend, ConnectionFacts, Makes } from "../../client/backend.js";
import type { Call } from "../../client/call.js";
import type { ClientEvents } from "../../client/clientevents.js";
import { NO_COUNTERS } from "../../client/counters.js";
import type { ParsedTogether } from "../../client/events.js";
import type { CallOptions, ConnectOptions } from "../../client/options.js";
import { backlogLimits } from "../../connect/backloglimits.js";
import type { Handlers } from "../../input/handlers.js";
import { abortedError } from "../../base/arguments.js";
import { Backlog } from "../../base/backlog.js";
import type { HoldfastError } from "../../base/errors.js";
import type { CallToolResult } from "../../base/mcp.js";
import { forgetInPage } from "../../storage/revisions.js";
import type { Usage } from "../../storage/storage.js";
import { holdfastErrorFrom } from "../wire/errordata.js";
import { type LastingAsk, LastingAsks } from "./lastingasks.js";
import type { HostMessage, PageMessage } from "../wire/protocol.js";
import { CLIENT_HANDLERS } from "../wire/openingmessage.js";
import { asData, RemoteCalls } from "./remotecalls.js";
import { RemoteClient, type RemoteWay } from "./remoteclient.js";

/** Options of connect that cross to a host, and the way to the host. */
export interface RemotePlan extends RemoteWay {
  url: string;
  /** Without functions. */
  options: object;
}

/** A client whose runtime is in a worker: what it asks crosses a port. */
export class RemoteBackend extends RemoteClient<ClientEvents> implements ClientBackend {
  readonly #plan: RemotePlan;
  readonly #handlers: NonNullable<ConnectOptions["handlers"]>;
  readonly #calls: RemoteCalls;
  readonly #lasting = new LastingAsks();
  /** Whose the client is at its host, as far as that knows, and was at the last one that it was open at. */
  #user: string | undefined;
  #before: string | undefined;
  #facts: ConnectionFacts;
  /**
   * Number of lists of calls that the app waits for. The app hears of calls that are restored meanwhile after
   * the list, as in the page.
   */
  #listing = 0;
  readonly #back: Call<CallToolResult>[] = [];

  constructor(plan: RemotePlan, options: ConnectOptions) {
    super("connect", plan, options.handlers ?? {});
    this.#plan = plan;
    this.#handlers = options.handlers ?? {};
    const made = (call: Call<unknown>): void => this.listeners.emit("call", { call });
    this.#calls = new RemoteCalls(this, new Backlog(...backlogLimits("connect", options)), () => this.#facts.guarantees.floor, (...all) => this.make(...all), made);
    const none = { url: plan.url, revision: "", negotiation: [], session: false, server: { name: "", version: "" }, capabilities: {}, instructions: undefined };
    this.#facts = { ...none, durability: "memory", guarantees: { floor: "lost-on-reload", ceiling: "lost-on-reload" }, counters: NO_COUNTERS };
  }

  protected override linked(): void {
    this.#before ??= this.#user;
    this.#calls.use(this.link, this.number);
  }

  protected hello(): PageMessage {
    const { url, options, token, signIn } = this.#plan;
    const { sought } = this.#calls;
    const auth = signIn && { auth: signIn.at(this.link) };
    return {
      t: "connect",
      client: this.number,
      url,
      options: asData("connect", options),
      handlers: CLIENT_HANDLERS.filter((name) => this.#handlers[name as keyof Handlers]),
      token: token !== undefined,
      ...auth,
      again: this.again,
      ifKeys: false,
      ...(sought.length > 0 && { calls: sought }),
    };
  }

  protected override opened(): void {
    this.#calls.opened();
    if (this.#before !== undefined && this.#before !== this.#user) this.#anotherUser();
    this.#before = undefined;
    for (const lasting of this.#lasting.all) void this.#again(lasting);
  }

  /** The user has changed while there was no worker, which would have said so. */
  #anotherUser(): void {
    this.#lasting.anotherUser();
    this.listeners.emit("state", { state: "reconnecting", anotherUser: true });
    for (const what of ["tools", "prompts", "resources"] as const) this.listeners.emit("changed", { what });
  }

  /** Asks the next worker for what the last one had. Where another one takes its place as well, that is asked. */
  async #again(lasting: LastingAsk): Promise<void> {
    const [op, method, what] = lasting;
    try {
      await this.askUntil(op, undefined, (ask) => ({ t: "ask", client: this.number, ask, op, method, args: [what, {}] }));
    } catch (error) {
      const { code, message } = error as HoldfastError;
      if (code === "runtime_exited" || code === "closed") return; // the last: also where the user is another one
      if (this.#lasting.refused(lasting)) this.listeners.emit("integrity", { what: "subscription_lost", cause: message });
    }
  }

  protected lost(why: (op: string, wasUnderWay?: boolean) => HoldfastError, comes = false): void {
    this.#calls.fail(why, comes);
  }

  protected override closing(): void {
    this.#lasting.end();
    this.#calls.closing();
  }

  get facts(): ConnectionFacts {
    return this.#facts;
  }

  ask<M extends keyof Asks>(op: string, method: M, ...args: Parameters<Asks[M]>): ReturnType<Asks[M]>;
  async ask(op: string, method: keyof Asks, ...args: unknown[]): Promise<unknown> {
    const { signal, all } = split(args);
    if (signal?.aborted) throw abortedError(op, signal);
    const data = asData(op, all);
    const wait = this.ready(op, signal);
    const taken = this.#lasting.asks(method, all[0]);
    if (wait) await wait;
    const answer = await this.askUntil(op, signal, (ask) => ({ t: "ask", client: this.number, ask, op, method, args: data }));
    taken?.();
    return answer;
  }

  make<T, M extends keyof Makes>(op: string, method: M, args: Makes[M], options: CallOptions): Call<T> {
    const over = this.overError(op);
    if (over) return this.#calls.refused(op, over);
    return this.#calls.make(op, method, args, options);
  }

  async calls(): Promise<Call<CallToolResult>[]> {
    this.#listing++;
    try {
      const ids = await this.ownUntilEnd<number[]>("calls", []);
      return ids.map((id) => this.#calls.get(id)).filter((call) => call !== undefined) as Call<CallToolResult>[];
    } finally {
      setTimeout(() => {
        if (--this.#listing === 0) for (const call of this.#back.splice(0)) this.listeners.emit("restored", { call });
      }, 0);
    }
  }

  stored(): Promise<Usage | null> {
    return this.ownUntilEnd<Usage | null>("stored", null);
  }

  async recorded(): Promise<string | null> {
    try {
      return (await this.own("recorded")) as string | null;
    } catch (error) {
      // Where the client has ended, what the worker had stored until then says the most.
      const [server] = this.storedAs;
      const { code } = error as HoldfastError;
      if (server === undefined || code === "load_failed" || (code === "closed" && !this.isClosed)) throw error; // the last: it was another user's
      return server;
    }
  }

  override async logout(): Promise<void> {
    await Promise.all([super.logout(), forgetInPage(this.#facts.url)]);
  }

  event(call: number, kind: number, position: number, text: string, stream: number, texts: ParsedTogether, at: number): void {
    this.#calls.event(call, kind, position, text, stream, texts, at);
  }

  protected heard(news: object): void {
    const { user, ...facts } = news as { user?: string };
    if ("user" in news) this.#user = user;
    this.#facts = { ...this.#facts, ...facts };
  }

  protected take(message: HostMessage): void {
    this.#calls.receive(message);
  }

  protected happened({ event, value, error, call }: Extract<HostMessage, { t: "emit" }>): void {
    if (event === "restored") {
      const restored = this.#calls.toTell(call) as Call<CallToolResult> | undefined;
      if (restored && this.#listing > 0) this.#back.push(restored);
      else if (restored) this.listeners.emit("restored", { call: restored });
    } else {
      if (event === "state" && (value as ClientEvents["state"]).anotherUser) this.#lasting.anotherUser();
      const full = error ? { ...value, error: holdfastErrorFrom(error, "connect", (question) => this.thrown(question)) } : value;
      this.listeners.emit(event as keyof ClientEvents, full as never);
    }
  }
}

/** The arguments as they cross, and the signal of the options among them. */
function split(args: readonly unknown[]): { signal: AbortSignal | undefined; all: unknown[] } {
  const last = args.at(-1) as { signal?: AbortSignal } | undefined;
  if (typeof last !== "object" || last === null || !("signal" in last)) return { signal: undefined, all: [...args] };
  const { signal, ...options } = last;
  return { signal, all: [...args.slice(0, -1), options] };
}
