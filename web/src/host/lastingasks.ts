import type { Asks } from "../client/backend.js";

/** What is asked of a client, as an error names it and as it crosses. */
export type LastingAsk = [op: string, method: keyof Asks, what: string];

/**
 * What a page has asked of a server that holds until it says otherwise: the resources that it has subscribed to, and the
 * level of the log. A worker that takes the place of a dead one knows nothing of it; the page does.
 */
export class LastingAsks {
  /** By their URIs: whether the server has taken it, and it is this page's user's. */
  readonly #subscribed = new Map<unknown, { isMade: boolean }>();
  #level: unknown;

  /** The app asks that. Returns what has to be told when the server has taken it. */
  asks(method: string, what: unknown): (() => void) | undefined {
    if (method === "setLoggingLevel") return () => (this.#level = what);
    if (method === "unsubscribeResource") this.#subscribed.delete(what); // at once: also where there is no worker just now
    if (method !== "subscribeResource") return undefined;
    const one = this.#subscribed.get(what) ?? { isMade: false };
    this.#subscribed.set(what, one);
    return () => (one.isMade = true); // to no avail where it has been ended meanwhile
  }

  /** What the next worker is to be asked for. */
  get all(): LastingAsk[] {
    const all: LastingAsk[] = [];
    if (this.#level !== undefined) all.push(["logging/setLevel", "setLoggingLevel", this.#level as string]);
    for (const [uri, { isMade }] of this.#subscribed) if (isMade) all.push(["resources/subscribe", "subscribeResource", uri as string]);
    return all;
  }

  /** The next worker's server does not take that. */
  refused([, method, what]: LastingAsk): void {
    if (method === "setLoggingLevel") this.#level = undefined;
    else this.#subscribed.delete(what);
  }

  /** What it was told is the last user's; what is being asked for is this one's, or rejected. */
  anotherUser(): void {
    for (const one of this.#subscribed.values()) one.isMade = false;
  }

  /** The app ends all. */
  end(): void {
    this.#level = undefined;
    this.#subscribed.clear();
  }
}
