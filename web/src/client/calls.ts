import { warnUnkept } from "./unkept.js";
import { CallFlags, EVENT, OUTCOME, StreamState } from "../base/border.js";
import { Acks } from "./acks.js";
import { AdriftCalls } from "./adrift.js";
import type { Backlog } from "../base/backlog.js";
import { abortReason } from "./abortreason.js";
import type { Call } from "./call.js";
import type { RecalledCall } from "./callcontrol.js";
import { errorFromGo, type GoError, HoldfastError, type RPCError } from "../base/errors.js";
import type { Gap } from "../base/eventqueue.js";
import { alsoAnswered, answerTo, type RawEvent, unpacked } from "./events.js";
import { keyIn } from "./idempotency.js";
import { KeyedCalls } from "./keyedcalls.js";
import { LiveControl } from "./livecontrol.js";
import type { Handlers } from "../input/handlers.js";
import { Handover } from "./handover.js";
import { answerInput, shownInput, visitPages } from "../input/inputs.js";
import type { Open } from "../base/mcp.js";
import type { CallOptions } from "./options.js";
import type { Streams } from "../tabs/streams.js";
import type { MadeThere, Outgoing } from "./outgoing.js";
import type { LogRow, LogPlace } from "../storage/storage.js";
import { storedEvents } from "./storedevents.js";
import { CoreCall, type Made, type CoreControl } from "./corecall.js";
import type { Wire } from "../runtime/wire.js";

/** The client's parts that its calls use. */
export interface CallContext {
  /** The server's URL. */
  readonly url: string;
  readonly handlers: Handlers;
  /** Limits on the events that may wait for their readers. */
  readonly backlog: Backlog;
  /** Resolves when the core has the client, where its store is being opened; undefined where that is so. */
  opening(): Promise<void> | undefined;
  /** The question for a token that has no answer yet. */
  question(): object | undefined;
  /** The header fields that the server's CORS rules refuse, in small letters, with a blank behind each. */
  refusedFields(): string;
  /**
   * The header fields in which a call repeats its arguments after a refusal: name, value, name, value.
   * Undefined if the fields are no news; an error if the fields cannot carry the arguments.
   */
  headersAfter(method: string, params: Open, rpc: RPCError): Promise<string[] | HoldfastError | undefined>;
  /**
   * The header fields of a request without an answer that the server's CORS rules refuse: the browser then
   * did not send the request. Empty if the rules cannot be known.
   */
  refused(method: string, header: readonly string[], over: AbortSignal): Promise<string[]>;
  /** The error of a call that needs header fields which the CORS rules refuse. */
  blocked(method: string, fields: readonly string[], cause: HoldfastError): HoldfastError;
  /** Resolves when the server says that a URL elicitation is complete, or the call is over. */
  completed(elicitationId: string, over: AbortSignal): Promise<void>;
  /** The streams of the calls that this page carries. */
  readonly streams: Streams;
  /** Asks the page that carries a call to cancel it; `record` names it in the store. */
  cancelElsewhere(record: number, reason: string): void;
  /** Why nothing outlives the page, though the app has not said that nothing shall; empty where it does. */
  unkept(): string;
  /** Resolves when the commit under way is over. */
  landed(): Promise<void>;
  /** The next rows of a call's log; `record` names it in the store. */
  rows(record: number, after: LogPlace, most: number): Promise<LogRow[]>;
  /** Makes a request once more: the server may run it twice. */
  rerun(method: string, params: Open, options: CallOptions, made?: Made): CoreCall<unknown>;
  /** The store has brought a call back. */
  restored(call: CoreCall<unknown>): void;
  /** The error in a result, a JSON text; undefined where the client has no schema for the result. */
  inspect(method: string, params: Open, text: string): Promise<HoldfastError | undefined> | undefined;
}

/** A call under way, with what is needed to send it again. */
interface Pending {
  call: CoreCall<unknown>;
  params: Open;
  resend: ((rpc: RPCError, mismatch: boolean, fields: string[]) => Promise<boolean>) | undefined;
  /** Sends it again without what the CORS rules refuse, or ends it, where that is why there was no answer. */
  unblock: ((failure: HoldfastError, fields: string[]) => Promise<boolean>) | undefined;
  /** The header fields that it repeats arguments in: name, value, name, value. */
  fields: string[];
  /** Its name in the store, of a call that came from there; 0 for none. */
  record: number;
  /** The answers to what the app is not shown of the input that the call waits for. */
  cancelled?: Record<string, Open>;
}

/**
 * The calls of one client, from their making to their end: whatever has to
 * happen to each of them happens here. {@link Call} is the app's side of one.
 */
export class Calls {
  readonly #wire: Wire;
  readonly #context: CallContext;
  readonly #pending = new Map<number, Pending>();
  /** Calls that the server has refused for now, and that will be sent again. */
  readonly #between = new Map<number, CoreCall<unknown>>();
  /** Calls that have a result, which is still inspected. */
  readonly #inspected = new Set<CoreCall<unknown>>();
  /** The calls that are stored, until they are acknowledged. */
  readonly #kept = new Map<number, CoreCall<unknown>>();
  readonly #keys = new KeyedCalls<CoreCall<unknown>>();
  /** Stored calls whose runtime has exited. */
  readonly #adrift = new AdriftCalls<CoreCall<unknown>>();
  /** Calls that wait until the core has a client, counted downwards: it knows no such ids. */
  #waiting = 0;
  readonly #asks: CoreControl = {
    cancel: (call, reason) => {
      const between = this.#between.get(call);
      const pending = this.#pending.get(call);
      if (pending?.call.followed) this.#context.cancelElsewhere(pending.record, reason);
      else if (between) between.fail(new HoldfastError({ code: "cancelled", op: between.method, message: reason || "cancelled by the app" }));
      else this.#wire.runtime.cancel(this.#wire.handle, call, reason);
    },
    pause: (call, paused) => this.#wire.runtime.pause(this.#wire.handle, call, paused),
    answer: (call, responses) => {
      const { cancelled = {} } = this.#pending.get(call) ?? {};
      this.#wire.runtime.answer(this.#wire.handle, call, Object.keys(cancelled).length === 0 ? responses : alsoAnswered(responses, cancelled));
    },
    ack: (call, position) => this.#ack(call, position),
    handed: (call) => {
      const kept = this.#kept.get(call);
      if (kept) this.#handover.add(call, kept);
    },
    acted: (call) => {
      if (this.#kept.has(call)) this.#wire.runtime.handed(this.#wire.handle, call);
    },
    peek: (call) => {
      if (this.#pending.has(call)) this.#wire.runtime.peek(this.#wire.handle, call);
      else this.#between.get(call)?.peeked(0, `{"status":"working"}`); // about to be sent once more
    },
    draft: (call, key, draft) => this.#wire.runtime.saveDraft(this.#wire.handle, call, 0, key, draft),
    revoke: (call) => {
      if (!this.#pending.has(call)) return; // it has left long since
      const kept = this.#kept.get(call);
      this.#wire.runtime.revoke(this.#wire.handle, call);
      if (kept && !this.#pending.has(call)) this.#forget(call, kept); // it is nobody's
    },
    park: (call, parked) => this.#wire.runtime.park(this.#wire.handle, call, parked),
    reread: (call, gap) => {
      const record = this.#wire.runtime.record(this.#wire.handle, call);
      return storedEvents(gap, {
        rows: async (after, most) => (record === 0 ? [] : await this.#context.rows(record, after, most)),
        landed: () => this.#context.landed(),
        replay: (row, position) => this.#replayRow(call, row, position, gap),
        missing: (events) => this.#wire.runtime.missing(this.#wire.handle, events),
      });
    },
    rerun: (call, made) => this.#rerun(call, made),
  };
  /** Events of a row that is being read again. */
  #gathered: RawEvent[] | undefined;

  /** The control of the runtime that exists now. */
  #live = new LiveControl(this.#asks);
  readonly #acks: Acks;
  readonly #handover = new Handover((call) => {
    const kept = this.#kept.get(call);
    kept?.whenRead(() => {
      if (this.#kept.get(call) === kept) this.#asks.acted(call); // the next runtime's may have that number by now
    });
  });

  constructor(wire: Wire, context: CallContext) {
    this.#wire = wire;
    this.#context = context;
    this.#acks = new Acks(wire, () => context.landed());
  }

  /** Makes a call and sends it; `made` gets the call before any event of the call can arrive, unless there was one already. */
  send<T>(out: Outgoing, params: Open, options: CallOptions, notify: boolean, made?: Made): CoreCall<T> {
    const context = this.#context;
    const { signal } = options;
    const [method, text, , key] = out.frame;
    const sent = "_meta" in params ? JSON.stringify(params) : text || "{}";
    try {
      const known = this.#keys.mine(key || undefined, method, sent);
      if (known) return known as CoreCall<T>;
    } catch (error) {
      return this.refused(method, error as HoldfastError);
    }
    const how = out.how | (notify ? CallFlags.Notify : 0);
    const kept = (how & CallFlags.Durable) !== 0;
    const call = new CoreCall<T>(method, context.backlog, options.input === "manual", sent, {
      ...(key === "" ? {} : { key }),
      id: keyIn(out.meta),
      madeAt: out.times.made,
    });
    call.rerunOptions = rerunOptions(options, out.meta);
    call.question = context.question();
    made?.(call as CoreCall<unknown>);
    this.#keys.set(call as CoreCall<unknown>);
    const send = (resend: Pending["resend"], isFirst = true): void => {
      const again = (): void => send(resend, false);
      const unblock: Pending["unblock"] = isFirst
        ? (failure, fields) => this.#unblock(call as CoreCall<unknown>, fields, failure, again)
        : undefined;
      const begun = kept && context.streams.ready;
      try {
        const parts = [...out.frame, context.refusedFields()] as const;
        this.#wire.runtime.call(this.#wire.handle, how | (begun ? CallFlags.Connected : 0), parts, out.times, (id) => {
          this.#pending.set(id, { call: call as CoreCall<unknown>, params, resend, unblock, fields: [], record: 0 });
          if (kept) {
            this.#kept.set(id, call as CoreCall<unknown>);
            context.streams.add(id, begun);
          }
          call.bind(id, this.#live, signal, kept);
          const why = isFirst && kept && (key !== "" || options.journal === true) ? context.unkept() : "";
          if (why) this.#unkept(call as CoreCall<unknown>, JSON.stringify({ guarantee: "lost-on-reload", why }));
        });
      } catch (error) {
        this.#keys.free(call as CoreCall<unknown>);
        call.fail(error as HoldfastError);
      }
    };
    if (signal?.aborted) {
      // As with fetch: nothing is sent.
      this.#keys.free(call as CoreCall<unknown>);
      call.fail(new HoldfastError({ code: "cancelled", op: method, message: abortReason(signal) || "the signal was aborted before" }));
      return call;
    }
    // A server that misses a header of the tool's and has proved that it did not
    // run it: the request is sent once more with what the tool list says by then,
    // unless that is what it was sent with. The app may have changed what it gave by then.
    const resend: Pending["resend"] = async (rpc, mismatch, fields) => {
      let again = false;
      if (mismatch) {
        const now = await context.headersAfter(method, call.params, rpc);
        if (now instanceof HoldfastError) call.fail(now);
        else again = now !== undefined && JSON.stringify(now) !== JSON.stringify(fields);
      } else {
        const completed = (id: string): Promise<void> => context.completed(id, call.ended);
        again = await visitPages(rpc, call as CoreCall<unknown>, context.handlers, context.url, completed);
      }
      if (again && !call.settled) send(undefined);
      return again || call.settled;
    };
    const opening = context.opening();
    if (opening) this.#sendAfter(opening, call as CoreCall<unknown>, () => send(resend), signal);
    else send(resend);
    return call;
  }

  #unkept(call: CoreCall<unknown>, guarantee: string): void {
    call.deliver(EVENT.guarantee, 0, guarantee);
    if ("document" in globalThis) warnUnkept(guarantee); // a worker's console nobody reads: its page says it
  }

  /** Sends a call once the core has a client. */
  #sendAfter(opening: Promise<void>, call: CoreCall<unknown>, leave: () => void, signal: AbortSignal | undefined): void {
    const id = --this.#waiting;
    this.#between.set(id, call);
    call.bind(id, this.#live, signal);
    void opening.then(() => {
      this.#between.delete(id);
      if (call.settled) return this.#keys.free(call);
      try {
        this.#keys.check(call);
        leave();
      } catch (error) {
        call.fail(error as HoldfastError);
      }
    });
  }

  /** A call that was never sent. */
  refused<T>(op: string, error: HoldfastError): CoreCall<T> {
    const call = new CoreCall<T>(op, this.#context.backlog);
    call.fail(error);
    return call;
  }

  /** The calls that are stored and not acknowledged, in the order of their making. */
  kept(): CoreCall<unknown>[] {
    return [...this.#kept.values()].sort((a, b) => a.createdAt - b.createdAt);
  }

  /** The core's Recall effect: a call that the store brought back. */
  recall(id: number, text: string): void {
    const made = JSON.parse(text) as Omit<RecalledCall, "id"> & { method: string; params?: Open; id: number };
    const { method, params = {} } = made;
    const all = { ...made, id: keyIn(made.meta) };
    const known = this.#adrift.land({ number: id, control: this.#live }, all);
    const call = known ?? new CoreCall<unknown>(method, this.#context.backlog, made.input === "manual", JSON.stringify(params), all);
    call.rerunOptions = rerunOptions({ ...made, ack: made.manual ? "manual" : "auto" }, made.meta);
    this.#pending.set(id, { call, params, resend: undefined, unblock: undefined, fields: [], record: made.id });
    this.#kept.set(id, call);
    this.#keys.set(call);
    if (!known) call.bind(id, this.#live, undefined, true);
    if (!call.followed) this.#context.streams.add(id);
    if (!known) this.#context.restored(call); // before what it had, which comes next
  }

  /** All that is stored has come back: what has not is over. */
  restored(): void {
    this.#adrift.sink();
  }

  /** The core's Replay record: events of such a call. */
  replayed(id: number, position: number, events: Uint8Array): void {
    if (this.#gathered) for (const raw of unpacked(events)) this.#gathered.push(raw);
    else this.#pending.get(id)?.call.replayed(position, events);
  }

  /** The events of a stored row that are in a gap, and the position of its last. */
  #replayRow(id: number, row: LogRow, position: number, gap: Gap): { last: number; events: RawEvent[] } {
    const events: RawEvent[] = (this.#gathered = []);
    let last = position;
    try {
      const { runtime, handle } = this.#wire;
      runtime.replayRow(handle, id, position, gap.from, gap.to, row.plain, (position) => (last = position));
    } finally {
      this.#gathered = undefined;
    }
    return { last, events };
  }

  /** The call that the core has under that number. */
  under(id: number): CoreCall<unknown> | undefined {
    return this.#pending.get(id)?.call;
  }

  /** All that has not ended, and what is stored. */
  all(): Set<CoreCall<unknown>> {
    return new Set([...this.#kept.values(), ...this.#between.values(), ...[...this.#pending.values()].map(({ call }) => call)]);
  }

  /** Those that have a result, which is still inspected: no end of the client is theirs. */
  get inspected(): Iterable<CoreCall<unknown>> {
    return this.#inspected;
  }

  #forget(id: number, call: CoreCall<unknown>): void {
    this.#kept.delete(id);
    this.#keys.free(call);
  }

  /** Forgets what was kept of a request that was not the call's last, or not sent at all. */
  #withdraw(id: number, call: CoreCall<unknown>): void {
    if (call.settled) this.#forget(id, call);
    else this.#kept.delete(id);
    this.#wire.runtime.ack(this.#wire.handle, id, 0, 0);
  }

  #ack(id: number, position: number): Promise<void> {
    const kept = this.#kept.get(id);
    if (kept?.settled && position === 0) this.#forget(id, kept);
    return this.#acks.ask(id, position);
  }

  /** The app closes the client: what was handed to it so far it has had. */
  closing(): void {
    this.#handover.now();
    for (const call of this.#kept.values()) call.closing();
  }

  #rerun(call: Call<unknown>, made: Made | undefined): CoreCall<unknown> {
    void call.ack();
    const { method, params, key, rerunOptions: options } = call;
    return this.#context.rerun(method, params, key === undefined ? options : { ...options, key }, made);
  }

  /** The core's Deliver effect for a call. */
  deliver(id: number, kind: number, position: number, text: string, stream = 0): void {
    if (this.#gathered) return void this.#gathered.push({ kind, position, text });
    if (kind === EVENT.acked) return this.#acks.answered(position, text);
    if (kind > EVENT.notification) this.#context.streams.heard(id, kind, stream);
    if (stream === StreamState.Followed || stream === StreamState.Forgotten) this.#handed(id, text);
    if (stream === StreamState.Polled) return; // said to its stream alone
    if (kind === EVENT.peek) this.#pending.get(id)?.call.peeked(position, text);
    else if (kind === EVENT.input) void this.#input(id, position, text);
    else this.#pending.get(id)?.call.deliver(kind, position, text, stream);
  }

  /** The core's Value record for a call: the header fields that it repeats arguments in. */
  mirrored(id: number, text: string): void {
    const pending = this.#pending.get(id);
    if (pending) pending.fields = JSON.parse(text) as string[];
  }

  /** The core's Settle effect. */
  async settle(id: number, outcome: number, text: string): Promise<void> {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (!pending) return;
    const { call, params, resend, unblock, fields } = pending;
    const live = this.#live;
    const between = async <R>(retry: Promise<R>): Promise<R | false> => {
      this.#between.set(id, call);
      const handled = await retry.catch(() => false as const);
      if (this.#between.get(id) === call) this.#between.delete(id);
      return handled;
    };
    this.#context.streams.remove(id);
    const mismatch = outcome === OUTCOME.headerMismatch;
    if (resend && (mismatch || outcome === OUTCOME.visitRequired)) {
      const handled = await between(resend(JSON.parse(text) as RPCError, mismatch, fields));
      if (live !== this.#live) return; // the id is another call's by now
      if (handled) {
        this.#withdraw(id, call); // that refusal is nobody's outcome
        return;
      }
    }
    const failure = outcome === OUTCOME.failure && unblock ? (JSON.parse(text) as GoError) : undefined;
    if (unblock && failure?.unanswered) {
      const handled = await between(unblock(errorFromGo(failure), fields));
      if (live !== this.#live) return;
      if (handled) {
        this.#withdraw(id, call); // nothing was sent
        return;
      }
    }
    // The result is here, so that nothing but what is wrong with it can end the
    // call otherwise: not cancel(), not the end of the client.
    const inspection = outcome === OUTCOME.result ? this.#context.inspect(call.method, params, text) : undefined;
    if (inspection) this.#inspected.add(call);
    const fault = inspection && (await inspection);
    this.#inspected.delete(call);
    if (fault) call.fail(fault);
    else call.settle(outcome, text);
    if (!call.kept) this.#keys.free(call); // nobody comes back to it, and retry() has to make another one
  }

  /**
   * Ends every call that the core has not settled, and every call that waits to be sent again: the core sends
   * no more reports. `comes`: the next runtime may have the stored calls.
   */
  fail(error: (op: string) => HoldfastError, comes = false): void {
    for (const call of this.#between.values()) call.fail(error(call.method));
    this.#adrift.sink(error);
    for (const [number, call] of comes ? this.#kept : []) {
      if (!this.#between.has(number)) this.#adrift.add(call, { number, control: this.#live }, error(call.method));
    }
    const stays = new Set(this.#adrift.calls);
    for (const { call } of this.#pending.values()) if (!stays.has(call)) call.fail(error(call.method));
    this.#pending.clear();
    this.#handover.clear();
    this.#acks.fail(error);
    this.#context.streams.clear();
    if (error("").code !== "runtime_exited") return;
    // The next runtime brings the stored calls back, under other ids.
    this.#live.end(error);
    this.#live = new LiveControl(this.#asks);
    for (const known of [this.#kept, this.#keys, this.#between]) known.clear();
    for (const call of this.#adrift.calls) this.#keys.set(call);
  }

  /** Another page carries the call from here on, or has acknowledged it after its end. */
  #handed(id: number, text: string): void {
    const { state, record = 0, meta } = JSON.parse(text) as { state: string; record?: number; meta?: Open };
    const pending = this.#pending.get(id);
    const kept = this.#kept.get(id);
    if (state === "followed" && pending) {
      pending.record = record;
      if (meta) pending.call.rerunOptions.meta = meta; // another page was first with the key
      pending.resend = pending.unblock = undefined; // whoever carries it sends it again
    }
    else if (state === "forgotten" && kept) this.#forget(id, kept);
  }

  /** Sends a call again, or ends it, that the server's CORS rules kept in the browser. */
  async #unblock(call: CoreCall<unknown>, fields: string[], failure: HoldfastError, send: () => void): Promise<boolean> {
    const context = this.#context;
    const refused = await context.refused(call.method, fields, call.ended);
    if (refused.length === 0 || call.settled) return false;
    const needed = refused.filter((name) => !/^mcp-param-/i.test(name));
    if (needed.length > 0) call.fail(context.blocked(call.method, needed, failure));
    else send();
    return true;
  }

  async #input(id: number, position: number, text: string): Promise<void> {
    const pending = this.#pending.get(id);
    if (!pending) return;
    const { call } = pending;
    call.rounds++;
    const { runtime, handle } = this.#wire;
    if (call.manual) {
      const { shown, cancelled } = shownInput(text, this.#context.handlers, this.#context.url);
      pending.cancelled = cancelled;
      if (shown === "") runtime.answer(handle, id, answerTo(position, cancelled));
      else call.deliver(EVENT.input, position, shown);
      return;
    }
    const answer = await answerInput(text, call, this.#context.handlers, this.#context.url);
    if (call.settled) return;
    if (typeof answer === "string") runtime.answer(handle, id, answer && `[${position},${answer}]`); // to that event, and no later one
    else {
      call.fail(answer);
      runtime.cancel(handle, id, answer.code === "handler_failed" ? "the client could not answer" : "the input was refused");
    }
  }
}

/** The options of a call, beside its params and key: the same options make the call again. */
function rerunOptions(
  { ack, rerun, input, timeouts, sendWithin, journal, task, tool }: CallOptions & MadeThere, meta: Open | undefined,
): CallOptions {
  const all = { ack, rerun, input, timeouts, sendWithin, journal, task, tool, meta };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}
