// The worker that the runtime runs in, for one page or for all pages of the origin. A module
// of its own: a page loads none of it.

import { PortSession } from "./portsession.js";

/** Held while the worker lives. */
const LOCK = `holdfast.host.${crypto.randomUUID()}`;

// Given back by the browser when the worker ends.
const held = new Promise<void>((resolve) => {
  if (navigator.locks) navigator.locks.request(LOCK, () => (resolve(), new Promise(() => {}))).catch(() => resolve());
  else resolve();
});

/** Serves a page. */
function serve(port: MessagePort | undefined): void {
  if (port) void held.then(() => new PortSession(port, navigator.locks ? LOCK : ""));
}

const scope = globalThis as unknown as { onconnect: (event: MessageEvent) => void; onmessage: (event: MessageEvent) => void };
scope.onconnect = ({ ports }) => serve(ports[0]);
scope.onmessage = ({ ports }) => serve(ports[0]); // a dedicated worker is given its port so
