import type { Asks, ClientBackend, ConnectionFacts, Makes } from "../client/backend.js";
import type { Call } from "../client/call.js";
import type { ClientEvents } from "../client/clientevents.js";
import { NO_COUNTERS } from "../client/counters.js";
import type { ParsedTogether } from "../client/events.js";
import type { CallOptions, ConnectOptions } from "../client/options.js";
import { backlogLimits } from "../connect/backloglimits.js";
import { unlessAborted } from "../connect/abort.js";
import { abortedError } from "../shared/arguments.js";
import { Backlog } from "../shared/backlog.js";
import type { ClientState } from "../shared/clientstate.js";
import { HoldfastError } from "../shared/errors.js";
import { Listeners } from "../shared/listeners.js";
import type { CallToolResult } from "../shared/mcp.js";
import type { Usage } from "../storage/storage.js";
import { holdfastErrorFrom } from "./errordata.js";
import { type HostLink, hostEnded, type LinkedClient } from "./hostlink.js";
import { PageQuestions } from "./pagequestions.js";
import type { HostMessage, StoredPlaces } from "./protocol.js";
import { asData, cannotCross, RemoteCalls } from "./remotecalls.js";
import { mayFollow, type Standing } from "./standing.js";

/** The handlers that an app may have, as members of an object or methods of a class. */
const HANDLERS = ["elicitation", "sampling", "roots"] as const;

/** What crosses of the options of connect, and the way to a host. */
export interface RemotePlan {
  kind: "shared" | "worker";
  url: string;
  /** Without functions. */
  options: object;
  /** Whether the app gives tokens. */
  token: ConnectOptions["token"];
  /** The link to the host, a new one where that has ended. */
  link(): Promise<HostLink>;
}

/** A worker that ends within so many ms of having taken the place of another is not replaced once more. */
const REVIVAL_EVERY = 10_000;
/** So many workers, one after the other, are asked to delete what is stored. */
const DELETERS = 3;

/** A client whose runtime is in a worker: what it asks crosses a port. */
export class RemoteBackend implements ClientBackend, LinkedClient {
  readonly host: "shared" | "worker";
  readonly listeners: Listeners<ClientEvents> = new Listeners();
  readonly #plan: RemotePlan;
  readonly #handlers: NonNullable<ConnectOptions["handlers"]>;
  readonly #backlog: Backlog;
  readonly #questions: PageQuestions;
  #link!: HostLink;
  #number = 0;
  readonly #calls: RemoteCalls;
  #facts: ConnectionFacts & { state: ClientState; stored?: StoredPlaces };
  #standing: Standing = "opening";
  #opening: { resolve(): void; reject(error: HoldfastError): void } | undefined;
  /** Resolves when the worker has been replaced, or cannot be. */
  #replaced: Promise<void> | undefined;
  #revivedAt = -Infinity;
  /** Why there is no other worker. */
  #failure: HoldfastError | undefined;
  #closing: Promise<void> | undefined;
  #logout: Promise<void> | undefined;
  /** How often the app waits for the list of its calls; what is restored meanwhile it hears of behind that, as it would in the page. */
  #listing = 0;
  readonly #back: Call<CallToolResult>[] = [];

  constructor(plan: RemotePlan, options: ConnectOptions) {
    this.host = plan.kind;
    this.#plan = plan;
    this.#handlers = options.handlers ?? {};
    this.#backlog = new Backlog(...backlogLimits("connect", options));
    this.#questions = new PageQuestions(this.#handlers, plan.token, (message) => this.#link.send(message));
    this.#calls = new RemoteCalls(this, this.#backlog, () => this.#facts.guarantees.floor, (...all) => this.make(...all));
    const none = { url: plan.url, revision: "", negotiation: [], session: false, server: { name: "", version: "" }, capabilities: {}, instructions: undefined };
    this.#facts = { ...none, state: "connecting", durability: "memory", guarantees: { floor: "lost-on-reload", ceiling: "lost-on-reload" }, counters: NO_COUNTERS };
  }

  /** Opens it at the host; resolves when it is open. */
  async open(signal: AbortSignal | undefined): Promise<void> {
    let link: HostLink;
    do {
      const linking = this.#plan.link();
      // A link that nobody uses is given back.
      link = await unlessAborted("connect", signal, linking).catch((error: unknown) => (void linking.then((unused) => unused.remove(0)).catch(() => {}), Promise.reject(error as Error)));
    } while (link.isOver); // it ended on the way here
    this.#link = link;
    const number = (this.#number = link.number());
    if (this.#standing === "closed") link.remove(number);
    this.#checkOpen("connect");
    this.#calls.use(link, number);
    link.add(number, this);
    await new Promise<void>((resolve, reject) => {
      const cancelled = (): void => {
        void this.close();
        reject(abortedError("connect", signal!));
      };
      const end = (): void => signal?.removeEventListener("abort", cancelled);
      this.#opening = { resolve: () => (end(), resolve()), reject: (error) => (end(), reject(error)) };
      signal?.addEventListener("abort", cancelled);
      const { url, options, token } = this.#plan;
      try {
        link.send({ t: "connect", client: number, url, options: asData("connect", options), handlers: HANDLERS.filter((name) => this.#handlers[name]), token: token !== undefined });
      } catch (error) {
        link.remove(number);
        reject(error instanceof HoldfastError ? error : cannotCross("connect", error));
      }
    });
    this.#checkOpen("connect");
    this.#enter("open");
    this.#calls.opened();
    setTimeout(() => link.send({ t: "listening", client: number }), 0);
  }

  /** Throws where nothing can be asked of it any more. */
  #checkOpen(op: string): void {
    const error = this.#overError(op);
    if (error) throw error;
  }

  #overError(op: string): HoldfastError | undefined {
    if (this.#standing === "closed") return closedError(op);
    if (this.#standing !== "failed") return undefined;
    const { code, retryable } = this.#failure!;
    return new HoldfastError({ code, op, message: "the client has failed", ...(retryable && { retryable }), cause: this.#failure });
  }

  /** Reports whether it may stand so from here on. */
  #enter(next: Standing): boolean {
    const may = mayFollow(this.#standing, next);
    if (may) this.#standing = next;
    return may;
  }

  get facts(): ConnectionFacts {
    return this.#facts;
  }

  get state(): ClientState {
    return this.#facts.state;
  }

  ask<M extends keyof Asks>(op: string, method: M, ...args: Parameters<Asks[M]>): ReturnType<Asks[M]>;
  async ask(op: string, method: keyof Asks, ...args: unknown[]): Promise<unknown> {
    const { signal, all } = split(args);
    if (signal?.aborted) throw abortedError(op, signal);
    const data = asData(op, all);
    if (this.#replaced) await unlessAborted(op, signal, this.#replaced);
    this.#checkOpen(op);
    let number = 0;
    const abort = (): void => this.#link.send({ t: "abort", ask: number, why: String((signal!.reason as Error | undefined)?.message ?? signal!.reason ?? "") });
    signal?.addEventListener("abort", abort, { once: true });
    try {
      return await this.#link.ask(op, this, (ask) => ({ t: "ask", client: this.#number, ask: (number = ask), op, method, args: data }));
    } catch (error) {
      throw error instanceof HoldfastError ? error : cannotCross(op, error);
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  }

  make<T, M extends keyof Makes>(op: string, method: M, args: Makes[M], options: CallOptions): Call<T> {
    const over = this.#overError(op);
    if (over) return this.#calls.refused(op, over);
    return this.#calls.make(op, method, args, options);
  }

  async calls(): Promise<Call<CallToolResult>[]> {
    if (this.#standing === "closed") return [];
    this.#listing++;
    try {
      const ids = (await this.#own("calls")) as number[];
      return ids.map((id) => this.#calls.get(id)).filter((call) => call !== undefined) as Call<CallToolResult>[];
    } finally {
      setTimeout(() => {
        if (--this.#listing === 0) for (const call of this.#back.splice(0)) this.listeners.emit("restored", { call });
      }, 0);
    }
  }

  async stored(): Promise<Usage | null> {
    return this.#standing === "closed" ? null : ((await this.#own("stored")) as Usage | null);
  }

  async #own(method: "calls" | "stored"): Promise<unknown> {
    if (this.#replaced) await this.#replaced;
    this.#checkOpen(method);
    return this.#tell(method);
  }

  #tell(method: "calls" | "stored" | "close" | "logout"): Promise<unknown> {
    return this.#link.ask(method, this, (ask) => ({ t: "ask", client: this.#number, ask, op: method, method, args: [] }));
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#end("closing", () => this.#tell("close").catch(unlessEnded)));
  }

  logout(): Promise<void> {
    const hasWorker = this.#standing !== "failed";
    const end = (): Promise<void> => this.#end("deleting", () => (hasWorker ? this.#forget() : this.#deleteStored()));
    this.#logout ??= this.#closing ? this.#closing.then(() => this.#deleteStored()) : end();
    this.#closing ??= this.#logout.catch(() => {});
    return this.#logout;
  }

  /** Has the client end its session, and all deleted that is stored; by the next worker, where one ends meanwhile. */
  async #forget(): Promise<void> {
    if (this.#replaced) await this.#replaced;
    await unlessEnding(async () => {
      if (this.#link.isOver) await this.open(undefined);
      await this.#tell("logout");
    });
  }

  /** Has all deleted that is stored, where no worker has the client. */
  async #deleteStored(): Promise<void> {
    const { stored } = this.#facts;
    if (!stored) throw hostEnded("forget"); // it ended before it could say what there is
    await unlessEnding(async () => {
      const link = await this.#plan.link();
      try {
        await link.ask("forget", undefined, (ask) => ({ t: "forget", ask, ...stored }));
      } finally {
        link.remove(0); // nobody uses it, maybe
      }
    });
  }

  async #end(how: "closing" | "deleting", tell: () => Promise<unknown>): Promise<void> {
    this.#enter(how);
    this.#calls.closing();
    try {
      await tell();
    } finally {
      this.#enter("closed");
      this.#facts = { ...this.#facts, state: this.#facts.state === "failed" ? "failed" : "closed" };
      this.#calls.fail(closedError);
      this.#questions.end();
      this.#opening?.reject(closedError("connect"));
      this.#opening = undefined;
      this.#link?.remove(this.#number);
    }
  }

  event(call: number, kind: number, position: number, text: string, stream: number, texts: ParsedTogether, at: number): void {
    this.#calls.event(call, kind, position, text, stream, texts, at);
  }

  thrown(question: number): unknown {
    return this.#questions.thrown(question);
  }

  receive(message: HostMessage): void {
    switch (message.t) {
      case "facts":
        this.#facts = { ...this.#facts, ...message.facts };
        break;
      case "opened":
        this.#opening?.resolve();
        this.#opening = undefined;
        break;
      case "failed":
        this.#link.remove(this.#number);
        this.#opening?.reject(holdfastErrorFrom(message.error, "connect", (question) => this.thrown(question)));
        this.#opening = undefined;
        break;
      case "emit":
        this.#emit(message);
        break;
      case "question":
        void this.#questions.answer(message);
        break;
      case "withdrawn":
        this.#questions.withdrawn(message.question);
        break;
      default:
        this.#calls.receive(message);
    }
  }

  #emit({ event, value, error, call }: Extract<HostMessage, { t: "emit" }>): void {
    if (event === "restored") {
      const restored = this.#calls.get(call) as Call<CallToolResult> | undefined;
      if (restored && this.#listing > 0) this.#back.push(restored);
      else if (restored) this.listeners.emit("restored", { call: restored });
    } else {
      const full = error ? { ...value, error: holdfastErrorFrom(error, "connect", (question) => this.thrown(question)) } : value;
      this.listeners.emit(event as keyof ClientEvents, full as never);
    }
  }

  /**
   * The worker was killed, or has crashed. What was under way is rejected; what is stored
   * comes back, as restored calls, in another one.
   */
  hostEnded(): void {
    const opening = this.#opening;
    this.#opening = undefined;
    this.#calls.fail(hostEnded);
    this.#questions.end();
    if (opening) return opening.reject(hostEnded("connect"));
    if (this.#standing !== "open" || this.#facts.state === "failed" || this.#facts.state === "closed") return;
    if (performance.now() - this.#revivedAt < REVIVAL_EVERY) return this.#fail(hostEnded("connect"));
    this.#enter("replacing");
    this.#say("reconnecting", hostEnded("connect"));
    const opened = (): void => {
      if (this.#standing !== "open") return; // the app has ended it meanwhile
      this.#revivedAt = performance.now();
      this.#say("open");
    };
    const failed = (error: HoldfastError): void => {
      if (this.#standing === "replacing") this.#fail(error);
    };
    this.#replaced = this.open(undefined).then(opened, failed).finally(() => (this.#replaced = undefined));
  }

  #fail(error: HoldfastError): void {
    this.#enter("failed");
    this.#failure = error;
    this.#calls.fail((op) => this.#overError(op)!);
    this.#say("failed", error);
  }

  #say(state: ClientState, error?: HoldfastError): void {
    this.#facts = { ...this.#facts, state };
    this.listeners.emit("state", error ? { state, error } : { state });
  }
}

/** The arguments as they cross, and the signal of the options among them. */
function split(args: readonly unknown[]): { signal: AbortSignal | undefined; all: unknown[] } {
  const last = args.at(-1) as { signal?: AbortSignal } | undefined;
  if (typeof last !== "object" || last === null || !("signal" in last)) return { signal: undefined, all: [...args] };
  const { signal, ...options } = last;
  return { signal, all: [...args.slice(0, -1), options] };
}

/** Has the next worker do what one that has ended did not. */
async function unlessEnding(work: () => Promise<void>): Promise<void> {
  for (let n = 1; ; n++) {
    try {
      return await work();
    } catch (error) {
      if (n === DELETERS) throw error;
      unlessEnded(error);
    }
  }
}

/** A host that has ended has nothing that could be closed; any other error is thrown. */
function unlessEnded(error: unknown): void {
  if ((error as HoldfastError).code !== "runtime_exited") throw error;
}

function closedError(op: string): HoldfastError {
  return new HoldfastError({ code: "closed", op, message: "the client is closed" });
}
