import { type ErrorCode, HoldfastError, type RPCError } from "../base/errors.js";

// The codes that the official packages have for the same (`ErrorCode` of sdk 1.x), and JSON-RPC's own.
const CONNECTION_CLOSED = -32000;
const REQUEST_TIMEOUT = -32001;
const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603;

const CODES: Partial<Record<ErrorCode, number>> = {
  bad_argument: INVALID_PARAMS,
  unsupported: METHOD_NOT_FOUND,
  timeout: REQUEST_TIMEOUT,
  closed: CONNECTION_CLOSED,
  runtime_exited: CONNECTION_CLOSED,
};

/**
 * An error as the Client gets it: the server's own as it came, any other with what {@link holdfastError}
 * reads in `data`.
 */
export function asRPCError(error: unknown): RPCError {
  if (!(error instanceof HoldfastError))
    return { code: INTERNAL_ERROR, message: error instanceof Error ? error.message : String(error) };
  if (error.code === "rpc_error" && error.rpc) return error.rpc;
  return { code: CODES[error.code] ?? INTERNAL_ERROR, message: error.message, data: error.toJSON() };
}

/**
 * The HoldfastError under an error of the official `Client` (`McpError`, `ProtocolError`); undefined for the
 * server's own errors and the Client's. Its `code` is for programs, as everywhere in Holdfast.
 */
export function holdfastError(error: unknown): HoldfastError | undefined {
  const data = (error as { data?: Partial<HoldfastError> } | null | undefined)?.data;
  if (data?.name !== "HoldfastError" || !data.code) return undefined;
  const { code, op = "", message = "", status, retryable, hint } = data;
  const said = op !== "" && message.startsWith(`${op}: `) ? message.slice(op.length + 2) : message;
  return new HoldfastError({
    code, op, message: said, cause: error, ...(status && { status }), ...(retryable && { retryable }),
    ...(hint !== undefined && { hint })
  });
}

/** The error for a request that the transport cannot carry out. */
export function unsupported(op: string, message: string, hint: string): HoldfastError {
  return new HoldfastError({ code: "unsupported", op, message, hint });
}
