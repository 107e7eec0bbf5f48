import { closedError } from "../base/errors.js";

/**
 * The answer to an acknowledgement of all that a call had, where it has ended as `closed` in this page.
 * Nobody has to look at it.
 */
export function refusedAck(): Promise<never> {
  const refused = Promise.reject(closedError("ack", "its outcome did not come here"));
  refused.catch(() => {});
  return refused;
}
