// Tokens in memory, all else where it outlives the page.

import type { AuthStore, Versioned } from "./hands.js";

/**
 * A store whose grants end with its page or worker, while flows and registrations rest:
 * what a person has begun can be finished after a reload, and no token rests on a disk.
 */
export class SplitAuthStore implements AuthStore {
  readonly alone = true;
  readonly #memory: AuthStore;
  readonly #rest: AuthStore;

  constructor(memory: AuthStore, rest: AuthStore) {
    this.#memory = memory;
    this.#rest = rest;
  }

  get<T>(key: string): Promise<Versioned<T> | undefined> {
    return this.#of(key).get<T>(key);
  }

  set(key: string, version: number, value: unknown): Promise<boolean> {
    return this.#of(key).set(key, version, value);
  }

  async keys(prefix: string): Promise<string[]> {
    return [...(await this.#memory.keys(prefix)), ...(await this.#rest.keys(prefix))];
  }

  #of(key: string): AuthStore {
    return key.startsWith("grant/") ? this.#memory : this.#rest;
  }
}
