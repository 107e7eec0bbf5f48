import { HoldfastError } from "../base/errors.js";
import type { Wire } from "../runtime/wire.js";

const OP = "ack";

/** Acknowledgements that the app has given, until the store has them. */
export class Acks {
  readonly #wire: Wire;
  readonly #landed: () => Promise<void>;
  readonly #waiting = new Map<number, { resolve: () => void; reject: (error: HoldfastError) => void }>();
  #ticket = 0;
  #over: HoldfastError | undefined;

  /** `landed` resolves when the commit under way is over. */
  constructor(wire: Wire, landed: () => Promise<void>) {
    this.#wire = wire;
    this.#landed = landed;
  }

  /**
   * Says it of a call's events up to a position, 0 for all; resolves when that is stored. Nobody has to look
   * at the promise.
   */
  ask(call: number, position: number): Promise<void> {
    if (this.#over) return quiet(Promise.reject(this.#over));
    // the core has no client yet, and nothing of the call
    if (this.#wire.handle === 0) return Promise.resolve();
    const ticket = (this.#ticket = (this.#ticket + 1) >>> 0 || 1);
    const promise = new Promise<void>((resolve, reject) => this.#waiting.set(ticket, { resolve, reject }));
    this.#wire.runtime.ack(this.#wire.handle, call, position, ticket);
    return quiet(promise);
  }

  /** The core's EVENT.acked. */
  answered(ticket: number, text: string): void {
    const waiting = this.#waiting.get(ticket);
    this.#waiting.delete(ticket);
    if (!waiting) return;
    if ((JSON.parse(text) as { stored: boolean }).stored) {
      // of a client that is being closed it may be on its way still
      void this.#landed().then(waiting.resolve);
    } else {
      waiting.reject(
        new HoldfastError({
          code: "storage_failed",
          op: OP,
          message: "it is not stored: a later page may be told of these events again",
          retryable: true,
        }),
      );
    }
  }

  /** The core sends no more reports: each acknowledgement that waits is rejected. */
  fail(why: (op: string) => HoldfastError): void {
    const error = why(OP);
    if (error.code !== "runtime_exited") this.#over = error; // else another runtime takes its place
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

function quiet(promise: Promise<void>): Promise<void> {
  promise.catch(() => {});
  return promise;
}
