import { lockNow, sharedLock } from "./lease.js";

/** How long a page waits for one that is ending the session, in ms: it may hang. */
const PATIENCE = 3_000;

/**
 * Which pages use the session that is stored of one server and user: each that
 * has read it, until it is closed. One that is about to end the session has to
 * know of those that have read it and said nothing yet (fault 138).
 */
export class SessionUse {
  readonly #name: string;
  #release: (() => Promise<void>) | undefined;
  /** Counts begins and ends: a begin that waits for its lock is void once another of them has come. */
  #sequence = 0;

  constructor(server: string) {
    this.#name = `session.${server}`;
  }

  /** This page may use what it reads from here on. */
  async begin(): Promise<void> {
    const sequence = ++this.#sequence;
    const patience = new AbortController();
    const timer = setTimeout(() => patience.abort(), PATIENCE);
    const release = await sharedLock(this.#name, patience.signal);
    clearTimeout(timer);
    if (sequence !== this.#sequence) return release?.();
    const before = this.#release;
    this.#release = release;
    await before?.();
  }

  /** This page stops using the session; resolves once the others can see that. */
  async end(): Promise<void> {
    this.#sequence++;
    const release = this.#release;
    this.#release = undefined;
    await release?.();
  }

  /**
   * Ends this page's use, and runs `work` where no other page uses the session:
   * one that comes meanwhile reads what `work` has stored. Resolves with whether it ran.
   */
  async alone(work: () => Promise<void>): Promise<boolean> {
    await this.end();
    const release = await lockNow(this.#name);
    if (!release) return false;
    try {
      await work();
    } finally {
      release();
    }
    return true;
  }
}
