import type { Call, CallEvent, CallToolResult, InputEvent, Progress } from "holdfast";
import {
  EVENTS, type CallActions, type CallSnapshot, type CallState, type ObserveOptions,
} from "./callsnapshot.js";
import { checkCall, checkObserve } from "../shared/checks.js";
import { Observed, type Store } from "./observed.js";

/** The reading of a call's events: it begins with the first listener, and ends with the call. */
type Reading = "not" | "reading" | "read";

/**
 * Observes one call for all who show it: it is read once. Reading begins with the first who listens and goes
 * on when nobody does, so nothing is missed meanwhile, and nothing is cancelled.
 */
class CallStore<T> extends Observed<CallSnapshot<T>> {
  #call: Call<T>;
  #most = 0;
  #reading: Reading = "not";
  #events: CallEvent[] = [];
  #count = 0;
  #progress: Progress | undefined;
  #input: InputEvent | undefined;
  #paused = false;
  #awaits = false;

  constructor(call: Call<T>) {
    super();
    this.#call = call;
  }

  /** So many events are wanted. */
  wants(events: number): void {
    this.#most = Math.max(this.#most, events);
  }

  /**
   * The outcome of a snapshot is the app's from here on: with `ack: "auto"` the store of calls need not keep
   * it.
   */
  readonly hand = ({ call, state }: CallSnapshot<T>): void => {
    if (call && isOver(state)) call.result.catch(() => {});
  };

  protected override given(snapshot: CallSnapshot<T>): void {
    this.hand(snapshot);
  }

  protected override begin(): void {
    if (this.#reading === "not") void this.#read(this.#call);
  }

  async #read(call: Call<T>): Promise<void> {
    this.#reading = call.settled ? "read" : "reading"; // what has ended is shown so at once
    call.when("answered", () => this.changed()); // by whatever part of the app, or another page
    const events = call.watched();
    for (;;) {
      try {
        const { done, value } = await events.next();
        if (call !== this.#call) return void events.return?.();
        if (done) break;
        this.#add(value);
      } catch {
        // its own error, which the snapshot has; else that event was no JSON
        if (call.settled || call !== this.#call) break;
      }
    }
    if (call !== this.#call) return;
    this.#reading = "read";
    this.changed();
  }

  #add(event: CallEvent): void {
    this.#count++;
    this.#events.push(event);
    if (this.#events.length > 2 * this.#most) this.#events = this.#events.slice(-this.#most);
    if (event.type === "status") this.#awaits = event.state === "awaiting_authorization";
    if (event.type === "progress") {
      const { type: _, position: __, ...progress } = event;
      this.#progress = progress;
    } else if (event.type === "input") {
      this.#input = event;
    }
    this.changed();
  }

  protected current(): CallSnapshot<T> {
    const call = this.#call;
    return {
      state: this.#state(),
      call,
      events: this.#events.slice(-this.#most),
      eventCount: this.#count,
      progress: this.#progress,
      input: call.isAsked ? this.#input : undefined,
      result: call.value,
      error: call.failure,
      guarantee: call.guarantee,
      paused: this.#paused,
      ...this.#actions,
    };
  }

  /** It has ended for who looks at it once its last event is shown. */
  #state(): CallState {
    const { settled, failure } = this.#call;
    if (!settled || this.#reading === "reading")
      return this.#awaits
        ? "awaiting_authorization"
        : this.#input && this.#call.isAsked ? "input_required" : "working";
    if (!failure) return "completed";
    return failure.code === "cancelled" ? "cancelled" : "failed";
  }

  /** Goes on with a call that takes the place of this one. */
  #follow(call: Call<T>): void {
    this.#call = call;
    stores.set(call as Call<unknown>, this as CallStore<unknown>);
    [
      this.#events, this.#count, this.#progress, this.#input, this.#paused, this.#awaits,
    ] = [[], 0, undefined, undefined, false, false];
    this.#reading = "not";
    if (this.heard) this.begin();
    this.publish();
  }

  #pause(paused: boolean): void {
    if (paused) this.#call.pause();
    else this.#call.resume();
    this.#paused = paused && !this.#call.settled;
    this.changed();
  }

  readonly #actions: CallActions = {
    ack: (position) => this.#call.ack(position),
    cancel: (reason) => this.#call.cancel(reason),
    pause: () => this.#pause(true),
    resume: () => this.#pause(false),
    retry: () => this.#follow(this.#call.retry()),
    abandon: () => this.#call.abandon(),
    answer: (responses) => this.#call.answer(responses),
  };
}

const stores = new WeakMap<Call<unknown>, CallStore<unknown>>();

/** True if the call has ended, e.g. in the state "failed". */
function isOver(state: CallState): boolean {
  return state === "completed" || state === "failed" || state === "cancelled";
}

/** A call that is observed. */
export interface ObservedCall<T = CallToolResult> extends Store<CallSnapshot<T>> {
  /**
   * Says that the app has had the outcome of a snapshot: with `ack: "auto"` no later page gets the call. For
   * what listens by {@link Store.onChange} and shows the outcome later; `subscribe` does it by itself.
   */
  hand(snapshot: CallSnapshot<T>): void;
}

/**
 * Observes a call: its events, progress and outcome, one value per frame at most. All who observe a call
 * share one reading of it, as the first reader that it has: events from before are among them.
 *
 * A `subscribe` listener that is given the outcome and does not throw has had it, as code that awaits
 * {@link Call.result} has: with `ack: "auto"` no later page gets the call.
 *
 * @throws HoldfastError `bad_argument`
 */
export function observeCall<T = CallToolResult>(
  call: Call<T>, options: ObserveOptions = {},
): ObservedCall<T> {
  checkCall("observeCall", call);
  checkObserve("observeCall", options);
  let store = stores.get(call as Call<unknown>) as CallStore<T> | undefined;
  if (!store) stores.set(call as Call<unknown>, (store = new CallStore(call)) as CallStore<unknown>);
  store.wants(options.events ?? EVENTS);
  return store;
}
