import { type ErrorCode, HoldfastError, type InvalidOutput, type Reached, type RPCError, RPCFailure } from "../../base/errors.js";

/** An error as it crosses a port: all that a {@link HoldfastError} has, or the name and message of another. */
export interface ErrorData {
  /** Empty for an error that is none of Holdfast's. */
  code: ErrorCode | "";
  name: string;
  message: string;
  op?: string;
  status?: number;
  retryable?: boolean;
  rpc?: RPCError;
  invalid?: InvalidOutput;
  hint?: string;
  lacks?: string;
  reach?: Reached;
  cause?: ErrorData;
  /** The app threw it in answer to that question: the page has the error itself. */
  question?: number;
}

/** Error that the app's code threw in a page. Only its name and message arrive. */
export class AppError extends Error {
  override name: string;
  /** The question that it was the answer to; 0 for none. */
  readonly question: number;
  /** As the token provider's errors have it. */
  readonly retryable: boolean;

  constructor({ name, message, retryable = false, question = 0 }: ErrorData) {
    super(message);
    this.name = name;
    this.question = question;
    this.retryable = retryable;
  }
}

/** An error has so many causes at most, one below the other: it may be its own. */
const CAUSES = 8;

/** An error as data. */
export function errorData(error: unknown, depth = 0): ErrorData {
  if (error instanceof HoldfastError) {
    const { code, name, op, status, retryable, rpc, invalid, hint, lacks, reach, cause } = error;
    const all = { code, name, message: op ? error.message.slice(op.length + 2) : error.message, op, status, retryable, rpc, invalid, hint, lacks, reach };
    return { ...(Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as unknown as ErrorData), ...(cause === undefined || depth === CAUSES ? {} : { cause: errorData(cause, depth + 1) }) };
  }
  const { name = "Error", message = "", retryable } = (typeof error === "object" && error !== null ? error : { message: String(error) }) as { name?: unknown; message?: unknown; retryable?: unknown };
  return {
    code: "",
    name: String(name),
    message: String(message),
    ...(retryable === true && { retryable }),
    ...(error instanceof AppError && { question: error.question }),
    ...(error instanceof RPCFailure && { rpc: error.rpc }),
  };
}

/** Error that the app's code threw in a page, in answer to the question. */
export function thrownInPage(error: ErrorData, question: number): Error {
  return error.code === "" && error.rpc ? new RPCFailure(error.rpc) : new AppError({ ...error, question });
}

/** The error that the data is of; `thrown` gives what the app itself threw in answer to a question. */
export function errorFrom(data: ErrorData, thrown?: (question: number) => unknown): unknown {
  const { code, name, message, cause, question, ...rest } = data;
  if (question !== undefined) {
    const known = thrown?.(question);
    if (known !== undefined) return known;
  }
  if (code !== "") return new HoldfastError({ ...rest, code, message: String(message), ...(cause === undefined ? {} : { cause: errorFrom(cause, thrown) }) });
  // Not assigned: a page may have frozen Error.prototype.
  return Object.defineProperty(new Error(message), "name", { value: name, writable: true, configurable: true });
}

/** The same, where it has to be one of Holdfast's. */
export function holdfastErrorFrom(data: ErrorData, op: string, thrown?: (question: number) => unknown): HoldfastError {
  const error = errorFrom(data, thrown);
  if (error instanceof HoldfastError) return error;
  return new HoldfastError({ code: "runtime_exited", op, message: "the host failed", cause: error });
}
