// Where a page is, as its host knows it: by what the page says, and by a Web Lock that it
// holds while it lives. The page knows by another lock that its session at the host lives.

import { UNHELD } from "../wire/protocol.js";

/** How long a page may be in the back/forward cache, in ms: browsers keep none there longer. */
const AWAY = 15 * 60_000;
/** How long, in ms, a page whose lock is free may take to say that it is only away: its word and its lock come by different ways. */
const SILENT = 1_000;

/**
 * Where a page is: `new` before its hello; `away` is frozen, in the back/forward cache, or
 * silent since its lock is free; `hung` has said nothing of the kind, and takes nothing all the same.
 */
export type Presence = "new" | "here" | "hung" | "away" | "gone";

/** Presences that may follow each. */
const NEXT: { readonly [P in Presence]: readonly Presence[] } = {
  new: ["here", "gone"],
  here: ["hung", "away", "gone"],
  hung: ["here", "away", "gone"],
  away: ["here", "gone"],
  gone: [],
};

/** Callbacks of a presence to its session. */
export interface PresenceUse {
  /** The page takes nothing for now. */
  pageAway(): void;
  /** The page is back. */
  pageBack(): void;
  /** The page has gone for good; `isSaid`: by its own word, or the host's. */
  pageGone(isSaid: boolean): void;
}

/** Follows one page from its hello to its end. */
export class PagePresence {
  readonly #use: PresenceUse;
  /** Gives back the lock by which the page knows that its session lives. */
  readonly #release = new AbortController();
  #now: Presence = "new";
  #lock = "";
  #unheld: ReturnType<typeof setTimeout> | undefined;
  #watch: AbortController | undefined;
  #away: ReturnType<typeof setTimeout> | undefined;

  constructor(use: PresenceUse) {
    this.#use = use;
  }

  /** Where the page is now. */
  get now(): Presence {
    return this.#now;
  }

  /** The page has said hello, and will hold that lock. `welcome` gets the name of the session's lock; `holds` is called once that is held. */
  hello(lock: string, welcome: (lock: string) => void, holds: () => void): void {
    this.#enter("here");
    this.#lock = lock;
    this.#unheld = setTimeout(() => this.#watchPage(), UNHELD);
    const own = `holdfast.port.${crypto.randomUUID()}`;
    welcome(own);
    const { signal } = this.#release;
    const held = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    navigator.locks
      .request(own, () => {
        holds();
        return held;
      })
      .catch(() => this.end());
  }

  /** The page has its lock: it is here. */
  holds(): void {
    if (this.#now === "away") this.back();
    else this.#watchPage();
  }

  /** The page says that it takes nothing for a while; `cached`: it is in the back/forward cache, without its lock. */
  away(cached: boolean): void {
    this.#leaves(cached ? AWAY : Infinity);
  }

  /** The page says that it is back, with its lock. */
  back(): void {
    if (this.#now !== "away") return;
    clearTimeout(this.#away);
    this.#enter("here");
    this.#watchPage();
    this.#use.pageBack();
  }

  /** The page takes nothing: more waits for it than may, or a question has for too long. */
  hangs(): void {
    if (this.#enter("hung")) this.#use.pageAway();
  }

  /** The page takes messages. Reports whether it hung until now. */
  moves(): boolean {
    const hung = this.#now === "hung" && this.#enter("here");
    if (hung) this.#use.pageBack();
    return hung;
  }

  /** The page has gone; `isSaid`: by its own word, or the host's. */
  end(isSaid = false): void {
    if (!this.#enter("gone")) return;
    clearTimeout(this.#away);
    clearTimeout(this.#unheld);
    this.#watch?.abort();
    this.#release.abort();
    this.#use.pageGone(isSaid);
  }

  /** Notices when the page goes without a word: its lock is free then. */
  #watchPage(): void {
    clearTimeout(this.#unheld);
    this.#watch?.abort();
    const watch = (this.#watch = new AbortController());
    if (this.#lock === "") return;
    const free = navigator.locks.request(this.#lock, { signal: watch.signal }, () => this.#leaves(SILENT));
    free.catch(() => watch.signal.aborted || this.end()); // no page of ours has a lock of that name
  }

  /**
   * The page takes nothing for a while; after `ms` it has gone. A frozen one has its lock,
   * and goes with that alone.
   */
  #leaves(ms: number): void {
    if (this.#now === "gone") return;
    if (ms !== Infinity) { // else its lock may be free already: the word of a page that was frozen, and is gone, comes late
      clearTimeout(this.#away);
      clearTimeout(this.#unheld);
      this.#watch?.abort();
      this.#away = setTimeout(() => this.end(), ms);
    }
    const isAwayAlready = this.#now === "hung";
    if (this.#enter("away") && !isAwayAlready) this.#use.pageAway();
  }

  /** Reports whether it may, and is somewhere else than before. */
  #enter(next: Presence): boolean {
    if (!NEXT[this.#now].includes(next)) return false;
    this.#now = next;
    return true;
  }
}
