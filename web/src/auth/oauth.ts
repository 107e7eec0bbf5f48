// oauth(): what an app gives to connect() as `auth`. The rest of this folder is a chunk that is loaded by the first server that wants it.

import { badArgument } from "../shared/arguments.js";
import { type ErrorFields, HoldfastError } from "../shared/errors.js";
import type { Hands } from "./hands.js";
import { loadSignIn } from "./loadsignin.js";
import type { SignInOptions } from "./authorize.js";
import type { AuthPlace, Opening } from "./opensignin.js";
import type { Credentials } from "./registration.js";
import type { SignIn } from "./signin.js";
import type { SigningAlgorithm } from "./signing.js";
import type { Unattended } from "./unattended.js";

/** Options of {@link oauth}. All of them have a default that works where the authorization server lets clients register themselves. */
export interface OAuthOptions {
  /** Where answers come to: a page of this origin that loads Holdfast. Default: this page, without query and fragment. */
  redirectUrl?: string | URL;
  /** The client id that was agreed on with the authorization server. */
  clientId?: string;
  /** Its secret, where the authorization server insists on one. In a page it is none: anybody can read it. */
  clientSecret?: string;
  /** The issuer that the client id is of. Default: the first one that it is used at. */
  issuer?: string;
  /** The https address of this app's client metadata (CIMD). */
  clientMetadataUrl?: string | URL;
  /** The name that people see when they are asked. Default "Holdfast". */
  clientName?: string;
  /** Gives a client id where there is no other way to one. */
  credentials?(issuer: string): Promise<Credentials | undefined> | Credentials | undefined;
  /** The scopes to ask for. Default: those that the server names. */
  scopes?: readonly string[];
  /** Whether tokens are bound to a key that no script can read (RFC 9449). Default: where the server demands it. */
  dpop?: boolean;
  /** Whether a person signs in in a window of its own, or the page goes away and comes back. Default "popup". */
  interaction?: "popup" | "redirect";
  /** Sends the requests of the sign-in. Default: the browser's fetch. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** The address to read a metadata document from, where its server sends no CORS header: a proxy of the app's own. */
  metadataProxy?: (url: string) => string;
}

/** The sign-in at one server, as a client uses it. All that it rejects with is a HoldfastError, which holds no secret. */
export type ClientAuth = Pick<SignIn, "url" | "state" | "address" | "onchange" | "principal" | "reread" | "headers" | "noted" | "repaired" | "refused" | "signIn" | "finish" | "signOut"> & {
  /** What the last sign-in failed with, after a person was asked. Until {@link SignIn.signIn} nobody is asked again. */
  readonly failure: HoldfastError | undefined;
};

/** The sign-in at one server, as an app sees it. */
export type ServerSignIn = Pick<ClientAuth, "url" | "state" | "address" | "failure" | "signOut"> & {
  /**
   * Has a person sign in: from a click, since browsers open windows then. Resolves once somebody
   * has, in this tab or in another one.
   */
  signIn(): Promise<void>;
};

/** What {@link oauth} gives. */
export interface OpenableOAuth {
  /** Whether a person signs in. */
  readonly attended: boolean;
  /** @internal Loads the chunk, and begins with what is stored. */
  open(url: string, place: AuthPlace): Promise<ClientAuth>;
}

/** Makes the `auth` of programs, which sign in without a person. Not for a page: whoever opens it can read what it signs in with. */
export interface OAuthProgram<Made> {
  /** Client credentials, with a secret or with a key (PKCS #8, as PEM). */
  clientCredentials(how: { clientId: string; clientSecret: string } | { clientId: string; privateKey: string; algorithm: SigningAlgorithm }): Made;
  /** Enterprise-managed authorization, with the id token of the company's provider. */
  enterprise(how: Omit<Extract<Unattended, { kind: "enterprise" }>, "kind">): Made;
  /** Workload identity, with what the platform says of the program. */
  workload(how: Omit<Extract<Unattended, { kind: "workload" }>, "kind">): Made;
}

/** Has a person sign in. Checks the options; throws `bad_argument`. */
export function oauth(options: OAuthOptions = {}): OpenableOAuth {
  checkOptions(options);
  return {
    attended: true,
    async open(url, place) {
      const redirectUrl = absolute(options.redirectUrl) ?? here();
      if (redirectUrl === undefined) throw badArgument("oauth", "redirectUrl", "is needed where there is no page");
      const { redirectUrl: _, clientMetadataUrl, interaction = "popup", fetch, metadataProxy, ...rest } = options;
      const metadata = absolute(clientMetadataUrl);
      const own = { ...(fetch ? { fetch } : {}), ...(metadataProxy ? { proxied: metadataProxy } : {}) } satisfies Partial<Hands>;
      return opened(url, { ...rest, redirectUrl, ...(metadata === undefined ? {} : { clientMetadataUrl: metadata }) }, { how: interaction, place, own });
    },
  };
}

/** Signs in without a person. */
export function unattended(how: Unattended): OpenableOAuth {
  if (typeof document !== "undefined") console.warn("holdfast: whoever opens this page can read what it signs in with: that is for programs, and a page uses oauth()");
  return { attended: false, open: (url, place) => opened(url, { redirectUrl: "" }, { how, place, own: {} }) };
}

async function opened(url: string, options: SignInOptions, opening: Opening): Promise<ClientAuth> {
  const { openSignIn } = await loadSignIn();
  return converting(await converted(openSignIn(url, options, opening)));
}

function checkOptions({ redirectUrl, clientMetadataUrl, scopes, interaction, ...rest }: OAuthOptions): void {
  for (const [name, value] of Object.entries({ redirectUrl, clientMetadataUrl })) {
    if (value !== undefined && absolute(value) === undefined) throw badArgument("oauth", name, "is not a URL");
  }
  if (scopes !== undefined && !(Array.isArray(scopes) && scopes.every((scope) => typeof scope === "string"))) throw badArgument("oauth", "scopes", "has to be a list of strings");
  if (interaction !== undefined && interaction !== "popup" && interaction !== "redirect") throw badArgument("oauth", "interaction", 'has to be "popup" or "redirect"');
  const { clientId, clientSecret, issuer, clientName, credentials, dpop, fetch, metadataProxy } = rest;
  for (const [name, value] of Object.entries({ clientId, clientSecret, issuer, clientName })) {
    if (value !== undefined && (typeof value !== "string" || value === "")) throw badArgument("oauth", name, "has to be a string that is not empty");
  }
  for (const [name, value] of Object.entries({ credentials, fetch, metadataProxy })) {
    if (value !== undefined && typeof value !== "function") throw badArgument("oauth", name, "has to be a function");
  }
  if (dpop !== undefined && typeof dpop !== "boolean") throw badArgument("oauth", "dpop", "has to be a boolean");
  if (clientSecret !== undefined && clientId === undefined) throw badArgument("oauth", "clientSecret", "goes with a clientId");
}

function absolute(url: string | URL | undefined): string | undefined {
  if (url === undefined) return undefined;
  try {
    return new URL(url, globalThis.location?.href).href;
  } catch {
    return undefined;
  }
}

function here(): string | undefined {
  const { origin, pathname } = globalThis.location ?? {};
  return origin === undefined ? undefined : `${origin}${pathname}`;
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
    get onchange() {
      return signIn.onchange;
    },
    set onchange(listener: (() => void) | undefined) {
      signIn.onchange = listener;
    },
    noted: (url, headers) => signIn.noted(url, headers),
    principal: () => converted(signIn.principal()),
    reread: () => converted(signIn.reread()),
    headers: (method, url) => converted(signIn.headers(method, url)),
    repaired: (answer, token, nonce, trials) => converted(signIn.repaired(answer, token, nonce, trials)),
    refused: (refusal, trials) => converted(signIn.refused(refusal, trials)),
    signIn: (challenge, options) => converted(signIn.signIn(challenge, options)),
    finish: (callback) => converted(signIn.finish(callback)),
    signOut: () => converted(signIn.signOut()),
  };
}
