// The entry of the chunk that signs in. It imports no more than types from outside of its
// folder: what it shared with the module would become a file that every page has to load.

import { AUTH_CHANNEL, authNews, type Channel, type Page, popupInteraction, redirectInteraction, takeAnswer } from "./browser.js";
import { AuthFailure } from "./failure.js";
import { WINDOW } from "./flow.js";
import type { AuthLocks, AuthStore, Hands } from "./hands.js";
import { MemoryAuthStore } from "./memorystore.js";
import { Nonces } from "./nonces.js";
import type { SignInOptions } from "./authorize.js";
import type { Interaction } from "./interaction.js";
import { SignIn } from "./signin.js";
import { signOutOfAll } from "./signout.js";
import { obtain, type Unattended } from "./unattended.js";

/** Where a client with `auth` runs: what the client gives to the sign-in. */
export interface AuthPlace {
  /** Undefined where nothing can be kept: then it ends with the page. */
  readonly store: AuthStore | undefined;
  readonly locks: AuthLocks;
  /** Undefined in a worker, which opens no window: then a page has to. */
  readonly page?: Page;
  /** Makes a BroadcastChannel of that name, and says which origin is its own. It is the page's, until that goes. */
  readonly channel?: (name: string) => { readonly port: Channel; readonly origin: string };
}

/** How a sign-in is opened. */
export interface Opening {
  how: "popup" | "redirect" | Unattended;
  place: AuthPlace;
  /** The app's own hands. */
  own: Partial<Hands>;
}

/** Nonces are of servers, not of clients. */
const nonces = new Nonces();

/** Makes the sign-in at a server, with what is stored of it; takes the answer that this page may have come back with. */
export async function openSignIn(url: string, options: SignInOptions, { how, place, own }: Opening): Promise<SignIn> {
  const { page } = place;
  const hands = handsOf(place, own);
  if (typeof how === "object") {
    const program = new SignIn(hands, url, options, interactionOf("redirect", hands, undefined), (reason) => obtain(hands, url, how, reason));
    await program.reread();
    return program;
  }
  const signIn = new SignIn(hands, url, options, interactionOf(how, hands, page));
  const channel = place.channel?.(AUTH_CHANNEL);
  const news = channel && authNews(channel.port, channel.origin, {
    stored: (changed) => void (changed === url && signIn.reread()),
    failed: (window, failure) => signIn.failed(window, failure),
  });
  signIn.onstored = (changed) => news?.stored(changed);
  await signIn.reread();
  const callback = page && takeAnswer(page, options.redirectUrl);
  if (callback) {
    const own = page.name.startsWith(WINDOW);
    // What is no good about it is in `failure`: nobody waits for it here. The tab that opened this window does.
    await signIn.finish(callback).catch((error: unknown) => {
      if (own && error instanceof AuthFailure) news?.failed(page.name, error);
    });
    if (own) page.close();
  }
  return signIn;
}

/** Signs out of all servers, and deletes what is kept of them. Resolves with whether all tokens are revoked. */
export function signOutEverywhere(place: AuthPlace): Promise<boolean> {
  return signOutOfAll(handsOf(place, {}));
}

function handsOf({ store, locks }: AuthPlace, own: Partial<Hands>): Hands {
  return {
    fetch: (address, init) => fetch(address, init),
    now: () => Date.now(),
    after(ms, run) {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
    random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
    subtle: globalThis.crypto?.subtle as SubtleCrypto | undefined,
    store: store ?? new MemoryAuthStore(),
    locks,
    nonces,
    ...own,
  };
}

function interactionOf(how: "popup" | "redirect", hands: Hands, page: AuthPlace["page"]): Interaction {
  if (!page) return { show: () => ({ kind: "blocked" }) };
  return how === "popup" ? popupInteraction(page, hands) : redirectInteraction(page);
}
