import { isRepeatable } from "../../connect/interrupted.js";
import { HoldfastError } from "../../base/errors.js";
import { hasLocks, lock } from "../../tabs/locks.js";
import { NoWorker } from "./noworker.js";
import { Taken } from "../wire/credits.js";
import { holdfastErrorFrom } from "../wire/errordata.js";
import { eachEvent, type TakeEvent } from "../wire/eventbatch.js";
import { type PageLock, releaseLock } from "./pagelock.js";
import { type Ahead, FIRST_CLIENT } from "../wire/openingmessage.js";
import { checked, FROM_HOST, type HostMessage, type PageMessage, UNHELD } from "../wire/protocol.js";
import { noteWorker, wasSilent } from "./silentworkers.js";
import type { StartedWorker } from "./startworker.js";

/**
 * ms until a worker that does not answer is started once more, and the last time: then it counts as one
 * that cannot be had. A page may meet one whose process is just ending, which answers nobody. One that was silent
 * before has the first of them alone, where the page can do without it.
 */
const PATIENCE = [1_500, 3_000, 12_000];

/** Reasons against a worker that show only once the worker was started, and their words. */
const unfit = {
  no_locks: "the browser refuses this page Web Locks, by which a worker knows which pages live",
  no_keys: "this browser's shared worker can store no key, so that what a call is resumed with would end with it; the page can",
  no_answer: (url: string): string => `the worker at ${url} does not answer`,
};

/** A client of the page's, as far as what arrives for it goes. */
export interface LinkedClient {
  receive(message: HostMessage): void;
  /** An event of one of its calls. */
  event(...event: Parameters<TakeEvent>): void;
  /** The host has ended. */
  hostEnded(): void;
  /** Error that the app threw in answer to the question. */
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
  /** The page's lock for the link, which is released when the link ends. */
  readonly #lock: PageLock;
  /** Resolves when the page has the lock. */
  #held: Promise<void> = Promise.resolve();
  readonly #isShared: boolean;
  #release: (() => Promise<void>) | undefined;
  #watch: AbortController | undefined;
  #hostLock = "";
  #hostUnheld: ReturnType<typeof setTimeout> | undefined;
  #hostStoresKeys = true;
  /** `cached`: the page is in the back/forward cache; `over`: nothing crosses the link any more. */
  #state: "open" | "cached" | "over" = "open";
  /** Controller that ends the link's listeners on the page. */
  readonly #page = new AbortController();
  readonly #clients = new Map<number, LinkedClient>();
  /** Client that each call belongs to, by the call's number. */
  readonly #calls = new Map<number, LinkedClient>();
  readonly #asked = new Map<number, Asked>();
  readonly #taken = new Taken((bytes) => this.send({ t: "credit", bytes }));
  #numbers: number;
  /** Message that the page has sent with its hello, until the client that it opens is there. */
  #ahead: Ahead | undefined;
  /**
   * Messages that arrived before the link listened, in the array of the {@link StartedWorker}; then those
   * that wait for that client.
   */
  readonly #early: unknown[];
  #ended: (() => void) | undefined;

  private constructor({ port, lock, ahead, early }: StartedWorker, isShared: boolean) {
    this.#port = port;
    this.#ahead = ahead;
    this.#early = early;
    this.#numbers = ahead ? FIRST_CLIENT : 0;
    this.#lock = lock;
    this.#isShared = isShared;
  }

  /**
   * Links to the host that `start` starts or joins; `ended` is called when the host has ended. `isOptional`: the page
   * can do without it, and waits less for one that was silent before. Rejects with a NoWorker where there is none.
   */
  static async open(kind: "shared" | "worker", url: string, start: () => StartedWorker, ended: () => void, isOptional = false): Promise<HostLink> {
    let isDoubtful = false;
    for (const [silences, patience] of PATIENCE.entries()) {
      isDoubtful = silences === 1 && isOptional && wasSilent(url); // localStorage is slow: a worker that answers waits for none of it
      if (isDoubtful) break;
      const worker = start();
      const { failed, stop } = worker;
      const link = new HostLink(worker, kind === "shared");
      try {
        if (!hasLocks()) throw new NoWorker("no_locks", unfit.no_locks);
        if (await Promise.race([failed, link.#welcome(patience)])) {
          link.#ended = ended;
          link.#live();
          const now = Date.now();
          if (kind === "shared") setTimeout(() => noteWorker(url, now), 1_000); // the first use of localStorage may take longer than all of a connect
          return link;
        }
      } catch (error) {
        link.send({ t: "bye" });
        link.#end();
        stop();
        throw error;
      }
      link.send({ t: "bye" }); // it may be slow, and there
      link.#end();
      stop();
    }
    if (kind === "shared" && !isDoubtful) noteWorker(url);
    throw new NoWorker("no_answer", unfit.no_answer(url));
  }

  /** The page has its lock, or is refused it. */
  async #holds(): Promise<void> {
    const release = await this.#lock.held;
    if (!hasLocks()) {
      this.send({ t: "bye" });
      this.#end();
      throw new NoWorker("no_locks", unfit.no_locks);
    }
    if (this.#state !== "open" || !release) return void release?.(); // one that was withdrawn is asked for again
    this.#release = release;
    this.send({ t: "holds" });
  }

  /** Resolves when the page has its lock, without which the host would not notice its end. Rejects with a NoWorker where it may have none. */
  get held(): Promise<void> {
    return this.#held;
  }

  /** Takes the page's lock again; gives it back at once where the page is in the cache, or the link over, by then. */
  async #hold(): Promise<boolean> {
    const release = await lock(this.#lock.name);
    const isWanted = this.#state === "open";
    if (isWanted) this.#release = release;
    else void release?.();
    return isWanted;
  }

  /** Resolves to whether the host has answered the hello in so many ms. */
  #welcome(patience: number): Promise<boolean> {
    return new Promise((resolve, reject) => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      onceActivated(() => (timer = setTimeout(() => resolve(false), patience)));
      const hear = (data: unknown): void => {
        const message = checked<HostMessage>(FROM_HOST, data);
        if (message?.t !== "welcome" && message?.t !== "refused") return void this.#early.push(data); // of a client that is open sooner than the host knows of its keys
        clearTimeout(timer);
        if (message.t === "refused") return reject(new NoWorker("other_build", message.why));
        this.#hostLock = message.lock;
        this.#hostStoresKeys = message.keys;
        hears = (next) => this.#arrives(next);
        resolve(true);
      };
      let hears = hear;
      this.#port.onmessage = ({ data }) => hears(data);
      for (const data of this.#early.splice(0)) hears(data);
    });
  }

  /** A message: it waits where the client that was opened with the hello is still to come. */
  #arrives(data: unknown): void {
    if (this.#ahead) this.#early.push(data);
    else this.#receive(data);
  }

  /** From here on the page's ways are the link's, and the host's end is noticed. */
  #live(): void {
    this.#held = this.#holds();
    this.#held.catch(() => {}); // who opens a client hears of it
    if (!this.#watch) this.#hostUnheld = setTimeout(() => this.#watchHost(), UNHELD);
    const { signal } = this.#page;
    addEventListener("pagehide", ({ persisted }) => {
      if (!persisted) return this.send({ t: "bye" });
      this.#state = "cached";
      this.send({ t: "away", cached: true });
      this.#watch?.abort(); // a page that waits for a lock, or holds one, is not kept in the cache
      if (!this.#release) this.#lock.withdraw();
      void this.#release?.();
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
    clearTimeout(this.#hostUnheld);
    this.#watch?.abort();
    if (this.#hostLock === "" || this.#state !== "open") return;
    const watch = (this.#watch = new AbortController());
    navigator.locks.request(this.#hostLock, { signal: watch.signal }, () => this.#end()).catch(() => {});
  }

  /** True once the link has ended: no message crosses it any more. */
  get isOver(): boolean {
    return this.#state === "over";
  }

  /** A NoWorker where this page would keep more than the host, which can store no key of what is sealed. */
  keepsLess(): NoWorker | undefined {
    return this.#hostStoresKeys ? undefined : new NoWorker("no_keys", unfit.no_keys);
  }

  /** A number that no other client or call of the page's has here. Even. Who needs one does not wait for a client that is still to come: that one is abandoned. */
  number(): number {
    this.#abandon(this.#ahead);
    return (this.#numbers += 2);
  }

  /**
   * True if the message `ahead` went with the hello: the caller need not send it again. The messages that
   * have arrived since follow.
   */
  claim(ahead: Ahead | undefined): boolean {
    if (!ahead || this.#ahead !== ahead) return false;
    this.#ahead = undefined;
    queueMicrotask(() => this.#early.splice(0).forEach((data) => this.#receive(data)));
    return true;
  }

  /**
   * Abandons the client that was opened with the hello, since no caller wants it. A caller that still does
   * opens another.
   */
  #abandon(ahead: Ahead | undefined): void {
    if (this.claim(ahead) && ahead!.say) this.send({ t: "abandon", client: FIRST_CLIENT });
  }

  /**
   * Removes the link if no client uses it, and the client that was opened with the hello. Any caller that
   * waits for the link has a client by the next task.
   */
  unused(ahead?: Ahead): void {
    this.#abandon(ahead);
    setTimeout(() => this.remove(0), 0);
  }

  /** Routes the messages for a client to it. */
  add(number: number, client: LinkedClient): void {
    this.#clients.set(number, client);
  }

  /** True if the host has the client, as far as the page knows. */
  has(number: number): boolean {
    return !this.isOver && this.#clients.has(number);
  }

  /**
   * Removes a client that is over. A page whose last client is over has no use of a shared host, and says
   * goodbye to it.
   */
  remove(number: number): void {
    const client = this.#clients.get(number);
    this.#clients.delete(number);
    for (const [id, owner] of this.#calls) if (owner === client) this.#calls.delete(id);
    if (!this.#isShared || this.#clients.size > 0) return;
    this.send({ t: "bye" });
    this.#end();
  }

  /** Routes the messages for a call to its client. */
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
        eachEvent(message.heads, message.texts, (call, kind, position, text, stream, together, at) => this.#calls.get(call)?.event(call, kind, position, text, stream, together, at));
        break;
      case "answered": {
        const asked = this.#asked.get(message.ask);
        this.#asked.delete(message.ask);
        if (message.error) asked?.reject(holdfastErrorFrom(message.error, asked.op, (question) => asked.client?.thrown(question)));
        else asked?.resolve(message.value);
        break;
      }
      case "holds":
        setTimeout(() => this.#watchHost(), 0); // not before connect() has resolved, which need not wait for it
        break;
      case "over":
        this.#end();
        break;
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
    clearTimeout(this.#hostUnheld);
    releaseLock(this.#lock);
    void this.#release?.();
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

/**
 * Does `next` at once or, in a page that the browser renders ahead (prerenders), once it is activated. Chrome
 * starts no worker and gives no Web Lock for one until the person has gone to it: that may take minutes.
 */
function onceActivated(next: () => void): void {
  const page = globalThis.document as (Document & { readonly prerendering?: boolean }) | undefined;
  if (page?.prerendering) page.addEventListener("prerenderingchange", next, { once: true });
  else next();
}
