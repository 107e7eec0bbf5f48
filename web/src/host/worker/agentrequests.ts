import type { AgentClient } from "../../agent/agentclient.js";
import { unlessAborted } from "../../connect/abort.js";
import { closedError } from "../../base/errors.js";
import type { Open } from "../../base/mcp.js";
import { errorData } from "../wire/errordata.js";
import type { HostMessage, PageMessage } from "../wire/protocol.js";

/** A request that has no answer. */
interface OpenRequest {
  readonly method: string;
  readonly abort: AbortController;
}

/** Receiver of a request: a client, and the client's number of the session; 0 for no session. */
interface Addressee {
  readonly client: AgentClient;
  readonly handle: number;
}

/** Requests that make sessions known. */
const MAKING: ReadonlySet<string> = new Set(["session/new", "session/load", "session/resume"]);

/** The page that asks. */
export interface AskingPage {
  send(message: HostMessage): void;
}

/** Requests that one page makes of an agent, and waits for. */
export class AgentRequests {
  readonly #page: AskingPage;
  readonly #open = new Map<number, OpenRequest>();

  constructor(page: AskingPage) {
    this.#page = page;
  }

  /** True if a request is under way that may make a session known, as `session/new`. */
  get mayMakeSession(): boolean {
    return [...this.#open.values()].some(({ method }) => MAKING.has(method));
  }

  /** Carries one out, where `to` says by then: once nothing is waited for. */
  make({ ask, method, params, notifies }: Extract<PageMessage, { t: "request" }>, wait: Promise<void> | undefined, to: () => Addressee): void {
    const given = JSON.parse(params) as Open;
    const abort = new AbortController();
    this.#open.set(ask, { method, abort });
    const answer = (said: { value?: unknown; error?: unknown }): void => {
      if (!this.#open.delete(ask)) return;
      this.#page.send({ t: "answered", ask, ...("error" in said ? { error: errorData(said.error) } : { value: said.value }) });
    };
    const send = async (): Promise<unknown> => {
      if (!this.#open.has(ask)) return undefined;
      const { client, handle } = to();
      // The answer crosses before all that the core says next.
      return notifies ? client.notify(handle, method, given) : client.request(handle, method, given, abort.signal, (value) => answer({ value }));
    };
    (wait ? unlessAborted(method, abort.signal, wait).then(send) : send()).then(
      (value) => answer({ value }),
      (error: unknown) => answer({ error }),
    );
  }

  /** Aborts a request: no caller waits for its answer any more. */
  giveUp(ask: number, why: string): void {
    this.#open.get(ask)?.abort.abort(why);
  }

  /** The page hears no more of them but this. The agent goes on with those that it has. */
  end(message: string): void {
    for (const [ask, { method }] of this.#open) this.#page.send({ t: "answered", ask, error: errorData(closedError(method, message)) });
    this.#open.clear();
  }
}
