// What is made of locks (locks.ts), which a page whose runtime is in a worker does without: one that can be had at once, one
// that pages have together, one for a piece of work, and the lease.

import { hasLocks, isRefused, lock, requestLock } from "./locks.js";

/** The same as {@link lock}, where it can be had at once. */
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

/** The same as {@link lock}, of which pages can have one together. */
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

/** The right to do something for several pages: one of them has it at a time. */
export class Lease {
  readonly #name: string;
  readonly #begin: (waited: boolean) => void;
  #abort: AbortController | undefined;
  #release: (() => void) | undefined;

  /** `begin` is called when this page gets the lease, with whether another page had it before. */
  constructor(name: string, begin: (waited: boolean) => void) {
    this.#name = name;
    this.#begin = begin;
  }

  /** Whether this page has the lease. */
  get mine(): boolean {
    return this.#release !== undefined;
  }

  /** Asks for the lease. */
  async ask(): Promise<void> {
    if (this.#abort) return;
    const abort = new AbortController();
    this.#abort = abort;
    const now = await lockNow(this.#name);
    const release = now ?? (await lock(this.#name, abort.signal));
    if (abort.signal.aborted) {
      release?.();
      return;
    }
    this.#release = release;
    if (release) this.#begin(now === undefined);
  }

  /** Gives the lease back, or stops waiting for it. */
  end(): void {
    this.#abort?.abort();
    this.#abort = undefined;
    this.#release?.();
    this.#release = undefined;
  }
}
