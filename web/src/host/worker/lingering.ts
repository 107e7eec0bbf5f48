// Life of a client after its last page has gone. The client continues while a call or turn is under way, for
// the page that comes next. Only the app ends it at the server.

import type { PortView } from "./portview.js";

/** How long a client without a page and without anything under way is kept, in ms. */
const IDLE = 30_000;

/** Members that a client needs to linger, with its views. */
export interface Lingering<V> {
  /** All views of the client, in the order of their coming. */
  readonly views: readonly V[];
  /** True if a later page would find the client's work. */
  readonly keeps: boolean;
  /** True if a call or turn is under way. */
  readonly isAtWork: boolean;
  isGone(view: V): boolean;
  /** Removes the view from the client, which ends with its last view. */
  close(view: V): void;
  /** The same of the last, where the next page is to find the session. */
  suspend(view: V): void;
}

/** The page of a view has gone. Reports whether the view stays for the page that comes next. */
export function linger<V>(view: V, client: Lingering<V>): boolean {
  if (!client.views.includes(view)) return false; // closed with another view of the same page's
  const others = client.views.filter((other) => other !== view);
  if (!client.keeps || others.some((other) => !client.isGone(other))) {
    client.close(view);
    return false;
  }
  for (const other of others) client.close(other); // one that lingers is enough
  const look = (): void => {
    if (!client.views.includes(view)) return; // a page has come, and has it
    if (client.views.length > 1 || client.isAtWork) setTimeout(look, IDLE);
    else client.suspend(view);
  };
  setTimeout(look, IDLE);
  return true;
}

/** The page of a view of an MCP client has gone. */
export function pageLeft(view: PortView): void {
  const { client } = view;
  const stays = linger(view, {
    get views() {
      return view.over.aborted ? [] : view.peers;
    },
    keeps: client.keeps && client.state !== "closed" && client.state !== "failed",
    get isAtWork() {
      return [...client.all()].some((call) => !call.settled);
    },
    isGone: ({ page }) => page.presence === "gone",
    close: (one) => void one.close(),
    suspend: (one) => void one.suspend(),
  });
  if (!stays) return;
  for (const { shared, call } of view.shown()) {
    call.control?.pause(0, false);
    if (!shared.kept && !shared.settled) shared.cancel("the page has gone"); // nobody would hear of it
  }
  // After a logout nobody may come to it: what it has would be the last user's.
  view.listeners.add("durability", ({ why }) => why === "closed" && void view.close());
}

/** A page has come to a client: those that have gone are not waited for any more, and the others hold up nothing. */
export function pageCame(view: PortView): void {
  for (const other of view.peers) {
    if (other === view) continue;
    if (other.page.presence === "gone") void other.close();
    else other.page.shared(other);
  }
}
