import type { ErrorCode, Reached } from "../base/errors.js";

/** Why a connection failed, as far as the error says it. */
export interface Failed {
  /** The address that it was made to. */
  url: string;
  /** Whether that is of another origin than the page. */
  foreign: boolean;
  code: ErrorCode;
  op: string;
  status: number;
  /** The header field that the answer has to have and does not show; empty where it lacks none. */
  lacks: string;
  /** Whether anything answers at the address; undefined where that is not known. */
  reach: Reached | undefined;
  /** Whether the app has given a token provider. */
  token: boolean;
  /**
   * Whether a Content-Security-Policy has kept a request to that origin in the browser, as far as it has said
   * so by then.
   */
  isForbidden(origin: string): boolean;
}

/** What a connection that failed would have sent. */
export interface Sent {
  /** The header fields that the app adds to every request, with harmless values. */
  fields: readonly [string, string][];
  credentials: RequestCredentials;
  signal: AbortSignal | undefined;
  /** The revision that the app pins. */
  pinned?: string | undefined;
}

/** What was found out. */
export interface Finding {
  /** What a person can do about it. */
  hint: string;
  /** CORS rules are what keeps the page out. */
  cors?: true;
  /** What to say of that, if not the usual. */
  message?: string;
}
