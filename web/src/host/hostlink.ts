import { isRepeatable } from "../connect/interrupted.js";
import { HoldfastError } from "../shared/errors.js";
import { hasLocks, lock } from "../tabs/locks.js";
import { BUILD } from "./build.js";
import { atStart, NoWorker } from "./choice.js";
import { Taken } from "./credits.js";
import { holdfastErrorFrom } from "./errordata.js";
import { eachEvent, type TakeEvent } from "./eventbatch.js";
import { checked, FROM_HOST, type HostMessage, type PageMessage } from "./protocol.js";
import { noteWorker, wasSilent } from "./silentworkers.js";
import type { StartedWorker } from "./startworker.js";

/**
 * ms until a worker that does not answer is started once more, and the last time: then it counts as one
 * that cannot be had. A page may meet one whose process is just ending, which answers nobody. One that was silent
 * before has the first of them alone, where the page can do without it.
 */
const PATIENCE = [1_500, 3_000, 12_000];

/** A client of the page's, as far as what arrives for it goes. */
export interface LinkedClient {
  receive(message: HostMessage): void;
  /** An event of one of its calls. */
  event(...event: Parameters<TakeEvent>): void;
  /** The host has ended. */
  hostEnded(): void;
  /** What the app threw in answer to that question. */
  thrown(question: number): unknown;
}

/** A message that waits for its answer. */
interface Asked {
  op: string;
  client: LinkedClient | undefined;
  resolve(value: unknown): void;
  reject(error: HoldfastError): void;
}

/** This page's way to one host: all its clients there speak over it. */
export class HostLink {
  readonly #port: MessagePort;
  /** The lock by which the host knows that the page lives; that of `page` is given back with it. */
  readonly #lock: string;
  readonly #isShared: boolean;
  #release: (() => void) | undefined;
  #watch: AbortController | undefined;
  #hostLock = "";
  #hostStoresKeys = true;
  /** `cached`: the page is in the back/forward cache; `over`: nothing crosses the link any more. */
  #state: "open" | "cached" | "over" = "open";
  /** What listens to the page. */
  readonly #page = new AbortController();
  readonly #clients = new Map<number, LinkedClient>();
  /** Whose a call is. */
  readonly #calls = new Map<number, LinkedClient>();
  readonly #asked = new Map<number, Asked>();
  readonly #taken = new Taken((bytes) => this.send({ t: "credit", bytes }));
  #numbers = 0;
  #ended: (() => void) | undefined;

  private constructor(port: MessagePort, name: string, isShared: boolean) {
    this.#port = port;
    this.#lock = name;
    this.#isShared = isShared;
  }

  /**
   * Links to the host that `start` starts or joins; `ended` is called when the host has ended. `isOptional`: the page
   * can do without it, and waits less for one that was silent before. Rejects with a NoWorker where there is none.
   */
  static async open(kind: "shared" | "worker", url: string, start: () => StartedWorker, ended: () => void, isOptional = false): Promise<HostLink> {
    const isDoubtful = isOptional && wasSilent(url);
    for (const patience of isDoubtful ? PATIENCE.slice(0, 1) : PATIENCE) {
      const { port, outlives, failed, stop } = start();
      const link = new HostLink(port, `page.${crypto.randomUUID()}`, kind === "shared");
      try {
        await link.#hold();
        if (!hasLocks()) throw new NoWorker("no_locks", atStart.no_locks());
        if (await Promise.race([failed, link.#hello(patience, outlives)])) {
          link.#ended = ended;
          link.#live();
          if (kind === "shared") noteWorker(url, false);
          return link;
        }
      } catch (error) {
        link.#end();
        stop();
        throw error;
      }
      link.send({ t: "bye" }); // it may be slow, and there
      link.#end();
      stop();
    }
    if (kind === "shared" && !isDoubtful) noteWorker(url, true);
    throw new NoWorker("no_answer", atStart.no_answer(url));
  }

  /** Takes the page's lock; gives it back at once where the page is in the cache, or the link over, by then. */
  async #hold(): Promise<boolean> {
    const release = await lock(this.#lock);
    const isWanted = this.#state === "open";
    if (isWanted) this.#release = () => void release?.();
    else void release?.();
    return isWanted;
  }

  /** Resolves to whether the host has answered in so many ms. */
  #hello(patience: number, outlives: boolean): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => resolve(false), patience);
      this.#port.onmessage = ({ data }) => {
        const message = checked<HostMessage>(FROM_HOST, data);
        if (message?.t !== "welcome" && message?.t !== "refused") return;
        clearTimeout(timer);
        if (message.t === "refused") return reject(new NoWorker("other_build", message.why));
        this.#hostLock = message.lock;
        this.#hostStoresKeys = message.keys;
        this.#port.onmessage = ({ data }) => this.#receive(data);
        resolve(true);
      };
      this.send({ t: "hello", build: BUILD, lock: `holdfast.${this.#lock}`, outlives });
    });
  }

  /** From here on the page's ways are the link's, and the host's end is noticed. */
  #live(): void {
    this.#watchHost();
    const { signal } = this.#page;
    addEventListener("pagehide", ({ persisted }) => {
      if (!persisted) return this.send({ t: "bye" });
      this.#state = "cached";
      this.send({ t: "away", cached: true });
      this.#watch?.abort(); // a page that waits for a lock, or holds one, is not kept in the cache
      this.#release?.();
      this.#release = undefined;
    }, { signal });
    addEventListener("pageshow", ({ persisted }) => {
      if (!persisted) return;
      this.#state = "open";
      this.#watchHost();
      void this.#hold().then((holds) => holds && this.send({ t: "back" }));
    }, { signal });
    // A frozen page holds its lock, and waits for that of its session; one in the cache is frozen as well.
    const document = globalThis.document as Document | undefined; // an app's own worker has none
    document?.addEventListener("freeze", () => this.#state === "open" && this.send({ t: "away", cached: false }), { signal });
    // One that comes from the cache says so once it has its lock again, and not before.
    document?.addEventListener("resume", () => this.#release && this.send({ t: "back" }), { signal });
  }

  /** The host has ended, or has given up a page that was away for too long: its clients are opened once more. */
  #watchHost(): void {
    if (this.#hostLock === "") return;
    const watch = (this.#watch = new AbortController());
    navigator.locks.request(this.#hostLock, { signal: watch.signal }, () => this.#end()).catch(() => {});
  }

  /** Whether it has ended: nothing crosses it any more. */
  get isOver(): boolean {
    return this.#state === "over";
  }

  /** Throws a NoWorker where this page would keep more than the host, which can store no key of what is sealed. */
  checkKept(): void {
    if (!this.#hostStoresKeys) throw new NoWorker("no_keys", atStart.no_keys());
  }

  /** A number that no other client or call of the page's has here. Even. */
  number(): number {
    return (this.#numbers += 2);
  }

  /** What arrives for that client goes to it. */
  add(number: number, client: LinkedClient): void {
    this.#clients.set(number, client);
  }

  /** Whether that client is there, as far as the page knows. */
  has(number: number): boolean {
    return !this.isOver && this.#clients.has(number);
  }

  /** That client is over. A page without any has nothing of a shared host: it takes its leave. */
  remove(number: number): void {
    const client = this.#clients.get(number);
    this.#clients.delete(number);
    for (const [id, owner] of this.#calls) if (owner === client) this.#calls.delete(id);
    if (!this.#isShared || this.#clients.size > 0) return;
    this.send({ t: "bye" });
    this.#end();
  }

  /** What arrives for that call goes to its client. */
  addCall(call: number, client: LinkedClient): void {
    this.#calls.set(call, client);
  }

  /** Tells the host; throws a DataCloneError where something cannot cross. */
  send(message: PageMessage): void {
    if (!this.isOver) this.#port.postMessage(message);
  }

  /** Asks the host under a number, which `message` is made with; rejects with what went wrong there. */
  ask(op: string, client: LinkedClient | undefined, message: (ask: number) => PageMessage): Promise<unknown> {
    const ask = this.number();
    return new Promise((resolve, reject) => {
      if (this.isOver) return reject(hostEnded(op));
      this.send(message(ask));
      this.#asked.set(ask, { op, client, resolve, reject });
    });
  }

  #receive(data: unknown): void {
    const message = checked<HostMessage>(FROM_HOST, data);
    if (!message) return;
    if (message.t === "question") this.send({ t: "heard", question: message.question }); // also where its client is closed by now
    switch (message.t) {
      case "events":
        eachEvent(message.heads, message.text, (call, kind, position, text, stream, texts, at) => this.#calls.get(call)?.event(call, kind, position, text, stream, texts, at));
        break;
      case "answered": {
        const asked = this.#asked.get(message.ask);
        this.#asked.delete(message.ask);
        if (message.error) asked?.reject(holdfastErrorFrom(message.error, asked.op, (question) => asked.client?.thrown(question)));
        else asked?.resolve(message.value);
        break;
      }
      case "welcome":
      case "refused":
        break;
      case "withdrawn":
        for (const client of this.#clients.values()) client.receive(message);
        break;
      default:
        if ("client" in message) this.#clients.get(message.client)?.receive(message);
        else {
          this.#calls.get(message.call)?.receive(message);
          if (message.t === "forgotten") this.#calls.delete(message.call);
        }
    }
    this.#taken.add(message.size ?? 0);
  }

  #end(): void {
    if (this.isOver) return;
    this.#state = "over";
    this.#watch?.abort();
    this.#page.abort();
    this.#release?.();
    this.#port.close();
    for (const { op, reject } of this.#asked.values()) reject(hostEnded(op, true));
    this.#asked.clear();
    this.#ended?.();
    for (const client of this.#clients.values()) client.hostEnded();
  }
}

/** The error of what is asked of a host that has ended; `wasUnderWay`: the host had it, and it may have run. */
export function hostEnded(op: string, wasUnderWay = false): HoldfastError {
  const retryable = !wasUnderWay || isRepeatable(op);
  return new HoldfastError({ code: "runtime_exited", op, message: "the worker that the runtime was in has ended", retryable });
}
