// What an error of signing in is made from, and what of a server's words may be in it.

import type { ErrorCode, ErrorFields } from "../shared/errors.js";

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
  "bad_argument" | "network_error" | "cors_blocked" | "http_error" | "timeout" | "limit_exceeded" | "unauthorized" | "oauth_invalid" | "oauth_denied" | "sign_in_required" | "sign_in_expired"
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
  readonly leg: Leg;
  readonly fields: FailureFields;

  constructor(leg: Leg, fields: FailureFields) {
    super(`${leg}: ${fields.message}`);
    this.name = "AuthFailure";
    this.leg = leg;
    this.fields = fields;
  }

  /** What a HoldfastError is made from. */
  toFields(): ErrorFields {
    const { denial: _, ...fields } = this.fields;
    return { ...fields, op: this.leg };
  }
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
const DENIALS = [
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
    message: denial === undefined ? "the authorization server refused, with an error code that is not registered" : `the authorization server answered ${denial}`,
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
