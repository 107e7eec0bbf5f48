import type { AgentClient } from "../agent/agentclient.js";
import { HoldfastError } from "../shared/errors.js";
import type { Open } from "../shared/mcp.js";
import { errorData } from "./errordata.js";
import type { HostMessage, PageMessage } from "./protocol.js";

/** A request that has no answer. */
interface OpenRequest {
  readonly method: string;
  readonly abort: AbortController;
}

/** Requests that make sessions known. */
const MAKING: ReadonlySet<string> = new Set(["session/new", "session/load", "session/resume"]);

/** What one page asks of an agent, and waits for. */
export class AgentRequests {
  readonly #send: (message: HostMessage) => void;
  readonly #open = new Map<number, OpenRequest>();

  constructor(send: (message: HostMessage) => void) {
    this.#send = send;
  }

  /** Whether one is under way that may make a session known. */
  get mayMakeSession(): boolean {
    return [...this.#open.values()].some(({ method }) => MAKING.has(method));
  }

  /** Carries one out, in the session of that handle. */
  make(client: AgentClient, handle: number, { ask, method, params, notifies }: Extract<PageMessage, { t: "request" }>): void {
    const given = JSON.parse(params) as Open;
    const abort = new AbortController();
    this.#open.set(ask, { method, abort });
    const answer = (said: { value?: unknown; error?: unknown }): void => {
      if (!this.#open.delete(ask)) return;
      this.#send({ t: "answered", ask, ...("error" in said ? { error: errorData(said.error) } : { value: said.value }) });
    };
    // The answer crosses before all that the core says next.
    const made = notifies ? client.notify(handle, method, given) : client.request(handle, method, given, abort.signal, (value) => answer({ value }));
    made.then(
      (value) => answer({ value }),
      (error: unknown) => answer({ error }),
    );
  }

  /** Refuses one. */
  refuse({ ask }: Extract<PageMessage, { t: "request" }>, error: HoldfastError): void {
    this.#send({ t: "answered", ask, error: errorData(error) });
  }

  /** Nobody waits for that answer any more. */
  giveUp(ask: number, why: string): void {
    this.#open.get(ask)?.abort.abort(why);
  }

  /** The page hears no more of them but this. `takesBack`: what the agent does not have is not to reach it. */
  end(message: string, takesBack: boolean): void {
    const all = [...this.#open];
    this.#open.clear();
    for (const [ask, { method, abort }] of all) {
      this.#send({ t: "answered", ask, error: errorData(new HoldfastError({ code: "closed", op: method, message })) });
      if (takesBack) abort.abort(message);
    }
  }
}
