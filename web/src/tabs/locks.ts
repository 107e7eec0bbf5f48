// Web Locks, as far as they are there: not on plain http, and refused with a
// SecurityError to a sandboxed frame of an opaque origin, and where the user allows
// the site no storage; then no other page shares anything with this one. All names
// begin with "holdfast.".

let refused = false;

/** Whether there are Web Locks, as far as it is known. */
export function hasLocks(): boolean {
  return !refused && typeof navigator !== "undefined" && navigator.locks !== undefined;
}

/** Whether the page may not use them, which a request that failed shows. */
function isRefused(error: unknown): boolean {
  refused ||= (error as DOMException).name === "SecurityError";
  return refused;
}

/** The locks that all pages have and wait for; none without Web Locks. */
export async function lockSnapshot(): Promise<LockManagerSnapshot> {
  if (!hasLocks()) return {};
  try {
    return await navigator.locks.query();
  } catch (error) {
    if (!isRefused(error)) throw error;
    return {};
  }
}

/**
 * A lock that is held until it is given back, which resolves once the others can see
 * that; undefined where `signal` ended the wait. Without Web Locks nobody else has it.
 */
export function lock(name: string, signal?: AbortSignal): Promise<(() => Promise<void>) | undefined> {
  return request(name, signal ? { signal } : {});
}

/** The same as {@link lock}, of which pages can have one together. */
export function sharedLock(name: string, signal: AbortSignal): Promise<(() => Promise<void>) | undefined> {
  return request(name, { mode: "shared", signal });
}

function request(name: string, options: LockOptions): Promise<(() => Promise<void>) | undefined> {
  if (!hasLocks()) return Promise.resolve(async () => {});
  return new Promise((resolve) => {
    const over: Promise<void> = navigator.locks
      .request(`holdfast.${name}`, options, () => {
        return new Promise<void>((release) => {
          resolve(() => {
            release();
            return over;
          });
        });
      })
      .catch((error: unknown) => resolve(isRefused(error) ? async () => {} : undefined));
  });
}

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

let client: string | undefined;

/** What this page goes by in `navigator.locks.query()`; undefined without Web Locks. */
export async function lockClient(): Promise<string | undefined> {
  if (client !== undefined || !hasLocks()) return client;
  const name = crypto.randomUUID();
  const release = await lock(name);
  try {
    const { held = [] } = await lockSnapshot();
    client = held.find((one) => one.name === `holdfast.${name}`)?.clientId;
  } finally {
    release?.();
  }
  return client;
}

/** Runs `work` while no other page of the origin runs under that name; at once where there are no locks. */
export async function exclusively<T>(name: string, work: () => Promise<T>): Promise<T> {
  const release = await lock(name);
  try {
    return await work();
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
