// The hands of the sign-in in a worker: it opens no window itself, and asks a page for it.

import { LOOK_AGAIN } from "./browser.js";
import type { Hands } from "./hands.js";
import type { AskingInteraction, ShownAddress } from "./interaction.js";

/** What a page is asked to show. */
export interface AddressToShow {
  readonly address: string;
  /** The name of the flow's window. */
  readonly window: string;
  /** Whether the page goes there itself. */
  readonly leaves: boolean;
}

/** The pages that a worker can ask. */
export interface AskedPages {
  /**
   * Has a page show an address, once one is there that is seen. `closed` is that of {@link AskingInteraction.show}; undefined
   * where the browser opens no window there.
   */
  show(wanted: AddressToShow): Promise<{ closed: Promise<void | "lost"> } | undefined>;
  /** The marks of logouts, as a page reads them that could show an address now. */
  marks(): Promise<string>;
}

/** Signs in by the pages of a worker, in the way that the app has named. */
export function pagesInteraction(pages: AskedPages, how: "popup" | "redirect" | "manual", hands: Pick<Hands, "after">): AskingInteraction {
  const leaves = how === "redirect";
  const blocked = (): ShownAddress => ({ kind: "blocked", later: () => new Promise((resolve) => void hands.after(LOOK_AGAIN, resolve)) });
  return {
    leaves,
    show(address, { window }, asked) {
      if (how === "manual" && !asked) return blocked();
      return Promise.resolve(address)
        .then((known) => pages.show({ address: known, window, leaves }))
        .then((shown) => (shown ? { kind: "waiting", closed: shown.closed } : blocked()));
    },
  };
}
