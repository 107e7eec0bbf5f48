// oauth() as connect and connectAgent take it: the sign-in of ../auth, with all that a client asks of it.

import { type OAuthFunction as Opens, type OAuthOptions, oauth as opens, type OpenableOAuth, type ServerSignIn } from "../auth/oauth.js";
import type { Auth } from "../connect/useroptions.js";
import { Authorization } from "./authorization.js";

/** What {@link oauth} gives: the `auth` of {@link connect} and {@link connectAgent}, and what the app sees of it. */
export interface OAuth extends Auth {
  /** Called when the state or the address of a sign-in has changed, so that the app can show where a person has to go. */
  onchange: ((signIn: ServerSignIn) => void) | undefined;
}

/** Makes the `auth` of a client. */
export type OAuthFunction = Opens<OAuth>;

/** Makes the `auth` of a client. */
export const oauth: OAuthFunction = /* @__PURE__ */ Object.assign((options?: OAuthOptions): OAuth => forClients(opens(options)), {
  clientCredentials: (how: Parameters<OAuthFunction["clientCredentials"]>[0]): OAuth => forClients(opens.clientCredentials(how)),
  enterprise: (how: Parameters<OAuthFunction["enterprise"]>[0]): OAuth => forClients(opens.enterprise(how)),
  workload: (how: Parameters<OAuthFunction["workload"]>[0]): OAuth => forClients(opens.workload(how)),
});

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
