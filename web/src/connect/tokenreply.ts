/** The answer to a client's question for a token: a token, or the reason why there is none. */
export interface TokenReply {
  ok: boolean;
  text: string;
  /** True if there is no token for want of the network: the provider may be asked again. */
  away?: boolean;
  /** The error that the provider threw. */
  thrown?: unknown;
  /** The token's user, where the token itself does not say; undefined for nobody. */
  user?: string | undefined;
}

/** The answer of a provider that has rejected. */
export function badProvider(error: unknown): TokenReply {
  try {
    return {
      ok: false,
      text: error instanceof Error ? `${error.name}: ${error.message}` : "it rejected",
      away: needsNetwork(error),
      thrown: error,
    };
  } catch {
    return { ok: false, text: "it rejected" }; // with what cannot even be looked at
  }
}

/** True if the provider rejected because it could not reach the network. */
function needsNetwork(error: unknown): boolean {
  const { name = "", message = "", retryable } =
    (error ?? {}) as { name?: unknown; message?: unknown; retryable?: unknown };
  if (globalThis.navigator?.onLine === false || retryable === true) return true;
  return name === "NetworkError" ||
    name === "TimeoutError" ||
    (name === "TypeError" && FETCH_FAILED.test(String(message)));
}

/**
 * How fetch words the TypeError of a connection that failed: Chrome, its body, Firefox,
 * Safari (three), Node. Any other TypeError is a slip in the provider's code.
 */
const FETCH_FAILED =
  /^(Failed to fetch|network error$|NetworkError when |Load failed|The Internet connection appears to be offline|A server with the specified hostname could not be found|The network connection was lost|fetch failed$)/;
