import type { Asks } from "../../client/backend.js";

/** Request of a client, as an error names it and as it crosses. */
export type LastingAsk = [op: string, method: keyof Asks, what: string];

/**
 * Requests of a page that a server holds until the page says otherwise: the subscriptions to resources, and
 * the level of the log. A worker that replaces a dead one does not know them; the page does.
 */
export class LastingAsks {
  /** Subscriptions by URI. `made` is the request that the server has accepted, for this page's user. */
  readonly #subscribed = new Map<unknown, { made?: LastingAsk | undefined }>();
  #level: LastingAsk | undefined;

  /** Notes a request of the app. Returns a callback for when the server has accepted the request. */
  asks(method: string, what: unknown): (() => void) | undefined {
    if (method === "setLoggingLevel") return () => (this.#level = ["logging/setLevel", method, what as string]);
    if (method === "unsubscribeResource") this.#subscribed.delete(what); // at once: also where there is no worker just now
    if (method !== "subscribeResource") return undefined;
    const one = this.#subscribed.get(what) ?? {};
    this.#subscribed.set(what, one);
    return () => (one.made = ["resources/subscribe", method, what as string]); // to no avail where it has been ended meanwhile
  }

  /** Requests that the next worker is to make. */
  get all(): LastingAsk[] {
    return [this.#level, ...[...this.#subscribed.values()].map(({ made }) => made)].filter((lasting) => lasting !== undefined);
  }

  /**
   * Forgets a request that the next worker's server refuses. Returns true if the app still wants it: the app
   * may have asked otherwise since.
   */
  refused(lasting: LastingAsk): boolean {
    const one = this.#subscribed.get(lasting[2]);
    if (this.#level === lasting) this.#level = undefined;
    else if (one?.made === lasting) one.made = undefined;
    else return false;
    return true;
  }

  /**
   * Forgets that the requests were made: the server took them of the last user. Requests that are under way
   * are this user's, or are rejected.
   */
  anotherUser(): void {
    for (const one of this.#subscribed.values()) one.made = undefined;
  }

  /** Forgets all requests. */
  end(): void {
    this.#level = undefined;
    this.#subscribed.clear();
  }
}
