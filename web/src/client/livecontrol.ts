import type { Call } from "./call.js";
import type { HoldfastError } from "../base/errors.js";
import type { Gap } from "../base/eventqueue.js";
import type { RawEvent } from "./events.js";
import { missing } from "./storedevents.js";
import type { Made, CoreCall, CoreControl } from "./corecall.js";

/**
 * Requests of calls to one runtime. After the runtime exits, its ids may mean other calls: the next runtime
 * gives stored calls new ids. Old controls therefore do nothing.
 */
export class LiveControl implements CoreControl {
  readonly #control: CoreControl;
  #exited: ((op: string) => HoldfastError) | undefined;

  constructor(control: CoreControl) {
    this.#control = control;
  }

  /** The runtime has exited; `why` makes the error of whoever asks for something still. */
  end(why: (op: string) => HoldfastError): void {
    this.#exited = why;
  }

  cancel(call: number, reason: string): void {
    if (!this.#exited) this.#control.cancel(call, reason);
  }

  pause(call: number, paused: boolean): void {
    if (!this.#exited) this.#control.pause(call, paused);
  }

  answer(call: number, responses: string): void {
    if (!this.#exited) this.#control.answer(call, responses);
  }

  ack(call: number, position: number): Promise<void> {
    if (!this.#exited) return this.#control.ack(call, position);
    const refused = Promise.reject<void>(this.#exited("ack"));
    refused.catch(() => {}); // nobody has to look at it
    return refused;
  }

  revoke(call: number): void {
    if (!this.#exited) this.#control.revoke(call);
  }

  handed(call: number): void {
    if (!this.#exited) this.#control.handed(call);
  }

  acted(call: number): void {
    if (!this.#exited) this.#control.acted(call);
  }

  peek(call: number): void {
    if (!this.#exited) this.#control.peek(call);
  }

  draft(call: number, key: string, draft: string): void {
    if (!this.#exited) this.#control.draft(call, key, draft);
  }

  park(call: number, parked: boolean): void {
    if (!this.#exited) this.#control.park(call, parked);
  }

  reread(call: number, gap: Gap): AsyncIterator<RawEvent> {
    return this.#exited ? missing(gap) : this.#control.reread(call, gap);
  }

  rerun(call: Call<unknown>, made?: Made): CoreCall<unknown> {
    if (this.#exited) throw this.#exited("replay");
    return this.#control.rerun(call, made);
  }
}
