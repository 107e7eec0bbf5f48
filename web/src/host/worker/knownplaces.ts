import type { UserStores } from "../../connect/userstores.js";
import type { StoredPlaces } from "../wire/protocol.js";

/**
 * Places that a page is told of, where its user's work is stored: the owner, which a logout names also where
 * the worker has died, and the keys of the stores.
 */
type Told = StoredPlaces & { stores: string[] };

/** Places that a page knows of, where its user's work is stored. */
export class KnownPlaces {
  readonly #tell: (facts: { stored: Told }) => void;
  readonly #agents: boolean;
  /** Whose places the page knows; null: nobody's as yet. */
  #user: string | undefined | null = null;
  /** Resolves when the page knows them. */
  known: Promise<void> = Promise.resolve();

  /** `tell` tells the page; `agents`: they are those of an agent's client. */
  constructor(tell: (facts: { stored: Told }) => void, agents: boolean) {
    this.#tell = tell;
    this.#agents = agents;
  }

  /** Tells the page those of these stores at that address, where it does not know them. */
  tell(stores: UserStores, url: string): void {
    const user = stores.opened;
    if (user === this.#user) return;
    this.#user = user;
    this.known = stores.places().then(
      (keys) => this.#tell({ stored: { url, user, agents: this.#agents, stores: keys } }),
      () => {}, // an address that is none: nothing is stored of it
    );
  }
}
