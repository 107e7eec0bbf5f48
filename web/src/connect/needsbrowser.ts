import { HoldfastError } from "../shared/errors.js";

/**
 * Refuses to connect where there is neither a page nor a worker, as in Node: the client's tabs, its locks
 * and what it hears of the network are the browser's. The module can be imported there.
 */
export function needsBrowser(op: string): void {
  if (typeof globalThis.addEventListener === "function") return;
  throw new HoldfastError({
    code: "host_unavailable",
    op,
    message: "there is neither a page nor a worker here: a client runs in a browser",
    hint: "A server may import the module. Call connect in the browser: in useEffect, in onMounted, in a script of the page.",
  });
}
