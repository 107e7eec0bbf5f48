import type { HoldfastError } from "../base/errors.js";
import type { Host } from "../base/host.js";
import type { Listeners } from "../base/listeners.js";
import type { Usage } from "../storage/storage.js";
import type { Durability } from "../tabs/journalclient.js";
import type { AgentEvents, AgentState } from "./agentevents.js";
import type { Recalled, SessionBackend } from "./sessionbackend.js";

/**
 * What was dropped or repaired since connecting, by name; what is not there has
 * not happened: `cuts`, `integrity`, `malformed`, `unknownResponses`,
 * `unknownSessions`, `quarantinedRecords`, `unsafeVisits`.
 */
export interface AgentCounters {
  readonly [name: string]: number;
}

/**
 * The runtime below the public agent, wherever it runs. Only data, an `AbortSignal` and the app's listeners
 * cross it, so that a message port can carry it.
 */
export interface AgentBackend extends SessionBackend {
  /** Where the runtime runs. */
  readonly host: Host;
  /** Where the client stands. */
  readonly state: AgentState;
  /** Where sessions are kept. */
  readonly durability: Durability;
  /** Counters of the messages that the client has dropped or repaired so far. */
  readonly counters: AgentCounters;
  /** The app's listeners of this client. */
  readonly listeners: Listeners<AgentEvents>;
  /** Sends all events to that viewer, from the first session on. */
  bind(viewer: AgentViewer): void;
  /** The storage that this agent's and user's data takes; null for none. */
  stored(): Promise<Usage | null>;
  /** Ends the client; `terminate` ends the connection at the agent, too. */
  close(terminate: boolean): Promise<void>;
  /** Ends it, and deletes all that is stored of this agent and user. */
  logout(): Promise<void>;
}

/** The agent, as its backend calls it, in the order in which events happen. */
export interface AgentViewer {
  /** There is a session: a new one, or one that has another number from here on. */
  recall(session: number, made: Recalled): void;
  /** An event has come in a session, or outside of all. */
  deliver(session: number, kind: number, position: number, text: string): void;
  /** The question is assigned to this page: its handler answers, where there is one. */
  assign(session: number, question: number): void;
  /**
   * The runtime has exited, or the client in it has ended: what was asked nobody waits for any more. The next
   * one asks again, and its numbers say nothing of these.
   */
  withdraw(): void;
  /** The sessions are over; `error` says why, where the client has failed. */
  end(error?: HoldfastError): void;
}
