import type { Call, CallControl } from "../../client/call.js";
import type { RawEvent } from "../../client/events.js";
import { missing } from "../../client/storedevents.js";
import type { HoldfastError } from "../../base/errors.js";
import type { Gap } from "../../base/eventqueue.js";

/** Where a call is at a host: its number there, and what it asks there. */
export interface At {
  readonly number: number;
  readonly control: CallControl;
}

type Tell = (call: number, ...told: unknown[]) => void;

/**
 * A call whose worker has ended: the next one has it, or it has ended with that. What the app asks of it
 * meanwhile waits.
 */
export class Adrift {
  readonly call: Call<unknown>;
  /** What it ends with where no worker has it. */
  readonly #error: HoldfastError;
  /** At the worker that has ended. */
  readonly #was: At;
  #resolve!: (next: At | undefined) => void;
  readonly #next = new Promise<At | undefined>((resolve) => (this.#resolve = resolve));

  constructor(call: Call<unknown>, was: At, error: HoldfastError) {
    this.call = call;
    this.#was = was;
    this.#error = error;
    call.bind(was.number, this.control, undefined, true);
  }

  /** That worker has it. */
  land(at: At): void {
    this.call.bind(at.number, at.control, undefined, true);
    this.#resolve(at);
  }

  /** None has it. */
  sink(error: HoldfastError = this.#error): void {
    this.call.bind(this.#was.number, this.#was.control, undefined, true);
    this.#resolve(undefined);
    this.call.fail(error);
  }

  get control(): CallControl {
    const waits = ["cancel", "pause", "answer", "handed", "acted", "park", "draft"] as const;
    const later = waits.map((what) => {
      const tell = ({ number, control }: At, told: unknown[]): void => (control[what] as Tell)(number, ...told);
      return [what, (_: number, ...told: unknown[]) => void this.#next.then((at) => at && tell(at, told))];
    });
    return {
      ...(Object.fromEntries(later) as Pick<CallControl, (typeof waits)[number]>),
      ack: (_, position) => {
        const stored = this.#next.then((at = this.#was) => at.control.ack(at.number, position));
        stored.catch(() => {}); // nobody has to look at it
        return stored;
      },
      peek: () => this.call.peeked(0, `{"status":"working"}`),
      reread: (_, gap) => this.#reread(gap),
      rerun: (call) => this.#was.control.rerun(call),
    };
  }

  async *#reread(gap: Gap): AsyncGenerator<RawEvent, void, undefined> {
    const at = await this.#next;
    const events = at?.control.reread(at.number, gap) ?? missing(gap);
    for await (const event of { [Symbol.asyncIterator]: () => events }) yield event;
  }
}
