import type { ClientView } from "../../client/clientview.js";
import type { MadeThere } from "../../client/outgoing.js";
import type { CallOptions } from "../../client/options.js";
import type { CallViewer, NewCall, CoreCall } from "../../client/corecall.js";
import type { RecalledCall } from "../../client/callcontrol.js";
import { CALL, MAKES } from "../../client/clientoptionkinds.js";
import { otherUser } from "../../connect/otheruser.js";
import { closedError } from "../../base/errors.js";
import { checkAll, optional, time } from "../../base/kinds.js";
import { errorData } from "../wire/errordata.js";
import type { PortAsks } from "./portasks.js";
import type { PortCall } from "./portcall.js";
import type { PortView } from "./portview.js";
import type { CallOfPage, HostMessage, PageMessage } from "../wire/protocol.js";

/** A message of the page's that is about one call. */
type CallMessage = Extract<PageMessage, { call: number }>;

/** Members that a page's calls need of their session. */
export interface CallsUse {
  /** True once the page has gone. */
  readonly isGone: boolean;
  /** The views of the page's clients that are open. */
  readonly views: Iterable<PortView>;
  send(message: HostMessage): void;
}

/** The calls that one page has here, by their numbers on the port. */
export class PortCalls {
  readonly #use: CallsUse;
  readonly #asks: PortAsks;
  readonly #calls = new Map<number, PortCall<unknown>>();
  readonly #viewOf = new Map<number, PortView>();
  /** Calls that had ended, and that the page has made once more under their keys. */
  readonly #again = new Map<number, { shared: CoreCall<unknown>; viewer: CallViewer }>();
  /** Calls of users that the page had before. */
  readonly #takenBack = new Set<number>();
  /** Calls of an earlier host's that the page has, by client, until they are found here. */
  readonly #sought = new Map<number, CallOfPage[]>();
  #pruning: ReturnType<typeof setTimeout> | undefined;
  /** Page's number of the call that is being made now; 0 for none. */
  #next = 0;
  #last = 1;

  constructor(use: CallsUse, asks: PortAsks) {
    this.#use = use;
    this.#asks = asks;
  }

  /** A number of the host's that nothing else has on the port. Odd. */
  number(): number {
    return (this.#last += 2);
  }

  /** A call is there, of the page's own making or the host's; it gets its number. */
  known(view: PortView, call: (id: number) => PortCall<unknown>, [method, , manual = false, params = "{}", made = {}]: NewCall): PortCall<unknown> {
    const isPages = this.#next !== 0;
    const found = isPages ? undefined : this.#found(view.number, made);
    const id = this.#next || found?.[0] || this.number();
    this.#next = 0;
    const known = call(id);
    known.isPages = isPages || found?.[3] === true;
    if (this.#use.isGone) return known;
    this.#calls.set(id, known);
    this.#viewOf.set(id, view);
    if (!isPages) this.#use.send({ t: "call", client: view.number, call: id, method, manual, params, made: { ...made, guarantee: known.guaranteeOf(made.guarantee) }, kept: true });
    return known;
  }

  /** The page has calls of an earlier host's for that client: those that are here get these numbers. */
  seeks(client: number, calls: readonly CallOfPage[]): void {
    this.#sought.set(client, calls.filter(isCallOfPage));
  }

  /** Page's number of a call that the page has of an earlier host's. */
  #found(client: number, { id, createdAt }: Partial<RecalledCall>): CallOfPage | undefined {
    const sought = this.#sought.get(client) ?? [];
    const found = sought.find((one) => one[1] === id && one[2] === createdAt && !this.#calls.has(one[0]));
    if (found) this.#sought.set(client, sought.filter((one) => one !== found));
    return found;
  }

  /** Makes the call that the page wants, for its client `view`. */
  make(view: PortView | undefined, { call, op, method, args, options }: Extract<PageMessage, { t: "make" }>): void {
    if (!view || call % 2 !== 0 || this.#calls.has(call) || !Object.hasOwn(MAKES, method)) {
      const error = closedError(op);
      this.#use.send({ t: "fail", call, error: errorData(error) });
      if (!this.#calls.has(call)) this.#use.send({ t: "forgotten", call });
      return;
    }
    this.making(call, view, () => {
      const { madeAt, ...given } = options as MadeThere;
      const all = (JSON.parse(args) as unknown[]).map((each) => each ?? undefined); // JSON has null for what is left out
      checkAll(op, [all[0], all[1], given, madeAt], { ...MAKES[method], options: CALL, madeAt: optional(time) });
      return (view as ClientView).make(op, method, all as never, options as CallOptions);
    });
  }

  /** Has the page's number taken by the call that `make` makes. */
  making(id: number, view: PortView, make: () => unknown): void {
    this.#next = id;
    try {
      this.#made(id, view, make() as PortCall<unknown>);
    } catch (error) {
      this.#use.send({ t: "fail", call: id, error: errorData(error) });
      if (!this.#calls.has(id)) this.#use.send({ t: "forgotten", call: id });
    } finally {
      this.#next = 0;
    }
  }

  #made(id: number, view: PortView, made: PortCall<unknown>): void {
    const isNew = this.#next === 0;
    if (isNew && view.peers.length === 1) return;
    const shared = [...view.shown()].find(({ call }) => call === made)?.shared;
    if (isNew) {
      if (shared?.kept && !shared.settled) view.tellOthers(shared);
      return;
    }
    // The client has it under its key, and the page did not know of it by then.
    if (!made.settled) {
      made.isPages = true;
      this.#calls.set(id, made);
      this.#viewOf.set(id, view);
      return;
    }
    if (!shared) throw closedError(made.method, "the client has this call no more");
    const { backlog, page } = view;
    const viewer: CallViewer = { backlog, page, rerun: (call) => view.rerun(call), newCall: <T>(...all: NewCall) => view.newCall<T>(...all) };
    this.#again.set(id, { shared, viewer });
    shared.show(viewer, shared.kept);
  }

  /** Takes a page's message about a call. */
  take(message: Exclude<CallMessage, { t: "make" }>): void {
    const call = this.#calls.get(message.call);
    const control = call?.control;
    switch (message.t) {
      case "ack":
        this.#asks.answer(message.ask, this.#ack(call, message));
        break;
      case "reread":
        this.#asks.reread(message, control, this.#viewOf.get(message.call)?.number);
        break;
      case "rerun": {
        const view = this.#viewOf.get(message.call);
        this.making(message.as, view!, () => {
          if (view && control) return control.rerun(call as never);
          throw closedError("retry", "the client has this call no more");
        });
        break;
      }
      case "acted":
        call?.acking?.acted(0);
        break;
      default:
        if (!call || call.settled || !control) return;
        switch (message.t) {
          case "cancel":
            return control.cancel(0, message.reason);
          case "pause":
            return this.#pause(call, message.on);
          case "answer":
            return control.answer(0, message.responses);
          case "peek":
            return control.peek(0);
          case "park":
            return control.park(0, message.on);
          case "draft":
            return control.draft(0, message.key, message.draft);
        }
    }
    if (call) this.#pruneSoon();
  }

  /** A slow reader holds up the stream, but not for other pages where the store has the events. */
  #pause(call: PortCall<unknown>, on: boolean): void {
    const view = this.#viewOf.get(call.number);
    const shared = on && call.kept && view?.keepsEvents && [...(view?.shown() ?? [])].find((one) => one.call === call)?.shared;
    if (shared && view && shared.isSeenBeside(view)) {
      if (call.isPaused) call.holdUp(false);
      return call.hold(true);
    }
    call.hold(false);
    call.holdUp(on);
  }

  /** Another page has the client of that view now: slow readers hold up no stream for it. */
  shared(view: PortView): void {
    for (const [id, call] of this.#calls) if (call.isPaused && this.#viewOf.get(id) === view) this.#pause(call, true);
  }

  /** A call that is not kept has ended: nobody comes back to it. */
  ended(id: number): void {
    setTimeout(() => this.#calls.has(id) && this.#forget(id), 0);
  }

  /** The page has closed that client. */
  closed(client: number): void {
    this.#sought.delete(client);
    for (const [id, view] of this.#viewOf) if (view.number === client) this.#forget(id);
    this.#asks.stopOf(client);
  }

  /**
   * Ends the calls of the client's last user for the page, since the client's user is another one. So end the
   * calls that the page has under its own numbers, and has not heard to be others.
   */
  takeBack(client: number): void {
    this.#sought.delete(client);
    for (const [id, call] of this.#calls) {
      if (this.#viewOf.get(id)?.number !== client) continue;
      const error = otherUser(call.method);
      this.#takenBack.add(id);
      call.takenBack(error);
      if (call.number !== id) this.#use.send({ t: "fail", call: id, error: errorData(error) });
    }
    this.#asks.stopOf(client);
  }

  /**
   * Acknowledges a call. One that the client has no more counts as acknowledged, unless it was for the last
   * user.
   */
  async #ack(call: PortCall<unknown> | undefined, { call: id, position }: Extract<PageMessage, { t: "ack" }>): Promise<void> {
    if (call) return call.acking?.ack(0, position);
    if (this.#takenBack.has(id)) throw otherUser("ack");
  }

  /** The page takes nothing for now: no call waits for its readers. */
  letRun(): void {
    for (const call of this.#calls.values()) if (!call.settled) call.letRun();
  }

  /** The page takes events again. */
  resume(): void {
    for (const call of this.#calls.values()) call.goOn();
  }

  /** The page has gone. */
  end(): void {
    for (const { shared, viewer } of this.#again.values()) shared.drop(viewer);
    for (const all of [this.#calls, this.#viewOf, this.#again]) all.clear();
  }

  #pruneSoon(): void {
    this.#pruning ??= setTimeout(() => {
      this.#pruning = undefined;
      this.prune();
    }, 0);
  }

  /** Lets go of calls that have ended and that the client has no more. */
  prune(): void {
    const held = this.#held();
    for (const [id, call] of this.#calls) {
      const shared = this.#again.get(id)?.shared;
      if (call.settled && !held.has(call) && !(shared && this.#viewOf.get(id)?.client.all().has(shared))) this.#forget(id);
    }
  }

  /** Says of a call whether its client has it, and with it its outcome. */
  holding(): (id: number) => boolean {
    const held = this.#held();
    return (id) => held.has(this.#calls.get(id));
  }

  /** Calls that the page's clients hold. */
  #held(): ReadonlySet<PortCall<unknown> | undefined> {
    return new Set([...this.#use.views].flatMap((view) => [...view.shown()].map(({ call }) => call)));
  }

  #forget(id: number): void {
    const again = this.#again.get(id);
    again?.shared.drop(again.viewer);
    this.#calls.delete(id);
    this.#viewOf.delete(id);
    this.#again.delete(id);
    this.#use.send({ t: "forgotten", call: id });
  }
}

/**
 * True if the value is a call of a page's, under a number that a page gives: positive and even. Any script of
 * the origin may send it.
 */
function isCallOfPage(one: unknown): one is CallOfPage {
  return Array.isArray(one) && Number.isSafeInteger(one[0]) && one[0] > 0 && one[0] % 2 === 0;
}
