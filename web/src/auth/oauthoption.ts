// oauth() as connect and connectAgent take it: the sign-in of ../auth, with all that a client asks of it.

import type { ServerSignIn } from "./clientauth.js";
import {
  type OAuthOptions, type OAuthProgram, oauth as asks, type SignInSource, unattended,
} from "./oauth.js";
import type { Auth } from "../connect/useroptions.js";
import type { WatchedSignIn } from "./authorization.js";
import { clientPart } from "./loadauthorization.js";

/**
 * The result of {@link oauth}: the `auth` of {@link connect} and {@link connectAgent}, and the app's view of
 * the sign-in.
 */
export interface OAuth extends Auth {
  /**
   * Called when the state or the address of a sign-in has changed, so that the app can show where a person
   * has to go.
   */
  onchange: ((signIn: ServerSignIn) => void) | undefined;
  /**
   * @internal What a component has in its place by now: its functions are called. It is one sign-in all the
   * same, with whatever else signs in by this.
   */
  newest?: () => OAuth | undefined;
}

/**
 * How long, in ms, a page in the window of a sign-in has to connect, before its answer is left to the page
 * that opened it.
 */
const CONNECTS = 1_000;

/**
 * A client of this page is being connected with an `auth`: that takes the answer that the page may have come
 * back with.
 */
let connects = false;

/**
 * Makes the `auth` of a client: where a server wants it, a person signs in with OAuth. Checks the options;
 * throws `bad_argument`. Make it as the page loads: where a sign-in has opened this page in a window of its
 * own, and the app does not connect by itself, the answer goes to the page that opened it, and the window
 * closes.
 */
export function oauth(options?: OAuthOptions): OAuth {
  const made = forClients(asks(options));
  if (
    typeof document !== "undefined" && window.name.startsWith("holdfast-") &&
      /[?&]state=/.test(location.search)
  ) {
    setTimeout(() => {
      // it stays in the address
      if (!connects)
        void Promise.resolve(
          clientPart.here ?? clientPart.load(),
        ).then(({ handOver }) => handOver()).catch(() => {});
    }, CONNECTS);
  }
  return made;
}

// A literal of functions: what a bundler sees that nobody uses, it leaves out.
/** Makes the `auth` of programs. In a page it says on the console that it is not for one. */
export const oauthProgram: OAuthProgram<OAuth> = {
  clientCredentials: (how) => forClients(
    unattended("clientSecret" in how ? { kind: "secret", ...how } : { kind: "key", ...how }),
  ),
  enterprise: (how) => forClients(unattended({ kind: "enterprise", ...how })),
  workload: (how) => forClients(unattended({ kind: "workload", ...how })),
};

function forClients(source: SignInSource): OAuth {
  const shared = new Map<string, Promise<WatchedSignIn>>();
  const opened = (url: string, principal: string | undefined): Promise<WatchedSignIn> => {
    const key = JSON.stringify([url, principal]);
    let open = shared.get(key);
    if (!open) {
      open = clientPart.here!.Authorization.open(source, url, heard, () => made.newest?.()?.of, principal);
      shared.set(key, open);
      open.catch(() => shared.delete(key)); // whoever needs it next tries again
    }
    return open;
  };
  // Within the steps of a sign-in, none of which may end with what the app throws.
  const heard = (signIn: ServerSignIn): void => {
    try {
      (made.newest ? made.newest() : made)?.onchange?.(signIn);
    } catch (error) {
      reportError(error);
    }
  };
  const made: OAuth = {
    onchange: undefined,
    chunk: clientPart,
    used: () => void (connects = true),
    ...(source.crossing && { crossing: source.crossing }),
    of: source.of,
    client: source.client,
    heard,
    authorize(url, principal) {
      void opened(url, principal); // at once: it takes the answer that this page has come back with
      return new clientPart.here!.Authorization(url, () => opened(url, principal));
    },
  };
  return made;
}
