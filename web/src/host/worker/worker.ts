// The worker that the runtime runs in, for one page or for all pages of the origin. A module
// of its own: a page loads none of it.

import { PortSession } from "./portsession.js";

/** Serves a page. */
function serve(port: MessagePort | undefined): void {
  if (port) new PortSession(port);
}

const scope = globalThis as unknown as { onconnect: (event: MessageEvent) => void; onmessage: (event: MessageEvent) => void };
scope.onconnect = ({ ports }) => serve(ports[0]);
scope.onmessage = ({ ports }) => serve(ports[0]); // a dedicated worker is given its port so
