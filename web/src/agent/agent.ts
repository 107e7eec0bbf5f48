/// <reference lib="esnext.disposable" preserve="true" />
import type { Backlog } from "../base/backlog.js";
import { EVENT } from "../base/border.js";
import type { Durability } from "../tabs/journalclient.js";
import { HoldfastError } from "../base/errors.js";
import { disposedBy } from "../base/dispose.js";
import type { Host } from "../base/host.js";
import type { Implementation, Open } from "../base/mcp.js";
import { badArgument } from "../base/arguments.js";
import { check } from "../base/kinds.js";
import { checkListener } from "../base/listeners.js";
import type { Usage } from "../storage/storage.js";
import type { AgentCapabilities, AuthMethod, McpServer, SessionPage } from "./acp.js";
import { AGENT_EVENTS, type AgentEvents, type AgentState } from "./agentevents.js";
import type { AgentBackend, AgentCounters } from "./agentbackend.js";
import { OpenQuestions, type AgentHandlers, unsafeEvent } from "./openquestions.js";
import { checkRequest, CLOSED, GIVEN_UP, LISTED, SESSION } from "./agentoptionkinds.js";
import { unsupported } from "./prompt.js";
import type { AgentQuestion } from "./questions.js";
import type { AgentSession } from "./session.js";
import { Sessions } from "./sessions.js";

/** The options that a session is made from, or resumed with. */
export interface SessionOptions {
  /**
   * The folder that the agent works in: an absolute path on its machine. Of a session that there is, its own.
   */
  cwd: string;
  /** The MCP servers that it shall connect to: all of them, each time. */
  mcpServers?: McpServer[];
  /** More folders that it may work in; absolute. Where the agent offers it. */
  additionalDirectories?: string[];
  /** Gives up waiting, and asks the agent to. */
  signal?: AbortSignal;
}

/** @internal What an agent has of the page that it is in. */
export interface AgentUse {
  handlers: AgentHandlers;
  /** True if the client offered elicitations to the agent. */
  elicits: boolean;
  /** Events of a session that wait for one reader. */
  backlog: Backlog;
}

/** A connection to one ACP agent. Made by {@link connectAgent}. */
export class Agent {
  readonly #backend: AgentBackend;
  readonly #sessions: Sessions;
  readonly #questions: OpenQuestions;
  #unsafeVisits = 0;
  /** The app has said that it ends. */
  #ends = false;
  /** Closes the client where an `await using` ends; the agent works on. */
  declare readonly [Symbol.asyncDispose]: () => Promise<void>;

  static {
    disposedBy(this.prototype, function () {
      return this.close();
    });
  }

  /**
   * @internal A framework leaves alone what says what it is: behind its proxy an object has no private
   * members.
   */
  get [Symbol.toStringTag](): string {
    return "Agent";
  }

  /** @internal Use {@link connectAgent}. */
  constructor(backend: AgentBackend, { handlers, elicits, backlog }: AgentUse) {
    this.#backend = backend;
    const { listeners } = backend;
    const counted = (): void => void this.#unsafeVisits++;
    const shared = { backend, handlers, elicits, counted };
    this.#sessions = new Sessions({ ...shared, backlog }, (session) =>
      // Not before the app can have a listener: connectAgent resolves after it.
      setTimeout(() => listeners.emit("session", { session }), 0),
    );
    this.#questions = new OpenQuestions(backend, {
      ...shared,
      answers: () => "here",
      opened: (request) => listeners.emit("request", { request }),
      withdrawn: (request, reason) => listeners.emit("withdrawn", { request, reason }),
      unsafe: (problem) => (counted(), listeners.emit("integrity", unsafeEvent(problem))),
    });
    backend.bind({
      recall: (session, made) => this.#sessions.recall(session, made),
      deliver: (session, kind, position, text) => {
        if (session === 0) this.#heard(kind, position, text);
        else this.#sessions.deliver(session, kind, position, text);
      },
      assign: (session, question) => {
        if (session === 0) this.#questions.assign(question);
        else this.#sessions.assign(session, question);
      },
      withdraw: () => {
        this.#questions.withdrawAll("connection");
        this.#sessions.withdraw();
      },
      end: (error) => this.#sessions.end(error),
    });
  }

  /** The agent's URL, absolute. */
  get url(): string {
    return this.#backend.url;
  }

  /** Where the runtime of this client runs: what its work outlives. */
  get host(): Host {
    return this.#backend.host;
  }

  /** Where the client stands. */
  get state(): AgentState {
    return this.#backend.state;
  }

  /** The version of ACP in use: 1 or 2. */
  get version(): number {
    return this.#backend.facts.version;
  }

  /** How the agent is spoken to. */
  get transport(): "http" | "websocket" {
    return this.#backend.facts.transport;
  }

  /** The agent's own name and version; for display only. */
  get info(): Implementation {
    return this.#backend.facts.info;
  }

  /** The capabilities that the agent declares. Those of version 1 are in version 2's shape. */
  get capabilities(): AgentCapabilities {
    return this.#backend.facts.capabilities;
  }

  /** How to log in; empty where there is nothing to. */
  get authMethods(): readonly AuthMethod[] {
    return this.#backend.facts.authMethods;
  }

  /** Where sessions are kept: `memory` ends with the page. */
  get durability(): Durability {
    return this.#backend.durability;
  }

  /** Counters of the messages that the client has dropped or repaired so far. */
  get counters(): AgentCounters {
    return { ...this.#backend.counters, ...(this.#unsafeVisits > 0 && { unsafeVisits: this.#unsafeVisits }) };
  }

  /** Requests of the agent outside of any session that have no answer yet. */
  get requests(): readonly AgentQuestion[] {
    return this.#questions.requests;
  }

  /**
   * What the store holds of this agent and user; null where there is none, or not
   * any more: it was deleted, or the agent's client is closed.
   *
   * @throws HoldfastError `storage_failed` where it cannot be read now
   */
  stored(): Promise<Usage | null> {
    return this.#backend.stored();
  }

  /**
   * Logs in, in a way that the agent offers ({@link Agent.authMethods}) and that a
   * page can go. Takes as long as the person does.
   */
  async login(methodId: string, options: { signal?: AbortSignal } = {}): Promise<void> {
    const { dialect } = this.#backend.facts;
    check(dialect.login, "options", options, GIVEN_UP);
    const method = this.authMethods.find((one) => one.methodId === methodId);
    if (!method) throw badArgument(dialect.login, "methodId", "is none of the agent's ways to log in");
    if (method.type !== "agent") throw unsupported(dialect.login, `a page cannot log in by ${method.type}`);
    await this.#ask(dialect.login, { methodId }, options);
  }

  /** Logs out. */
  async logout(): Promise<void> {
    const { dialect } = this.#backend.facts;
    if (this.authMethods.length === 0) throw unsupported(dialect.logout, "the agent offers no way to log in");
    await this.request(dialect.logout);
  }

  /** Begins a session. */
  async newSession(options: SessionOptions): Promise<AgentSession> {
    const op = "session/new";
    const params = this.#params(op, options);
    const result = await this.#ask<{ sessionId?: unknown }>(op, params, options);
    return this.#named(op, result?.sessionId);
  }

  /**
   * Goes on with a session that the agent has: from {@link Agent.listSessions}, or one
   * that the app knows. An agent that can send the history sends it first, and this
   * resolves after the history. Sessions of {@link Agent.sessions} go on by themselves.
   */
  async resumeSession(sessionId: string, options: SessionOptions): Promise<AgentSession> {
    const { dialect, capabilities } = this.#backend.facts;
    const { method, params } = dialect.resume(capabilities.session ?? {});
    if (typeof sessionId !== "string" || sessionId === "")
      throw badArgument(method, "sessionId", "has to be that of a session");
    const made = this.#params(method, options);
    if (!capabilities.session?.load && !capabilities.session?.resume)
      throw unsupported(method, "the agent does not offer it");
    await this.#ask(method, { sessionId, ...made, ...params }, options);
    return this.#named(method, sessionId);
  }

  /** Lists the agent's sessions, one page of them: the first, or the one that `cursor` names. */
  async listSessions(
    options: { cwd?: string; cursor?: string; signal?: AbortSignal } = {},
  ): Promise<SessionPage> {
    const op = "session/list";
    check(op, "options", options, LISTED);
    if (!this.capabilities.session?.list) throw unsupported(op, "the agent does not offer it");
    const { signal, ...params } = options;
    const page = await this.#ask<SessionPage>(op, params, signal ? { signal } : {});
    if (!Array.isArray(page?.sessions))
      throw new HoldfastError({ code: "protocol_error", op, message: "the result has no array of sessions" });
    return page;
  }

  /**
   * The sessions that are kept: of this page, of earlier ones and of others that
   * are open, with their transcripts. Needs no network. Empty once the client is closed.
   */
  async sessions(): Promise<AgentSession[]> {
    return this.#ends ? [] : this.#sessions.open;
  }

  /** Makes any request outside of a session. `signal` asks the agent to give it up. */
  async request<T = unknown>(
    method: string, params: Open = {}, options: { signal?: AbortSignal } = {},
  ): Promise<T> {
    checkRequest(method, params, options);
    return this.#ask<T>(method, params, options);
  }

  /** Sends any notification outside of a session; resolves once the agent's server has it. */
  async notify(method: string, params: Open = {}): Promise<void> {
    checkRequest(method, params);
    return this.#backend.notify(0, method, params);
  }

  /**
   * Listens to the client. Returns the function that stops listening. A listener
   * that throws is reported as an uncaught error and harms nobody.
   *
   * @throws HoldfastError `bad_argument` for an event that there is not
   */
  on<E extends keyof AgentEvents>(event: E, listener: (event: AgentEvents[E]) => void): () => void {
    checkListener(AGENT_EVENTS, event, listener);
    return this.#backend.listeners.add(event, listener);
  }

  /**
   * Closes the client. The agent works on, and a later page finds its sessions as
   * they are by then. `terminate` also ends the connection at the agent, with all that
   * the agent still does on that connection.
   */
  async close(options: { terminate?: boolean } = {}): Promise<void> {
    check("close", "options", options, CLOSED);
    this.#ends = true;
    return this.#backend.close(options.terminate ?? false);
  }

  /**
   * Closes the client and deletes all that is stored of this agent and user:
   * sessions, transcripts, the connection. The agent keeps what it has. For a
   * logout; {@link wipe} does it for everything.
   */
  forget(): Promise<void> {
    this.#ends = true;
    return this.#backend.logout();
  }

  /** The core has delivered an event outside of any session. */
  #heard(kind: number, position: number, text: string): void {
    if (kind === EVENT.question) this.#questions.ask(position, text);
    else if (kind === EVENT.withdrawn)
      this.#questions.withdraw(position, (JSON.parse(text) as { reason: string }).reason);
  }

  /** The params that a session is made from, checked. */
  #params(op: string, options: SessionOptions): Open {
    const { dialect, capabilities } = this.#backend.facts;
    check(op, "options", options, SESSION);
    const { cwd, mcpServers = [], additionalDirectories } = options;
    if (cwd === undefined) throw badArgument(op, "cwd", "has to be the path of a folder");
    const params: Open = { cwd, mcpServers: mcpServers.map((server) => dialect.server(server)) };
    if (additionalDirectories === undefined) return params;
    if (!capabilities.session?.additionalDirectories) {
      throw unsupported(
        op, "the agent takes no additionalDirectories (capability session.additionalDirectories)",
      );
    }
    return { ...params, additionalDirectories };
  }

  #ask<T = unknown>(method: string, params: Open, { signal }: { signal?: AbortSignal }): Promise<T> {
    return this.#backend.request<T>(0, method, params, signal);
  }

  #named(op: string, id: unknown): AgentSession {
    const session = this.#sessions.named(id);
    if (!session)
      throw new HoldfastError({ code: "protocol_error", op, message: "the answer names no session" });
    return session;
  }
}
