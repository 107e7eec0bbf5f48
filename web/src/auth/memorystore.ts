// A store in the memory of whoever has it: of the page, or of the worker that the runtime is in.

import type { AuthStore, Versioned } from "./hands.js";

/** Rows of a {@link MemoryAuthStore}, by their keys. Several stores may share one map. */
export type MemoryRows = Map<string, Versioned<unknown>>;

/** No version comes twice, so that what was deleted and written again is another value. */
let last = 0;

/** An {@link AuthStore} that ends with its page or worker. */
export class MemoryAuthStore implements AuthStore {
  readonly #rows: MemoryRows;

  constructor(rows: MemoryRows = new Map()) {
    this.#rows = rows;
  }

  get<T>(key: string): Promise<Versioned<T> | undefined> {
    return Promise.resolve(this.#rows.get(key) as Versioned<T> | undefined);
  }

  set(key: string, version: number, value: unknown): Promise<boolean> {
    if ((this.#rows.get(key)?.version ?? 0) !== version) return Promise.resolve(false);
    if (value === undefined) this.#rows.delete(key);
    else this.#rows.set(key, { value: structuredClone(value), version: ++last });
    return Promise.resolve(true);
  }

  keys(prefix: string): Promise<string[]> {
    return Promise.resolve([...this.#rows.keys()].filter((key) => key.startsWith(prefix)));
  }
}
