import { EventQueue } from "./eventqueue.js";
import { errorFromGo, HoldfastError, rpcError, type RPCError } from "./errors.js";
import type { CallEvent } from "./events.js";
import type { Open } from "./mcp.js";

/** Numbers of core/engine Outcome. */
export const OUTCOME = { result: 1, rpcError: 2, failure: 3 } as const;

/** What a call needs of its client. */
export interface CallControl {
  cancel(call: number, reason: string): void;
  pause(call: number, paused: boolean): void;
  answer(call: number, responses: string): void;
}

/**
 * One request, over as many connections as it takes. Iterate it for its
 * events, await `result` for its outcome; both, either or neither.
 *
 * Leaving a loop, dropping the object or unloading the page cancels nothing:
 * only {@link Call.cancel} and the AbortSignal do.
 */
export class Call<T> implements AsyncIterable<CallEvent> {
  /** The JSON-RPC method. */
  readonly method: string;
  #id = 0;
  #control: CallControl | undefined;
  readonly #events: EventQueue;
  #settled = false;
  #value: T | undefined;
  #error: HoldfastError | undefined;
  #promise: Promise<T> | undefined;
  #resolve: ((value: T) => void) | undefined;
  #reject: ((error: HoldfastError) => void) | undefined;
  #undo: (() => void) | undefined;

  /** @internal Whether the app answers requests for input itself. */
  readonly manual: boolean;
  /** @internal How often the call asked for input. */
  rounds = 0;
  readonly #ended = new AbortController();

  /** @internal */
  constructor(method: string, backlog: number, manual = false) {
    this.method = method;
    this.manual = manual;
    this.#events = new EventQueue(backlog, (paused) => {
      if (!this.#settled) this.#control?.pause(this.#id, paused);
    });
  }

  /** Whether the call has ended. */
  get settled(): boolean {
    return this.#settled;
  }

  /**
   * The result; rejects with a {@link HoldfastError}. The promise is made when
   * first asked for, so a call that is only iterated never leaves an unhandled
   * rejection: the loop throws the error instead.
   */
  get result(): Promise<T> {
    this.#promise ??= new Promise<T>((resolve, reject) => {
      if (!this.#settled) {
        this.#resolve = resolve;
        this.#reject = reject;
      } else if (this.#error) reject(this.#error);
      else resolve(this.#value as T);
    });
    return this.#promise;
  }

  /**
   * Cancels the call: it rejects with code `cancelled`, and the server is told
   * with notifications/cancelled. Without effect on a call that has ended.
   */
  cancel(reason = ""): void {
    if (!this.#settled) this.#control?.cancel(this.#id, String(reason ?? ""));
  }

  /**
   * Answers an {@link InputEvent} of a call with `input: "manual"`: the call goes
   * on with these responses, by the keys of the requests.
   */
  answer(responses: Record<string, Open>): void {
    if (!this.#settled) this.#control?.answer(this.#id, Object.keys(responses).length === 0 ? "" : JSON.stringify(responses));
  }

  /** @internal Aborted when the call has ended. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /**
   * The events from the start, for the first reader; a later reader gets those
   * from its own start on. The loop ends with the call, and throws its error.
   */
  [Symbol.asyncIterator](): AsyncIterableIterator<CallEvent> {
    return this.#events.read();
  }

  /** @internal The call was sent under this id. */
  bind(id: number, control: CallControl, signal: AbortSignal | undefined): void {
    this.#id = id;
    this.#control = control;
    if (!signal) return;
    const abort = (): void => this.cancel(abortReason(signal));
    signal.addEventListener("abort", abort, { once: true });
    this.#undo = () => signal.removeEventListener("abort", abort);
  }

  /** @internal */
  deliver(kind: number, position: number, text: string): void {
    this.#events.push(kind, position, text);
  }

  /** @internal The core's Settle effect. */
  settle(outcome: number, text: string): void {
    try {
      const json: unknown = JSON.parse(text);
      if (outcome === OUTCOME.result) this.#end(json as T, undefined);
      else if (outcome === OUTCOME.rpcError) this.#end(undefined, rpcError(this.method, json as RPCError));
      else this.#end(undefined, errorFromGo(json as Parameters<typeof errorFromGo>[0]));
    } catch (cause) {
      // JSON.parse is the last judge of a payload.
      this.fail(new HoldfastError({ code: "protocol_error", op: this.method, message: "the result is not JSON", cause }));
    }
  }

  /** @internal Ends the call from outside the core. */
  fail(error: HoldfastError): void {
    this.#end(undefined, error);
  }

  #end(value: T | undefined, error: HoldfastError | undefined): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#value = value;
    this.#error = error;
    this.#undo?.();
    this.#ended.abort();
    this.#events.end(error);
    if (error) this.#reject?.(error);
    else this.#resolve?.(value as T);
  }
}

/** Why a signal was aborted, as text for the server. */
export function abortReason(signal: AbortSignal): string {
  const reason: unknown = signal.reason;
  return reason instanceof Error ? reason.message : typeof reason === "string" ? reason : "";
}
