import type { CoreErrorCode } from "./border.js";
import type { CallToolResult } from "./mcp.js";

/**
 * What went wrong, for programs. The codes of the core come from its Go sources
 * (border.ts); the others are of this module.
 *
 * | code | meaning |
 * | --- | --- |
 * | `bad_argument` | an argument that cannot be sent; the message names it |
 * | `network_error` | fetch failed: server down, wrong address, cut connection |
 * | `cors_blocked` | the server is there, and its CORS rules keep the page out; `hint` names the header |
 * | `http_error` | a status that is no answer; `status` has it |
 * | `protocol_error` | the server broke MCP or JSON-RPC |
 * | `rpc_error` | the server answered with a JSON-RPC error; `rpc` has it |
 * | `unsupported` | the server or agent has not declared what the request needs; nothing was sent |
 * | `invalid_structured_content` | the tool ran, and its result does not fit its outputSchema; `invalid` has
 * the result |
 * | `limit_exceeded` | a limit of the runtime was reached |
 * | `handler_failed` | a handler of the app's threw, or gave no answer; the message names it, `cause` is its
 * own error |
 * | `timeout` | a deadline passed |
 * | `cancelled` | `cancel()` or an AbortSignal |
 * | `closed` | the client was closed, or a token of another user came |
 * | `unauthorized` | 401, also with a token of the provider's; or the provider gave none |
 * | `oauth_invalid` | metadata, a registration, a redirect or a token answer that breaks a specification of
 * OAuth or is not safe to use; `op` names the leg |
 * | `oauth_denied` | the authorization server, or the person in front of it, refused; `op` names the leg |
 * | `sign_in_required` | somebody has to sign in: there is no token, or what is there cannot be refreshed |
 * | `sign_in_expired` | the answer of an authorization server for a flow that is over, unknown, or was used |
 * | `outcome_unknown` | the request may have run, and nothing can tell |
 * | `lost` | the server no longer has the call |
 * | `unsent` | the request never left, and nobody will send it: it can be made again |
 * | `reconnect_loop` | the server accepts streams and closes them without progress |
 * | `key_in_use` | another call has that `key` |
 * | `acknowledged` | the call has ended, and its outcome is not stored any more: another page has
 * acknowledged it, it expired, or it was evicted |
 * | `storage_failed` | what is stored could not be deleted or counted, or an `ack()` could not be stored;
 * `cause` says why, where it is known |
 * | `no_revision` | no protocol revision in common |
 * | `no_version` | no version of ACP in common |
 * | `no_session` | the client has no such session |
 * | `elsewhere` | another page carries the session, and cannot be asked to pass something on; or what is
 * stored of the call is of a newer build, which this page cannot read: a page of that build carries it on |
 * | `session_rejected` | the server's session cannot be kept |
 * | `load_failed` | the wasm, or a part of the module, could not be loaded |
 * | `host_unavailable` | the host that `host` names cannot be had here; the message says why |
 * | `runtime_exited` | the Go program ended; what was pending is rejected with this |
 */
export type ErrorCode =
  | CoreErrorCode
  | "cors_blocked"
  | "rpc_error"
  | "handler_failed"
  | "invalid_structured_content"
  | "oauth_denied"
  | "oauth_invalid"
  | "sign_in_expired"
  | "sign_in_required"
  | "storage_failed"
  | "load_failed"
  | "host_unavailable"
  | "runtime_exited";

/** A JSON-RPC error object as the server sent it (JSON-RPC 2.0 section 5.1). */
export interface RPCError {
  code: number;
  message: string;
  data?: unknown;
}

/** A result that does not fit its tool's outputSchema, and where. */
export interface InvalidOutput {
  /** The result as the server sent it. */
  result: CallToolResult;
  /**
   * JSON Pointer (RFC 6901) to what does not fit, from `structuredContent` on. None of these three where that
   * is missing.
   */
  at?: string;
  /** The keyword of the schema that it breaks, such as "type". */
  keyword?: string;
  /** JSON Pointer to that keyword in the outputSchema, through any `$ref`. */
  rule?: string;
}

/** The members that a HoldfastError is made from. */
export interface ErrorFields {
  code: ErrorCode;
  message: string;
  op?: string;
  status?: number;
  retryable?: boolean;
  rpc?: RPCError;
  invalid?: InvalidOutput;
  hint?: string;
  cause?: unknown;
  /** @internal */
  lacks?: string;
  /** @internal */
  reach?: Reached;
}

/**
 * The reach of an address that was tested. `answers`: a server answers there, though CORS rules may hide the
 * answer from the page.
 */
export type Reached = "answers" | "nothing";

/**
 * The one error type of the API. Its text holds no token, session id or
 * payload of a request, so that it can be logged.
 */
export class HoldfastError extends Error {
  // A member of its own from the start: where a page has frozen Error.prototype, as hardened ones do, none
  // can be assigned.
  override name = "HoldfastError";
  /** The kind of failure, for programs. */
  readonly code: ErrorCode;
  /** The operation: a JSON-RPC method such as "tools/call", or a step such as "load". */
  readonly op: string;
  /** HTTP status; 0 where there was none. */
  readonly status: number;
  /** True if the same request may succeed later, unchanged. */
  readonly retryable: boolean;
  /** The server's JSON-RPC error, for `rpc_error`. */
  readonly rpc: RPCError | undefined;
  /**
   * The result and where it does not fit, for `invalid_structured_content`. Holds payload: not part of
   * {@link toJSON}.
   */
  readonly invalid: InvalidOutput | undefined;
  /**
   * The step that a person can take, where the runtime could find one. Beneath the stack as well, for
   * consoles.
   */
  readonly hint: string | undefined;
  /** @internal The header field that the answer has to have and does not show: what its hint is found by. */
  readonly lacks: string | undefined;
  /** @internal Whether anything answers at the address; undefined where that is not known. */
  readonly reach: Reached | undefined;

  constructor(fields: ErrorFields) {
    super(
      fields.op ? `${fields.op}: ${fields.message}` : fields.message,
      fields.cause === undefined ? undefined : { cause: fields.cause },
    );
    this.code = fields.code;
    this.op = fields.op ?? "";
    this.status = fields.status ?? 0;
    this.retryable = fields.retryable ?? false;
    this.rpc = fields.rpc;
    this.invalid = fields.invalid;
    this.hint = fields.hint;
    this.lacks = fields.lacks;
    this.reach = fields.reach;
    // A console shows the stack of what nobody has caught, and no member: the hint is to be read there as
    // well (fault 625).
    if (fields.hint && this.stack) this.stack += `\n${fields.hint}`;
  }

  /** A plain object, for logs: `JSON.stringify(error)` shows what matters. */
  toJSON(): object {
    const { name, code, op, status, retryable, message, rpc, hint } = this;
    return { name, code, op, status, retryable, message, rpc, hint };
  }
}

/** An error as Go writes it (wasm/host.go appendFailure). */
export interface GoError {
  code: ErrorCode;
  op: string;
  status: number;
  retryable: boolean;
  message: string;
  cause?: string;
  hint?: string;
  /** Fetch itself has failed: the request may never have left. */
  unanswered?: true;
  /** The stream cannot be had that would bring the answer. */
  unheard?: true;
  /**
   * The page's failure, which says nothing of the request itself: its client is closed, or another page
   * carries what was asked for.
   */
  ofPage?: true;
  /** The header field that the answer has to have and does not show. */
  lacks?: string;
  /** The reach of the address, e.g. "answers"; absent where no request tested the address. */
  reach?: Reached;
}

/**
 * Reads an error that Go wrote; `thrown` is what the token provider threw last, the cause of its failure.
 * What a sign-in threw says all that there is to say.
 */
export function errorFromGo(json: GoError, thrown?: unknown): HoldfastError {
  const { cause, ...fields } = json;
  if (fields.op === "token" && thrown instanceof HoldfastError && thrown.op.startsWith("auth/"))
    return thrown;
  if (fields.op === "token" && thrown !== undefined) return new HoldfastError({ ...fields, cause: thrown });
  return new HoldfastError(cause === undefined ? fields : { ...fields, cause: new Error(cause) });
}

/** Makes the error of what is asked of a client that is closed, or of a part of it that is over. */
export function closedError(op: string, message = "the client is closed"): HoldfastError {
  return new HoldfastError({ code: "closed", op, message });
}

/** Makes the error of a call that the server answered with a JSON-RPC error. */
export function rpcError(op: string, rpc: RPCError): HoldfastError {
  const said = typeof rpc.message === "string" && rpc.message !== ""
    ? rpc.message
    : "the server gave no message";
  return new HoldfastError({ code: "rpc_error", op, message: `${said} (${rpc.code ?? "no code"})`, rpc });
}

/**
 * @internal A refusal with a JSON-RPC error of its own: a handler that throws it has not failed, and the
 * server gets that error.
 */
export class RPCFailure extends Error {
  readonly rpc: RPCError;
  constructor(rpc: RPCError) {
    super(rpc.message);
    this.rpc = rpc;
  }
}
