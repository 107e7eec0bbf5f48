import type { ClientView } from "../client/clientview.js";
import type { CallOptions } from "../client/options.js";
import type { CallViewer, NewCall, SharedCall } from "../client/sharedcall.js";
import { HoldfastError } from "../shared/errors.js";
import { Credits, sizeOf } from "./credits.js";
import { AppError, errorData } from "./errordata.js";
import { EventBatch } from "./eventbatch.js";
import { HostedClient } from "./hostedclient.js";
import { pageLeft } from "./lingering.js";
import { PortAsks } from "./portasks.js";
import type { PortCall } from "./portcall.js";
import type { PortView, Presence, QuestionContext, ViewPage } from "./portview.js";
import { type Asked, BUILD, checked, FROM_PAGE, type HostMessage, type PageMessage } from "./protocol.js";
import { GONE, pageArrived } from "./askpage.js";

/** How long a page may be in the back/forward cache, in ms: browsers keep none there longer. */
const AWAY = 15 * 60_000;
/** How long, in ms, a page whose lock is free may take to say that it is only away: its word and its lock come by different ways. */
const SILENT = 1_000;
/** Most bytes, and messages, that wait for a page that takes nothing: beyond, it has lost its place here. */
const WAITING = 16 << 20;
const MESSAGES = 10_000;

/** The lock of each session has a name of its own. */
const lockOf = (): string => `holdfast.port.${crypto.randomUUID()}`;

/** A message of the page's that is about one call. */
type CallMessage = Extract<PageMessage, { call: number }>;

/** A question that the page has not answered. */
interface Open {
  resolve(value: unknown): void;
  reject(error: unknown): void;
  typed(draft: string): void;
}

let questions = 0;

/** One page at its host, from its hello to its end. */
export class PortSession implements ViewPage {
  readonly #port: MessagePort;
  /** Gives back the lock by which the page knows that the session lives. */
  readonly #release = new AbortController();
  #presence: Presence = "new";
  #outlives = false;
  #lock = "";
  #watch: AbortController | undefined;
  #away: ReturnType<typeof setTimeout> | undefined;
  /** Facts that wait for a page, by its client: newer ones go into the same message. */
  readonly #facts = new Map<number, object>();
  readonly #clients = new Map<number, HostedClient>();
  readonly #calls = new Map<number, PortCall<unknown>>();
  readonly #viewOf = new Map<number, PortView>();
  /** Calls that had ended, and that the page has made once more under their keys. */
  readonly #again = new Map<number, { shared: SharedCall<unknown>; viewer: CallViewer }>();
  readonly #open = new Map<number, Open>();
  readonly #asks: PortAsks;
  readonly #batch = new EventBatch();
  readonly #credits = new Credits();
  #flushing = false;
  #pruning: ReturnType<typeof setTimeout> | undefined;
  #queue: [message: HostMessage, transfer: Transferable[]][] = [];
  #queued = 0;
  /** Under which number the page has made a call that is being made now. */
  #next = 0;
  #last = 1;
  /** Messages that were none. */
  dropped = 0;

  constructor(port: MessagePort) {
    this.#port = port;
    this.#asks = new PortAsks(this);
    port.onmessage = ({ data }) => this.#receive(data);
    port.start();
  }

  get presence(): Presence {
    return this.#presence;
  }

  get outlives(): boolean {
    return this.#outlives;
  }

  get takes(): boolean {
    return this.#presence === "here" && this.#credits.any && this.#queue.length === 0;
  }

  /** The client under that number. */
  viewOf(client: number): PortView | undefined {
    return this.#clients.get(client)?.view;
  }

  /** The page has closed it. */
  closed(client: number): void {
    for (const [id, view] of this.#viewOf) if (view.number === client) this.#forget(id);
    this.#clients.get(client)?.abort();
    this.#clients.delete(client);
  }

  event(call: number, kind: number, position: number, text: string, stream: number): void {
    this.#batch.add(call, kind, position, text, stream);
    if (this.#flushing) return;
    this.#flushing = true;
    queueMicrotask(() => this.#flush()); // with all that the same chunk of a stream has brought
  }

  #flush(): void {
    this.#flushing = false;
    if (this.#batch.isEmpty) return;
    const { heads, text } = this.#batch.take();
    this.#post({ t: "events", heads, text }, [heads.buffer]);
    for (const client of this.#clients.values()) client.touched();
  }

  send(message: HostMessage, transfer: Transferable[] = []): void {
    if (this.#presence === "gone") return;
    this.#flush();
    if (this.takes) return this.#post(message, transfer);
    if (message.t === "facts") {
      const waiting = this.#facts.get(message.client);
      this.#facts.set(message.client, waiting ?? message.facts);
      if (waiting) return void Object.assign(waiting, message.facts);
    }
    if ((this.#queued += sizeOf(message)) > WAITING || this.#queue.push([message, transfer]) > MESSAGES) this.#end();
  }

  /** A call that is not kept has ended, and cannot be run again: nobody comes back to it. */
  ended(id: number): void {
    setTimeout(() => this.#calls.has(id) && this.#forget(id), 0);
  }

  #post(message: HostMessage, transfer: Transferable[]): void {
    const size = (message.size = sizeOf(message));
    this.#credits.spend(size);
    try {
      this.#port.postMessage(message, transfer);
    } catch (error) {
      this.dropped++; // data that cannot cross, of a server's or an app's
      reportError(error);
    }
  }

  known(view: PortView, call: (id: number) => PortCall<unknown>, [method, , manual = false, params = {}, made = {}]: NewCall): PortCall<unknown> {
    const isPages = this.#next !== 0;
    const id = this.#next || (this.#last += 2);
    this.#next = 0;
    const known = call(id);
    if (this.#presence === "gone") return known;
    this.#calls.set(id, known);
    this.#viewOf.set(id, view);
    if (!isPages) this.send({ t: "call", client: view.number, call: id, method, manual, params, made: { ...made, guarantee: known.guaranteeOf(made.guarantee) }, kept: true });
    return known;
  }

  /** Has the page's number taken by the call that `make` makes. */
  making(id: number, view: PortView, make: () => unknown): void {
    this.#next = id;
    try {
      this.#made(id, view, make() as PortCall<unknown>);
    } catch (error) {
      this.send({ t: "fail", call: id, error: errorData(error) });
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
      this.#calls.set(id, made);
      this.#viewOf.set(id, view);
      return;
    }
    if (!shared) throw new HoldfastError({ code: "closed", op: made.method, message: "the client has this call no more" });
    const { backlog } = view;
    const viewer: CallViewer = { backlog, rerun: (call) => view.rerun(call), newCall: <T>(...all: NewCall) => view.newCall<T>(...all) };
    this.#again.set(id, { shared, viewer });
    shared.show(viewer, shared.kept);
  }

  question(client: number, asked: Asked, request: object, { server, signal, draft, saveDraft }: QuestionContext): Promise<unknown> {
    const question = ++questions;
    return new Promise((resolve, reject) => {
      this.#open.set(question, { resolve, reject, typed: (text) => saveDraft?.(text === "" ? undefined : JSON.parse(text)) });
      this.send({ t: "question", client, question, asked, request, server, draft: draft === undefined ? "" : JSON.stringify(draft) });
      signal?.addEventListener("abort", () => {
        if (this.#open.delete(question)) this.send({ t: "withdrawn", question });
        reject(signal.reason as Error);
      });
    });
  }

  #receive(data: unknown): void {
    const message = checked<PageMessage>(FROM_PAGE, data);
    if (!message || this.#presence === "gone" || (message.t === "hello") !== (this.#presence === "new")) {
      this.dropped++;
      return;
    }
    try {
      this.#take(message);
    } catch {
      this.dropped++; // what passed for a message, and was none
    }
  }

  #take(message: PageMessage): void {
    switch (message.t) {
      case "hello":
        if (message.build !== BUILD) {
          this.#port.postMessage({ t: "refused", why: `the worker is build ${BUILD}, the page is build ${message.build}` } satisfies HostMessage);
          this.#end();
          return;
        }
        this.#presence = "here";
        this.#lock = message.lock;
        this.#outlives = message.outlives;
        this.#watchPage();
        this.#welcome();
        break;
      case "connect": {
        if (this.#clients.has(message.client)) break;
        const client = new HostedClient(this, message.client);
        this.#clients.set(message.client, client);
        void client.open(message).then(() => client.view ?? this.#clients.delete(message.client));
        break;
      }
      case "listening":
        this.#clients.get(message.client)?.listening();
        break;
      case "ask":
        this.#asks.ask(message);
        break;
      case "abort":
        this.#asks.abort(message.ask, message.why);
        break;
      case "make":
        this.#make(message);
        break;
      case "reply": {
        const open = this.#open.get(message.question);
        this.#open.delete(message.question);
        if (message.error) open?.reject(new AppError({ ...message.error, question: message.question }));
        else open?.resolve(message.value);
        break;
      }
      case "stop":
        this.#asks.stop(message.read);
        break;
      case "typed":
        this.#open.get(message.question)?.typed(message.draft);
        break;
      case "credit":
        if (this.#credits.add(message.bytes)) this.#goOn();
        break;
      case "away":
        this.#leaves(message.cached ? AWAY : Infinity);
        break;
      case "back":
        this.#comes();
        break;
      case "bye":
        this.#end();
        break;
      default:
        this.#tell(message);
    }
  }

  #make({ client, call, op, method, args, options }: Extract<PageMessage, { t: "make" }>): void {
    const view = this.viewOf(client);
    if (!view || call % 2 !== 0 || this.#calls.has(call) || (method !== "callTool" && method !== "request")) {
      const error = new HoldfastError({ code: "closed", op, message: "the client is closed" });
      this.send({ t: "fail", call, error: errorData(error) });
      return;
    }
    this.making(call, view, () => (view as ClientView).make(op, method, JSON.parse(args) as never, options as CallOptions));
  }

  /** What the page asks of a call. */
  #tell(message: Exclude<CallMessage, { t: "make" }>): void {
    const call = this.#calls.get(message.call);
    const control = call?.control;
    switch (message.t) {
      case "ack":
        this.#asks.answer(message.ask, control?.ack(0, message.position) ?? Promise.resolve());
        break;
      case "reread":
        this.#asks.reread(message, control);
        break;
      case "rerun": {
        const view = this.#viewOf.get(message.call);
        this.making(message.as, view!, () => {
          if (view && control) return control.rerun(call as never);
          throw new HoldfastError({ code: "closed", op: "replay", message: "the client has this call no more" });
        });
        break;
      }
      case "acted":
        control?.acted(0);
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
    if (call) this.#prune();
  }

  /** A slow reader holds up the stream, but not for other pages where the store has the events. */
  #pause(call: PortCall<unknown>, on: boolean): void {
    const view = this.#viewOf.get(call.id);
    const shared = on && call.kept && view?.facts.durability !== "memory" && [...(view?.shown() ?? [])].find((one) => one.call === call)?.shared;
    if (shared && view && shared.isSeenBeside(view)) return call.hold(true);
    call.hold(false);
    call.control?.pause(0, on);
  }

  /** Lets go of calls that have ended and that the client has no more. */
  #prune(): void {
    this.#pruning ??= setTimeout(() => {
      this.#pruning = undefined;
      const kept = new Set([...this.#clients.values()].flatMap(({ view }) => (view?.client ? [...view.shown()].map(({ call }) => call) : [])));
      for (const [id, call] of this.#calls) {
        const shared = this.#again.get(id)?.shared;
        if (call.settled && !kept.has(call) && !(shared && this.#viewOf.get(id)?.client.all().has(shared))) this.#forget(id);
      }
    }, 0);
  }

  #forget(id: number): void {
    const again = this.#again.get(id);
    again?.shared.drop(again.viewer);
    this.#calls.delete(id);
    this.#viewOf.delete(id);
    this.#again.delete(id);
    this.send({ t: "forgotten", call: id });
  }

  /** Answers the hello, once the session has a lock that is free when it has ended, or its worker. */
  #welcome(): void {
    const lock = lockOf();
    const { signal } = this.#release;
    const held = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    const welcome = (): Promise<void> => {
      this.send({ t: "welcome", build: BUILD, lock });
      return held;
    };
    navigator.locks.request(lock, welcome).catch(() => this.#end());
  }

  /** Notices when the page goes without a word: its lock is free then. */
  #watchPage(): void {
    this.#watch?.abort();
    const watch = (this.#watch = new AbortController());
    if (this.#lock === "") return;
    navigator.locks.request(this.#lock, { signal: watch.signal }, () => this.#leaves(SILENT)).catch(() => {});
  }

  /**
   * The page takes nothing for a while; after `ms` it has gone. A frozen one has its lock,
   * and goes with that alone.
   */
  #leaves(ms: number): void {
    if (this.#presence === "gone") return;
    clearTimeout(this.#away);
    if (ms !== Infinity) {
      this.#watch?.abort();
      this.#away = setTimeout(() => this.#end(), ms);
    }
    if (this.#presence === "away") return;
    this.#flush();
    this.#presence = "away";
    for (const call of this.#calls.values()) if (!call.settled) call.control?.pause(0, false); // nothing waits for its readers
    for (const [question, { reject }] of this.#open) {
      this.send({ t: "withdrawn", question });
      reject(GONE);
    }
    this.#open.clear();
  }

  #comes(): void {
    if (this.#presence !== "away") return;
    clearTimeout(this.#away);
    this.#presence = "here";
    this.#watchPage();
    this.#goOn();
    pageArrived();
  }

  /** The page takes again what is for it. */
  #goOn(): void {
    if (this.#presence !== "here") return;
    const queue = this.#queue;
    this.#queue = [];
    this.#queued = 0;
    this.#facts.clear();
    for (const [message, transfer] of queue) this.send(message, transfer);
    for (const call of this.#calls.values()) call.resume();
  }

  /** The page has gone. */
  #end(): void {
    if (this.#presence === "gone") return;
    this.#presence = "gone";
    clearTimeout(this.#away);
    this.#watch?.abort();
    this.#release.abort();
    this.#port.onmessage = null;
    this.#port.close();
    for (const { reject } of this.#open.values()) reject(GONE);
    for (const client of this.#clients.values()) {
      if (client.view?.client) pageLeft(client.view);
      else client.abort();
    }
    this.#asks.end();
    for (const { shared, viewer } of this.#again.values()) shared.drop(viewer);
    for (const all of [this.#open, this.#clients, this.#calls, this.#viewOf, this.#again]) all.clear();
    this.#queue = [];
  }
}
