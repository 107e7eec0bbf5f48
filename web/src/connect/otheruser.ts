import { closedError, type HoldfastError } from "../base/errors.js";

/** Why what a page has of a user ends: its token provider has given another user's token. */
export const OTHER_USER = "the token provider gave a token of another user";

/** The error that it ends with. */
export function otherUser(op: string): HoldfastError {
  return closedError(op, OTHER_USER);
}
