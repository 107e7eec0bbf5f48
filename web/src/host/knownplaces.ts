import type { UserStores } from "../connect/userstores.js";
import type { StoredPlaces } from "./protocol.js";

/** What a page knows of the places where its user's work is stored, which a logout deletes, also where the worker has died. */
export class KnownPlaces {
  readonly #tell: (facts: { stored: StoredPlaces }) => void;
  /** Whose places the page knows; null: nobody's as yet. */
  #user: string | undefined | null = null;
  /** Resolves when the page knows them. */
  known: Promise<void> = Promise.resolve();

  /** `tell` tells the page. */
  constructor(tell: (facts: { stored: StoredPlaces }) => void) {
    this.#tell = tell;
  }

  /** Tells the page those of these stores at that address, where it does not know them. */
  tell(stores: UserStores, url: string): void {
    if (stores.opened === this.#user) return;
    this.#user = stores.opened;
    this.known = stores.places().then(
      (places) => this.#tell({ stored: { url, ...places } }),
      () => {}, // an address that is none: nothing is stored of it
    );
  }
}
