import type { OpenAgent } from "../../agent/openagent.js";
import { closedError } from "../../base/errors.js";
import { type AgentPage, AgentView } from "./agentview.js";
import { errorData } from "../wire/errordata.js";
import type { PageMessage } from "../wire/protocol.js";

/** The agents' clients that one page has here, by their numbers on the port. */
export class PortAgents {
  readonly #page: AgentPage;
  readonly #open: OpenAgent;
  readonly #views = new Map<number, AgentView>();

  /** `open` opens a client here. */
  constructor(page: AgentPage, open: OpenAgent) {
    this.#page = page;
    this.#open = open;
  }

  /** Number of the page's agents here. */
  get size(): number {
    return this.#views.size;
  }

  /** Opens one. */
  open(message: Extract<PageMessage, { t: "agent" }>): void {
    if (this.#views.has(message.client)) return;
    const ended = (view: AgentView): void => void this.#views.delete(view.number);
    const view = new AgentView(this.#page, this.#open, ended, message);
    this.#views.set(message.client, view);
    void view.open(message);
  }

  /** The view under that number. */
  get(client: number): AgentView | undefined {
    return this.#views.get(client);
  }

  /** Takes a message of the page to an agent's client, which may have ended. */
  take(message: Extract<PageMessage, { t: "request" | "respond" | "save" | "forgetSession" }>): void {
    const view = this.#views.get(message.client);
    switch (message.t) {
      case "request":
        if (view) return view.request(message);
        this.#page.send({ t: "answered", ask: message.ask, error: errorData(closedError(message.method)) });
        break;
      case "respond":
        view?.respond(message);
        break;
      case "save":
        view?.save(message);
        break;
      case "forgetSession":
        view?.forget(message);
        break;
    }
  }

  /** Carries out what the page asks of the client itself. */
  async ask(client: number, method: string): Promise<unknown> {
    const view = this.#views.get(client);
    if (!view) throw closedError(method);
    switch (method) {
      case "stored":
        return view.stored();
      case "close":
      case "terminate":
      case "logout":
        if (view.isOpen) await view.close(method);
        else view.abort();
        return undefined;
      default:
        throw new TypeError(method);
    }
  }

  /** Aborts an ask: no caller waits for its answer any more. */
  abort(ask: number, why: string): void {
    for (const view of this.#views.values()) view.giveUp(ask, why);
  }

  /** Events were sent. */
  touched(): void {
    for (const view of this.#views.values()) view.touched();
  }

  /** The page takes events again. */
  resume(): void {
    for (const view of this.#views.values()) view.resume();
  }

  /** The page is away, or back. */
  presenceChanged(): void {
    for (const view of this.#views.values()) view.presenceChanged();
  }

  /** The page has gone. */
  end(): void {
    for (const view of this.#views.values()) view.left();
    this.#views.clear();
  }
}
