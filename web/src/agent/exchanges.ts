import { OUTCOME } from "../base/border.js";
import {
  closedError, errorFromGo, type GoError, HoldfastError, rpcError, type RPCError,
} from "../base/errors.js";
import type { Open } from "../base/mcp.js";
import { badArgument, checkSignal, notJSON, throwIfAborted } from "../base/arguments.js";
import type { Wire } from "../runtime/wire.js";

/** The agent has ended a request because it was asked to (schema: ErrorCode). */
const CANCELLED = -32800;

/** A request that waits for its answer. */
interface Waiting {
  method: string;
  /** See {@link Exchanges.request}. */
  answered?: ((result: unknown) => void) | undefined;
  resolve: (value: unknown) => void;
  reject: (error: HoldfastError) => void;
}

/** The state that allows or refuses a request. */
interface Able {
  /** The error that each operation ends with, once the client has ended; undefined before that. */
  over(op: string): HoldfastError | undefined;
  /** Resolves when the core has the client, where its store is being opened; undefined where that is so. */
  opening(): Promise<void> | undefined;
}

/** The requests and notifications of one client to its agent, until they are answered. */
export class Exchanges {
  readonly #wire: Wire;
  readonly #waiting = new Map<number, Waiting>();
  /** Callbacks of the requests that this page makes for others, by the number of the call here. */
  readonly #served = new Map<number, (outcome: number, text: string) => void>();
  readonly #able: Able;
  readonly #explain: (error: HoldfastError) => Promise<HoldfastError>;

  /** `explain` says why a session cannot be heard, which browsers hide. */
  constructor(wire: Wire, able: Able, explain?: (error: HoldfastError) => Promise<HoldfastError>) {
    this.#wire = wire;
    this.#able = able;
    this.#explain = explain ?? ((error) => Promise.resolve(error));
  }

  /**
   * Makes a request in the scope of a session, 0 for none. `signal` asks the agent to end it.
   * `answered` is called with its result, before anything that the core says next: who
   * waits for the promise hears of it only later.
   */
  async request<T>(
    session: number, method: string, params: Open, signal?: AbortSignal, answered?: (result: unknown) => void,
  ): Promise<T> {
    checkSignal(method, signal);
    throwIfAborted(method, signal); // as with fetch: nothing is sent
    const json = this.#json(method, params);
    if (this.#able.opening()) await this.#begun(method, session);
    let cancel: (() => void) | undefined;
    try {
      return await new Promise<T>((resolve, reject) => {
        const { runtime, handle } = this.#wire;
        runtime.agentRequest(handle, session, method, json, (id) => {
          this.#waiting.set(id, { method, answered, resolve: resolve as (value: unknown) => void, reject });
          cancel = () => runtime.agentCancel(handle, id);
          signal?.addEventListener("abort", cancel, { once: true });
        });
      });
    } finally {
      if (cancel) signal?.removeEventListener("abort", cancel);
    }
  }

  /** Sends a notification; resolves once the agent's server has it. */
  async notify(session: number, method: string, params: Open): Promise<void> {
    const json = this.#json(method, params);
    if (this.#able.opening()) await this.#begun(method, session);
    await new Promise<unknown>((resolve, reject) => {
      const { runtime, handle } = this.#wire;
      runtime.agentNotify(
        handle, session, method, json, (id) => this.#waiting.set(id, { method, resolve, reject }),
      );
    });
  }

  /** A call is made for another page, which hears what becomes of it. */
  serve(id: number, answered: (outcome: number, text: string) => void): void {
    this.#served.set(id, answered);
  }

  /** The core's Settle effect. */
  settle(id: number, outcome: number, text: string): void {
    this.#served.get(id)?.(outcome, text);
    this.#served.delete(id);
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    this.#waiting.delete(id);
    const { method, answered, resolve, reject } = waiting;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (cause) {
      reject(
        new HoldfastError({
          code: "protocol_error", op: method, message: "the answer cannot be read", cause,
        }),
      );
      return;
    }
    if (outcome === OUTCOME.result) {
      answered?.(value);
      resolve(value);
    } else if (outcome === OUTCOME.rpcError) reject(refusal(method, value as RPCError));
    else {
      const error = errorFromGo(value as GoError);
      if ((value as GoError).unheard) void this.#explain(error).then(reject, reject);
      else reject(error);
    }
  }

  /** The core answers nothing any more: all requests fail. */
  fail(error: (op: string) => HoldfastError): void {
    for (const { method, reject } of this.#waiting.values()) reject(error(method));
    this.#waiting.clear();
    this.#served.clear();
  }

  // Sessions do not outlast the change: what is asked in one is asked of nobody.
  async #begun(method: string, session: number): Promise<void> {
    if (session !== 0) throw closedError(method, "the session is another user's");
    await this.#able.opening();
    const over = this.#able.over(method);
    if (over) throw over;
  }

  #json(method: string, params: Open): string {
    return requestText(method, params, (op) => this.#able.over(op));
  }
}

/**
 * The params of a request as JSON; throws where it cannot be made, or `over` says why nothing can any more.
 */
export function requestText(
  method: string, params: Open, over: (op: string) => HoldfastError | undefined,
): string {
  if (typeof method !== "string" || method === "")
    throw badArgument("request", "method", "has to be the name of a method");
  const error = over(method);
  if (error) throw error;
  try {
    return JSON.stringify(params);
  } catch (cause) {
    throw notJSON(method, "params", cause);
  }
}

function refusal(method: string, rpc: RPCError): HoldfastError {
  if (rpc.code !== CANCELLED) return rpcError(method, rpc);
  return new HoldfastError({ code: "cancelled", op: method, message: "the agent has given it back", rpc });
}
