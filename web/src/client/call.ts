import { abortReason } from "./abortreason.js";
import { badArgument } from "../base/arguments.js";
import { type Backlog, bytesOf, QueueLoad } from "../base/backlog.js";
import { EVENT, OUTCOME, StreamState } from "../base/border.js";
import type { CallControlOf, RecalledCall } from "./callcontrol.js";
import { tell, type CallListeners } from "./calllisteners.js";
import { endedStatus, type CallStatus } from "./callstatus.js";
import { randomId } from "./idempotency.js";
import { draftText } from "../input/drafts.js";
import { EventQueue, Gap } from "../base/eventqueue.js";
import { answerTo, beyond, type CallEvent, decodeEvent, type Guarantee, HadEvents, isStored, type ParsedTogether, type RawEvent, unpacked } from "./events.js";
import { errorFromGo, HoldfastError, rpcError, type RPCError } from "../base/errors.js";
import { Listeners } from "../base/listeners.js";
import type { CallToolResult, Open } from "../base/mcp.js";
import type { CallOptions, Progress } from "./options.js";
import { answered, Peek } from "./peek.js";
import { refusedAck } from "./refusedack.js";
import type { ResumedEvent, StatusEvent } from "../base/streamevents.js";
import { missing, withoutGaps } from "./storedevents.js";

/** The client's methods that a call uses. */
export type CallControl = CallControlOf<Call<unknown>>;

/**
 * One request, over as many connections as it takes. Iterate it for its
 * events, await `result` for its outcome; both, either or neither.
 *
 * Leaving a loop, dropping the object or unloading the page cancels nothing: only {@link Call.cancel} and the AbortSignal do.
 */
export class Call<T = CallToolResult> implements AsyncIterable<CallEvent> {
  /** The JSON-RPC method. */
  readonly method: string;
  /** @internal The request's params as they were sent, as JSON: what the app does with its own object afterwards is no matter. */
  readonly sent: string;
  /** Not `#`: a framework's proxy of the call can be asked for its params. */
  private parsed: Open | undefined;
  /** The app's own name for the call; undefined for none. */
  readonly key: string | undefined;
  /** When it was made, in ms since 1970. */
  readonly createdAt: number;
  /** True if the store brought the call back. Example: an earlier page made the call, or another page did. */
  readonly restored: boolean;
  /** Events up to this position are not stored any more; 0 where all are. */
  readonly base: number;
  #followed: boolean;
  #guarantee: Guarantee;
  #acked: number;
  #position = 0;
  #shown = 0; // the position of the last request for input that a loop was shown
  #kept = false;
  #done = false;
  #id = 0;
  #control: CallControl | undefined;
  readonly #events: EventQueue<RawEvent, CallEvent>;
  readonly #backlog: Backlog;
  #settled = false;
  #value: T | undefined;
  #error: HoldfastError | undefined;
  #promise: Promise<T> | undefined;
  #resolve: ((value: T) => void) | undefined;
  #reject: ((error: HoldfastError) => void) | undefined;
  #undo: (() => void) | undefined;
  #named: string | undefined;
  #listeners: Listeners<CallListeners> | undefined;
  readonly #peek = new Peek();
  /** @internal What says what it is a framework leaves alone: behind its proxy it would have no private members. */
  get [Symbol.toStringTag](): string { return "Call"; }

  /** @internal Whether the app answers requests for input itself. */
  readonly manual: boolean;
  /** @internal Whether it waits until somebody has signed in, by the last that it has heard of its stream. */
  awaits = false;
  /** @internal Whether a question that the app is to answer is open: the last that was put, and not those before it. */
  isAsked = false;
  /** @internal How often the call asked for input. */
  rounds = 0;
  /** @internal What makes the same request once more. */
  rerunOptions: CallOptions = {};
  /** @internal */ protected readonly had: HadEvents = new HadEvents();
  #ended: AbortController | undefined;
  /** The events from before it was made, of which the store has what there is. */
  #before: Gap | undefined;
  readonly #replay: Uint8Array[] = [];
  /** Bytes of those. */
  readonly #packed: QueueLoad;
  /** Stored events are taken apart as they come: somebody reads them, or has, or no more of them may wait. */
  #read = false;

  /** @internal */
  constructor(method: string, backlog: Backlog, manual = false, sent = "{}", made: Partial<RecalledCall> = {}, buffered = true) {
    this.method = method;
    this.#backlog = backlog;
    this.#packed = new QueueLoad(this, backlog);
    this.manual = manual;
    this.sent = sent;
    this.key = made.key;
    this.#named = made.id;
    this.createdAt = made.createdAt ?? made.madeAt ?? Date.now();
    this.restored = made.createdAt !== undefined;
    this.base = made.base ?? 0;
    this.#followed = made.owned === false;
    this.#guarantee = made.guarantee ?? "lost-on-reload";
    this.#acked = made.acked ?? 0;
    this.#events = new EventQueue({
      backlog,
      buffered,
      decode: decodeEvent,
      pause: (paused) => {
        if (!this.#settled) this.#control?.pause(this.#id, paused);
      },
      threw: (error) => {
        if (error === this.#error) this.#handed(); // that is its outcome; the end of a loop is none
      },
      gaps: {
        positionOf: ({ position }) => position,
        isStored: ({ kind }) => isStored(kind),
        stored: () => this.#kept,
        refill: (gap) => {
          const events = this.#control?.reread(this.#id, gap) ?? missing(gap);
          return gap === this.#before ? withoutGaps(events, gap.to) : events;
        },
      },
    });
  }

  /** The request's params, as they were sent. */
  get params(): Open {
    return (this.parsed ??= JSON.parse(this.sent) as Open);
  }

  /**
   * A name for the call that no other call has, the same on later pages and in other tabs where the call is kept. It
   * is the call's idempotency key, so a {@link Call.retry} has it as well. Of a call with a `key` that two
   * tabs make at the same moment each has a name of its own until it is loaded again.
   */
  get id(): string {
    return (this.#named ??= randomId());
  }

  /** The effect of a page reload on the call at this moment. The call emits an event for each change. */
  get guarantee(): Guarantee {
    return this.#guarantee;
  }

  /** True if another page carries the call, and this page follows the call. */
  get followed(): boolean {
    return this.#followed;
  }

  /** True if the call has ended. */
  get settled(): boolean {
    return this.#settled;
  }

  /**
   * The result; rejects with a {@link HoldfastError}. The promise is made when
   * first asked for, so a call that is only iterated never leaves an unhandled
   * rejection: the loop throws the error instead.
   *
   * With `ack: "auto"` the result acknowledges the call, and so does a loop that throws
   * the call's error; the end of a loop does not. The acknowledgement follows two tasks
   * later, after the code that awaits the promise has run, and behind a loop of the page that
   * reads stored events. If that code throws and nobody catches, or the page ends before, the
   * call stays in the store. The acknowledgement does not wait for code after another `await`:
   * use `ack: "manual"` for that. An outcome of `lost` or `outcome_unknown` is kept until
   * {@link Call.retry}, {@link Call.abandon} or {@link Call.ack}, or until it expires.
   */
  get result(): Promise<T> {
    this.#promise ??= new Promise<T>((resolve, reject) => {
      if (!this.#settled) return void ([this.#resolve, this.#reject] = [resolve, reject]);
      if (this.#error) reject(this.#error);
      else resolve(this.#value as T);
      this.#handed();
    });
    return this.#promise;
  }

  /**
   * The app has finished with the call's events up to a position, or, without a position,
   * with all that it has had: its outcome too, if it has ended. The store forgets such a
   * call then. A position is never that of the outcome. Only `ack: "manual"` needs this.
   *
   * Resolves when the acknowledgement is stored. From then on no page gets these events
   * again by `events({ from: "acked" })`, even if this page is reloaded, crashes or is
   * killed. (The commit is relaxed: a power cut may lose the last moments.) When the page
   * is left, an acknowledgement that is not stored yet is stored then. A call that another
   * page carries is acknowledged the same way. Where nothing is kept, this resolves at
   * once. The app need not await the promise.
   *
   * @throws HoldfastError `bad_argument`; `storage_failed` where it is not stored, so
   * that a later page may get the events again; `runtime_exited`; `closed`, and without a
   * position also for a call that has ended so here: its outcome did not come to this page
   */
  ack(position?: number): Promise<void> {
    if (position !== undefined && (!Number.isSafeInteger(position) || position < 0)) return Promise.reject(badArgument("ack", "position", "has to be that of an event"));
    if (position === undefined && this.#error?.code === "closed") return refusedAck();
    if (position !== undefined) this.#acked = Math.max(this.#acked, position);
    if (position === undefined && this.#settled) this.#listeners?.emit("done", undefined);
    if (!this.#kept || position === 0 || !this.#control) return Promise.resolve();
    return this.#control.ack(this.#id, position ?? 0);
  }

  /**
   * Stops reading the call's stream for now. The server works on, and nothing is
   * cancelled. {@link Call.resume} reads the stream again. Has no effect on a call
   * that cannot be resumed.
   */
  pause(): void {
    if (!this.#settled) this.#control?.park(this.#id, true);
  }

  /** Takes the stream up again after {@link Call.pause}. */
  resume(): void {
    if (!this.#settled) this.#control?.park(this.#id, false);
  }

  /**
   * Runs the request again, as a new call, where the outcome of this one is
   * `outcome_unknown` or `lost`: the app decides that this does no harm. A call that
   * ended with `unsent` never ran. The new call gets the key.
   *
   * @throws HoldfastError `bad_argument` where the call has not ended so
   */
  retry(): Call<T> {
    const { code } = this.#error ?? {};
    if ((code !== "outcome_unknown" && code !== "lost" && code !== "unsent") || !this.#control) {
      throw new HoldfastError({ code: "bad_argument", op: "retry", message: "only a call that is lost, unsent or of unknown outcome can be run again" });
    }
    const again = this.#control.rerun(this as Call<unknown>) as Call<T>;
    again.#listeners ??= this.#listeners;
    return again;
  }

  /** Gives up a call whose outcome cannot be had: no later page gets the call. */
  abandon(): void {
    if (this.#settled) void this.ack();
    else this.cancel("abandoned by the app");
  }

  /**
   * Cancels the call: the call rejects with code `cancelled`, and the server gets
   * notifications/cancelled. Has no effect on a call that has ended.
   */
  cancel(reason = ""): void {
    if (!this.#settled) this.#control?.cancel(this.#id, String(reason ?? ""));
  }

  /**
   * Answers an {@link InputEvent} of a call with `input: "manual"`: the call goes on with these responses, by the keys of the requests.
   */
  answer(responses: Record<string, Open>): void {
    if (!this.#settled) this.#control?.answer(this.#id, answerTo(this.#shown, responses));
    this.deliver(EVENT.input, this.#position, "");
  }

  /**
   * How the call stands now. If a task or a resume policy carries the call, the client
   * asks the server (by `tasks/get`, which asks for no input, or `requests/getStatus`),
   * once for all who ask at the same time. Otherwise this returns what the client knows,
   * without a request: also for a call that another page carries, or that has ended. The
   * events say the same by themselves; this is for a button "how is it doing?".
   *
   * @throws HoldfastError what went wrong with asking, which says nothing of the call
   * itself; for a call that has ended with an error of unknown outcome (`lost`,
   * `outcome_unknown`, `closed` ...), that error
   */
  status(): Promise<CallStatus> {
    if (this.#settled) return answered(endedStatus(this.#error));
    return this.#peek.ask(() => this.#control?.peek(this.#id));
  }

  /** @internal What a peek came to. */
  peeked(outcome: number, text: string): void {
    this.#peek.heard(outcome, text);
  }

  /** @internal Keeps what a person has typed of the answer to a request for input; throws `bad_argument`. */
  saveDraft(key: string, value: unknown): void {
    const draft = draftText(value);
    if (!this.#settled) this.#control?.draft(this.#id, key, draft);
  }

  /** @internal Aborted when the call has ended. */
  get ended(): AbortSignal {
    const ended = (this.#ended ??= new AbortController());
    if (this.#settled) ended.abort();
    return ended.signal;
  }

  /**
   * The events from the start, for the first reader; a later reader gets the events
   * from its own start on. The loop ends with the call, and throws the call's error. A
   * reader that lags more than `limits.backlogBytes` behind gets the rest from the store,
   * in its place. In place of events that the store does not have either, the reader gets
   * a {@link GapEvent}.
   */
  [Symbol.asyncIterator](): AsyncIterableIterator<CallEvent> {
    this.#read = true;
    this.#unpack();
    return this.#events.read();
  }

  /**
   * The events as the loop gives them. With `from: "acked"`, events that the app has
   * acknowledged ({@link Call.ack}), perhaps in an earlier page, are left out.
   */
  events({ from = "start" }: { from?: "start" | "acked" } = {}): AsyncIterableIterator<CallEvent> {
    if (from !== "start" && from !== "acked") throw badArgument("events", "from", 'has to be "start" or "acked"');
    return from === "acked" ? beyond(this[Symbol.asyncIterator](), this.#acked) : this[Symbol.asyncIterator]();
  }

  /** @internal The events, for what shows them: neither they nor the error at their end are handed to the app by that. */
  watched(): AsyncIterableIterator<CallEvent> {
    this.#read = true;
    this.#unpack();
    return this.#events.read(true);
  }

  /** @internal Events up to a position that did not come, and what they said of the call: a reader gets them from the store, in their place. */
  skipped(gap: Gap, position: number, guarantee: Guarantee, followed: boolean): void {
    gap.from = Math.max(gap.from, Math.min(this.had.to, gap.to) + 1);
    this.advanced(position);
    this.#guarantee = guarantee;
    this.#followed = followed;
    this.#unpack();
    this.#events.skipped(gap);
  }

  /** @internal The call was sent under this id. */
  bind(id: number, control: CallControl, signal: AbortSignal | undefined, kept = false): void {
    this.#id = id;
    this.#control = control;
    this.#kept = kept;
    if (signal) this.cancelWith(signal);
  }

  /** @internal Its host has ended, and the next one has it, as the store does. */
  takenUp(followed: boolean): void {
    this.had.to = this.#position;
    this.#followed = followed;
    this.awaits = false;
    if (this.#settled && this.#promise) this.#handed();
  }

  /** @internal Cancelled with that signal. */
  cancelWith(signal: AbortSignal): void {
    if (this.#settled) return;
    this.#undo?.();
    const abort = (): void => this.cancel(abortReason(signal));
    signal.addEventListener("abort", abort, { once: true });
    this.#undo = () => signal.removeEventListener("abort", abort);
  }

  /** @internal Of the last event that it has had. */
  get position(): number {
    return this.#position;
  }

  /** @internal How far the app has done with it. */
  get acked(): number {
    return this.#acked;
  }

  /** @internal Whether the store has it. */
  get kept(): boolean {
    return this.#kept;
  }

  /** @internal Events that are stored, packed. They are taken apart once somebody reads them. */
  replayed(position: number, events: Uint8Array): void {
    if (this.had.to > 0) {
      for (const { kind, position: at, text } of unpacked(events)) this.deliver(kind, at, text);
      return;
    }
    this.advanced(position);
    this.#read ||= !this.#backlog.takes(1, this.#packed.bytes + this.#events.waiting, events.length);
    this.#replay.push(events);
    this.#packed.add(events.length);
    if (this.#read || this.#replay.length > MOST_PACKED) this.#unpack(); // the queue is bounded, this is not
  }

  /** @internal The events up to that position come from the store, before any others. */
  from(position: number): void {
    this.advanced(position);
    const known = Math.max(this.base, this.had.to);
    if (position <= known) return;
    const gap = (this.#before = Object.assign(new Gap(), { from: known + 1, to: position }));
    this.#events.skipped(gap);
  }

  /** @internal It has had events up to there. */
  protected advanced(position: number): void {
    this.#position = Math.max(this.#position, position);
  }

  #unpack(): void {
    if (this.#replay.length === 0) return;
    this.#packed.add(-this.#packed.bytes);
    for (const events of this.#replay.splice(0)) for (const raw of unpacked(events)) this.#events.push(raw, bytesOf(raw.text));
  }

  /** @internal Told when the app says that it has done with the call, after its end; or that what was asked is answered, wherever. */
  when(what: "done" | "answered", listener: () => void): void {
    (this.#listeners ??= new Listeners()).add(what, listener);
  }

  /** @internal Tells the app of progress from here on, whether or not it iterates. */
  progressed(listener: (progress: Progress) => void): void {
    (this.#listeners ??= new Listeners()).add("progress", listener);
  }

  /** @internal Tells of what becomes of its stream from here on, and is no reader of the call's. */
  whenStreaming(listener: (event: StatusEvent | ResumedEvent) => void): void {
    (this.#listeners ??= new Listeners()).add("stream", listener);
  }

  /** @internal */
  deliver(kind: number, position: number, text: string, stream = 0, texts?: ParsedTogether, at = 0): void {
    if (this.had.has({ kind, position, text })) return;
    this.#unpack();
    this.heard(kind, position, text, stream);
    if (kind === EVENT.input && !(this.isAsked = text !== "")) return this.#listeners?.emit("answered", undefined);
    const raw: RawEvent = { kind, position, text, texts, at };
    if (this.#listeners && (kind === EVENT.progress || kind === EVENT.status || kind === EVENT.resumed)) tell(this.#listeners, raw);
    this.#events.push(kind === EVENT.input ? { ...raw, save: (key, value) => this.saveDraft(key, value), shown: () => (this.#shown = position) } : raw, bytesOf(text));
  }

  /** @internal What an event says of the call itself. */
  protected heard(kind: number, position: number, text: string, stream: number): void {
    this.advanced(position);
    if (kind === EVENT.status) this.awaits = stream === StreamState.Awaiting;
    if (kind === EVENT.guarantee) this.#guarantee = (JSON.parse(text) as { guarantee: Guarantee }).guarantee;
    else if (stream === StreamState.Followed || stream === StreamState.Owned) {
      this.#followed = stream === StreamState.Followed;
      this.isAsked &&= !this.#followed; // the page that carries it asks
      if (this.#followed) this.#peek.answer({ status: "working", source: "client" }); // whoever was asked is not asked from here any more
    }
  }

  /** @internal The core's Settle effect. */
  settle(outcome: number, text: string): void {
    this.#done = true;
    try {
      const json: unknown = JSON.parse(text);
      if (outcome === OUTCOME.result) this.#end(json as T, undefined);
      else if (outcome === OUTCOME.failure) this.#end(undefined, errorFromGo(json as Parameters<typeof errorFromGo>[0]));
      else this.#end(undefined, rpcError(this.method, json as RPCError));
    } catch (cause) {
      // JSON.parse is the last judge of a payload.
      this.fail(new HoldfastError({ code: "protocol_error", op: this.method, message: "the result is not JSON", cause }));
    }
  }

  /** @internal Ends the call from outside the core. */
  fail(error: HoldfastError): void {
    this.#end(undefined, error);
  }

  /** @internal What it came to, without handing it to the app. */
  get value(): T | undefined {
    return this.#value;
  }

  /** @internal Why it has failed. */
  get failure(): HoldfastError | undefined {
    return this.#error;
  }

  /** @internal Ends as another one did, of the same request; `_outcome` is how the core has settled it, where it has. */
  endAs(other: Call<T>, _outcome: [outcome: number, text: string] | undefined): void {
    this.#done = other.#done;
    this.#end(other.#value, other.#error);
  }

  /** @internal It has ended. */
  protected over(): void {}

  #end(value: T | undefined, error: HoldfastError | undefined): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#value = value;
    this.#error = error;
    this.#undo?.();
    this.#ended?.abort();
    this.#events.end(error);
    if (error) this.#reject?.(error);
    else this.#resolve?.(value as T);
    if (this.#promise) this.#handed();
    this.#peek.answer(endedStatus(error));
    this.over();
  }

  // Hands the call over: the call ended here with its client or runtime, and continues elsewhere.
  #handed(): void {
    if (this.#kept && this.#done && this.#error?.code !== "closed") this.#control?.handed(this.#id);
  }
}

/** Rows of a call that wait in pieces, for somebody to read them: of one that another tab carries they come for ever. */
const MOST_PACKED = 64;
