import { HoldfastError } from "../base/errors.js";

/**
 * The error of stored rows that could not be deleted, or counted. The app may try again, or tell the user.
 */
export function storageFailed(
  op: string, cause: unknown, message = "what is stored could not be deleted",
): HoldfastError {
  return new HoldfastError({ code: "storage_failed", op, message, retryable: true, cause });
}
