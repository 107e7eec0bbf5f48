// Web Locks, as far as they are there (not on plain http). All names begin with "holdfast.".

/** Whether there are Web Locks. */
export function hasLocks(): boolean {
  return typeof navigator !== "undefined" && navigator.locks !== undefined;
}

/** A lock that is held until it is given back; undefined where `signal` ended the wait. Without Web Locks nobody else has it. */
export function lock(name: string, signal?: AbortSignal): Promise<(() => void) | undefined> {
  if (!hasLocks()) return Promise.resolve(() => {});
  return new Promise((resolve) => {
    navigator.locks
      .request(`holdfast.${name}`, signal ? { signal } : {}, () => new Promise<void>((release) => resolve(release)))
      .catch(() => resolve(undefined));
  });
}

/** The same, where it can be had at once. */
export function lockNow(name: string): Promise<(() => void) | undefined> {
  if (!hasLocks()) return Promise.resolve(() => {});
  return new Promise((resolve) => {
    navigator.locks
      .request(`holdfast.${name}`, { ifAvailable: true }, (held) => {
        if (!held) resolve(undefined);
        else return new Promise<void>((release) => resolve(release));
        return undefined;
      })
      .catch(() => resolve(undefined));
  });
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

/** The one page of several that does something for all of them. */
export class Turn {
  readonly #name: string;
  readonly #begin: (waited: boolean) => void;
  #abort: AbortController | undefined;
  #release: (() => void) | undefined;

  /** `begin` is told when it is this page's turn, and whether it was another's before. */
  constructor(name: string, begin: (waited: boolean) => void) {
    this.#name = name;
    this.#begin = begin;
  }

  /** Whether it is this page's turn. */
  get mine(): boolean {
    return this.#release !== undefined;
  }

  /** Asks for it. */
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

  /** Gives it back, or stops waiting for it. */
  end(): void {
    this.#abort?.abort();
    this.#abort = undefined;
    this.#release?.();
    this.#release = undefined;
  }
}
