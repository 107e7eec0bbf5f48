// The name of this page among the pages of its origin, and the pages that live. A page holds a Web Lock with
// its name for as long as the page lives. The browser releases the lock when the page is closed, reloaded or
// crashes (measured: 50 ms).

import { lockSnapshot } from "./lockqueries.js";
import { hasLocks, lock } from "./locks.js";

/** Prefix of the names of the locks, as the browser knows them. */
const LOCK = "holdfast.tab.";

/** Where a page without Web Locks (plain http) says that it lives, in localStorage, and how often, in ms. */
const LEASE = "holdfast.tab.";
const LEASE_EVERY = 2_000;
/** A lease this old, in ms, is a dead page's: a hidden page's timers run once a minute. */
const LEASE_OVER = 70_000;

/** One client of this page, as the others know it: two clients of a page are two tabs to each other. */
export class Tab {
  /** Its name: another one after each load. */
  readonly name: string;
  /** Resolves once the others know that it lives: what it carries before that they would take for a dead page's. */
  readonly lives: Promise<void>;
  #release: (() => void) | undefined;
  #living: Living | undefined;
  #lease: ReturnType<typeof setInterval> | undefined;
  readonly #unlisten = new AbortController();

  private constructor(name: string) {
    this.name = name;
    this.lives = this.live();
  }

  /** A new one, which lives until it is closed or the page goes. */
  static open(): Tab {
    const bytes = crypto.getRandomValues(new Uint8Array(12));
    const tab = new Tab(Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(""));
    // A page in the back/forward cache may hold no lock; what it carried may be
    // taken over meanwhile.
    const { signal } = tab.#unlisten;
    addEventListener("pagehide", () => tab.#die(), { signal });
    addEventListener("pageshow", (event) => event.persisted && void tab.live(), { signal });
    return tab;
  }

  /** Ends it: what it carried is for others to take over. */
  close(): void {
    this.#unlisten.abort();
    this.#die();
  }

  /** The names of the pages that live, this one included. */
  async living(): Promise<Set<string>> {
    const { held = [] } = await lockSnapshot();
    if (!hasLocks()) return leases();
    const names = held.map((lock) => lock.name ?? "").filter((name) => name.startsWith(LOCK));
    return new Set([this.name, ...names.map((name) => name.slice(LOCK.length))]);
  }

  /** Resolves when that page lives no more; never where nothing could tell. */
  gone(name: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (hasLocks()) {
        navigator.locks.request(LOCK + name, { mode: "shared", signal }, () => resolve()).catch(() => {});
        return;
      }
      const watch = setInterval(() => {
        if (leases().has(name)) return;
        clearInterval(watch);
        resolve();
      }, LEASE_EVERY);
      signal.addEventListener("abort", () => clearInterval(watch), { once: true });
    });
  }

  /**
   * Says that it lives: again after a stay in the back/forward cache. Whoever asks
   * meanwhile gets the same promise: a second request for the lock would wait
   * behind the first, which is given back only when the page goes.
   */
  live(): Promise<void> {
    if (!this.#living) {
      const end = new AbortController();
      this.#living = { end, said: this.#say(end.signal) };
    }
    return this.#living.said;
  }

  async #say(over: AbortSignal): Promise<void> {
    const release = await lock(`tab.${this.name}`, over); // a document that is being left gets none
    if (over.aborted) {
      release?.();
      return;
    }
    if (hasLocks()) {
      this.#release = release;
      return;
    }
    const renew = (): void => setLease(this.name, Date.now());
    renew();
    this.#lease = setInterval(renew, LEASE_EVERY);
  }

  #die(): void {
    this.#living?.end.abort();
    this.#living = undefined;
    this.#release?.();
    this.#release = undefined;
    clearInterval(this.#lease);
    this.#lease = undefined;
    if (!hasLocks()) setLease(this.name, undefined);
  }
}

/** A time in which the page lives, from load to pagehide. */
interface Living {
  /** Aborted with its end. */
  end: AbortController;
  /** Resolves once the others know. */
  said: Promise<void>;
}

function setLease(name: string, at: number | undefined): void {
  try {
    if (at === undefined) localStorage.removeItem(LEASE + name);
    else localStorage.setItem(LEASE + name, String(at));
  } catch {
    // No localStorage: the page counts as dead to the others, and they as dead to it.
  }
}

function leases(): Set<string> {
  const living = new Set<string>();
  try {
    for (const key of Object.keys(localStorage)) {
      if (!key.startsWith(LEASE)) continue;
      const age = Date.now() - Number(localStorage.getItem(key));
      if (age < LEASE_OVER) living.add(key.slice(LEASE.length));
      else localStorage.removeItem(key);
    }
  } catch {
    // As above.
  }
  return living;
}
