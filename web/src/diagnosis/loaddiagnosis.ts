import { HoldfastError } from "../base/errors.js";
import { isForbidden } from "../base/forbidden.js";
import { headerEntries } from "../base/headerentries.js";
import { corsBlocked, isForeign } from "../base/origins.js";
import type { Failed, Finding } from "./finding.js";

/**
 * The module that looks for the cause of a failure: a chunk of its own, since a page whose connections work
 * never loads it.
 */
export type Diagnosis = typeof import("./diagnosis.js");

/** ms until a chunk that does not come is given up: an error waits for it. */
const PATIENCE = 5_000;

/**
 * Loads the chunk; undefined where it cannot be had, as on a page without network: an error then goes without
 * its hint.
 */
export function loadDiagnosis(signal?: AbortSignal): Promise<Diagnosis | undefined> {
  return new Promise((resolve) => {
    const settle = (chunk?: Diagnosis): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
      resolve(chunk);
    };
    const stop = (): void => settle();
    const timer = setTimeout(stop, PATIENCE);
    signal?.addEventListener("abort", stop);
    import("./diagnosis.js").then(settle, stop);
  });
}

/** The errors of a connection whose cause can be looked for. */
const KNOWN = new Set(["network_error", "http_error", "protocol_error", "no_revision", "unauthorized"]);

/**
 * The error with what a person can do about it, where that could be found out; `op` is the function that the
 * app called.
 */
export async function explained(
  op: string,
  url: string,
  error: HoldfastError,
  options: { token?: unknown; signal?: AbortSignal },
  find: (chunk: Diagnosis, failed: Failed) => Promise<Finding | undefined>,
): Promise<HoldfastError> {
  const { code, status, retryable, message, cause, lacks = "", reach } = error;
  // Not the provider's network, nor what the sign-in has said of itself.
  const isServers = (error.op !== "token" || code !== "network_error") && !error.op.startsWith("auth/");
  const chunk = isServers && KNOWN.has(code) && (await loadDiagnosis(options.signal));
  if (!chunk) return error;
  const failed = {
    url, foreign: isForeign(url), code, op: error.op, status, lacks, reach,
    token: options.token !== undefined, isForbidden,
  };
  const found = await find(chunk, failed);
  if (!found) return error;
  const { hint } = found;
  if (found.cors) return corsBlocked(op, hint, error, found.message);
  // The constructor puts the operation before the message again.
  return new HoldfastError({
    code, op: error.op, status, retryable, message: message.slice(error.op ? error.op.length + 2 : 0), hint,
    cause,
  });
}

/** The fields that the app's options add to every request, with harmless values. */
export function ownFields(options: { token?: unknown; headers?: HeadersInit }): [string, string][] {
  const fields = headerEntries(options.headers).map(
    ([name]): [string, string] => [name.toLowerCase(), "probe"],
  );
  return options.token ? [["authorization", "Bearer probe"], ...fields] : fields;
}

