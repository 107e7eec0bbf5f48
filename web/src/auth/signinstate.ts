// Where the sign-in of a client is, and what may follow.

/** The state of a sign-in. */
export type SignInState =
  /** There is no token. */
  | "signed-out"
  /** A person is at the authorization server, or is asked to go there. */
  | "authorizing"
  | "signed-in"
  /** The token is over or was refused, and is refreshed without anybody. */
  | "refreshing"
  /** As `authorizing`, for more scopes: the token that there is still works for what it was given. */
  | "step-up";

/** The states that may follow each state. Another tab can sign in or out at any time. */
export const NEXT_SIGN_IN: Readonly<Record<SignInState, readonly SignInState[]>> = {
  "signed-out": ["authorizing", "signed-in"],
  authorizing: ["signed-in", "signed-out"],
  "signed-in": ["refreshing", "step-up", "authorizing", "signed-out"],
  refreshing: ["signed-in", "signed-out", "step-up", "authorizing"],
  "step-up": ["signed-in", "signed-out"],
};

/** The token that a request shows, with its sign-in. */
export interface Shown {
  readonly token: string;
  /** The sign-in that this came by; empty where no person signed in. */
  readonly cameBy: string;
  readonly fields: [string, string][];
  readonly principal: string;
  /** The nonce of the server's, which a proof has. */
  readonly nonce: string | undefined;
  /** No request has passed with it. */
  readonly unproven: boolean;
}
