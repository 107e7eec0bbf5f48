// The requests by which a server is looked at. All but one are GET, or a DELETE of a session that there is
// not, and change nothing; the one is `initialize`, as every client makes it, and the session that it may
// give is given back.

/** How long one request may take, in ms. */
const PATIENCE = 5_000;

/**
 * The outcome of a request: a browser tells a page no more than that. `late`: its head did not come in time.
 */
export type Outcome = Response | "failed" | "late";

/** Makes requests, and gives up with the signal. */
export class Probes {
  readonly url: string;
  readonly #signal: AbortSignal | undefined;
  readonly #patience: number;
  readonly #fetch: typeof fetch;

  constructor(
    url: string, signal: AbortSignal | undefined, patience: number = PATIENCE,
    ask: typeof fetch = (input, init) => fetch(input, init),
  ) {
    this.url = url;
    this.#signal = signal;
    this.#patience = patience;
    this.#fetch = ask;
  }

  /** Makes one request. The caller reads the body of the answer, or {@link Probes.passes} cancels it. */
  async ask(init: RequestInit): Promise<Outcome> {
    this.#signal?.throwIfAborted();
    const over = new AbortController();
    const stop = (): void => over.abort(this.#signal?.reason);
    this.#signal?.addEventListener("abort", stop);
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      over.abort();
    }, this.#patience);
    try {
      return await this.#fetch(this.url, {
        credentials: "omit", cache: "no-store", redirect: "manual", ...init, signal: over.signal,
      });
    } catch {
      this.#signal?.throwIfAborted();
      return isLate ? "late" : "failed";
    } finally {
      clearTimeout(timer);
      this.#signal?.removeEventListener("abort", stop);
    }
  }

  /** Resolves with true if a request is answered, even with an error. */
  async passes(init: RequestInit): Promise<boolean> {
    const outcome = await this.ask(init);
    if (typeof outcome === "string") return false;
    await outcome.body?.cancel().catch(() => {});
    return true;
  }

  /**
   * True if a request fails because a rule forbids it: it fails each time, while another one to the same
   * server is answered. A network that comes and goes does not count as a rule.
   */
  async isRule(forbidden: RequestInit, allowed: RequestInit): Promise<boolean> {
    // Not one after the other in turn: what cuts each second request would look like a rule.
    for (const init of [forbidden, allowed, allowed, forbidden, forbidden, allowed])
      if ((await this.passes(init)) !== (init === allowed)) return false;
    return true;
  }

  /** The JSON-RPC message that an answer has, of a body or an event stream; undefined for none in time. */
  async message(response: Response): Promise<Record<string, unknown> | undefined> {
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    if (!reader) return undefined;
    let text = "";
    const timer = setTimeout(() => void reader.cancel().catch(() => {}), this.#patience);
    try {
      for (;;) {
        const { value = "", done } = await reader.read();
        text += value;
        const json = /^\s*\{/.test(text) ? text : (/^data: ?(\{.*\})\r?\n\r?\n/m.exec(text)?.[1] ?? "");
        const parsed = parse(json);
        if (parsed || done) return parsed;
      }
    } catch {
      return undefined;
    } finally {
      clearTimeout(timer);
      await reader.cancel().catch(() => {});
    }
  }
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
