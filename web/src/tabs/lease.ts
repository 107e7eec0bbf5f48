// The kinds of lock that are made from locks.ts: one that can be had at once, one that pages share, one for a
// piece of work, and the lease. A page whose runtime is in a worker does without them.

import { lockSnapshot } from "./lockqueries.js";
import { hasLocks, isRefused, lock, requestLock } from "./locks.js";
import { Vouching, type VouchingChannel } from "./vouching.js";

/** Takes a lock as {@link lock} does, if it is free now. */
export function lockNow(name: string): Promise<(() => void) | undefined> {
  if (!hasLocks()) return Promise.resolve(() => {});
  return new Promise((resolve) => {
    navigator.locks
      .request(`holdfast.${name}`, { ifAvailable: true }, (held) => {
        if (!held) resolve(undefined);
        else return new Promise<void>((release) => resolve(release));
        return undefined;
      })
      .catch((error: unknown) => resolve(isRefused(error) ? () => {} : undefined));
  });
}

/** Takes a lock as {@link lock} does, which several pages can hold at once. */
export function sharedLock(name: string, signal: AbortSignal): Promise<(() => Promise<void>) | undefined> {
  return requestLock(name, { mode: "shared", signal });
}

/** Runs `work` while no other page of the origin runs under that name: `alone`. At once where there are no locks, and once `patience` is aborted. */
export async function exclusively<T>(name: string, work: (alone: boolean) => Promise<T>, patience?: AbortSignal): Promise<T> {
  const release = await lock(name, patience);
  try {
    return await work(release !== undefined && hasLocks());
  } finally {
    release?.();
  }
}

/** How often a page that waits for the lease looks whether it may go past who has it, or still may, in ms. */
const LOOK_EVERY = 1_000;

/**
 * The right to do something for several pages: one of them has it at a time. Where the one that has it shows no life,
 * another one goes past it, by the lock of which there is one more, and gives way to others that wait for that.
 */
export class Lease {
  readonly #name: string;
  readonly #past: string;
  readonly #begin: (waited: boolean) => void;
  readonly #leave: () => void;
  readonly #life: Vouching;
  #hears: ((said: unknown) => void) | undefined;
  #abort: AbortController | undefined;
  #release: (() => void) | undefined;
  /** Ends the time in which this page goes past the holder of the lease. */
  #return: (() => void) | undefined;
  #looking: ReturnType<typeof setInterval> | undefined;

  /**
   * `begin` is called when this page gets the lease, with whether another page had it before, and `leave` when a page
   * that went past another one, by the lock `past`, gives way. `say` tells the others something that they give to
   * {@link Lease.heard}.
   */
  constructor(
    name: string, past: string, begin: (waited: boolean) => void, leave: () => void, say: VouchingChannel["postMessage"],
  ) {
    this.#name = name;
    this.#past = past;
    this.#begin = begin;
    this.#leave = leave;
    const join = (hears: (said: unknown) => void): VouchingChannel => {
      this.#hears = hears;
      return { postMessage: say, close: () => (this.#hears = undefined) };
    };
    this.#life = new Vouching(join, () => (this.#release ? [name] : []));
  }

  /** Another page has said that. */
  heard(said: unknown): void {
    this.#hears?.(said);
  }

  /** True if this page holds the lease, or goes past its holder. */
  get mine(): boolean {
    return (this.#release ?? this.#return) !== undefined;
  }

  /** Asks for the lease. */
  async ask(): Promise<void> {
    if (this.#abort) return;
    const abort = new AbortController();
    this.#abort = abort;
    this.#life.open();
    const now = await lockNow(this.#name);
    if (!now && !abort.signal.aborted) this.#looking ??= setInterval(() => void this.#look(abort.signal), LOOK_EVERY);
    const release = now ?? (await lock(this.#name, abort.signal));
    if (abort.signal.aborted) {
      release?.();
      return;
    }
    this.#stopLooking();
    this.#release = release;
    if (release) this.#begin(now === undefined);
  }

  /** Gives the lease back, or stops waiting for it. */
  end(): void {
    this.#abort?.abort();
    this.#abort = undefined;
    this.#stopLooking();
    this.#life.close();
    this.#release?.();
    this.#release = undefined;
  }

  #stopLooking(): void {
    clearInterval(this.#looking);
    this.#looking = undefined;
    this.#return?.();
    this.#return = undefined;
  }

  /** Goes past who shows no life, or gives way: to who has the lease and shows life again, and to who waits to go past. */
  async #look(over: AbortSignal): Promise<void> {
    this.#life.ask([this.#name]);
    const isSilent = this.#life.isSilent(this.#name);
    if (!this.#return) {
      const release = isSilent ? await lockNow(this.#past) : undefined;
      if (!release || over.aborted || this.#release || this.#return) return release?.();
      this.#return = release;
      this.#begin(true);
      return;
    }
    const { pending = [] } = isSilent ? await lockSnapshot() : {};
    if (isSilent && !pending.some(({ name }) => name === `holdfast.${this.#past}`)) return;
    if (over.aborted || !this.#return) return;
    this.#leave();
    this.#return();
    this.#return = undefined;
  }
}
