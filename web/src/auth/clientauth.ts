// The sign-in at one server, as a client uses it: that of the chunk, with the errors of the API.

import { type ErrorFields, HoldfastError } from "../base/errors.js";
import { loadSignIn } from "./loadsignin.js";
import type { CrossingSignIn, OAuthOptions, SignInSource } from "./oauth.js";
import type { AuthPlace, OpenedSignIn } from "./opensignin.js";
import type { SignIn } from "./signin.js";

/**
 * The sign-in at one server, as a client uses it. All that it rejects with is a HoldfastError, which holds no
 * secret.
 */
export type ClientAuth =
  Pick<
    SignIn,
    | "url" | "state" | "address" | "onchange" | "principal" | "reread" | "headers" | "noted" | "passed"
    | "repaired" | "refused" | "signIn" | "finish" | "signOut"
  > &
    {
  /**
   * The failure of the last sign-in, after a person was asked. Until {@link SignIn.signIn} no person is asked
   * again.
   */
  readonly failure: HoldfastError | undefined;
  /** Why the token cannot be refreshed just now, while calls wait for it; it is tried again by itself. */
  readonly refreshFailure: HoldfastError | undefined;
};

/** The sign-in at one server, as an app sees it. */
export type ServerSignIn =
  Pick<ClientAuth, "url" | "state" | "address" | "failure" | "refreshFailure" | "signOut"> & {
  /**
   * Has a person sign in: from a click, since browsers open windows then. Resolves once somebody
   * has, in this tab or in another one.
   */
  signIn(): Promise<void>;
};

/**
 * Loads the chunk that signs in, and begins with what is stored. Of the app's functions those are called that
 * `newest` gives by then, where it does.
 */
export async function openClientAuth(
  source: SignInSource, url: string, place: AuthPlace, newest: () => object | undefined = () => undefined,
  principal?: string,
): Promise<ClientAuth> {
  const { options, how, storage, client, own: given } = source.opening();
  const own = { ...given };
  // Methods are called on the object that has them: they may come from its class.
  const live = (name: keyof OAuthOptions): never => (
    (...args: unknown[]) => (
      [newest(), source.of].find(
        (of) => of && (of as OAuthOptions)[name],
      ) as Record<string, (...all: unknown[]) => unknown>
    )[name]!(...args)
  ) as never;
  if (options.credentials) options.credentials = live("credentials");
  if (own.fetch) own.fetch = live("fetch");
  if (own.proxied) own.proxied = live("metadataProxy");
  const { openSignIn } = await loadSignIn();
  return converting(
    await converted(openSignIn(url, options, { how, storage, principal, client, place, own })),
  );
}

/**
 * The same in a worker, from that file; `returned` takes the answer that a page of its has come back with.
 */
export async function openAuthOfPages(
  { options, how, storage, client }: CrossingSignIn, url: string, principal: string | undefined,
  place: AuthPlace, file: string,
): Promise<{ auth: ClientAuth; returned: OpenedSignIn["returned"] }> {
  const { openSignInOfPages } = await loadSignIn(file);
  const { signIn, returned } = await converted(
    openSignInOfPages(url, options, { how, storage, principal, client, place, own: {} }),
  );
  return { auth: converting(signIn), returned: (page) => converted(returned(page)) };
}

/** The chunk's errors as the one type of the API. */
async function converted<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const fields = (error as { toFields?: () => ErrorFields } | undefined)?.toFields?.();
    throw fields ? new HoldfastError(fields) : error;
  }
}

function converting(signIn: SignIn): ClientAuth {
  return {
    url: signIn.url,
    get state() {
      return signIn.state;
    },
    get address() {
      return signIn.address;
    },
    get failure() {
      return signIn.failure && new HoldfastError(signIn.failure);
    },
    get refreshFailure() {
      return signIn.refreshFailure && new HoldfastError(signIn.refreshFailure);
    },
    get onchange() {
      return signIn.onchange;
    },
    set onchange(listener: (() => void) | undefined) {
      signIn.onchange = listener;
    },
    noted: (url, headers, shown) => signIn.noted(url, headers, shown),
    principal: () => converted(signIn.principal()),
    reread: () => converted(signIn.reread()),
    headers: (method, url, own) => converted(signIn.headers(method, url, own)),
    passed: (token) => converted(signIn.passed(token)),
    repaired: (answer, shown, nonce, trials) => converted(signIn.repaired(answer, shown, nonce, trials)),
    refused: (refusal, trials) => converted(signIn.refused(refusal, trials)),
    signIn: (challenge, options) => converted(signIn.signIn(challenge, options)),
    finish: (callback) => converted(signIn.finish(callback)),
    signOut: (every) => converted(signIn.signOut(every)),
  };
}
