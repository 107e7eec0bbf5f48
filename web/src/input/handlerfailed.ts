import { HoldfastError } from "../shared/errors.js";

/**
 * The error of a handler of the app's that has thrown, or given what is no answer: it names the handler, and the
 * handler's own error is its `cause`. `op` is what was asked. The text of the app's own errors stays on this
 * side: it may hold anything.
 */
export function handlerFailed(name: string, op: string, cause: unknown): HoldfastError {
  return new HoldfastError({ code: "handler_failed", op, message: `handlers.${name} of the app failed`, cause });
}
