import type { Backlog } from "../base/backlog.js";
import { EVENT, StreamState } from "../base/border.js";
import { Call, type CallControl } from "./call.js";
import type { RawEvent } from "./events.js";
import { missing } from "./storedevents.js";

/** Whoever sees a call in a way of their own: a client of the app's. */
export interface CallViewer {
  readonly backlog: Backlog;
  /** In a worker, the page that it belongs to. */
  readonly page?: object;
  /** Makes what the viewer holds of a call. */
  newCall<T>(...made: NewCall): Call<T>;
  /** Makes the same request once more. */
  rerun(call: CoreCall<unknown>): Call<unknown>;
}

/** The status text by which the core says that a call waits for a sign-in. */
export const AWAITING = `{"state":"awaiting_authorization"}`;

/** The constructor arguments of a {@link Call}. */
export type NewCall = ConstructorParameters<typeof Call>;

/** The client's methods that a call of the core uses. */
export interface CoreControl extends CallControl {
  /** Revokes the call if it has not left: the call then counts as never made. */
  revoke(call: number): void;
  /** Makes the same request once more; `made` gets the new call before any event of the call can arrive. */
  rerun(call: Call<unknown>, made?: Made): CoreCall<unknown>;
}

/** A call as one viewer has it. */
interface Seen<T> {
  call: Call<T>;
  paused?: boolean;
  /** Number of readers that read from the store. */
  reads: number;
  /** Functions that run once no reader is left. */
  afterwards: (() => void)[];
}

/**
 * One call in the core, and the calls that apps hold of it: one for each client of
 * theirs that sees it. It keeps no events of its own.
 */
export class CoreCall<T> extends Call<T> {
  readonly #seen = new Map<CallViewer, Seen<T>>();
  #bound: { id: number; control: CoreControl } | undefined;
  #done = 0;
  /** The question for a token that had no answer when it was made. */
  question: object | undefined;
  /** The outcome by which the core settled the call. An app may change its own copy of the result. */
  #outcome: [outcome: number, text: string] | undefined;

  /** @internal */
  constructor(...[method, backlog, manual, sent, made]: ConstructorParameters<typeof Call>) {
    super(method, backlog, manual, sent, made, false);
  }

  /** True if another viewer than this one sees the call. */
  isSeenBeside(viewer: CallViewer): boolean {
    return this.#seen.size > (this.#seen.has(viewer) ? 1 : 0);
  }

  override get acked(): number {
    return Math.max(super.acked, this.#done);
  }

  /** The call as that viewer has it, if at all. */
  of(viewer: CallViewer): Call<T> | undefined {
    return this.#seen.get(viewer)?.call;
  }

  /**
   * Makes the call that this viewer has: with the events from here on; behind those that
   * are stored, where it comes `late`.
   */
  show(viewer: CallViewer, late = false): Call<T> {
    const { id, method, key, createdAt, acked, base, followed, guarantee, restored } = this;
    const made = {
      ...(key === undefined ? {} : { key }),
      id,
      madeAt: createdAt,
      acked,
      base,
      guarantee,
      ...(restored || late ? { createdAt, owned: !followed } : {}),
    };
    const call = viewer.newCall<T>(method, viewer.backlog, this.manual, this.sent, made);
    const seen: Seen<T> = { call, reads: 0, afterwards: [] };
    this.#seen.set(viewer, seen);
    call.bind(0, this.#controlOf(viewer, seen), undefined, this.kept);
    if (late) call.from(this.position);
    if (this.settled) this.#end(call);
    else if (this.awaits) call.deliver(EVENT.status, this.position, AWAITING, StreamState.Awaiting);
    return call;
  }

  /** Removes a viewer, which no longer has the call. */
  drop(viewer: CallViewer): void {
    const seen = this.#seen.get(viewer);
    this.#seen.delete(viewer);
    if (!seen) return;
    this.#pause(seen, false);
    hasRead(seen);
  }

  /**
   * Has the call forgotten for an outcome that the app has had, once those who read its events from the store
   * have them, in a worker those of that `page`: an app may await the result beside a loop.
   */
  whenRead(forget: () => void, page?: object): void {
    const reader =
      [...this.#seen].find(([viewer, { reads }]) => reads > 0 && (!page || viewer.page === page));
    if (reader) reader[1].afterwards.push(() => this.whenRead(forget, page));
    else forget();
  }

  /** The client is closed for all: whoever reads still keeps nothing in the store that the app has had. */
  closing(): void {
    for (const [viewer, { afterwards }] of this.#seen) if (afterwards.length > 0) this.drop(viewer);
  }

  /** Takes it back, unless it has left: nobody has made it, and nothing of it stays in the store. */
  revoke(): void {
    if (this.#bound && !this.settled) this.#bound.control.revoke(this.#bound.id);
  }

  /** Makes the same request once more; `made` gets the new call before any event of the call can arrive. */
  repeat(made: Made): CoreCall<unknown> {
    return this.#bound!.control.rerun(this as Call<unknown>, made);
  }

  override bind(id: number, control: CoreControl, signal: AbortSignal | undefined, kept = false): void {
    super.bind(id, control, signal, kept);
    this.#bound = { id, control };
    for (const [viewer, seen] of this.#seen)
      seen.call.bind(0, this.#controlOf(viewer, seen), undefined, kept);
  }

  override takenUp(followed: boolean): void {
    super.takenUp(followed);
    for (const { call } of this.#seen.values()) call.takenUp(followed);
  }

  override deliver(kind: number, position: number, text: string, stream = 0): void {
    if (this.had.has({ kind, position, text })) return;
    this.heard(kind, position, text, stream);
    for (const { call } of this.#seen.values()) call.deliver(kind, position, text, stream);
  }

  override replayed(position: number, events: Uint8Array): void {
    if (this.had.to > 0) return super.replayed(position, events); // each for itself, as far as nobody has had it
    this.advanced(position);
    for (const { call } of this.#seen.values()) call.replayed(position, events);
  }

  override peeked(outcome: number, text: string): void {
    super.peeked(outcome, text);
    for (const { call } of this.#seen.values()) call.peeked(outcome, text);
  }

  override settle(outcome: number, text: string): void {
    if (!this.settled) this.#outcome = [outcome, text];
    super.settle(outcome, text);
  }

  protected override over(): void {
    let first = true;
    for (const { call } of this.#seen.values()) {
      if (first) call.endAs(this, this.#outcome); // parsed once, as a rule
      else this.#end(call);
      first = false;
    }
  }

  #end(call: Call<T>): void {
    if (this.#outcome) call.settle(...this.#outcome);
    else call.endAs(this, undefined);
  }

  #controlOf(viewer: CallViewer, seen: Seen<T>): CallControl {
    const core = (tell: (control: CoreControl, id: number) => void): void => {
      if (this.#bound) tell(this.#bound.control, this.#bound.id);
    };
    return {
      cancel: (_, reason) => core((control, id) => control.cancel(id, reason)),
      pause: (_, paused) => this.#pause(seen, paused),
      answer: (_, responses) => {
        core((control, id) => control.answer(id, responses));
        this.deliver(EVENT.input, this.position, ""); // no question any more, for whoever else shows it
      },
      ack: (_, position) => {
        this.#done = Math.max(this.#done, position || this.position);
        return this.#bound?.control.ack(this.#bound.id, position) ?? Promise.resolve();
      },
      handed: () => core((control, id) => control.handed(id)),
      acted: () => this.whenRead(() => core((control, id) => control.acted(id)), viewer.page),
      peek: () => core((control, id) => control.peek(id)),
      draft: (_, key, draft) => core((control, id) => control.draft(id, key, draft)),
      park: (_, parked) => core((control, id) => control.park(id, parked)),
      rerun: () => viewer.rerun(this as CoreCall<unknown>),
      reread: (_, gap) =>
        this.#whileSeen(seen, this.#bound?.control.reread(this.#bound.id, gap) ?? missing(gap)),
    };
  }

  /**
   * The events that a viewer reads, as long as the viewer has the call. A viewer whose user has changed no
   * longer has the call.
   */
  async *#whileSeen(
    seen: Seen<T>, events: AsyncIterator<RawEvent>,
  ): AsyncGenerator<RawEvent, void, undefined> {
    const isSeen = (): boolean => [...this.#seen.values()].includes(seen);
    if (!isSeen()) return;
    seen.reads++;
    try {
      for await (const event of { [Symbol.asyncIterator]: () => events }) {
        if (!isSeen()) return;
        yield event;
      }
    } finally {
      if (--seen.reads === 0) hasRead(seen);
    }
  }

  /** The stream is held up while any of the readers cannot keep up. */
  #pause(seen: Seen<T>, paused: boolean): void {
    const others = (): boolean => [...this.#seen.values()].some((other) => other.paused === true);
    const before = others() || seen.paused === true;
    seen.paused = paused;
    const after = others();
    if (before !== after && !this.settled) this.#bound?.control.pause(this.#bound.id, after);
  }
}

function hasRead({ afterwards }: { afterwards: (() => void)[] }): void {
  for (const then of afterwards.splice(0)) then();
}

/** How a call is made known to who shows it, before it leaves. It may throw: then nothing is sent. */
export type Made = (call: CoreCall<unknown>) => void;

/** Options that the client adds to the app's own: `made` hears of each call made for the request. */
export interface MadeFor {
  readonly made?: Made;
}
