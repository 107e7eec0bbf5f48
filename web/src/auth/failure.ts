// Errors of signing in, and the words of a server that may stand in them.

import type { ErrorCode, ErrorFields } from "../base/errors.js";

/** The step of signing in that failed: the `op` of its error. */
export type Leg =
  | "auth/challenge"
  | "auth/resource-metadata"
  | "auth/server-metadata"
  | "auth/registration"
  | "auth/authorization"
  | "auth/callback"
  | "auth/token"
  | "auth/refresh"
  | "auth/revocation"
  | "auth/dpop";

/** The codes that signing in fails with. */
export type AuthCode = Extract<
  ErrorCode,
  "bad_argument" | "network_error" | "cors_blocked" | "http_error" | "timeout" | "limit_exceeded" |
    "unauthorized" | "oauth_invalid" | "oauth_denied" | "sign_in_required" | "sign_in_expired" |
    "storage_failed"
>;

/** An {@link AuthFailure}'s fields: those of a HoldfastError, with the leg as its `op`. */
export type FailureFields = Omit<ErrorFields, "code" | "op" | "cause" | "rpc" | "invalid"> & {
  code: AuthCode;
  /** The error code that the authorization server gave, if it is a registered one. */
  denial?: Denial;
};

/**
 * A failure in the chunk that signs in. `oauth()` makes a HoldfastError of it: a chunk
 * that imported that class would move it to a file that every page has to load.
 *
 * Neither it nor its message has a cause: errors of fetch and of JSON.parse may quote
 * what they were given. Nothing that a server wrote freely is in it.
 */
export class AuthFailure extends Error {
  override name = "AuthFailure";
  readonly leg: Leg;
  readonly fields: FailureFields;

  constructor(leg: Leg, fields: FailureFields) {
    super(`${leg}: ${fields.message}`);
    this.leg = leg;
    this.fields = fields;
  }

  /** Fields of a HoldfastError. They always have a hint. */
  toFields(): ErrorFields {
    const { denial, ...fields } = this.fields;
    return { hint: usualAdvice(this.leg, fields.code, denial), ...fields, op: this.leg };
  }
}

/** The failure that another page tells of; undefined for what is none, as an older build may say. */
export function failureOf(leg: unknown, fields: unknown): AuthFailure | undefined {
  const {
    code, message, status, retryable, denial, hint,
  } = (fields ?? {}) as Readonly<Record<string, unknown>>;
  if (
    typeof leg !== "string" || !leg.startsWith("auth/") || typeof code !== "string" ||
      !Object.hasOwn(USUAL, code)
  )
    return undefined;
  if (typeof message !== "string" || !["undefined", "number"].includes(typeof status)) return undefined;
  const known = denialOf(denial);
  return new AuthFailure(leg as Leg, {
    code: code as AuthCode,
    message,
    ...(status === undefined ? {} : { status: status as number }),
    ...(retryable === undefined ? {} : { retryable: retryable === true }),
    ...(known === undefined ? {} : { denial: known }),
    ...(typeof hint === "string" ? { hint } : {}),
  });
}

/** An answer that breaks a specification, or that it is not safe to go on with. */
export function invalid(leg: Leg, message: string, hint?: string): AuthFailure {
  return new AuthFailure(leg, { code: "oauth_invalid", message, ...(hint === undefined ? {} : { hint }) });
}

/**
 * The registered error codes (RFC 6749 4.1.2.1 and 5.2, RFC 7591 3.2.2, RFC 8707, RFC
 * 9449, RFC 7009, OpenID Connect 3.1.2.6). Any other one is not repeated: a server can
 * write what it likes there, a token of ours as well.
 */
export const DENIALS = [
  "access_denied",
  "account_selection_required",
  "consent_required",
  "insufficient_scope",
  "interaction_required",
  "invalid_client",
  "invalid_client_metadata",
  "invalid_dpop_proof",
  "invalid_grant",
  "invalid_redirect_uri",
  "invalid_request",
  "invalid_scope",
  "invalid_software_statement",
  "invalid_target",
  "invalid_token",
  "login_required",
  "server_error",
  "temporarily_unavailable",
  "unapproved_software_statement",
  "unauthorized_client",
  "unsupported_grant_type",
  "unsupported_response_type",
  "unsupported_token_type",
  "use_dpop_nonce",
] as const;

/** A registered error code of OAuth. */
export type Denial = (typeof DENIALS)[number];

/** The error code of an answer, where it is a registered one. */
export function denialOf(error: unknown): Denial | undefined {
  return DENIALS.find((code) => code === error);
}

/** The failure for an error code that an authorization server answered with. */
export function denied(leg: Leg, error: unknown, status = 0, hint?: string): AuthFailure {
  const denial = denialOf(error);
  return new AuthFailure(leg, {
    code: "oauth_denied",
    message: denial === undefined
      ? "the authorization server refused, with an error code that is not registered"
      : `the authorization server answered ${denial}`,
    status,
    retryable: denial === "temporarily_unavailable" || denial === "server_error",
    ...(denial === undefined ? {} : { denial }),
    ...(hint === undefined ? {} : { hint }),
  });
}

/** Where a URL leads to, for a message: its origin alone, since a path or query may hold a secret. */
export function originOf(url: string): string {
  try {
    return new URL(url).origin;
  } catch {
    return "what is no URL";
  }
}

/** Hints by error code, whatever the step. */
const USUAL: Readonly<Record<AuthCode, string>> = {
  bad_argument: "Change that in what oauth() is given.",
  network_error: "Is the browser online, and does that server run?",
  cors_blocked: "That server has to allow this page by its CORS header fields.",
  http_error: "The log of that server says why.",
  timeout: "Does that server run? Try again later.",
  limit_exceeded: "Nothing that belongs there is that large: is it the right address?",
  unauthorized: "The server has to take tokens of its authorization server, for this resource: its log " +
    "says why it does not.",
  oauth_invalid: "Whoever runs that server has to mend it.",
  oauth_denied: "The log of the authorization server says why.",
  sign_in_required: "Sign in again.",
  sign_in_expired: "Sign in again.",
  storage_failed: "Is there room on the disk? What waits goes on once there is.",
};

const SAID_NO = "Whoever was asked has said no. The app asks again from a click, by signIn().";
const LATER = "Try again later.";
const CLIENT = "Register this app there with this page's redirectUrl, and give its clientId.";
const SCOPES = "Ask for other scopes, with the option scopes.";

/** Hints by the code with which an authorization server refuses. Its log has the rest. */
const REFUSED: Readonly<Partial<Record<Denial, string>>> = {
  access_denied: SAID_NO,
  account_selection_required: SAID_NO,
  consent_required: SAID_NO,
  interaction_required: SAID_NO,
  login_required: SAID_NO,
  insufficient_scope: SCOPES,
  invalid_scope: SCOPES,
  invalid_client: CLIENT,
  invalid_client_metadata: CLIENT,
  invalid_redirect_uri: CLIENT,
  unapproved_software_statement: CLIENT,
  unauthorized_client: CLIENT,
  invalid_grant: "Sign in again.",
  invalid_target: "The authorization server has to know the server by the resource that its metadata names.",
  invalid_dpop_proof: "Is the clock of this machine right?",
  server_error: LATER,
  temporarily_unavailable: LATER,
};

/** The usual hint. For metadata the hint names the specification that the document has to follow. */
function usualAdvice(leg: Leg, code: AuthCode, denial: Denial | undefined): string {
  const usual = (denial && REFUSED[denial]) ?? USUAL[code];
  const metadata = leg === "auth/resource-metadata" || leg === "auth/server-metadata";
  return metadata && code === "oauth_invalid"
    ? `${usual} Its metadata is read as RFC ${leg === "auth/server-metadata" ? 8414 : 9728} says.`
    : usual;
}

/** Only a person can help. */
export function isSignInRequired(error: unknown): boolean {
  return error instanceof AuthFailure && error.fields.code === "sign_in_required";
}

/** Turns an error that was thrown into a failure of the sign-in. */
export function asFailure(error: unknown): AuthFailure {
  if (error instanceof AuthFailure) return error;
  return new AuthFailure("auth/authorization", {
    code: "oauth_invalid", message: "signing in failed in the page itself",
  });
}
