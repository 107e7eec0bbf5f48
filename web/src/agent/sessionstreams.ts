import { agentLock, Connections, FREE, SLOTS, type Stream } from "../tabs/connections.js";
import { lockNow } from "../tabs/lease.js";
import { lock } from "../tabs/locks.js";
import { watchProtocol } from "../tabs/protocols.js";
import type { Wire } from "../runtime/wire.js";
import { ROTATE_EVERY, VISIT_EVERY } from "../base/border.js";

/**
 * How long a client waits for its connections before it starts with fewer where other tabs have some, in ms:
 * their page may be the one before this.
 */
const PATIENCE = 100;
/** Streams of agents' own connections that are counted, of all tabs. */
const OWN = 4;
/** Streams that a client may hold where connections are not few. */
const ALL = 1 << 30;

/**
 * Shares the browser's six connections between the agent's sessions of all tabs. As many
 * sessions have a stream as there are slots, fewer where many tabs need a stream for
 * their own connection. Each tab's core picks its sessions.
 */
export class SessionStreams {
  #connections: Connections | undefined;
  readonly #unwatch: () => void;
  #slots: Slot[] = [];
  #wire: Wire | undefined;
  // All at first: the sessions that the store brings back are read at once.
  #wanted = SLOTS;
  #needed = 0;
  #resting = true;
  #own = new AbortController();
  #started: () => void = () => {};

  /** The streams of the sessions at an agent's server at `url`. */
  constructor(url: string) {
    this.#connections = Connections.of(url);
    this.#unwatch = watchProtocol(url, () => this.#share(Connections.of(url)));
  }

  /** Connections to the server turn out to be few, or not. */
  #share(connections: Connections | undefined): void {
    const before = this.#connections;
    if (connections === before) return;
    this.#connections = connections;
    this.#own.abort();
    for (const slot of this.#slots.splice(0)) slot.end();
    before?.rest();
    if (!connections) this.#may(ALL);
    else if (!this.#resting) this.#begin(connections);
  }

  #begin(connections: Connections): void {
    void this.#count(connections);
    this.#adapt();
  }

  /** Asks for them; resolves when it has them, or others keep them. */
  async ready(): Promise<void> {
    const connections = this.#connections;
    let waits = connections !== undefined;
    const started = new Promise<void>((resolve) => (this.#started = resolve)).then(() => (waits = false));
    this.rest(false);
    while (waits) {
      await Promise.race([started, new Promise((resolve) => setTimeout(resolve, PATIENCE))]);
      if (waits && (await connections!.contested())) break;
    }
  }

  /** They are those of a client that is new in the core. */
  bind(wire: Wire): void {
    this.#wire = wire;
    this.#allow();
  }

  /** The core reports how many streams the sessions want, and how many of those at work need one. */
  heard(text: string): void {
    const { wanted, needed } = JSON.parse(text) as { wanted: number; needed: number };
    this.#wanted = wanted + 1; // one in reserve: a session that is made is read at once
    this.#needed = needed;
    queueMicrotask(() => this.#adapt()); // not within the core's effects
  }

  /** The page is being frozen, or is back. */
  rest(resting: boolean): void {
    if (resting === this.#resting) return;
    this.#resting = resting;
    const connections = this.#connections;
    if (!connections) return;
    if (!resting) return this.#begin(connections);
    this.#own.abort();
    this.#adapt();
    connections.rest();
  }

  /** The client is over. */
  end(): void {
    this.#wire = undefined;
    this.#unwatch();
    this.rest(true);
  }

  #adapt(): void {
    const connections = this.#connections;
    if (!connections) return;
    const slots = [...this.#slots].sort((a, b) => Number(b.held) - Number(a.held));
    const target = this.#resting ? 0 : Math.min(SLOTS, this.#wanted);
    for (const slot of slots.splice(target)) slot.end();
    while (slots.length < target) slots.push(new Slot(this, () => this.#allow(), connections));
    this.#slots = slots;
    this.#allow();
    slots.forEach((slot, i) => slot.serve(i >= this.#needed));
  }

  /** Tells the core how many there may be. Returns how many it makes of it. */
  #may(n: number): number {
    let may = n;
    try {
      this.#wire?.runtime.agentStreams(this.#wire.handle, n, (answer) => (may = answer));
    } catch {
      // it has ended, and all streams with it
    }
    return may;
  }

  /** Tells the core how many there are; true where it can do with so few. */
  #allow(): boolean {
    const held = this.#slots.filter((slot) => slot.held).length;
    if (held === this.#slots.length) this.#started();
    return !this.#connections || this.#may(held) <= held;
  }

  /** Counts the stream of the agent's connection. */
  async #count(connections: Connections): Promise<void> {
    const own = (this.#own = new AbortController());
    const { signal } = own;
    const name = agentLock(connections.origin);
    const until = (release: () => void): void =>
      (signal.aborted ? release() : signal.addEventListener("abort", release));
    for (let i = 0; i < OWN; i++) {
      const release = await lockNow(name + i);
      if (!release) continue;
      until(release);
      if (i < FREE) return;
      const stream: Stream = { spare: false, take() {}, give: () => false };
      connections.join(stream);
      until(() => connections.leave(stream));
      break;
    }
    for (let i = 0; i < FREE; i++) {
      void lock(name + i, signal).then((release) => {
        release?.();
        if (!release || signal.aborted) return;
        own.abort();
        void this.#count(connections); // a tab is gone
      });
    }
  }
}

/** One connection that a session may have. */
class Slot implements Stream {
  readonly kin: object;
  readonly #allow: () => boolean;
  readonly #connections: Connections;
  #since = 0;
  #visit: ReturnType<typeof setTimeout> | undefined;
  #asks = false;
  held = false;
  spare = true;

  constructor(kin: object, allow: () => boolean, connections: Connections) {
    this.kin = kin;
    this.#allow = allow;
    this.#connections = connections;
  }

  take(): void {
    this.held = true;
    this.#since = performance.now();
    this.#allow();
  }

  give(): boolean {
    // One at work is read for as long as one that waits here does without: what it misses is replayed.
    if (!this.spare && performance.now() < this.#since + ROTATE_EVERY) return false;
    this.held = false;
    if (!this.#allow()) {
      this.held = true;
      this.#allow();
      return false;
    }
    if (this.spare) {
      // It comes back when it is needed, or for a visit.
      this.#asks = false;
      queueMicrotask(() => this.#asks || this.#connections.leave(this));
      this.#visit = setTimeout(() => this.#ask(), VISIT_EVERY);
    }
    return true;
  }

  /** A session needs the stream; `spare` is true if that session is not at work. */
  serve(spare: boolean): void {
    const changed = this.spare !== spare;
    this.spare = spare;
    if (!this.#asks && !(spare && this.#visit)) this.#ask();
    else if (changed) this.#connections.changed(this);
  }

  /** No session wants the stream any more. */
  end(): void {
    this.held = false;
    clearTimeout(this.#visit);
    this.#connections.leave(this);
  }

  #ask(): void {
    clearTimeout(this.#visit);
    this.#visit = undefined;
    this.#asks = true;
    this.#connections.join(this);
  }
}
