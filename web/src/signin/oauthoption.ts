// oauth() as connect and connectAgent take it: the sign-in of ../auth, with all that a client asks of it.

import type { ServerSignIn } from "../auth/clientauth.js";
import { type OAuthOptions, type OAuthProgram, oauth as asks, type SignInSource, unattended } from "../auth/oauth.js";
import type { Auth } from "../connect/useroptions.js";
import type { SharedSignIn } from "./authorization.js";
import { clientPart } from "./loadauthorization.js";

/** What {@link oauth} gives: the `auth` of {@link connect} and {@link connectAgent}, and what the app sees of it. */
export interface OAuth extends Auth {
  /** Called when the state or the address of a sign-in has changed, so that the app can show where a person has to go. */
  onchange: ((signIn: ServerSignIn) => void) | undefined;
}

/** Makes the `auth` of a client: where a server wants it, a person signs in with OAuth. Checks the options; throws `bad_argument`. */
export function oauth(options?: OAuthOptions): OAuth {
  return forClients(asks(options));
}

// A literal of functions: what a bundler sees that nobody uses, it leaves out.
/** Makes the `auth` of programs. In a page it says on the console that it is not for one. */
export const oauthProgram: OAuthProgram<OAuth> = {
  clientCredentials: (how) => forClients(unattended("clientSecret" in how ? { kind: "secret", ...how } : { kind: "key", ...how })),
  enterprise: (how) => forClients(unattended({ kind: "enterprise", ...how })),
  workload: (how) => forClients(unattended({ kind: "workload", ...how })),
};

function forClients(source: SignInSource): OAuth {
  const shared = new Map<string, Promise<SharedSignIn>>();
  const opened = (url: string): Promise<SharedSignIn> => {
    let open = shared.get(url);
    if (!open) {
      open = clientPart.here!.Authorization.open(source, url, (signIn) => made.onchange?.(signIn));
      shared.set(url, open);
      open.catch(() => shared.delete(url)); // whoever needs it next tries again
    }
    return open;
  };
  const made: OAuth = {
    onchange: undefined,
    chunk: clientPart,
    ...(source.crossing && { crossing: source.crossing }),
    heard: (signIn) => made.onchange?.(signIn as ServerSignIn),
    authorize(url) {
      void opened(url); // at once: it takes the answer that this page has come back with
      return new clientPart.here!.Authorization(url, () => opened(url));
    },
  };
  return made;
}
