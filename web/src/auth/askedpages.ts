// The hands of the sign-in in a worker: it opens no window itself, and asks a page for it.

import { LOOK_AGAIN } from "./browser.js";
import type { Hands } from "./hands.js";
import type { AskingInteraction, ShownAddress } from "./interaction.js";

/** An address that a page is asked to show. */
export interface AddressToShow {
  readonly address: string;
  /** The name of the flow's window. */
  readonly window: string;
  /** True if the page itself goes to the address; false opens a window. */
  readonly leaves: boolean;
  /**
   * The marks of logouts that the flow was wished for behind: where the page reads others, it shows nothing.
   */
  readonly marks: string;
}

/**
 * The reply of a page that was asked to show an address. False: the browser opens no window there. "logged
 * out": the user has logged out.
 */
export type SignInReply = boolean | "logged out";

/** The pages that a worker can ask. */
export interface AskedPages {
  /**
   * Has a page show an address, once one is there that is seen. `closed` is that of
   * {@link AskingInteraction.show}; what {@link SignInReply} says else.
   */
  show(wanted: AddressToShow): Promise<{ closed: Promise<void | "lost"> } | Exclude<SignInReply, true>>;
  /** The marks of logouts, as a page reads them that could show an address now. */
  marks(): Promise<string>;
}

/** Signs in by the pages of a worker, in the way that the app has named. */
export function pagesInteraction(
  pages: AskedPages, how: "popup" | "redirect" | "manual", hands: Pick<Hands, "after">,
): AskingInteraction {
  const leaves = how === "redirect";
  const blocked = (): ShownAddress => ({
    kind: "blocked", later: () => new Promise((resolve) => void hands.after(LOOK_AGAIN, resolve)),
  });
  return {
    leaves,
    async show(address, { window, marks }, asked) {
      if (how === "manual" && !asked) return blocked();
      const shown = await pages.show({ address: await address, window, leaves, marks });
      if (shown === "logged out") return { kind: shown };
      return shown ? { kind: "waiting", closed: shown.closed } : blocked();
    },
  };
}
