import type { Backlog } from "../shared/backlog.js";
import type { ClientPort } from "../runtime/port.js";
import type { Runtime } from "../runtime/runtime.js";
import { EVENT } from "../shared/border.js";
import type { Durability } from "../tabs/journalclient.js";
import { HoldfastError } from "../shared/errors.js";
import { Lifetime, type Keeping } from "../connect/lifetime.js";
import { Listeners } from "../shared/listeners.js";
import type { Implementation, Open } from "../shared/mcp.js";
import { badArgument } from "../shared/arguments.js";
import type { Usage } from "../storage/storage.js";
import { settledState } from "../connect/settled.js";
import type { Wire } from "../runtime/wire.js";
import type { AgentCapabilities, AuthMethod, McpServer, SessionPage } from "./acp.js";
import type { AgentEvents, AgentState } from "./agentevents.js";
import { AgentFacts } from "./agentfacts.js";
import { OpenQuestions, type AgentHandlers } from "./openquestions.js";
import { Exchanges } from "./exchanges.js";
import { Pages } from "./pages.js";
import { unsupported } from "./prompt.js";
import type { AgentQuestion } from "./questions.js";
import type { AgentSession } from "./session.js";
import { Sessions } from "./sessions.js";
import type { SharedStreams } from "./sharedstreams.js";
import type { SessionStatus } from "./sessionevents.js";

/**
 * What was dropped or repaired since connecting, by name; what is not there has
 * not happened: `cuts`, `integrity`, `malformed`, `unknownResponses`,
 * `unknownSessions`, `quarantinedRecords`.
 */
export interface AgentCounters {
  readonly [name: string]: number;
}

/** What a session is made from, or resumed with. */
export interface SessionOptions {
  /** The folder that the agent works in: an absolute path on its machine. Of a session that there is, its own. */
  cwd: string;
  /** The MCP servers that it shall connect to: all of them, each time. */
  mcpServers?: McpServer[];
  /** More folders that it may work in; absolute. Where the agent offers it. */
  additionalDirectories?: string[];
  /** Gives up waiting, and asks the agent to. */
  signal?: AbortSignal;
}

/** @internal What an agent's client is made from. */
export interface AgentUse {
  handlers: AgentHandlers;
  elicits: boolean;
  backlog: Backlog;
  keeping: Keeping;
  /** Finds out why a session cannot be heard. */
  explain?: (error: HoldfastError) => Promise<HoldfastError>;
  /** Its share of the connections that all tabs have. */
  streams?: SharedStreams;
}

/** A connection to one ACP agent. Made by {@link connectAgent}. */
export class Agent {
  /** The agent's URL, absolute. */
  readonly url: string;
  readonly #wire: Wire;
  readonly #keeping: Keeping;
  readonly #listeners = new Listeners<AgentEvents>();
  readonly #life: Lifetime<AgentFacts, AgentCounters>;
  readonly #exchanges: Exchanges;
  readonly #pages: Pages;
  readonly #sessions: Sessions;
  readonly #questions: OpenQuestions;
  readonly #streams: SharedStreams | undefined;
  #durability: Durability;

  /** @internal Use {@link connectAgent}. */
  constructor(runtime: Runtime, url: string, { handlers, elicits, backlog, keeping, explain, streams }: AgentUse) {
    this.url = url;
    this.#streams = streams;
    this.#keeping = keeping;
    this.#durability = keeping.journal?.durability ?? "memory";
    this.#wire = { runtime, handle: 0 };
    const facts = new AgentFacts();
    const able = {
      over: (op: string) => (this.#life.over ? this.#life.overError(op) : undefined),
      between: () => this.#life.between,
    };
    this.#exchanges = new Exchanges(this.#wire, able, explain);
    this.#pages = new Pages(this.#wire, this.#exchanges, keeping);
    const shared = { wire: this.#wire, url, handlers, elicits };
    this.#sessions = new Sessions({ ...shared, facts, exchanges: this.#exchanges, pages: this.#pages, backlog }, (session) =>
      // Not before the app can have a listener: connectAgent resolves after it.
      setTimeout(() => this.#listeners.emit("session", { session }), 0),
    );
    this.#questions = new OpenQuestions(this.#wire, {
      ...shared,
      answers: () => "here",
      opened: (request) => this.#listeners.emit("request", { request }),
      withdrawn: (request, reason) => this.#listeners.emit("withdrawn", { request, reason }),
    });
    this.#life = new Lifetime(this.#wire, this.#keeping, this.#listeners, {
      facts,
      counters: {},
      reject: (why) => {
        this.#exchanges.fail(why);
        this.#questions.withdrawAll("connection");
      },
      begin: () => {
        this.#sessions.end();
        this.#wire.handle = 0;
        return this.#wire;
      },
      opened: (why) => this.#kept(keeping.journal?.durability ?? "memory", why),
    });
    // What a new runtime brings back goes on under the same objects; else it is over.
    this.#listeners.add("state", ({ state, error }) => {
      if (state === "failed") this.#sessions.end(error);
      else if (state === "closed") this.#sessions.end();
      if (this.#life.over) this.#streams?.end();
    });
  }

  /** Where the client stands. */
  get state(): AgentState {
    return this.#life.state;
  }

  /** The version of ACP in use: 1 or 2. */
  get version(): number {
    return this.#life.facts.version;
  }

  /** How the agent is spoken to. */
  get transport(): "http" | "websocket" {
    return this.#life.facts.transport;
  }

  /** Who the agent says it is; for display only. */
  get info(): Implementation {
    return this.#life.facts.info;
  }

  /** What the agent says it can do; of version 1, in version 2's shape. */
  get capabilities(): AgentCapabilities {
    return this.#life.facts.capabilities;
  }

  /** How to log in; empty where there is nothing to. */
  get authMethods(): readonly AuthMethod[] {
    return this.#life.facts.authMethods;
  }

  /** Where sessions are kept: `memory` ends with the page. */
  get durability(): Durability {
    return this.#durability;
  }

  /** What was dropped or repaired so far. */
  get counters(): AgentCounters {
    return this.#life.counters;
  }

  /** What the agent asks outside of any session and has no answer to. */
  get requests(): readonly AgentQuestion[] {
    return this.#questions.requests;
  }

  /**
   * What the store holds of this agent and user; null where there is none, or not
   * any more: it was deleted, or the agent's client is closed.
   *
   * @throws HoldfastError `storage_failed` where it cannot be read now
   */
  async stored(): Promise<Usage | null> {
    return (await this.#keeping.journal?.usage()) ?? null;
  }

  /**
   * Logs in, in a way that the agent offers ({@link Agent.authMethods}) and that a
   * page can go. Takes as long as the person does.
   */
  async login(methodId: string, options: { signal?: AbortSignal } = {}): Promise<void> {
    const { dialect } = this.#life.facts;
    const method = this.authMethods.find((one) => one.methodId === methodId);
    if (!method) throw badArgument(dialect.login, "methodId", "is none of the agent's ways to log in");
    if (method.type !== "agent") throw unsupported(dialect.login, `a page cannot log in by ${method.type}`);
    await this.request(dialect.login, { methodId }, options);
  }

  /** Logs out. */
  async logout(): Promise<void> {
    const { dialect } = this.#life.facts;
    if (this.authMethods.length === 0) throw unsupported(dialect.logout, "the agent offers no way to log in");
    await this.request(dialect.logout);
  }

  /** Begins a session. */
  async newSession(options: SessionOptions): Promise<AgentSession> {
    const op = "session/new";
    const params = this.#params(op, options);
    const result = await this.request<{ sessionId?: unknown }>(op, params, options);
    return this.#named(op, result?.sessionId);
  }

  /**
   * Goes on with a session that the agent has: from {@link Agent.listSessions}, or one
   * that the app knows. An agent that can send the history sends it first, and this
   * resolves after the history. Sessions of {@link Agent.sessions} go on by themselves.
   */
  async resumeSession(sessionId: string, options: SessionOptions): Promise<AgentSession> {
    const { dialect, capabilities } = this.#life.facts;
    const { method, params } = dialect.resume(capabilities.session ?? {});
    if (typeof sessionId !== "string" || sessionId === "") throw badArgument(method, "sessionId", "has to be that of a session");
    const made = this.#params(method, options);
    if (!capabilities.session?.load && !capabilities.session?.resume) throw unsupported(method, "the agent does not offer it");
    await this.request(method, { sessionId, ...made, ...params }, options);
    return this.#named(method, sessionId);
  }

  /** Lists the agent's sessions, one page of them: the first, or the one that `cursor` names. */
  async listSessions(options: { cwd?: string; cursor?: string; signal?: AbortSignal } = {}): Promise<SessionPage> {
    const op = "session/list";
    if (!this.capabilities.session?.list) throw unsupported(op, "the agent does not offer it");
    const { signal, ...params } = options;
    const page = await this.request<SessionPage>(op, params, signal ? { signal } : {});
    if (!Array.isArray(page?.sessions)) throw new HoldfastError({ code: "protocol_error", op, message: "the result has no array of sessions" });
    return page;
  }

  /**
   * The sessions that are kept: of this page, of earlier ones and of others that
   * are open, with their transcripts. Needs no network.
   */
  async sessions(): Promise<AgentSession[]> {
    return this.#sessions.open;
  }

  /** Makes any request outside of a session. `signal` asks the agent to give it up. */
  request<T = unknown>(method: string, params: Open = {}, options: { signal?: AbortSignal } = {}): Promise<T> {
    return this.#exchanges.request<T>(0, method, params, options.signal);
  }

  /** Sends any notification outside of a session; resolves once the agent's server has it. */
  notify(method: string, params: Open = {}): Promise<void> {
    return this.#exchanges.notify(0, method, params);
  }

  /**
   * Listens to the client. Returns the function that stops listening. A listener
   * that throws is reported as an uncaught error and harms nobody.
   */
  on<E extends keyof AgentEvents>(event: E, listener: (event: AgentEvents[E]) => void): () => void {
    return this.#listeners.add(event, listener);
  }

  /**
   * Closes the client. The agent works on, and a later page finds its sessions as
   * they are by then. `terminate` also ends the connection at the agent, with all that
   * the agent still does on that connection.
   */
  close(options: { terminate?: boolean } = {}): Promise<void> {
    if (!options.terminate) return this.#life.close();
    return this.#life.close(() => this.#wire.runtime.terminate(this.#wire.handle));
  }

  /**
   * Closes the client and deletes all that is stored of this agent and user:
   * sessions, transcripts, the connection. The agent keeps what it has. For a
   * logout; {@link wipe} does it for everything.
   */
  async forget(): Promise<void> {
    await this.close();
    await this.#keeping.journal?.forget();
    await this.#keeping.stores?.forgetFormer?.();
  }

  /** @internal Starts the client; resolves when it is open. */
  start(options: object, credentials: RequestCredentials): Promise<void> {
    return this.#life.start(() => this.#run(options, credentials));
  }

  /** @internal Sessions end with the page, as connectAgent found out. */
  tellMemory(why: string): void {
    this.#listeners.emit("durability", { durability: "memory", why });
  }

  /** Makes the client in the core and starts it, with what the journal has read. */
  #run(options: object, credentials: RequestCredentials): void {
    const { journal } = this.#keeping;
    const port = this.#port(credentials);
    this.#wire.handle = this.#wire.runtime.connectAgent({ ...options, ...journal?.options(), tabs: this.#pages.canForward }, port, (handle) => {
      this.#wire.handle = handle; // sessions come back before the client is started
      this.#streams?.bind(this.#wire);
      const client = {
        wire: this.#wire,
        // Which sessions have a connection to read from, the core decides.
        streams: {
          rest: (resting: boolean) => {
            this.#wire.runtime.agentRest(this.#wire.handle, resting);
            this.#streams?.rest(resting);
          },
        },
        reconnecting: () => this.#life.state === "reconnecting",
        connected: () => settledState(this, 15_000),
        said: () => {},
        sessions: this.#pages,
      };
      return journal?.attach(client, false);
    });
  }

  #port(credentials: RequestCredentials): ClientPort {
    return {
      credentials,
      deliver: (session, kind, position, text) => {
        if (session === 0) this.#heard(kind, position, text);
        else this.#sessions.deliver(session, kind, position, text);
      },
      settle: (id, outcome, text) => this.#exchanges.settle(id, outcome, text),
      state: (text, facts) => this.#life.changed(text, facts),
      token: () => void this.#life.askForToken(),
      store: (ticket, how, ops) => this.#keeping.journal?.commit(ticket, how, ops),
      tabs: (kind, ticket, payload) => this.#keeping.journal?.tabs(kind, ticket, payload),
      recall: (session, text) => this.#sessions.recall(session, text),
      handshake: () => void this.#keeping.journal?.handshake(),
      exited: (error) => this.#life.exited(error),
    };
  }

  #heard(kind: number, position: number, text: string): void {
    switch (kind) {
      case EVENT.question:
        this.#questions.ask(position, text);
        break;
      case EVENT.withdrawn:
        this.#questions.withdraw(position, (JSON.parse(text) as { reason: string }).reason);
        break;
      case EVENT.streams:
        this.#streams?.heard(text);
        break;
      case EVENT.status:
        this.#listeners.emit("status", JSON.parse(text) as SessionStatus);
        break;
      case EVENT.notification:
        this.#listeners.emit("notification", JSON.parse(text) as AgentEvents["notification"]);
        break;
      case EVENT.integrity:
        this.#listeners.emit("integrity", JSON.parse(text) as AgentEvents["integrity"]);
        break;
      case EVENT.durability: {
        const { durability, why } = JSON.parse(text) as { durability: Durability; why?: string };
        this.#kept(this.#keeping.journal?.durability === "memory" ? "memory" : durability, why);
        break;
      }
    }
  }

  #kept(durability: Durability, why = ""): void {
    if (durability === this.#durability) return;
    this.#durability = durability;
    this.#listeners.emit("durability", why ? { durability, why } : { durability });
  }

  /** The params that a session is made from, checked. */
  #params(op: string, { cwd, mcpServers = [], additionalDirectories }: SessionOptions): Open {
    const { dialect, capabilities } = this.#life.facts;
    if (typeof cwd !== "string" || cwd === "") throw badArgument(op, "cwd", "has to be the path of a folder");
    if (!Array.isArray(mcpServers)) throw badArgument(op, "mcpServers", "has to be a list");
    const params: Open = { cwd, mcpServers: mcpServers.map((server) => dialect.server(server)) };
    if (additionalDirectories === undefined) return params;
    if (!Array.isArray(additionalDirectories)) throw badArgument(op, "additionalDirectories", "has to be a list of paths");
    if (!capabilities.session?.additionalDirectories) {
      throw unsupported(op, "the agent takes no additionalDirectories (capability session.additionalDirectories)");
    }
    return { ...params, additionalDirectories };
  }

  #named(op: string, id: unknown): AgentSession {
    const session = this.#sessions.named(id);
    if (!session) throw new HoldfastError({ code: "protocol_error", op, message: "the answer names no session" });
    return session;
  }
}
