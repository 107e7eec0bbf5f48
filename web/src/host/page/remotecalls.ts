import { Call, type CallControl } from "../../client/call.js";
import type { RecalledCall } from "../../client/callcontrol.js";
import type { ClientBackend, Makes } from "../../client/backend.js";
import { GAP, type Guarantee, type ParsedTogether, type RawEvent } from "../../client/events.js";
import { Handover } from "../../client/handover.js";
import type { CallOptions } from "../../client/options.js";
import { isKept, isLong, keyIn, withKey } from "../../client/idempotency.js";
import { KeyedCalls } from "../../client/keyedcalls.js";
import type { MadeThere } from "../../client/outgoing.js";
import { missing } from "../../client/storedevents.js";
import { warnUnkept } from "../../client/unkept.js";
import { checkSignal, notJSON } from "../../base/arguments.js";
import type { Backlog } from "../../base/backlog.js";
import { EVENT } from "../../base/border.js";
import { closedError, HoldfastError } from "../../base/errors.js";
import { Gap } from "../../base/eventqueue.js";
import type { Open } from "../../base/mcp.js";
import { holdfastErrorFrom } from "../wire/errordata.js";
import { eachEvent } from "../wire/eventbatch.js";
import type { HostLink, LinkedClient } from "./hostlink.js";
import type { CallOfPage, HostMessage } from "../wire/protocol.js";
import { Adrift } from "../../client/adrift.js";

/** The calls of one client of the page's, which a host carries out. */
export class RemoteCalls {
  #link!: HostLink;
  /** Control of calls over the link. Numbers of calls begin anew on the next link. */
  #control!: CallControl;
  readonly #client: LinkedClient;
  #number = 0;
  /** The client is open at the host. */
  #isOpen = false;
  /** Error for operations once nothing reaches the host. */
  #over: ((op: string) => HoldfastError) | undefined;
  /** Calls that are made once the client is open at the host. */
  readonly #waiting = new Map<Call<unknown>, () => void>();
  readonly #backlog: Backlog;
  readonly #floor: () => Guarantee;
  readonly #again: ClientBackend["make"];
  readonly #made: (call: Call<unknown>) => void;
  readonly #calls = new Map<number, Call<unknown>>();
  readonly #keys = new KeyedCalls<Call<unknown>>();
  /** Calls that the host has brought, of which the app has not been told. */
  readonly #untold = new WeakSet<Call<unknown>>();
  /** Kept calls whose worker has ended, and below the numbers under which the next worker may have them. */
  readonly #adrift = new Map<Call<unknown>, Adrift>();
  readonly #sought = new Map<number, Adrift>();
  /** Names that calls have in the store, where another page has used their key first. */
  readonly #names = new WeakMap<Call<unknown>, Pick<Call, "id" | "createdAt">>();
  readonly #handover = new Handover((call) => this.#link.send({ t: "acted", call }));

  /** `floor` is what a call that is kept starts with; `again` makes one that is not once more; `made` is told of each that is made. */
  constructor(client: LinkedClient, backlog: Backlog, floor: () => Guarantee, again: ClientBackend["make"], made: (call: Call<unknown>) => void) {
    this.#made = made;
    this.#floor = floor;
    this.#again = again;
    this.#client = client;
    this.#backlog = backlog;
  }

  /** The client is being opened under that number. */
  use(link: HostLink, number: number): void {
    this.#link = link;
    this.#over = undefined;
    this.#control = this.#controlOf(link);
    this.#number = number;
    this.#sought.clear();
    for (const adrift of this.#adrift.values()) this.#sought.set(link.number(), adrift);
  }

  /** The calls that this host may have from an earlier one, under the numbers that they get there. */
  get sought(): CallOfPage[] {
    return [...this.#sought].map(([number, { call }]) => {
      const { id, createdAt } = this.#names.get(call) ?? call;
      return [number, id, createdAt, !call.restored];
    });
  }

  /** It is open: what was made meanwhile is sent. */
  opened(): void {
    this.#isOpen = true;
    for (const adrift of this.#adrift.values()) adrift.sink();
    this.#adrift.clear();
    for (const send of this.#waiting.values()) send();
    this.#waiting.clear();
  }

  /** The call under that number. */
  get(id: number): Call<unknown> | undefined {
    return this.#calls.get(id);
  }

  make<T, M extends keyof Makes>(op: string, method: M, args: Makes[M], { signal, ...given }: CallOptions): Call<T> {
    const isTool = method === "callTool";
    const name = isTool ? "tools/call" : String(args[0]);
    const { key } = given;
    let json: string;
    try {
      json = JSON.stringify(args);
    } catch (error) {
      return this.refused(op, notJSON(op, isTool ? "args" : "params", error));
    }
    const sent = paramsIn(json, isTool, args);
    // A call that has ended may be forgotten by the host.
    if (this.#keys.under(key)?.settled === false) {
      try {
        const known = this.#keys.mine(key, name, sent)!;
        this.#untold.delete(known);
        return known as Call<T>;
      } catch (error) {
        return this.refused(op, error as HoldfastError);
      }
    }
    const kept = isKept(name, given);
    // Given here, so that the call has its id at once.
    const meta = withKey(kept || isLong(name), isTool ? undefined : (args[1]?.["_meta"] as Open | undefined), given.meta);
    const options = { ...given, meta };
    const made = { id: keyIn(meta), ...(key === undefined ? {} : { key }), ...(kept && { guarantee: this.#floor() }) };
    const call = new Call<T>(name, this.#backlog, options.input === "manual", sent, made);
    let crosses: { op: string; method: M; args: string; options: object };
    try {
      checkSignal(op, signal);
      if (signal?.aborted) throw new HoldfastError({ code: "cancelled", op, message: "the signal was aborted before" });
      crosses = { op, method, args: json, options: asData(op, { ...options, madeAt: call.createdAt } satisfies MadeThere) };
    } catch (error) {
      call.fail(error as HoldfastError);
      return call;
    }
    // The host has it until it ends, and no longer.
    const rerun = kept ? undefined : (): Call<unknown> => this.#again<unknown, M>("retry", method, JSON.parse(json) as Makes[M], options);
    this.#begin(call as Call<unknown>, signal, kept, rerun, (id) => this.#link.send({ t: "make", client: this.#number, call: id, ...crosses }));
    this.#made(call as Call<unknown>);
    return call;
  }

  /** Has a call made at the host, at once or when the client is open there. */
  #begin(call: Call<unknown>, signal: AbortSignal | undefined, kept: boolean, rerun: (() => Call<unknown>) | undefined, send: (id: number) => void): void {
    const begin = (): void => {
      const id = this.#link.number();
      try {
        send(id);
      } catch (error) {
        return call.fail(cannotCross(call.method, error));
      }
      const owner = this.#keys.under(call.key);
      this.#add(id, call);
      // The next worker has brought that: the host refuses this one.
      if (owner?.settled === false) this.#keys.set(owner);
      call.bind(id, rerun ? { ...this.#control, rerun } : this.#control, this.#waiting.has(call) ? undefined : signal, kept);
    };
    if (this.#isOpen) return begin();
    this.#keys.set(call);
    this.#waiting.set(call, begin);
    const cancel = (_: number, reason: string): void => {
      this.#waiting.delete(call);
      this.#keys.free(call);
      call.fail(new HoldfastError({ code: "cancelled", op: call.method, message: reason || "cancelled by the app" }));
    };
    call.bind(0, { ...this.#control, cancel, ack: async () => {}, peek: () => call.peeked(0, `{"status":"working"}`) }, signal, kept);
  }

  /** A call that is not made. */
  refused<T>(op: string, error: HoldfastError): Call<T> {
    const call = new Call<T>(op, this.#backlog);
    call.fail(error);
    return call;
  }

  #add(id: number, call: Call<unknown>): void {
    this.#calls.set(id, call);
    this.#link.addCall(id, this.#client);
    this.#keys.set(call);
  }

  /** The call under that number, where the app is to be told of it: once, and not of its own. */
  toTell(id: number): Call<unknown> | undefined {
    const call = this.#calls.get(id);
    return call && this.#untold.delete(call) ? call : undefined;
  }

  /** Something has happened to a call. */
  receive(message: HostMessage): void {
    if (message.t === "call") {
      const { method, manual, params, kept } = message;
      const made = message.made as Partial<RecalledCall>;
      if (this.#takesUp(message.call, made)) return;
      const own = this.#keys.same(made.key, method, params);
      if (own && !own.settled && !own.restored) {
        // Another page was first with the key that this one has just made a call under, or an earlier worker has stored it: they are one.
        // A call with the same key and another request is refused: the host says that the two cannot be one.
        this.#calls.set(message.call, own);
        this.#link.addCall(message.call, this.#client);
        const { id = own.id, createdAt = own.createdAt } = made;
        this.#names.set(own, { id, createdAt });
        if (this.#waiting.delete(own)) own.bind(message.call, this.#control, undefined, kept);
        return;
      }
      const call = new Call<unknown>(method, this.#backlog, manual, params, made);
      call.bind(message.call, this.#control, undefined, kept);
      this.#add(message.call, call);
      this.#untold.add(call);
      return;
    }
    const call = "call" in message ? this.#calls.get(message.call) : undefined;
    if (!call) return;
    switch (message.t) {
      case "from":
        call.from(message.position);
        break;
      case "skipped": {
        const gap = new Gap();
        [gap.events, gap.from, gap.to] = [message.events, message.from, message.to];
        call.skipped(gap, message.position, message.guarantee as never, message.followed);
        break;
      }
      case "replayed":
        call.replayed(message.position, message.events);
        break;
      case "settle":
        call.settle(message.outcome, message.text);
        break;
      case "fail":
        call.fail(holdfastErrorFrom(message.error, call.method, (question) => this.#client.thrown(question)));
        break;
      case "peeked":
        call.peeked(message.outcome, message.text);
        break;
      case "forgotten":
        this.#calls.delete((message as { call: number }).call);
        this.#keys.free(call);
        break;
    }
  }

  /** Goes on with a call of an earlier host's, which has that number now. */
  #takesUp(number: number, made: Partial<RecalledCall>): boolean {
    const adrift = this.#sought.get(number);
    if (!adrift) return false;
    const { call } = adrift;
    this.#sought.delete(number);
    this.#adrift.delete(call);
    this.#add(number, call);
    adrift.land({ number, control: this.#control }, made);
    return true;
  }

  event(id: number, kind: number, position: number, text: string, stream: number, texts: ParsedTogether, at: number): void {
    if (kind === EVENT.guarantee) warnUnkept(text);
    this.#calls.get(id)?.deliver(kind, position, text, stream, texts, at);
  }

  /** Acknowledges the results that were handed to the app so far. */
  closing(): void {
    this.#handover.now();
  }

  /**
   * Fails the calls, for which no message comes from the host any more. `comes`: the next host may have those
   * that are kept.
   */
  fail(why: (op: string, wasUnderWay?: boolean) => HoldfastError, comes: boolean): void {
    this.#isOpen = false;
    this.#over = why;
    this.#handover.clear();
    this.#keys.clear();
    for (const [number, call] of this.#calls) {
      const error = why(call.method, true);
      if (!comes || !call.kept) call.fail(error);
      else if (!this.#adrift.has(call)) {
        this.#adrift.set(call, new Adrift(call, { number, control: this.#control }, error));
      }
    }
    for (const call of this.#waiting.keys()) call.fail(why(call.method));
    this.#calls.clear();
    this.#waiting.clear();
    if (comes) return this.#keepKeys();
    for (const adrift of this.#adrift.values()) {
      const error = why(adrift.call.method);
      adrift.sink(error.code === "closed" ? error : undefined);
    }
    this.#adrift.clear();
  }

  /** One key names one call, whichever worker has it. */
  #keepKeys(): void {
    const calls = [...this.#adrift.keys()].sort((one, other) => Number(other.settled) - Number(one.settled));
    for (const call of calls) this.#keys.set(call);
  }

  /**
   * Operations of calls over the link `link`, which do nothing once it has ended. On the next link their
   * numbers are those of other calls, maybe of another user.
   */
  #controlOf(link: HostLink): CallControl {
    return {
      cancel: (call, reason) => link.send({ t: "cancel", call, reason }),
      pause: (call, on) => link.send({ t: "pause", call, on }),
      answer: (call, responses) => link.send({ t: "answer", call, responses }),
      ack: (call, position) => {
        const over = this.#over?.("ack"); // another client of the page's may have the link still
        const stored = over ? Promise.reject(over) : (link.ask("ack", this.#client, (ask) => ({ t: "ack", ask, call, position })) as Promise<void>);
        stored.catch(() => {}); // nobody has to look at it
        return stored;
      },
      handed: (id) => {
        const call = link === this.#link && this.#calls.get(id);
        if (call) this.#handover.add(id, call);
      },
      acted: (call) => link.send({ t: "acted", call }),
      peek: (call) => link.send({ t: "peek", call }),
      park: (call, on) => link.send({ t: "park", call, on }),
      draft: (call, key, draft) => link.send({ t: "draft", call, key, draft }),
      reread: (call, gap) => this.#reread(link, call, gap),
      rerun: (call) => this.#rerun(link, call),
    };
  }

  async *#reread(link: HostLink, call: number, gap: Gap): AsyncGenerator<RawEvent, void, undefined> {
    const of = this.#calls.get(call);
    let read = link.number();
    let { events, from } = gap;
    let done = false;
    try {
      while (!done) {
        const part = (await link
          .ask("events", this.#client, (ask) => ({ t: "reread", ask, call, read, events, from, to: Math.max(gap.to, 0) }))
          .catch((error: unknown) => error)) as { heads?: Uint32Array; texts?: string[]; done: boolean } | HoldfastError;
        if (part instanceof HoldfastError) {
          const rest = Object.assign(new Gap(), { events, from, to: gap.to });
          if (part.code !== "limit_exceeded") { // the host has ended
            const again = of && this.#adrift.get(of)?.control.reread(call, rest);
            for await (const event of { [Symbol.asyncIterator]: () => again ?? missing(rest) }) yield event;
            return;
          }
          link.send({ t: "stop", read }); // the page took nothing for too long: from there once more
          read = link.number();
          continue;
        }
        done = part.done;
        const raws: RawEvent[] = [];
        if (part.heads) eachEvent(part.heads, part.texts ?? [], (_, kind, position, text) => raws.push({ kind, position, text }));
        for (const raw of raws) {
          yield raw;
          const n = raw.kind === GAP ? (JSON.parse(raw.text) as { events: number }).events : 1;
          [events, from] = [Math.max(events - n, 0), raw.position + 1];
        }
      }
    } finally {
      if (!done) link.send({ t: "stop", read });
    }
  }

  #rerun(link: HostLink, of: Call<unknown>): Call<unknown> {
    const from = [...this.#calls].find(([, call]) => call === of)?.[0];
    if (from === undefined) return this.refused("retry", closedError("retry", "the client has this call no more"));
    const call = new Call<unknown>(of.method, this.#backlog, of.manual, of.sent, { id: of.id, ...(of.key === undefined ? {} : { key: of.key }), guarantee: this.#floor() });
    const id = link.number();
    this.#add(id, call);
    link.send({ t: "rerun", call: from, as: id });
    call.bind(id, this.#control, undefined, true);
    this.#made(call);
    return call;
  }
}

/** The params of a request, as JSON, in the JSON of what the app gave. */
function paramsIn(json: string, isTool: boolean, [first, second]: Makes[keyof Makes]): string {
  const name = JSON.stringify([first]).slice(1, -1);
  const given = json.slice(name.length + 2, -1); // behind `[` and the comma
  return isTool ? `{"name":${name},"arguments":${given}}` : second ? given : "{}";
}

/**
 * Copy of the app's value as data: without functions, and with what proxies show, as in JSON. Unlike in JSON,
 * numbers stay numbers, as Infinity does.
 */
export function asData<T>(op: string, given: T): T {
  try {
    return copied(given) as T;
  } catch (error) {
    throw cannotCross(op, error);
  }
}

function copied(value: unknown): unknown {
  if (typeof value === "function" || typeof value === "symbol") return undefined;
  if (typeof value !== "object" || value === null) return value;
  const { toJSON } = value as { toJSON?: () => unknown };
  if (typeof toJSON === "function") return copied(toJSON.call(value));
  if (Array.isArray(value)) return value.map((member) => copied(member) ?? null);
  const members = Object.entries(value).map(([name, member]) => [name, copied(member)] as const);
  return Object.fromEntries(members.filter(([, member]) => member !== undefined));
}

/** The error of what the app gave and no port can carry. */
export function cannotCross(op: string, cause: unknown): HoldfastError {
  return new HoldfastError({ code: "bad_argument", op, message: "an argument or option holds what cannot be sent to the worker", cause });
}
