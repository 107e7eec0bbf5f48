// What becomes of a client here when its last page has gone: it goes on while calls are
// under way, for the page that comes next. Only the app ends it at the server.

import type { PortView } from "./portview.js";

/** How long a client without a page and without anything under way is kept, in ms: an agent's too. */
export const IDLE = 30_000;

/** The page of a view has gone. */
export function pageLeft(view: PortView): void {
  if (!view.peers.includes(view)) return; // closed with another view of the same page's
  const { client } = view;
  const isLeft = view.peers.some((other) => other !== view && other.page.presence !== "gone");
  if (isLeft || !client.keeps || client.state === "closed" || client.state === "failed") {
    void view.close();
    return;
  }
  for (const other of view.peers) if (other !== view) void other.close(); // one that lingers is enough
  for (const { shared, call } of view.shown()) {
    call.control?.pause(0, false);
    if (!shared.kept && !shared.settled) shared.cancel("the page has gone"); // nobody would hear of it
  }
  // After a logout nobody may come to it: what it has would be the last user's.
  view.listeners.add("durability", ({ why }) => why === "closed" && void view.close());
  const look = (): void => {
    if (view.over.aborted || !view.peers.includes(view)) return; // a page has come, and has it
    if (view.peers.length > 1 || [...client.all()].some((call) => !call.settled)) setTimeout(look, IDLE);
    else void view.suspend();
  };
  setTimeout(look, IDLE);
}

/** A page has come to a client: those that have gone are not waited for any more, and the others hold up nothing. */
export function pageCame(view: PortView): void {
  for (const other of view.peers) {
    if (other === view) continue;
    if (other.page.presence === "gone") void other.close();
    else other.page.shared(other);
  }
}
