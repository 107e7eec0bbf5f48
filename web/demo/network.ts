// The network of the first page's two panes: what takes it away, and what is behind it. By `make demo` that
// is the demo's server. The static files have none: there a service worker plays it (staticserver.ts).

import { control } from "./embedded.js";
import { DOWN, type Down } from "./down.js";

declare const DEMO_STATIC: boolean;

/** Whether a service worker plays the server. */
export const isStatic: boolean = DEMO_STATIC;

/**
 * Makes sure that the server is there. Rejects where a service worker cannot be had, such as on a page of
 * http.
 */
export async function ready(): Promise<void> {
  if (!isStatic) return;
  if (!("serviceWorker" in navigator))
    throw new Error("This page needs a service worker, which a browser has for https and localhost.");
  await navigator.serviceWorker.register(new URL("../server.js", location.href), { type: "module" });
  await navigator.serviceWorker.ready;
}

/** Takes the network away for a while, in ms. */
export async function takeAway(ms: number): Promise<void> {
  if (!isStatic) return void (await control(`down?ms=${ms}`));
  const { active } = await navigator.serviceWorker.ready;
  active?.postMessage({ type: DOWN, ms } satisfies Down);
}
