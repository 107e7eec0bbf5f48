import type { HoldfastError } from "../base/errors.js";
import type { Recalled } from "./sessionbackend.js";
import { AgentSession, type AgentSessionUse } from "./session.js";

/** The sessions of one agent's client, by the backend's number for each. */
export class Sessions {
  readonly #use: AgentSessionUse;
  readonly #known: (session: AgentSession) => void;
  readonly #byHandle = new Map<number, AgentSession>();
  /** A number that no backend gives, for a session whose own is another's now. */
  #none = 0;

  /** `known` hears of each that was not known before. */
  constructor(use: AgentSessionUse, known: (session: AgentSession) => void) {
    this.#use = use;
    this.#known = known;
  }

  /** The sessions that have not ended, in the order in which the page learned of them. */
  get open(): AgentSession[] {
    return [...this.#byHandle.values()].filter(({ closed }) => !closed);
  }

  /** The one that the agent calls so. */
  named(id: unknown): AgentSession | undefined {
    return this.open.find((session) => session.id === id);
  }

  /** There is that session. */
  recall(handle: number, made: Recalled): void {
    const session = this.named(made.sessionId);
    // A new runtime counts its handles from the start, maybe in another order.
    const before = this.#byHandle.get(handle);
    if (before && before !== session) this.#byHandle.set(--this.#none, before);
    if (session) {
      for (const [old, one] of this.#byHandle) if (one === session) this.#byHandle.delete(old);
      this.#byHandle.set(handle, session);
      session.rebind(handle, made);
      return;
    }
    const another = new AgentSession(handle, made, this.#use);
    this.#byHandle.set(handle, another);
    this.#known(another);
  }

  /** The backend has delivered an event in a session. */
  deliver(handle: number, kind: number, position: number, text: string): void {
    const session = this.#byHandle.get(handle);
    session?.deliver(kind, position, text);
    if (session?.closed) this.#byHandle.delete(handle);
  }

  /** The backend has assigned the question in that session to this page. */
  assign(handle: number, question: number): void {
    this.#byHandle.get(handle)?.assign(question);
  }

  /** Withdraws the open questions of all sessions. */
  withdraw(): void {
    for (const session of this.#byHandle.values()) session.withdraw();
  }

  /** All sessions have ended. */
  end(error?: HoldfastError): void {
    for (const session of this.#byHandle.values()) session.end(error);
    this.#byHandle.clear();
  }
}
