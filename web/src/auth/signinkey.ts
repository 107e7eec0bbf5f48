// What parts one sign-in from another. Its rows, locks, rounds and the words of the tabs about it are all under this.

import type { Hands } from "./hands.js";

/** The principal of whom the app has named none. */
const ANONYMOUS = "";

/** What a sign-in is of. */
export interface SignInOf {
  /** The MCP server or agent. */
  readonly url: string;
  /** The user, in the app's own word; undefined where it names none. */
  readonly principal?: string | undefined;
  /** What the app has written of its client (oauth.ts). */
  readonly client: string;
}

/** The digest that stands for a sign-in: an address may hold a secret, and keys are not sealed. */
export function signInKey({ digest }: Pick<Hands, "digest">, { url, principal = ANONYMOUS, client }: SignInOf): Promise<string> {
  return digest([url, principal, client]);
}
