// oauth() as connect and connectAgent take it: the sign-in of ../auth, with all that a client asks of it.

import { type OAuthOptions, type OAuthProgram, type OpenableOAuth, oauth as opens, type ServerSignIn, unattended } from "../auth/oauth.js";
import type { Auth } from "../connect/useroptions.js";
import { Authorization } from "./authorization.js";

/** What {@link oauth} gives: the `auth` of {@link connect} and {@link connectAgent}, and what the app sees of it. */
export interface OAuth extends Auth {
  /** Called when the state or the address of a sign-in has changed, so that the app can show where a person has to go. */
  onchange: ((signIn: ServerSignIn) => void) | undefined;
}

/** Makes the `auth` of a client: where a server wants it, a person signs in with OAuth. Checks the options; throws `bad_argument`. */
export function oauth(options?: OAuthOptions): OAuth {
  return forClients(opens(options));
}

// A literal of functions: what a bundler sees that nobody uses, it leaves out.
/** Makes the `auth` of programs. In a page it says on the console that it is not for one. */
export const oauthProgram: OAuthProgram<OAuth> = {
  clientCredentials: (how) => forClients(unattended("clientSecret" in how ? { kind: "secret", ...how } : { kind: "key", ...how })),
  enterprise: (how) => forClients(unattended({ kind: "enterprise", ...how })),
  workload: (how) => forClients(unattended({ kind: "workload", ...how })),
};

function forClients(source: OpenableOAuth): OAuth {
  const shared = new Map<string, ReturnType<typeof Authorization.open>>();
  const made: OAuth = {
    onchange: undefined,
    authorize(url) {
      let open = shared.get(url);
      if (!open) {
        open = Authorization.open(source, url, (signIn) => made.onchange?.(signIn));
        shared.set(url, open);
        open.catch(() => shared.delete(url)); // whoever connects next tries again
      }
      return new Authorization(url, open);
    },
  };
  return made;
}
