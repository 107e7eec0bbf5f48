import { HoldfastError } from "../base/errors.js";

/** The worker and the script-tag build are one file: nothing but a browser loads them. */
declare const HOLDFAST_ONE_FILE: boolean;

/**
 * Refuses to connect where there is neither a page nor a worker, as in Node: the client's tabs, its locks
 * and what it hears of the network are the browser's. The module can be imported there.
 */
export function needsBrowser(op: string): void {
  if (HOLDFAST_ONE_FILE || typeof globalThis.addEventListener === "function") return;
  throw new HoldfastError({
    code: "host_unavailable",
    op,
    message: "there is neither a page nor a worker here: a client runs in a browser",
    hint: "A server may import the module. Call connect in the browser: in useEffect, in onMounted, in a " +
      "script of the page.",
  });
}
