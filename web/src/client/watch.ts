import type { ClientEvents } from "./clientevents.js";
import { abortedError } from "../base/arguments.js";
import { HoldfastError } from "../base/errors.js";
import type { CallOptions } from "./options.js";

const OP = "subscriptions/listen";

/** ms that a timer can wait. */
const LONGEST = 2 ** 31;

/** How a client is listened to. */
type On = <E extends keyof ClientEvents>(event: E, listener: (event: ClientEvents[E]) => void) => () => void;

/**
 * Resolves once the server has acknowledged a listen stream of 2026-07-28;
 * rejects where it takes none, or the client ends with `over`. The signal and the timeouts are for
 * who waits, and not for the stream, which others use as well.
 */
export function acknowledged(
  on: On, over: () => HoldfastError, { signal, timeouts = {} }: Pick<CallOptions, "signal" | "timeouts">,
): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    const undo: (() => void)[] = [];
    const end = (error?: HoldfastError): void => {
      for (const off of undo) off();
      if (error) reject(error);
      else resolve();
    };
    const ms = Math.min(timeouts.answer ?? Infinity, timeouts.total ?? Infinity);
    const timer = ms < LONGEST ? setTimeout(
      () => end(
        new HoldfastError({ code: "timeout", op: OP, message: `no answer within ${ms} ms`, retryable: true }),
      ),
      ms,
    ) : undefined;
    const abort = (): void => end(abortedError(OP, signal!));
    signal?.addEventListener("abort", abort);
    undo.push(
      () => clearTimeout(timer),
      () => signal?.removeEventListener("abort", abort),
      on("notification", ({ method }) => method === "notifications/subscriptions/acknowledged" && end()),
      on("listen", ({ state }) => {
        if (state === "off")
          end(
            new HoldfastError({
              code: "protocol_error", op: OP, message: "the server does not take subscriptions",
            }),
          );
      }),
      on("state", ({ state }) => (state === "closed" || state === "failed") && end(over())),
    );
    if (signal?.aborted) abort();
  });
}

/**
 * Resolves when the server says that a URL elicitation is complete (2025-11-25), or nobody waits for it any
 * more.
 */
export function completed(on: On, elicitationId: string, over: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const off = on("notification", ({ method, params }) => {
      if (method !== "notifications/elicitation/complete") return;
      if ((params as { elicitationId?: unknown } | undefined)?.elicitationId !== elicitationId) return;
      off();
      resolve();
    });
    over.addEventListener("abort", () => (off(), resolve()), { once: true });
  });
}
