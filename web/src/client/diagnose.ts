import { explained, loadDiagnosis, ownFields } from "../diagnosis/loaddiagnosis.js";
import type { HoldfastError } from "../base/errors.js";
import type { ConnectOptions } from "./options.js";
import { isForeign } from "../base/origins.js";
import type { NegotiationStep } from "../base/negotiation.js";

/**
 * Finds out why connecting failed, and says what a person can do about it.
 *
 * @param steps what was tried to find the revision
 */
export function diagnose(
  url: string,
  error: HoldfastError,
  options: ConnectOptions,
  steps: readonly NegotiationStep[] = [],
): Promise<HoldfastError> {
  if (options.fetch) return Promise.resolve(error); // the browser asks in another way than that does
  return explained("connect", url, error, options, (chunk, failed) => {
    const sent = {
      fields: ownFields(options),
      credentials: options.credentials ?? "omit",
      signal: options.signal,
      pinned: options.revision,
    };
    return chunk.findServerCause(failed, sent, steps);
  });
}

/**
 * The header fields among these that the server's CORS rules refuse; none where the rules cannot be known.
 */
export async function refusedFields(
  url: string, names: readonly string[], signal?: AbortSignal,
): Promise<string[]> {
  if (names.length === 0 || !isForeign(url)) return [];
  return (await loadDiagnosis(signal))?.refusedFields(url, names, signal) ?? [];
}
