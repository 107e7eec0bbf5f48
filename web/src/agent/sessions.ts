import type { HoldfastError } from "../shared/errors.js";
import { AgentSession, type Recalled, type SessionUse } from "./session.js";

/** The sessions of one agent's client, by the core's number for each. */
export class Sessions {
  readonly #use: SessionUse;
  readonly #known: (session: AgentSession) => void;
  readonly #byHandle = new Map<number, AgentSession>();

  /** `known` hears of each that was not known before. */
  constructor(use: SessionUse, known: (session: AgentSession) => void) {
    this.#use = use;
    this.#known = known;
  }

  /** Those that are not over, in the order in which they came to be known. */
  get open(): AgentSession[] {
    return [...this.#byHandle.values()].filter(({ closed }) => !closed);
  }

  /** The one that the agent calls so. */
  named(id: unknown): AgentSession | undefined {
    return this.open.find((session) => session.id === id);
  }

  /** The core's Recall effect. */
  recall(handle: number, text: string): void {
    const made = JSON.parse(text) as Recalled;
    const session = this.named(made.sessionId);
    if (session) {
      // A new runtime counts its handles from the start.
      for (const [old, one] of this.#byHandle) if (one === session) this.#byHandle.delete(old);
      this.#byHandle.set(handle, session);
      session.rebind(handle, made);
      return;
    }
    const another = new AgentSession(handle, made, this.#use);
    this.#byHandle.set(handle, another);
    this.#known(another);
  }

  /** The core's Deliver effect for a session. */
  deliver(handle: number, kind: number, position: number, text: string): void {
    const session = this.#byHandle.get(handle);
    session?.deliver(kind, position, text);
    if (session?.closed) this.#byHandle.delete(handle);
  }

  /** All of them are over. */
  end(error?: HoldfastError): void {
    for (const session of this.#byHandle.values()) session.end(error);
    this.#byHandle.clear();
  }
}
