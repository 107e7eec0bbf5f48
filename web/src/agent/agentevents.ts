import type { Durability, DurabilityReason } from "../tabs/journalclient.js";
import type { ClientState, StateEvent, TokenSubject } from "../base/clientstate.js";
import type { HostEvent } from "../base/host.js";
import type { AgentQuestion } from "./questions.js";
import type { AgentSession } from "./session.js";
import type { SessionStatus, WithdrawnReason } from "./sessionevents.js";

/** Where an agent's client stands, as a {@link McpClient} says it. */
export type AgentState = ClientState;

/** Events of an agent's client, by name ({@link Agent.on}). */
export interface AgentEvents {
  /** The client's state changed. `error` says why, for "failed". */
  state: StateEvent;
  /**
   * A session is known that was not: made or resumed here, by an earlier page, or by another one that is
   * open.
   */
  session: { session: AgentSession };
  /** The agent asks for something outside of any session, such as while it logs in. */
  request: { request: AgentQuestion };
  /** The request needs no answer any more; `reason` says why. */
  withdrawn: { request: AgentQuestion; reason: WithdrawnReason };
  /** A notification that belongs to no session. */
  notification: { method: string; params?: unknown };
  /** The state of the connection's own stream has changed. */
  status: SessionStatus;
  /** Where sessions are kept from now on; `why` says why they no longer outlive the page. */
  durability: { durability: Durability; why?: DurabilityReason };
  /**
   * Said once after connecting with `host: "auto"` where there is no shared worker, as a {@link McpClient}
   * says it.
   */
  host: HostEvent;
  /**
   * The token says whose it is, and that is not the `principal` that the app has named, as a
   * {@link McpClient} says it.
   */
  subject: TokenSubject;
  /**
   * The agent broke a rule; `what` says which. What came of it was dropped; of `unsafe_visit` it was told
   * `cancel`, as an MCP server is. `quarantined_record` is what is stored of a session and cannot be read.
   */
  integrity: { what: string; cause?: string };
}

/** @internal Their names. */
export const AGENT_EVENTS: Readonly<Record<keyof AgentEvents, 1>> = {
  state: 1,
  session: 1,
  request: 1,
  withdrawn: 1,
  notification: 1,
  status: 1,
  durability: 1,
  host: 1,
  subject: 1,
  integrity: 1,
};
