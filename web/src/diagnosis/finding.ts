import type { ErrorCode, Reached } from "../base/errors.js";

/** Why a connection failed, as far as the error says it. */
export interface Failed {
  /** The address that it was made to. */
  url: string;
  /** True if the address has another origin than the page. */
  foreign: boolean;
  code: ErrorCode;
  op: string;
  status: number;
  /** The header field that the answer has to have and does not show; empty where it lacks none. */
  lacks: string;
  /** The reach of the address, e.g. "nothing"; undefined where that is not known. */
  reach: Reached | undefined;
  /** True if the app has given a token provider. */
  token: boolean;
  /**
   * True if a Content-Security-Policy has blocked a request to that origin, as far as the browser has
   * reported it by then.
   */
  isForbidden(origin: string): boolean;
}

/** The parts of the request that a connection that failed would have sent. */
export interface Sent {
  /** The header fields that the app adds to every request, with harmless values. */
  fields: readonly [string, string][];
  credentials: RequestCredentials;
  signal: AbortSignal | undefined;
  /** The revision that the app pins. */
  pinned?: string | undefined;
}

/** The cause that a diagnosis found. */
export interface Finding {
  /** The step that a person can take about the cause. */
  hint: string;
  /** CORS rules keep the page out. */
  cors?: true;
  /** The error's message, if not the usual one. */
  message?: string;
}
