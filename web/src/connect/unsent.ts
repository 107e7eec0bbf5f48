import { HoldfastError } from "../shared/errors.js";

/** What a request comes to that has not reached the core when its user logs out, or that is made after that (core/durable/logout.go). */
export function unsent(op: string): HoldfastError {
  return new HoldfastError({
    code: "unsent",
    op,
    message: "the request was not sent, and will not be: its user has logged out",
    hint: "Connect again once somebody has signed in, and make the call there if it is theirs.",
  });
}
