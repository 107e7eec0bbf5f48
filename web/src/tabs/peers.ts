import type { Tab } from "./tab.js";

/** How often a page asks those that carry calls whether they can answer, in ms. */
const PING_EVERY = 1_000;
/** How long one may be silent before its calls are taken over, in ms: it hangs, or is frozen, and keeps its lock. */
const SILENCE = 3_000;

/** What is done about the others. */
export interface PeersClient {
  /** That page lives no more. */
  gone(name: string): void;
  /** It lives, and does not answer. */
  silent(name: string): void;
  /** Asks it whether it can answer. */
  ping(name: string): void;
  /** The pages that matter: those that carry a call without an outcome. */
  owners(): Set<string>;
}

/**
 * The other pages: which there are, which have ended, which do not answer. Where
 * there are none, nothing is done at all.
 */
export class Peers {
  readonly #tab: Tab;
  readonly #client: PeersClient;
  readonly #watched = new Map<string, AbortController>();
  readonly #known = new Set<string>();
  readonly #heard = new Map<string, number>();
  #pinging: ReturnType<typeof setInterval> | undefined;
  #lastPing = 0;

  constructor(tab: Tab, client: PeersClient) {
    this.#tab = tab;
    this.#client = client;
  }

  /** Whether there is another page of the origin. */
  get any(): boolean {
    return this.#watched.size > 0;
  }

  /** Whether one of these pages has been heard: it is of this server and user. */
  heardOf(pages: Set<string>): boolean {
    return [...this.#known].some((name) => pages.has(name));
  }

  /** Books a page, and watches for its end. */
  add(name: string): void {
    if (name === "" || name === this.#tab.name || this.#watched.has(name)) return;
    const watch = new AbortController();
    this.#watched.set(name, watch);
    void this.#tab.gone(name, watch.signal).then(() => {
      if (watch.signal.aborted) return;
      this.#watched.delete(name);
      this.#known.delete(name);
      this.#heard.delete(name);
      this.#client.gone(name);
    });
  }

  /** A page has said something. Whether that is the first thing. */
  hear(name: string): boolean {
    this.add(name);
    const first = name !== "" && !this.#known.has(name);
    if (first) this.#known.add(name);
    if (this.#pinging !== undefined) this.#heard.set(name, performance.now());
    return first;
  }

  /** Who carries calls has changed: asks, or stops asking, whether they can answer. */
  follow(): void {
    const owners = this.#client.owners();
    for (const owner of owners) this.add(owner);
    if (owners.size === 0) this.#rest();
    else this.#pinging ??= setInterval(() => this.#ping(), PING_EVERY);
  }

  /** Judges nobody by what this page could not hear. */
  deaf(): void {
    this.#heard.clear();
  }

  /** Ends all watches. */
  stop(): void {
    this.#rest();
    for (const watch of this.#watched.values()) watch.abort();
    this.#watched.clear();
    this.#known.clear();
  }

  #rest(): void {
    clearInterval(this.#pinging);
    this.#pinging = undefined;
    this.#heard.clear();
  }

  #ping(): void {
    const now = performance.now();
    const late = now - this.#lastPing > 2 * PING_EVERY;
    this.#lastPing = now;
    // A page that was busy itself has not heard the others; and the timers of a
    // hidden one are too slow to judge anybody by.
    if (late) this.deaf();
    if (document.visibilityState === "hidden") return;
    for (const owner of this.#client.owners()) {
      const heard = this.#heard.get(owner);
      if (heard === undefined) this.#heard.set(owner, now);
      else if (now - heard > SILENCE) {
        this.#heard.set(owner, now);
        this.#client.silent(owner);
      }
      this.#client.ping(owner);
    }
  }
}
