import type { Call, CallToolResult, McpClient } from "holdfast";
import { LOOKING, MISSING, type CallSnapshot, type ObserveOptions } from "./callsnapshot.js";
import { observeCall, type ObservedCall } from "./callstore.js";
import { badArgument, checkClient, checkObserve } from "../shared/checks.js";
import { Observed, type Store } from "./observed.js";

/** The calls that there are. */
export interface CallsSnapshot {
  /** `looking`: those of earlier pages are being read. */
  readonly state: "looking" | "ready";
  /** In the order of their making. */
  readonly calls: readonly Call<CallToolResult>[];
}

/** Calls that have ended stay in the list up to so many; the oldest go first. The client has them all. */
const ENDED = 200;

/**
 * The calls of one client: of this page, of earlier ones and of other tabs. A call that ends stays, so that
 * its outcome is not gone with the frame that shows it, until the app acknowledges it.
 */
export class CallsStore extends Observed<CallsSnapshot> {
  readonly #client: McpClient;
  /** By their ids, which a call that is made again, or comes again from the store, has as well. */
  readonly #known = new Map<string, Call<CallToolResult>>();
  readonly #underWay = new Set<Call<CallToolResult>>();
  #state: "not" | "looking" | "ready" = "not";
  /** Counts how often it has looked: what is overtaken is of another user. */
  #looks = 0;
  /** Told when nothing is under way any more. */
  onidle: (() => void) | undefined;

  constructor(client: McpClient) {
    super();
    this.#client = client;
  }

  /** True if no call is under way. */
  get isIdle(): boolean {
    return this.#underWay.size === 0;
  }

  /** Hears of all calls from here on. */
  listen(): void {
    if (this.#state !== "not") return;
    this.#client.on("call", ({ call }) => this.#add(call as Call<CallToolResult>));
    this.#client.on("restored", ({ call }) => this.#add(call));
    this.#client.on("state", ({ state, anotherUser }) => {
      if (anotherUser || state === "closed") this.#forget();
    });
    void this.#look();
  }

  protected override begin(): void {
    this.listen();
  }

  async #look(): Promise<void> {
    const look = ++this.#looks;
    this.#state = "looking";
    const calls = await this.#client.calls().catch(() => []); // a client that has ended has none
    if (look !== this.#looks) return;
    for (const call of calls) this.#add(call);
    this.#state = "ready";
    this.changed();
  }

  #add(call: Call<CallToolResult>): void {
    if (this.#known.get(call.id) === call) return;
    this.#known.set(call.id, call);
    if (!call.settled) {
      this.#underWay.add(call);
      call.ended.addEventListener("abort", () => this.#ended(call), { once: true });
    }
    call.when("done", () => this.#drop(call));
    this.changed();
  }

  #ended(call: Call<CallToolResult>): void {
    this.#underWay.delete(call);
    // No page finds a call again that is not kept. A call that ended with its client continues elsewhere. A
    // call that ended with its user is another user's.
    if (!call.kept || call.failure?.code === "closed") this.#drop(call);
    const ended = [...this.#known.values()].filter(({ settled }) => settled);
    for (const old of ended.slice(0, -ENDED)) this.#drop(old);
    this.changed();
    if (this.isIdle) this.onidle?.();
  }

  /**
   * What has ended was the last user's, and that user's to see, or has been deleted; what is under way ends
   * by itself. The next user may have calls already, and a client that is closed has none.
   */
  #forget(): void {
    for (const call of this.#known.values()) if (call.settled) this.#drop(call);
    void this.#look();
  }

  #drop(call: Call<CallToolResult>): void {
    if (this.#known.get(call.id) === call) this.#known.delete(call.id);
    this.changed();
  }

  protected current(): CallsSnapshot {
    const calls =
      [...this.#known.values()].filter(({ kept }) => kept).sort((a, b) => a.createdAt - b.createdAt);
    return { state: this.#state === "ready" ? "ready" : "looking", calls };
  }
}

const stores = new WeakMap<McpClient, CallsStore>();

/** @internal */
export function callsOf(client: McpClient): CallsStore {
  let store = stores.get(client);
  if (!store) stores.set(client, (store = new CallsStore(client)));
  return store;
}

/**
 * Observes which calls there are that are kept: what {@link Connection.calls} gives, and those that have
 * ended in this page, until the app acknowledges them with {@link Call.ack}. Nothing of a call is read, and
 * none is acknowledged, by this.
 *
 * @throws HoldfastError `bad_argument`
 */
export function observeCalls(client: McpClient): Store<CallsSnapshot> {
  checkClient("observeCalls", client);
  return callsOf(client);
}

/** A call by its key or id, whichever it is at the time. */
class FoundCall extends Observed<CallSnapshot> implements ObservedCall {
  readonly #calls: CallsStore;
  readonly #name: string;
  readonly #options: ObserveOptions;
  #store: ObservedCall | undefined;
  #stop: (() => void)[] = [];

  constructor(calls: CallsStore, name: string, options: ObserveOptions) {
    super();
    this.#calls = calls;
    this.#name = name;
    this.#options = options;
  }

  readonly hand = (snapshot: CallSnapshot): void => this.#store?.hand(snapshot);

  protected override given(snapshot: CallSnapshot): void {
    this.hand(snapshot);
  }

  protected override begin(): void {
    this.#stop = [this.#calls.onChange(() => this.#find()), () => {}];
    this.#find();
  }

  protected override end(): void {
    for (const stop of this.#stop) stop();
    this.#store = undefined;
  }

  #find(): void {
    const call = this.#found();
    const store = call && observeCall(call, this.#options);
    if (store === this.#store) return store ? undefined : this.publish();
    this.#stop[1]?.();
    this.#store = store;
    this.#stop[1] = store?.onChange(() => this.publish()) ?? (() => {});
    this.publish();
  }

  #found(): Call<CallToolResult> | undefined {
    return this.#calls.snapshot().calls.filter(
      ({ key, id }) => key === this.#name || id === this.#name,
    ).at(-1);
  }

  protected current(): CallSnapshot {
    if (this.#store) return this.#store.snapshot();
    const call = this.#found();
    if (call) return observeCall(call, this.#options).snapshot();
    return this.#calls.snapshot().state === "ready" ? MISSING : LOOKING;
  }
}

/**
 * Observes the call that has that key or id, of this page or of an earlier one: `looking` until it is found,
 * or known to be `missing`; a call that is made with the key later is found then. As {@link observeCall}
 * else.
 *
 * @throws HoldfastError `bad_argument`
 */
export function findCall(client: McpClient, keyOrId: string, options: ObserveOptions = {}): ObservedCall {
  checkClient("findCall", client);
  checkObserve("findCall", options);
  if (typeof keyOrId !== "string" || keyOrId === "")
    throw badArgument("findCall", "keyOrId", "has to be the key or the id of a call");
  return new FoundCall(callsOf(client), keyOrId, options);
}
