import { HoldfastError } from "../shared/errors.js";

/** The error of a host that cannot be had. */
export function unavailable(why: string, cause?: unknown): HoldfastError {
  return new HoldfastError({ code: "host_unavailable", op: "connect", message: why, ...(cause === undefined ? {} : { cause }) });
}
