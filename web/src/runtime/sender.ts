// How the requests of a client leave that signs in.

/** An answer as the core takes it: what helps before a person has to sign in has been tried. */
export interface Answer {
  response: Response;
  /** Status of the response, or 401 for a request that needs another token first. */
  status: number;
}

/** Has a request leave, with more fields than its own. */
export type Leave = (fields: readonly [name: string, value: string][]) => Promise<Response>;

/**
 * A fetch of the app's: for a proxy, or for tests. It is given the address and what goes with it, the signal
 * included, and gives the response as soon as its head is there: a stream is read from its body.
 */
export type FetchLike = (url: string, init: RequestInit) => Promise<Response>;

/** Sends requests with the fields that say who sends them. */
export interface RequestSender {
  /**
   * Sends a request, again where the server wants another token that nobody is needed for.
   * `leave` has it leave, with those fields beside its own. Rejects as fetch does.
   */
  send(method: string, url: string, leave: Leave): Promise<Answer>;
}
