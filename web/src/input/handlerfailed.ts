import { HoldfastError, RPCFailure } from "../base/errors.js";

/**
 * The error of a handler of the app's that has thrown, or given what is no answer: it names the handler, and
 * the handler's own error is its `cause`. `op` is what was asked. The text of the app's own errors stays on
 * this side: it may hold anything. A handler that has refused in words of its own (RPCFailure) is no slip of
 * the app's: the error has its `rpc`, which the server gets.
 */
export function handlerFailed(name: string, op: string, cause: unknown): HoldfastError {
  const rpc = cause instanceof RPCFailure ? cause.rpc : undefined;
  return new HoldfastError({
    code: "handler_failed", op, message: `handlers.${name} of the app failed`, cause, ...(rpc && { rpc })
  });
}

/**
 * The value that the app's code threw, which may be anything; an error in its place if the value cannot be
 * looked at.
 */
export function readable(thrown: unknown): unknown {
  try {
    const { name, message } = (thrown ?? {}) as Partial<Error>;
    [thrown instanceof Error, name, message].join();
    return thrown;
  } catch {
    return new TypeError("what was thrown cannot be read");
  }
}
