import type { ClientEvents } from "./clientevents.js";
import { HoldfastError } from "../shared/errors.js";

const OP = "subscriptions/listen";

/** How a client is listened to. */
type On = <E extends keyof ClientEvents>(event: E, listener: (event: ClientEvents[E]) => void) => () => void;

/**
 * Resolves once the server has acknowledged a listen stream of 2026-07-28;
 * rejects where it takes none, or the client ends with `over`.
 */
export function acknowledged(on: On, over: () => HoldfastError): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    const undo: (() => void)[] = [];
    const end = (error?: HoldfastError): void => {
      for (const off of undo) off();
      if (error) reject(error);
      else resolve();
    };
    undo.push(
      on("notification", ({ method }) => method === "notifications/subscriptions/acknowledged" && end()),
      on("listen", ({ state }) => {
        if (state === "off") end(new HoldfastError({ code: "protocol_error", op: OP, message: "the server does not take subscriptions" }));
      }),
      on("state", ({ state }) => (state === "closed" || state === "failed") && end(over())),
    );
  });
}

/** Resolves when the server says that a URL elicitation is complete (2025-11-25), or nobody waits for it any more. */
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
