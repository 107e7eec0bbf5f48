// The connections of a server's origin. Browsers open six to a host over
// HTTP/1.1, of all tabs together: with six streams open, no further
// request leaves the browser. So of the calls of all tabs no more than
// three have a connection, one tab listens for all (journal.ts), and the others
// take turns: a call that can be resumed gives its connection back after a while
// if somebody waits for it. So do the sessions of agents (agent/sessionstreams.ts).
import { lockClient, lockSnapshot } from "./lockqueries.js";
import { connectionsOf, hasLocks, lock } from "./locks.js";
import { isOld } from "./protocols.js";
import { ownChannel, pastLock, Vouching } from "./vouching.js";

/** Calls with a connection. */
export const SLOTS = 3;
/** Streams of agents' own connections that take none of those, of all tabs; the further ones take one each. */
export const FREE = 2;
/** How long a call keeps its connection if others wait, in ms. */
const SLICE = 1_000;
/**
 * How long a connection outlives its call at least, in ms, and at most twice as long, for the next call: the lock, through
 * the browser's process and back, took a third of the main thread's time of a small
 * call. One of the three only: other tabs' calls have the others meanwhile.
 */
const LINGER = 100;
/** How often the holders look whether others wait, in ms. */
const LOOK_EVERY = 500;

/** A call that needs a connection. */
export interface Stream {
  /** The stream gets a connection. */
  take(): void;
  /** Is asked to give it back: whether it does, which it cannot where it could not be resumed. */
  give(): boolean;
  /** The holders of the connections show no life. */
  heldUp?(): void;
  /** It can do without: it waits for a task, which polls tell of as well. */
  readonly spare: boolean;
  /**
   * Those that go by the same one take turns by themselves: none of them is asked to give way
   * to another, nor to a tab that has about as many. A change of hands costs them a history.
   */
  readonly kin?: object;
}

/** A connection that a call has. */
interface Held {
  slot: string;
  since: number;
  release: () => void;
}

/** The connections of one origin, as this page sees them. */
export class Connections {
  readonly origin: string;
  readonly #prefix: string;
  readonly #held = new Map<Stream, Held>();
  readonly #waiting: Stream[] = [];
  readonly #asks = new Set<AbortController>();
  /** Locks that this build of the runtime has, or has asked for. */
  #locks = 0;
  #idle: Held | undefined;
  /** The idle one has served a call since the timer was set. */
  #served = false;
  #lapse: ReturnType<typeof setTimeout> | undefined;
  #looking: ReturnType<typeof setInterval> | undefined;
  readonly #life: Vouching;
  /** Aborts the attempt to go past the holders that show no life; set while this page waits to, or does. */
  #past: AbortController | undefined;
  /** Streams that were told that this page goes past such holders. */
  readonly #told = new WeakSet<Stream>();

  private constructor(origin: string) {
    this.origin = origin;
    this.#prefix = `stream.${origin}.`;
    this.#life = new Vouching((hears) => ownChannel(`stream.${origin}`, hears), () => this.#slots());
  }

  /** The connections to a server; undefined where the server is not known to be short of them. */
  static of(url: string): Connections | undefined {
    if (!isOld(url)) return undefined;
    const { origin } = new URL(url);
    let connections = connectionsOf.get(origin) as Connections | undefined; // of whichever copy of this class
    if (!connections) connectionsOf.set(origin, (connections = new Connections(origin)));
    return connections;
  }

  /** True if the next call can have a connection at once. */
  get ready(): boolean {
    return this.#idle !== undefined && this.#waiting.length === 0;
  }

  /** True if other tabs hold some of the connections, or wait for them. */
  async contested(): Promise<boolean> {
    const { held, pending } = await this.#others();
    return held.length + pending.length > 0;
  }

  /** A call has the one that was ready. */
  begin(stream: Stream): void {
    this.#held.set(stream, this.#idle!);
    this.#idle = undefined;
    this.#served = true;
    this.#look();
  }

  /** Keeps none for later. */
  rest(): void {
    clearTimeout(this.#lapse);
    this.#lapse = undefined;
    this.#idle?.release();
    this.#idle = undefined;
    this.#look();
  }

  /** Gives the idle one back, unless it serves a call before that: then it looks again. One timer for many calls. */
  #restLater(): void {
    this.#served = false;
    this.#lapse = setTimeout(() => {
      this.#lapse = undefined;
      if (this.#idle && this.#served) this.#restLater();
      else if (this.#idle) this.rest();
    }, LINGER);
  }

  /** A call wants one. */
  join(stream: Stream): void {
    if (this.#held.has(stream) || this.#waiting.includes(stream)) return;
    if (this.ready) {
      this.begin(stream);
      this.#tell(stream);
      return;
    }
    this.#queue(stream);
    this.#ask();
    this.#look();
    this.handOver();
  }

  /** A call can do without now, or cannot any more. */
  changed(stream: Stream): void {
    const at = this.#waiting.indexOf(stream);
    if (at >= 0) this.#waiting.splice(at, 1);
    if (at >= 0) this.#queue(stream);
    this.handOver();
  }

  /** Takes a connection from one that can do without, if one that cannot waits; later, as this may be said within the core's effects. */
  handOver(): void {
    queueMicrotask(() => this.#handOver());
  }

  #handOver(): void {
    if (this.#held.size < SLOTS || this.#waiting[0]?.spare !== false) return;
    const spare = [...this.#held].find(([stream]) => stream.spare && stream.give());
    if (spare) this.#swap(...spare);
  }

  /** A call needs none any more. */
  leave(stream: Stream): void {
    const held = this.#held.get(stream);
    this.#held.delete(stream);
    const at = this.#waiting.indexOf(stream);
    if (at >= 0) this.#waiting.splice(at, 1);
    // Most calls are short. A lock of its own for each, through the browser's
    // process and back, cost more than the call: within its slice this page
    // hands a connection on by itself.
    const inSlice = held && performance.now() - held.since < SLICE;
    const next = inSlice && this.#waiting.shift();
    if (next) {
      this.#held.set(next, held);
      this.#tell(next);
    } else if (inSlice && !this.#idle) {
      this.#idle = held;
      if (this.#lapse === undefined) this.#restLater();
    } else {
      held?.release();
    }
    this.#ask();
    this.#look();
  }

  /** Tells a call that it has one, but not within the core's effects. */
  #tell(stream: Stream): void {
    const held = this.#held.get(stream);
    queueMicrotask(() => {
      if (held && this.#held.get(stream) === held) stream.take();
    });
  }

  // As many requests for a connection as calls wait, and as there are connections.
  #ask(): void {
    const wanted = Math.min(this.#waiting.length, SLOTS);
    for (const ask of this.#asks) {
      if (this.#asks.size <= wanted) break;
      this.#asks.delete(ask);
      ask.abort();
    }
    while (this.#asks.size < wanted && (hasLocks() || this.#held.size + this.#asks.size < SLOTS)) this.#askOnce();
  }

  /** Waits for any of the slots. */
  #askOnce(): void {
    const ask = new AbortController();
    this.#asks.add(ask);
    const slots = hasLocks() ? SLOTS : 1;
    for (let slot = 0; slot < slots; slot++) {
      const name = this.#prefix + slot;
      this.#locks++;
      void lock(name, ask.signal).then((granted) => {
        if (!granted) {
          this.#locks--;
          return;
        }
        const release = (): void => void granted().then(() => this.#locks--);
        const stream = this.#asks.delete(ask) ? this.#waiting.shift() : undefined;
        ask.abort();
        if (!stream) {
          release();
          return;
        }
        this.#held.set(stream, { slot: name, since: performance.now(), release });
        this.#ask(); // for those that wait still: what nobody asks for nobody gives way to
        stream.take();
      });
    }
  }

  #look(): void {
    if (this.#held.size + this.#waiting.length === 0) {
      if (this.#idle) return; // the next call is about to come: rest() looks again
      clearInterval(this.#looking);
      this.#looking = undefined;
      this.#life.close();
    } else if (this.#looking === undefined) {
      this.#life.open();
      this.#looking = setInterval(() => {
        void this.#rotate();
        this.#goPast();
      }, LOOK_EVERY);
    }
  }

  /** The slots that this page has. */
  #slots(): string[] {
    return [...this.#held.values(), this.#idle].flatMap((one) => one?.slot ?? []);
  }

  /**
   * Goes past slots whose holders show no life. They have real connections, of which a browser opens
   * six: of all tabs one stream at a time does, so that a connection stays free.
   */
  #goPast(): void {
    const mine = this.#slots();
    const theirs = Array.from({ length: SLOTS }, (_, slot) => this.#prefix + slot).filter((slot) => !mine.includes(slot));
    const waits = this.#waiting.length > 0 && hasLocks();
    if (waits) this.#life.ask(theirs);
    else this.#life.forget();
    if (!waits || theirs.length === 0 || !theirs.every((slot) => this.#life.isSilent(slot))) {
      this.#past?.abort();
      return;
    }
    for (const stream of this.#waiting) {
      if (!this.#told.has(stream)) stream.heldUp?.();
      this.#told.add(stream);
    }
    if (!this.#past) this.#askPast();
  }

  #askPast(): void {
    const ask = (this.#past = new AbortController());
    const slot = pastLock(this.origin);
    void lock(slot, ask.signal).then((granted) => {
      const release = (): void => {
        this.#past = undefined;
        void granted?.();
      };
      const stream = ask.signal.aborted ? undefined : this.#waiting.shift();
      if (!granted || !stream) return release();
      this.#held.set(stream, { slot, since: performance.now(), release });
      this.#ask();
      stream.take();
    });
  }

  /** Takes connections from those that have had them for long, if others wait. */
  async #rotate(): Promise<void> {
    const due = performance.now() - SLICE;
    if (![...this.#held.values()].some(({ since }) => since <= due)) return;
    const tabs = await this.#scarcity();
    let waiting = tabs.here || tabs.waiting;
    for (const [stream, held] of [...this.#held].sort((a, b) => a[1].since - b[1].since)) {
      if (waiting === 0) return;
      if (held.since > due || this.#held.get(stream) !== held || !this.#owes(stream, tabs.poorest) || !stream.give()) continue;
      waiting--;
      tabs.poorest++;
      this.#swap(stream, held);
    }
  }

  /**
   * True if a stream has to release its connection to a tab that waits. That tab has none, or fewer than this
   * one would have left; or streams of other clients wait here.
   */
  #owes({ kin, spare }: Stream, poorest: number): boolean {
    if (!kin || poorest === 0) return true;
    const have = [...this.#held.keys()].filter((other) => other.kin === kin).length;
    return poorest < have - (spare ? 0 : 1) || this.#waiting.some((other) => other.kin !== kin);
  }

  #swap(stream: Stream, held: Held): void {
    this.#held.delete(stream);
    this.#queue(stream);
    held.release();
    this.#ask();
  }

  /** Queues a stream, behind the others if it can do without a connection. */
  #queue(stream: Stream): void {
    const at = stream.spare ? -1 : this.#waiting.findIndex(({ spare }) => spare);
    this.#waiting.splice(at < 0 ? this.#waiting.length : at, 0, stream);
  }

  /**
   * How many wait here and in other tabs, and how many connections the poorest of those
   * tabs has, less one for the stream of an agent's own connection, which reads no session.
   */
  async #scarcity(): Promise<{ here: number; waiting: number; poorest: number }> {
    const { held, pending, own, mine } = await this.#others();
    const waiting = [...new Set(pending.map(({ clientId }) => clientId))]
      .map((id) => {
        // Locks that the browser names no tab for are several tabs', maybe: one of those that wait may have none.
        const has = id === undefined ? 0 : held.filter(({ clientId }) => clientId === id).length - (own.has(id) ? 1 : 0);
        return { has, calls: this.#calls(pending.filter(({ clientId }) => clientId === id)) };
      })
      .filter(({ calls }) => calls > 0);
    const short = mine ? this.#calls(mine) > 0 : this.#held.size >= SLOTS;
    return {
      here: short ? this.#waiting.length : 0,
      waiting: waiting.reduce((sum, { calls }) => sum + calls, 0),
      poorest: Math.max(0, Math.min(...waiting.map(({ has }) => has))),
    };
  }

  /**
   * How many calls wait, by the locks that a tab waits for. Each asks for all slots, and
   * takes back the others when it has one: who waits for some of them only will have its
   * connection in a moment, as has who is not in the list yet.
   */
  #calls(pending: LockInfo[]): number {
    const slots = Array.from({ length: SLOTS }, (_, slot) => `holdfast.${this.#prefix}${slot}`);
    return Math.min(...slots.map((slot) => pending.filter(({ name }) => name === slot).length));
  }

  /**
   * The locks of connections that other tabs have and wait for, and which tabs have one for
   * an agent's own connection. Another build of the runtime on this page counts as a tab:
   * the browser gives both one name, so its locks are those beyond this build's. `mine` are
   * those that this page waits for, undefined where the browser does not tell.
   */
  async #others(): Promise<{ held: LockInfo[]; pending: LockInfo[]; own: Set<string | undefined>; mine?: LockInfo[] }> {
    const me = await lockClient();
    if (me === undefined) return { held: [], pending: [], own: new Set() };
    const before = this.#locks;
    const { held = [], pending = [] } = await lockSnapshot();
    const slots = (all: LockInfo[]): LockInfo[] => all.filter(({ name }) => name!.startsWith(`holdfast.${this.#prefix}`));
    const isMine = ({ clientId }: LockInfo): boolean => clientId === me;
    const known = new Set([...this.#held.values(), this.#idle].map((one) => `holdfast.${one?.slot}`));
    let beyond = [...slots(held), ...slots(pending)].filter(isMine).length - Math.max(before, this.#locks);
    const theirs = (one: LockInfo): boolean => !isMine(one) || (!known.has(one.name!) && beyond-- > 0);
    const agent = `holdfast.${agentLock(this.origin)}`;
    const own = held.filter((one) => !isMine(one) && one.name!.startsWith(agent) && Number(one.name!.slice(agent.length)) >= FREE);
    return {
      held: slots(held).filter(theirs),
      pending: slots(pending).filter((one) => !isMine(one) || beyond-- > 0),
      own: new Set(own.map(({ clientId }) => clientId)),
      mine: slots(pending).filter(isMine),
    };
  }
}

/** The names of the locks that count the streams of agents' own connections. A number follows each name. */
export function agentLock(origin: string): string {
  return `agent.${origin}.`;
}
