import { HoldfastError } from "../errors.js";
import { EventQueue } from "../eventqueue.js";
import { EVENT } from "../events.js";
import { Listeners } from "../listeners.js";
import type { Open } from "../mcp.js";
import { badArgument } from "../options.js";
import type { Wire } from "../wire.js";
import type { AvailableCommand, BackgroundWork, ConfigOption, ContextUsage, McpServer, SessionState, StopReason, TurnEnd } from "./acp.js";
import type { SessionEvent, SessionEvents, SessionStatus } from "./agentevents.js";
import type { AgentFacts } from "./agentfacts.js";
import { Asked, type AgentHandlers } from "./asked.js";
import type { ContentBlock } from "./content.js";
import type { Exchanges } from "./exchanges.js";
import type { PendingPrompt, ToolCallItem, TerminalItem, TranscriptItem } from "./items.js";
import { promptBlocks, unsupported } from "./prompt.js";
import type { AgentQuestion } from "./questions.js";
import { Transcript, type Change, type TranscriptOp } from "./transcript.js";
import { Turns } from "./turns.js";

/** What the core tells of a session when it comes to be known. */
export interface Recalled {
  sessionId: string;
  cwd: string;
  mcpServers?: McpServer[];
  additionalDirectories?: string[];
  /** An earlier page had it, or another one has it. */
  restored: boolean;
  /** This page carries it. */
  owned: boolean;
}

/** What a session needs of its agent's client. */
export interface SessionUse {
  readonly wire: Wire;
  readonly url: string;
  readonly handlers: AgentHandlers;
  readonly elicits: boolean;
  readonly facts: AgentFacts;
  readonly exchanges: Exchanges;
  /** Events that wait for one reader. */
  readonly backlog: number;
}

/** What {@link AgentSession.prompt} resolves with. */
export interface PromptAccepted {
  /** Of the message in the transcript, where the agent names it. */
  messageId?: string;
}

/** The agent has no such session any more: as good as closed (schema: ErrorCode). */
const NOT_FOUND = -32002;

/** One conversation with an agent. Made by {@link Agent.newSession} and {@link Agent.resumeSession}. */
export class AgentSession implements AsyncIterable<SessionEvent> {
  /** The agent's name for it. */
  readonly id: string;
  readonly #use: SessionUse;
  #handle: number;
  #made: Recalled;
  #followed: boolean;
  #closed = false;
  readonly #transcript = new Transcript();
  readonly #turns = new Turns();
  readonly #asked: Asked;
  readonly #listeners = new Listeners<SessionEvents>();
  readonly #events: EventQueue<SessionEvent, SessionEvent>;
  /** Items that have changed and have not been told of. */
  readonly #touched = new Set<number>();

  /** @internal */
  constructor(handle: number, made: Recalled, use: SessionUse) {
    this.id = made.sessionId;
    this.#handle = handle;
    this.#made = made;
    this.#followed = !made.owned;
    this.#use = use;
    this.#events = new EventQueue<SessionEvent, SessionEvent>({ limit: use.backlog, decode: (event) => event, early: false });
    this.#asked = new Asked(use.wire, {
      handlers: use.handlers,
      elicits: use.elicits,
      url: use.url,
      elsewhere: () => this.#followed,
      asked: (request) => this.#tell("request", { request }),
      withdrawn: (request, reason) => this.#tell("withdrawn", { request, reason }),
    });
  }

  /** The folder that it works in. */
  get cwd(): string {
    return this.#made.cwd;
  }

  /** What the agent calls it, for people; undefined for nothing. */
  get title(): string | undefined {
    const title = this.#transcript.value("title");
    return typeof title === "string" ? title : undefined;
  }

  /**
   * What was said and done, in order. A snapshot: neither the list nor an item of
   * it is ever changed, so read it again after an event, and compare items with
   * `===`. Reading it costs nothing while nothing has changed.
   */
  get transcript(): readonly TranscriptItem[] {
    return this.#transcript.items;
  }

  /** The prompts that are not in the history yet: show them below the transcript. */
  get pending(): readonly PendingPrompt[] {
    return this.#transcript.pending;
  }

  /** Who is at work. Only "idle" means nobody: an agent may have words of its own. */
  get state(): SessionState {
    return this.#turns.state;
  }

  /** Why the last turn ended; undefined where the agent did not say. */
  get stopReason(): StopReason | undefined {
    return this.#turns.end.stopReason;
  }

  /** What goes on beside the turns; undefined where the agent does not say, empty where nothing does. */
  get background(): readonly BackgroundWork[] | undefined {
    return this.#turns.background;
  }

  /** The commands that the user can give, as "/name". */
  get commands(): readonly AvailableCommand[] {
    return (this.#transcript.value("availableCommands") as AvailableCommand[] | undefined) ?? [];
  }

  /** The settings that there are ({@link AgentSession.setConfigOption}). */
  get configOptions(): readonly ConfigOption[] {
    return this.#use.facts.dialect.configOptions((this.#transcript.value("configOptions") as Open[] | undefined) ?? []);
  }

  /** How full the context is; undefined where the agent does not say. */
  get usage(): ContextUsage | undefined {
    return this.#transcript.value("usage") as ContextUsage | undefined;
  }

  /** The mode of a version 1 agent (session/set_mode); version 2 has settings for it. */
  get mode(): string | undefined {
    return this.#transcript.value("currentModeId") as string | undefined;
  }

  /** What the agent asks and has no answer to: permissions, and elicitations. */
  get requests(): readonly AgentQuestion[] {
    return this.#asked.requests;
  }

  /** Whether the store brought it back: an earlier page made it, or another one. */
  get restored(): boolean {
    return this.#made.restored;
  }

  /** Whether another page carries it, and this one looks on: it shows everything, and can ask for nothing. */
  get followed(): boolean {
    return this.#followed;
  }

  /** Whether it is over, for this client at least. */
  get closed(): boolean {
    return this.#closed;
  }

  /**
   * Says something to the agent: text, or blocks. Resolves when the agent has taken
   * it into the history, which it may do while it is at work; what it does then
   * comes by events, and {@link AgentSession.settled} waits for its end. Until
   * then it is in {@link AgentSession.pending}. An agent of version 1 takes
   * everything at once.
   *
   * A prompt is never sent twice by itself. Where the connection was lost in
   * between, the history that the agent tells anew decides; where it cannot, this
   * rejects with `outcome_unknown`.
   *
   * @param options.signal asks for the prompt back while the agent holds it; a turn is ended by {@link AgentSession.cancel}
   * @throws HoldfastError `unsupported` where the agent does not take such a block, `cancelled` where it gave it back,
   *   `elsewhere` where another page carries the session, `rpc_error`, `outcome_unknown` ...
   */
  async prompt(content: string | readonly ContentBlock[], options: { signal?: AbortSignal } = {}): Promise<PromptAccepted> {
    const { facts, exchanges } = this.#use;
    const prompt = promptBlocks(content, facts.capabilities);
    this.#mustBeOpen("session/prompt");
    const { latest } = this.#turns;
    const back = new AbortController();
    const giveBack = (): void => back.abort(options.signal?.reason);
    if (options.signal?.aborted) giveBack();
    options.signal?.addEventListener("abort", giveBack, { once: true });
    const begins = facts.version === 1 ? this.#turns.begins() : undefined;
    const answer = exchanges.request<{ messageId?: unknown } | null>(this.#handle, "session/prompt", { sessionId: this.id, prompt }, back.signal);
    try {
      // The answer of version 1 ends the turn.
      const accepted = await (begins ? Promise.race([answer, begins]) : answer);
      this.#turns.accepted(latest);
      return typeof accepted?.messageId === "string" ? { messageId: accepted.messageId } : {};
    } finally {
      options.signal?.removeEventListener("abort", giveBack);
      if (begins) answer.catch((error: HoldfastError) => this.#turns.failed(error));
    }
  }

  /**
   * Resolves when the turn under way has ended, with how; at once, with the last
   * one, where the session is idle. After `await prompt()` that is the prompt's
   * turn. An agent that never says that it is idle never ends one.
   */
  settled(): Promise<TurnEnd> {
    if (this.#closed) return Promise.reject(this.#over("settled"));
    return this.#turns.settled();
  }

  /** Cancels the turn under way, and takes back what the agent holds. The turn ends when the agent says so, with "cancelled". */
  async cancel(): Promise<void> {
    await this.notify("session/cancel");
  }

  /** Cancels one call of a tool; throws `unsupported` unless the agent offers it for this one, now. */
  async cancelToolCall(id: string): Promise<void> {
    this.#cancellable("tool_call/cancel", "tool_call", id);
    await this.request("tool_call/cancel", { toolCallId: id });
  }

  /** Ends the command in a terminal; throws `unsupported` unless the agent offers it for this one, now. */
  async cancelTerminal(id: string): Promise<void> {
    this.#cancellable("terminal/cancel", "terminal", id);
    await this.request("terminal/cancel", { terminalId: id });
  }

  /** Changes a setting: to the id of one of its values, or to true or false. */
  async setConfigOption(configId: string, value: string | boolean): Promise<void> {
    const op = "session/set_config_option";
    if (typeof configId !== "string" || configId === "") throw badArgument(op, "configId", "has to be that of an option");
    if (typeof value !== "string" && typeof value !== "boolean") throw badArgument(op, "value", "has to be a text, or true or false");
    await this.request(op, { configId, ...this.#use.facts.dialect.configValue(value) });
  }

  /**
   * Ends the session at the agent, with all that it still does in it, and forgets
   * it here. The agent may keep it, to be resumed.
   */
  async close(): Promise<void> {
    await this.#endAs("session/close", "close");
  }

  /** The same, and the agent deletes it. */
  async delete(): Promise<void> {
    await this.#endAs("session/delete", "delete");
  }

  /** Makes any request in the session's scope; `sessionId` is added. `signal` asks the agent to give it up. */
  request<T = unknown>(method: string, params: Open = {}, options: { signal?: AbortSignal } = {}): Promise<T> {
    if (this.#closed) return Promise.reject(this.#over(method));
    return this.#use.exchanges.request<T>(this.#handle, method, { ...params, sessionId: this.id }, options.signal);
  }

  /** Sends any notification in the session's scope; resolves once the agent's host has it. */
  notify(method: string, params: Open = {}): Promise<void> {
    if (this.#closed) return Promise.reject(this.#over(method));
    return this.#use.exchanges.notify(this.#handle, method, { ...params, sessionId: this.id });
  }

  /**
   * Listens to the session. Returns the function that stops listening. A listener
   * that throws is reported as an uncaught error and harms nobody.
   */
  on<E extends keyof SessionEvents>(event: E, listener: (event: SessionEvents[E]) => void): () => void {
    return this.#listeners.add(event, listener);
  }

  /**
   * The session's events from now on; what was before is in the transcript. Ends
   * with the session. Leaving the loop ends nothing.
   */
  [Symbol.asyncIterator](): AsyncIterableIterator<SessionEvent> {
    return this.#events.read();
  }

  /** @internal A runtime that takes the place of one that has exited has the session, too. */
  rebind(handle: number, made: Recalled): void {
    this.#handle = handle;
    this.#made = made;
    this.#followed = !made.owned;
    this.#asked.withdrawAll("connection");
    this.#changed(this.#transcript.apply({ op: "reset" }));
  }

  /** @internal The core's Deliver effect for the session. */
  deliver(kind: number, position: number, text: string): void {
    switch (kind) {
      case EVENT.transcript:
        this.#changed(this.#transcript.apply(JSON.parse(text) as TranscriptOp));
        break;
      case EVENT.turn:
        this.#flush(); // whoever waits for the turn's end has had all of it before
        this.#tell("turn", this.#turns.heard(text));
        break;
      case EVENT.question:
        this.#asked.ask(position, text);
        break;
      case EVENT.withdrawn:
        this.#asked.withdraw(position, (JSON.parse(text) as { reason: string }).reason);
        break;
      case EVENT.status:
        this.#status(JSON.parse(text) as SessionStatus);
        break;
      case EVENT.resumed:
        this.#tell("resumed", JSON.parse(text) as SessionEvents["resumed"]);
        break;
      case EVENT.guarantee:
        this.#tell("guarantee", JSON.parse(text) as SessionEvents["guarantee"]);
        break;
      case EVENT.integrity:
        this.#tell("integrity", JSON.parse(text) as SessionEvents["integrity"]);
        break;
      case EVENT.notification:
        this.#tell("notification", JSON.parse(text) as SessionEvents["notification"]);
        break;
    }
  }

  /** @internal It is over; `error` says why, where the client has failed. */
  end(error?: HoldfastError): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#asked.withdrawAll("closed");
    this.#turns.over(error ?? this.#over("settled"));
    this.#tell("closed", {});
    this.#events.end(error);
  }

  #status(status: SessionStatus): void {
    const { state } = status;
    if (state === "followed" || state === "owned") {
      this.#followed = state === "followed";
      this.#asked.withdrawAll("moved"); // what is still open is asked anew
    }
    this.#tell("status", status);
    if (state === "closed") this.end();
  }

  #changed(change: Change): void {
    switch (change.what) {
      case "item":
        if (this.#touched.size === 0) queueMicrotask(() => this.#flush());
        this.#touched.add(change.index);
        break;
      case "reset":
        this.#touched.clear();
        this.#tell("reset", {});
        break;
      case "values":
        this.#tell("values", { names: change.names });
        break;
      case "pending":
        this.#tell("pending", {});
        break;
    }
  }

  #flush(): void {
    const touched = [...this.#touched];
    this.#touched.clear();
    for (const index of touched) this.#emit("update", { item: this.#transcript.item(index), index });
  }

  /** Tells of something, after the items that have changed before it. */
  #tell<E extends keyof SessionEvents>(event: E, value: SessionEvents[E]): void {
    this.#flush();
    this.#emit(event, value);
  }

  #emit<E extends keyof SessionEvents>(event: E, value: SessionEvents[E]): void {
    this.#listeners.emit(event, value);
    this.#events.push({ type: event, ...value } as unknown as SessionEvent);
  }

  async #endAs(method: string, capability: "close" | "delete"): Promise<void> {
    if (!this.#use.facts.capabilities.session?.[capability]) throw unsupported(method, "the agent does not offer it");
    try {
      await this.request(method);
    } catch (error) {
      if (!(error instanceof HoldfastError && error.rpc?.code === NOT_FOUND)) throw error;
    }
    this.end();
  }

  #cancellable(op: string, type: "tool_call" | "terminal", id: string): void {
    const item = this.transcript.find((one): one is ToolCallItem | TerminalItem => one.type === type && one.id === id);
    if (!item?.capabilities?.cancel) throw unsupported(op, "the agent does not offer to cancel it");
  }

  #mustBeOpen(op: string): void {
    if (this.#closed) throw this.#over(op);
  }

  #over(op: string): HoldfastError {
    return new HoldfastError({ code: "closed", op, message: "the session is closed" });
  }
}
