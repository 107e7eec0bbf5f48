import { HoldfastError } from "holdfast";
import type {
  Agent,
  AgentContentBlock as ContentBlock,
  AgentQuestion,
  AgentSession,
  PendingPrompt,
  PromptAccepted,
  SessionEvents,
  SessionOptions,
  SessionState,
  StopReason,
  TranscriptItem,
} from "holdfast/agent";
import { badArgument, checkAgent } from "../shared/checks.js";
import { Observed, type Store } from "./observed.js";

/** A session with an agent as it stands. */
export interface AgentSessionSnapshot {
  /**
   * `looking`: the sessions of earlier pages are being read; `missing`: there is none, or none of that id;
   * `closed`: it is over. Else who is at work.
   */
  readonly state: SessionState | "looking" | "missing" | "closed";
  /** The session; undefined where there is none. */
  readonly session: AgentSession | undefined;
  readonly title: string | undefined;
  /** The transcript, in order. Items are compared with `===`. */
  readonly transcript: readonly TranscriptItem[];
  /** Prompts that are not in the transcript yet: show them below. */
  readonly pending: readonly PendingPrompt[];
  /** Requests of the agent that have no answer yet: permissions and elicitations. */
  readonly requests: readonly AgentQuestion[];
  /** Why the last turn ended. */
  readonly stopReason: StopReason | undefined;
  /** Begins a session, which is shown from then on, unless an id was named. */
  newSession(options: SessionOptions): Promise<AgentSession>;
  /** As {@link AgentSession.prompt}; rejects with `no_session` where there is none. */
  prompt(content: string | readonly ContentBlock[]): Promise<PromptAccepted>;
  /** As {@link AgentSession.cancel}. */
  cancel(): Promise<void>;
}

const noSession = (op: string): Promise<never> =>
  Promise.reject(
    new HoldfastError({
      code: "no_session", op, message: "there is no session", hint: "Begin one with newSession({ cwd }).",
    }),
  );

/**
 * The snapshot before there is an agent, and of a server that renders the page: the same object each time.
 */
export const emptySession: AgentSessionSnapshot = Object.freeze({
  state: "looking",
  session: undefined,
  title: undefined,
  transcript: [],
  pending: [],
  requests: [],
  stopReason: undefined,
  newSession: () => noSession("session/new"),
  prompt: () => noSession("session/prompt"),
  cancel: () => noSession("session/cancel"),
});

/** After each of them a session may have changed. */
const EVENTS = Object.keys({
  update: 1,
  reset: 1,
  values: 1,
  pending: 1,
  turn: 1,
  request: 1,
  withdrawn: 1,
  resumed: 1,
  status: 1,
  guarantee: 1,
  notification: 1,
  integrity: 1,
  closed: 1,
} satisfies Record<keyof SessionEvents, 1>) as (keyof SessionEvents)[];

/** One session of an agent: that of an id, or the newest that is open. */
class SessionStore extends Observed<AgentSessionSnapshot> {
  readonly #agent: Agent;
  readonly #id: string | undefined;
  #session: AgentSession | undefined;
  #looked = false;
  /** Counts how often it has looked: what is overtaken is of another user. */
  #looks = 0;
  #stop: (() => void)[] = [];
  #leave: (() => void)[] = [];

  constructor(agent: Agent, id: string | undefined) {
    super();
    this.#agent = agent;
    this.#id = id;
    // As long as the agent lives: its user may change while no component is there, and the next one is drawn
    // before it looks.
    agent.on("state", ({ state, anotherUser }) => {
      if (anotherUser || state === "closed") this.#over();
    });
  }

  protected override begin(): void {
    this.#stop = [
      this.#agent.on("session", ({ session }) => this.#found(session)),
      this.#agent.on("state", () => this.changed()),
    ];
    void this.#look();
  }

  protected override end(): void {
    for (const stop of this.#stop) stop();
    this.#forget();
  }

  /** Releases the session: the last listener has left, or the session is another user's. */
  #forget(): void {
    for (const leave of this.#leave) leave();
    this.#leave = [];
    this.#session = undefined;
  }

  /**
   * The snapshot was the last user's, or has been deleted: a closed client shows no session, as it shows no
   * calls.
   */
  #over(): void {
    this.#forget();
    this.#looked = false;
    this.publish();
    if (this.heard) void this.#look();
  }

  async #look(): Promise<void> {
    const look = ++this.#looks;
    const all = await this.#agent.sessions();
    if (!this.heard || look !== this.#looks) return;
    for (const session of all) this.#found(session);
    this.#looked = true;
    this.changed();
  }

  #found(session: AgentSession): void {
    if (session === this.#session || (this.#id !== undefined && session.id !== this.#id)) return;
    if (session.closed && this.#session) return;
    for (const leave of this.#leave) leave();
    this.#session = session;
    this.#leave = EVENTS.map((event) => session.on(event, () => this.changed()));
    this.changed();
  }

  protected current(): AgentSessionSnapshot {
    const session = this.#session;
    if (!session)
      return { ...emptySession, state: this.#looked ? "missing" : "looking", newSession: this.#newSession };
    const { title, transcript, pending, requests, stopReason } = session;
    const state = session.closed ? "closed" : session.state;
    return {
      state, session, title, transcript, pending, requests, stopReason, newSession: this.#newSession,
      prompt: this.#prompt, cancel: this.#cancel,
    };
  }

  readonly #newSession = async (options: SessionOptions): Promise<AgentSession> => {
    const session = await this.#agent.newSession(options);
    if (this.heard) this.#found(session);
    return session;
  };

  readonly #prompt =
    (content: string | readonly ContentBlock[]): Promise<PromptAccepted> => this.#session?.prompt(content) ??
    noSession("session/prompt");

  readonly #cancel = (): Promise<void> => this.#session?.cancel() ?? noSession("session/cancel");
}

const stores = new WeakMap<Agent, Map<string | undefined, SessionStore>>();

/**
 * Observes a session of an agent's, of this page or of an earlier one: its transcript, who is at work, and
 * what the agent asks. Without an id it is the newest session that there is.
 *
 * @throws HoldfastError `bad_argument`
 */
export function observeAgentSession(agent: Agent, sessionId?: string): Store<AgentSessionSnapshot> {
  checkAgent("observeAgentSession", agent);
  if (sessionId !== undefined && (typeof sessionId !== "string" || sessionId === ""))
    throw badArgument("observeAgentSession", "sessionId", "has to be that of a session");
  let all = stores.get(agent);
  if (!all) stores.set(agent, (all = new Map()));
  let store = all.get(sessionId);
  if (!store) all.set(sessionId, (store = new SessionStore(agent, sessionId)));
  return store;
}
