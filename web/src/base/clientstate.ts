import type { HoldfastError } from "./errors.js";

/**
 * Where a client stands. `offline`: what an earlier page had stored is here, and
 * the server has not been reached yet. `reconnecting`: the server has forgotten
 * the session; a new one is being made. `awaiting_authorization`: what the server has
 * refused waits until somebody has signed in; the client then is where it was before.
 */
export type ClientState =
  | "connecting"
  | "open"
  | "offline"
  | "reconnecting"
  | "awaiting_authorization"
  | "closing"
  | "closed"
  | "failed";

/** A client's state changed. `error` says why, for "failed". */
export interface StateEvent {
  state: ClientState;
  error?: HoldfastError;
  /**
   * With `reconnecting`: the app's token provider has given another user's token. What the app shows of the
   * last user's is not the next one's to see.
   */
  anotherUser?: true;
}

/** Whose a token is, where that is known: issuer and subject. */
export interface TokenSubject {
  issuer: string;
  subject: string;
}
