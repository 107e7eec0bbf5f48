import type { ResumedEvent, StatusEvent } from "../base/streamevents.js";
import type { Open } from "../base/mcp.js";
import type { BackgroundWork, SessionState, TurnEnd } from "./acp.js";
import type { PendingPrompt, TranscriptItem } from "./items.js";
import type { AgentQuestion } from "./questions.js";

/**
 * Why a request of the agent's needs no answer any more. `agent`: it took it back.
 * `cancelled`: the turn was cancelled. `answered`: another page was first.
 * `connection`: the agent has lost what it was asked on. `refused`: it did not
 * take the answer. `moved`: another page carries the session, or this one again, or has saved
 * more of the answer; what is still open is asked again. `closed`: the session or the client is.
 */
export type WithdrawnReason =
  "agent" | "cancelled" | "answered" | "connection" | "refused" | "moved" | "closed" | (string & {});

/** The state of a stream. */
export interface SessionStatus extends Omit<StatusEvent, "type" | "position" | "state"> {
  /** The state, as of a call's stream; `closed`: the session has ended. */
  state: StatusEvent["state"] | "closed";
}

/** Events of a session ({@link AgentSession.on}; iterated, with `type`). */
export interface SessionEvents {
  /**
   * An item is new, or another item takes its place. All changes of an item within one
   * task of the browser's are one event.
   */
  update: { item: TranscriptItem; index: number };
  /** The agent has sent the transcript once more: show it from the start. */
  reset: object;
  /**
   * Values of the session as a whole have changed: `names` of `title`, `availableCommands`, `configOptions`,
   * `usage` ...
   */
  values: { names: readonly string[] };
  /**
   * {@link AgentSession.pending} has changed. `unsent` is a prompt that is no longer
   * pending and is not in the transcript. The agent refused the prompt, or gave it back; or
   * a page that ended left the prompt behind, and the agent has said nothing of it since.
   * Nobody sends the prompt again by itself.
   */
  pending: { unsent?: PendingPrompt };
  /** The state of the session has changed. Once for each turn, the turn has ended. */
  turn: SessionTurn;
  /** The agent asks for something. */
  request: { request: AgentQuestion };
  /** The request needs no answer any more; `reason` says why. */
  withdrawn: { request: AgentQuestion; reason: WithdrawnReason };
  /**
   * What became of what was said while nobody could hear it. `continued`: the
   * agent has sent the history once more, and it was swapped in. `restarted`: the same,
   * on a new connection. `gap`: it cannot tell it, and something may be missing.
   */
  resumed: Omit<ResumedEvent, "type" | "position">;
  /** The state of the session's stream has changed; `followed` and `owned` say which page carries it. */
  status: SessionStatus;
  /** The guarantee for the session on a reload has changed. */
  guarantee: { guarantee: string };
  /** A notification about the session that is no update. */
  notification: { method: string; params?: unknown };
  /**
   * The agent broke a rule; `what` says which. `servers_lost` is none of the agent's: the
   * session goes on without its MCP servers, since there was no cipher to keep them
   * with, until {@link Agent.resumeSession} names them again.
   */
  integrity: { what: string; cause?: string };
  /** The session is over, for this client at least. The last event. */
  closed: object;
}

/** @internal Their names. */
export const SESSION_EVENTS: Readonly<Record<keyof SessionEvents, 1>> = {
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
};

/** An event of a session, when it is iterated. */
export type SessionEvent = {
  [E in keyof SessionEvents]: { type: E } & SessionEvents[E]
}[keyof SessionEvents];

/** The state of a turn. */
export interface SessionTurn extends TurnEnd {
  state: SessionState;
  /** Counts the session's turns, from 1. */
  turn: number;
  /** True once for each turn. */
  ended: boolean;
  /** Work that continues beside the turns; undefined where the agent does not say. */
  background?: BackgroundWork[] | null;
  _meta?: Open | null;
}
