/// <reference lib="esnext.disposable" preserve="true" />
import type { Backlog } from "../base/backlog.js";
import { EVENT } from "../base/border.js";
import { closedError, HoldfastError } from "../base/errors.js";
import { disposedBy } from "../base/dispose.js";
import type { Open } from "../base/mcp.js";
import { badArgument } from "../base/arguments.js";
import { check } from "../base/kinds.js";
import { checkListener } from "../base/listeners.js";
import type {
  AvailableCommand, BackgroundWork, ConfigOption, ContextUsage, SessionState, StopReason, TurnEnd,
} from "./acp.js";
import {
  SESSION_EVENTS, type SessionEvent, type SessionEvents, type SessionStatus,
} from "./sessionevents.js";
import type { SessionBackend, Recalled } from "./sessionbackend.js";
import { OpenQuestions, type AgentHandlers, unsafeEvent } from "./openquestions.js";
import type { AgentContentBlock } from "./content.js";
import type { PendingPrompt, ToolCallItem, TerminalItem, TranscriptItem } from "./items.js";
import { checkMode, sessionModes, type SessionMode, type SessionModes } from "./modes.js";
import { checkRequest, GIVEN_UP } from "./agentoptionkinds.js";
import { promptBlocks, unsupported } from "./prompt.js";
import type { AgentQuestion } from "./questions.js";
import { SessionView } from "./view.js";

/** The parts of its agent's client that a session uses. */
export interface AgentSessionUse {
  readonly backend: SessionBackend;
  readonly handlers: AgentHandlers;
  readonly elicits: boolean;
  /** A visit that nobody was shown is counted. */
  counted(): void;
  /** Events that wait for one reader. */
  readonly backlog: Backlog;
}

/** The result of {@link AgentSession.prompt}. */
export interface PromptAccepted {
  /** The id of the message in the transcript, where the agent names it. */
  messageId?: string;
}

/** One conversation with an agent. Made by {@link Agent.newSession} and {@link Agent.resumeSession}. */
export class AgentSession implements AsyncIterable<SessionEvent> {
  /** The agent's name for it. */
  readonly id: string;
  readonly #use: AgentSessionUse;
  #handle: number;
  #made: Recalled;
  #followed: boolean;
  #closed = false;
  readonly #view: SessionView;
  readonly #questions: OpenQuestions;
  /**
   * Closes the session where an `await using` ends, unless the agent can close none, or it is closed already.
   */
  declare readonly [Symbol.asyncDispose]: () => Promise<void>;

  static {
    disposedBy(this.prototype, async function () {
      if (!this.#closed && this.#use.backend.facts.capabilities.session?.close) await this.close();
    });
  }

  /**
   * @internal A framework leaves alone what says what it is: behind its proxy an object has no private
   * members.
   */
  get [Symbol.toStringTag](): string {
    return "AgentSession";
  }

  /** @internal */
  constructor(handle: number, made: Recalled, use: AgentSessionUse) {
    this.id = made.sessionId;
    this.#handle = handle;
    this.#made = made;
    this.#followed = !made.owned;
    this.#use = use;
    this.#view = new SessionView(use.backlog);
    this.#questions = new OpenQuestions(use.backend, {
      handlers: use.handlers,
      elicits: use.elicits,
      answers: () => (this.#followed ? (use.backend.canForward ? "there" : "nowhere") : "here"),
      opened: (request) => this.#view.tell("request", { request }),
      withdrawn: (request, reason) => this.#view.tell("withdrawn", { request, reason }),
      unsafe: (problem) => (use.counted(), this.#view.tell("integrity", unsafeEvent(problem))),
    });
  }

  /** The folder that it works in. */
  get cwd(): string {
    return this.#made.cwd;
  }

  /** The agent's title for the session, for people; undefined where there is none. */
  get title(): string | undefined {
    const title = this.#view.transcript.value("title");
    return typeof title === "string" ? title : undefined;
  }

  /**
   * The transcript, in order. A snapshot: neither the list nor an item of it is ever changed, so read it
   * again after an event, and compare items with `===`. Reading it costs nothing while nothing has changed.
   */
  get transcript(): readonly TranscriptItem[] {
    return this.#view.transcript.items;
  }

  /** The prompts that are not in the history yet: show them below the transcript. */
  get pending(): readonly PendingPrompt[] {
    return this.#view.transcript.pending;
  }

  /**
   * The state of the session. Only "idle" means that no work is under way; an agent may have states of its
   * own.
   */
  get state(): SessionState {
    return this.#view.turns.state;
  }

  /** Why the last turn ended; undefined where the agent did not say. */
  get stopReason(): StopReason | undefined {
    return this.#view.turns.end.stopReason;
  }

  /**
   * Work that continues beside the turns; undefined where the agent does not say, empty where there is none.
   */
  get background(): readonly BackgroundWork[] | undefined {
    return this.#view.turns.background;
  }

  /** The commands that the user can give, as "/name". */
  get commands(): readonly AvailableCommand[] {
    return (this.#view.transcript.value("availableCommands") as AvailableCommand[] | undefined) ?? [];
  }

  /** The settings that there are ({@link AgentSession.setConfigOption}). */
  get configOptions(): readonly ConfigOption[] {
    return this.#use.backend.facts.dialect.configOptions(
      (this.#view.transcript.value("configOptions") as Open[] | undefined) ?? [],
    );
  }

  /** How full the context is; undefined where the agent does not say. */
  get usage(): ContextUsage | undefined {
    return this.#view.transcript.value("usage") as ContextUsage | undefined;
  }

  /**
   * The id of the mode that the agent works in ({@link AgentSession.setMode}); undefined where it has none.
   */
  get mode(): string | undefined {
    return this.#modes.current;
  }

  /** The modes that there are; empty where the agent does not say. */
  get modes(): readonly SessionMode[] {
    return this.#modes.all;
  }

  /** Requests of the agent that have no answer yet: permissions and elicitations. */
  get requests(): readonly AgentQuestion[] {
    return this.#questions.requests;
  }

  /** True if the session came from the store: an earlier page made it, or another page has it. */
  get restored(): boolean {
    return this.#made.restored;
  }

  /**
   * True if another page carries the session, and this page follows. The other page passes this page's
   * requests and answers on. When the other page ends, one of the rest takes over.
   */
  get followed(): boolean {
    return this.#followed;
  }

  /** True if the session has ended, for this client at least. */
  get closed(): boolean {
    return this.#closed;
  }

  /**
   * Says something to the agent: text, or blocks. Resolves when the agent has taken the
   * prompt into the history, which it may do while it is at work. Until then the prompt is
   * in {@link AgentSession.pending}. The agent's work comes by events, and
   * {@link AgentSession.settled} waits for its end. An agent of version 1 takes every
   * prompt at once.
   *
   * A prompt is never sent twice by itself. If the connection was lost meanwhile, the
   * history that the agent replays decides. If the history cannot decide, this rejects with
   * `outcome_unknown`; and so it does if another page was to send the prompt, and ended
   * before anybody could know whether it had.
   *
   * @param options.signal asks for the prompt back while the agent holds it; a turn is ended by
   *   {@link AgentSession.cancel}
   * @throws HoldfastError `unsupported` where the agent does not take such a block, `cancelled` where it gave
   *   it back,
   *   or {@link AgentSession.cancel} came before it had left, `elsewhere` where another page carries the
   *   session and cannot be reached, `rpc_error`, `outcome_unknown` ...
   */
  async prompt(
    content: string | readonly AgentContentBlock[], options: { signal?: AbortSignal } = {},
  ): Promise<PromptAccepted> {
    const { backend } = this.#use;
    const { facts } = backend;
    check("session/prompt", "options", options, GIVEN_UP);
    const prompt = promptBlocks(content, facts.capabilities);
    this.#mustBeOpen("session/prompt");
    const { latest } = this.#view.turns;
    const back = new AbortController();
    const giveBack = (): void => back.abort(options.signal?.reason);
    if (options.signal?.aborted) giveBack();
    options.signal?.addEventListener("abort", giveBack, { once: true });
    const begins = facts.version === 1 ? this.#view.turns.begins() : undefined;
    // Counted as the core says it: the end of its turn may follow at once (fault 184).
    const taken = (): void => this.#view.turns.accepted(latest);
    const answer = backend.request<{ messageId?: unknown } | null>(
      this.#handle, "session/prompt", { sessionId: this.id, prompt }, back.signal, begins ? undefined : taken,
    );
    try {
      const accepted = await (begins ? Promise.race([answer, begins]) : answer);
      if (begins) taken(); // the answer of version 1 ends the turn
      return typeof accepted?.messageId === "string" ? { messageId: accepted.messageId } : {};
    } finally {
      options.signal?.removeEventListener("abort", giveBack);
      if (begins) answer.catch((error: HoldfastError) => this.#view.turns.failed(error));
    }
  }

  /**
   * Resolves when the turn under way has ended, with how; at once, with the last
   * one, where the session is idle. After `await prompt()` that is the prompt's
   * turn. An agent that never says that it is idle never ends one.
   */
  settled(): Promise<TurnEnd> {
    if (this.#closed) return Promise.reject(this.#over("settled"));
    return this.#view.turns.settled();
  }

  /**
   * Cancels the turn under way, and takes back what the agent holds and what has not left.
   * The turn ends when the agent says so, with "cancelled".
   */
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
    if (typeof configId !== "string" || configId === "")
      throw badArgument(op, "configId", "has to be that of an option");
    if (typeof value !== "string" && typeof value !== "boolean")
      throw badArgument(op, "value", "has to be a text, or true or false");
    await this.request(op, { configId, ...this.#use.backend.facts.dialect.configValue(value) });
  }

  /**
   * Has the agent work in another mode: session/set_mode of version 1, in version 2
   * the setting that took its place. Throws `unsupported` where there are no modes.
   */
  async setMode(modeId: string): Promise<void> {
    const modes = this.#modes;
    checkMode(modes, modeId);
    if (modes.option) await this.setConfigOption(modes.option.configId, modeId);
    else await this.request("session/set_mode", { modeId });
  }

  /**
   * Forgets the session here and in the other pages: the transcript, and how to resume
   * the session. The agent does not learn of this, keeps the session and works on. For
   * agents that cannot close a session.
   */
  async forget(): Promise<void> {
    this.#mustBeOpen("forget");
    if (this.#followed && !this.#use.backend.canForward) {
      throw new HoldfastError({
        code: "elsewhere", op: "forget", message: "another page carries the session, and cannot be reached",
        retryable: true,
      });
    }
    const closed = new Promise<void>((resolve) => void this.on("closed", () => resolve()));
    this.#use.backend.forgetSession(this.#handle);
    await closed;
  }

  /**
   * Ends the session at the agent, with all that the agent still does in it, and forgets
   * the session here. The agent may keep the session, so that it can be resumed.
   */
  async close(): Promise<void> {
    await this.#endAs("session/close", "close");
  }

  /** The same, and the agent deletes it. */
  async delete(): Promise<void> {
    await this.#endAs("session/delete", "delete");
  }

  /**
   * Makes any request in the session's scope; `sessionId` is added. `signal` asks the agent to give it up.
   */
  async request<T = unknown>(
    method: string, params: Open = {}, options: { signal?: AbortSignal } = {},
  ): Promise<T> {
    if (this.#closed) throw this.#over(method);
    checkRequest(method, params, options);
    return this.#use.backend.request<T>(
      this.#handle, method, { ...params, sessionId: this.id }, options.signal,
    );
  }

  /** Sends any notification in the session's scope; resolves once the agent's server has it. */
  async notify(method: string, params: Open = {}): Promise<void> {
    if (this.#closed) throw this.#over(method);
    checkRequest(method, params);
    return this.#use.backend.notify(this.#handle, method, { ...params, sessionId: this.id });
  }

  /**
   * Listens to the session. Returns the function that stops listening. A listener
   * that throws is reported as an uncaught error and harms nobody.
   *
   * @throws HoldfastError `bad_argument` for an event that there is not
   */
  on<E extends keyof SessionEvents>(event: E, listener: (event: SessionEvents[E]) => void): () => void {
    checkListener(SESSION_EVENTS, event, listener);
    return this.#view.listeners.add(event, listener);
  }

  /**
   * The session's events from now on; what was before is in the transcript. Ends
   * with the session. Leaving the loop ends nothing.
   */
  [Symbol.asyncIterator](): AsyncIterableIterator<SessionEvent> {
    return this.#view.read();
  }

  /** @internal A runtime that takes the place of one that has exited has the session, too. */
  rebind(handle: number, made: Recalled): void {
    this.#handle = handle;
    this.#made = made;
    this.#followed = !made.owned;
    this.#questions.withdrawAll("connection");
    this.#view.reset();
  }

  /** @internal What was asked in it nobody waits for any more. */
  withdraw(): void {
    this.#questions.withdrawAll("connection");
  }

  /** @internal That question is this page's to answer. */
  assign(question: number): void {
    this.#questions.assign(question);
  }

  /** @internal Something has happened in it. */
  deliver(kind: number, position: number, text: string): void {
    switch (kind) {
      case EVENT.draft:
        this.#questions.draft(position, text);
        break;
      case EVENT.question:
        this.#questions.ask(position, text);
        break;
      case EVENT.withdrawn:
        this.#questions.withdraw(position, (JSON.parse(text) as { reason: string }).reason);
        break;
      case EVENT.status:
        this.#status(JSON.parse(text) as SessionStatus & { unknown?: true });
        break;
      default:
        this.#view.heard(kind, text);
    }
  }

  /**
   * @internal It is over; `error` says why, where the client has failed, `unknown` that nobody hears of the
   * end of a turn.
   */
  end(error?: HoldfastError, unknown?: HoldfastError): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#questions.withdrawAll("closed");
    this.#view.end(error ?? unknown ?? this.#over("settled"), error);
  }

  #status({ unknown, ...status }: SessionStatus & { unknown?: true }): void {
    const { state } = status;
    if (state === "followed" || state === "owned") {
      this.#followed = state === "followed";
      this.#questions.withdrawAll("moved"); // what is still open is asked again
    }
    this.#view.tell("status", status);
    if (state === "closed")
      this.end(
        undefined,
        unknown && new HoldfastError({
          code: "outcome_unknown", op: "settled",
          message: "the turn may go on: its user has logged out, and its stream has ended",
        }),
      );
  }

  get #modes(): SessionModes {
    return sessionModes((name) => this.#view.transcript.value(name), this.configOptions);
  }

  async #endAs(method: string, capability: "close" | "delete"): Promise<void> {
    if (!this.#use.backend.facts.capabilities.session?.[capability])
      throw unsupported(method, "the agent does not offer it");
    await this.request(method); // an agent that has no such session any more counts as one that has closed it
    this.end();
  }

  #cancellable(op: string, type: "tool_call" | "terminal", id: string): void {
    const item = this.transcript.find(
      (one): one is ToolCallItem | TerminalItem => one.type === type && one.id === id,
    );
    if (!item?.capabilities?.cancel) throw unsupported(op, "the agent does not offer to cancel it");
  }

  #mustBeOpen(op: string): void {
    if (this.#closed) throw this.#over(op);
  }

  #over(op: string): HoldfastError {
    return closedError(op, "the session is closed");
  }
}
