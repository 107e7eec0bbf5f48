// How the requests of a client leave that signs in.

/** An answer as the core takes it: what helps before a person has to sign in has been tried. */
export interface Answer {
  response: Response;
  /** That of the response, or 401: what the request needs first is another token. */
  status: number;
}

/** Sends requests with the fields that say who sends them. */
export interface RequestSender {
  /**
   * Sends a request, again where the server wants another token that nobody is needed for.
   * `make` makes it, with those fields beside its own. Rejects as fetch does.
   */
  send(method: string, url: string, make: (fields: readonly [name: string, value: string][]) => Request): Promise<Answer>;
}
