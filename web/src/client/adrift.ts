import { EVENT } from "../base/border.js";
import type { HoldfastError } from "../base/errors.js";
import type { Gap } from "../base/eventqueue.js";
import type { Call, CallControl } from "./call.js";
import type { RecalledCall } from "./callcontrol.js";
import type { RawEvent } from "./events.js";

/** The requests that a holder of a call can make of the runtime or worker that carries the call. */
type Control = CallControl & { revoke?(call: number): void };

/** The place of a call in a runtime or worker: its number there, and its control there. */
export interface At {
  readonly number: number;
  readonly control: Control;
}

type Tell = ((call: number, ...told: unknown[]) => unknown) | undefined;

/** Requests about a call that wait until the next runtime or worker has the call. */
const WAITING = [
  "cancel", "pause", "answer", "ack", "handed", "acted", "park", "peek", "draft", "revoke",
] as const;

/**
 * A call whose runtime or worker has ended: the next one has it, or it has ended with that. What the app
 * asks of it meanwhile waits.
 */
export class Adrift<C extends Call<unknown> = Call<unknown>> {
  readonly call: C;
  /** The error that ends the call if no other runtime has the call. */
  readonly #error: HoldfastError;
  /** The place of the call in the runtime or worker that has ended. */
  readonly #was: At;
  #resolve!: (next: At | undefined) => void;
  readonly #next = new Promise<At | undefined>((resolve) => (this.#resolve = resolve));

  constructor(call: C, was: At, error: HoldfastError) {
    this.call = call;
    this.#was = was;
    this.#error = error;
    this.#bind({ number: was.number, control: this.control });
  }

  /** The next one has it, as the store does. */
  land(at: At, { owned, guarantee }: Partial<RecalledCall>): void {
    const { call } = this;
    this.#bind(at);
    this.#resolve(at);
    call.takenUp(owned === false);
    if (call.isAsked) call.deliver(EVENT.input, call.position, ""); // it is asked again
    if (guarantee === undefined || guarantee === call.guarantee) return;
    call.deliver(EVENT.guarantee, call.position, JSON.stringify({ guarantee }));
  }

  /** Ends the call with an error: no other runtime has the call. */
  sink(error: HoldfastError = this.#error): void {
    this.#bind(this.#was);
    this.#resolve(undefined);
    this.call.fail(error);
  }

  #bind({ number, control }: At): void {
    (this.call as Call<unknown>).bind(number, control, undefined, true);
  }

  get control(): Control {
    const waits = WAITING.map((what) => {
      const later = (_: number, ...told: unknown[]): Promise<unknown> => {
        const tell = ({ number, control } = this.#was): unknown => (control[what] as Tell)?.(number, ...told);
        const done = this.#next.then(tell);
        done.catch(() => {}); // nobody has to look at it
        return done;
      };
      return [what, later];
    });
    const reread = (_: number, gap: Gap): AsyncGenerator<RawEvent, void, undefined> => this.#reread(gap);
    const rerun: Control["rerun"] = (...call) => this.#was.control.rerun(...call);
    return { ...Object.fromEntries(waits), reread, rerun } as Control;
  }

  async *#reread(gap: Gap): AsyncGenerator<RawEvent, void, undefined> {
    const { number, control } = (await this.#next) ?? this.#was;
    const events = control.reread(number, gap);
    for await (const event of { [Symbol.asyncIterator]: () => events }) yield event;
  }
}

/** The calls of one client that are adrift. */
export class AdriftCalls<C extends Call<unknown>> {
  #all: Adrift<C>[] = [];

  get calls(): C[] {
    return this.#all.map(({ call }) => call);
  }

  add(call: C, was: At, error: HoldfastError): void {
    this.#all.push(new Adrift(call, was, error));
  }

  /** Goes on with the one that is stored so, where it is one of them. */
  land(at: At, stored: Partial<RecalledCall>): C | undefined {
    const adrift = this.#all.find(({ call }) => call.id === stored.id && call.createdAt === stored.createdAt);
    if (!adrift) return undefined;
    this.#all = this.#all.filter((one) => one !== adrift);
    adrift.land(at, stored);
    return adrift.call;
  }

  /** None of them has come back: `why` is why nothing comes any more, where it is that. */
  sink(why?: (op: string) => HoldfastError): void {
    for (const adrift of this.#all.splice(0)) {
      const error = why?.(adrift.call.method);
      adrift.sink(error?.code === "closed" ? error : undefined); // else it says what was under way
    }
  }
}
