// oauth(): what an app says of its sign-ins. The rest of this folder is in chunks that are loaded by
// the first client that wants it.

import { badArgument, checkGroup } from "../base/arguments.js";
import type { Hands } from "./hands.js";
import type { SignInOptions } from "./authorize.js";
import type { HowPeople, SignInOpening, TokenStorage } from "./opensignin.js";
import type { Credentials } from "./registration.js";
import type { SigningAlgorithm } from "./signing.js";
import type { Unattended } from "./unattended.js";
import { inPage } from "../base/inpage.js";

/**
 * Options of {@link oauth}. All of them have a default that works where the authorization server lets clients
 * register themselves.
 */
export interface OAuthOptions {
  /**
   * Where answers come to: a page of this origin that loads Holdfast. Default: this page, without query and
   * fragment.
   */
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
  /**
   * True binds tokens to a key that no script can read (RFC 9449). Default: where the server demands that.
   */
  dpop?: boolean;
  /**
   * Way of a person to the authorization server: "popup" opens a window, "redirect" leaves the page and comes
   * back. "manual" waits until the app calls `signIn()`, which opens a window, or leads the page to
   * `address`. Default "popup".
   */
  interaction?: HowPeople;
  /**
   * Where tokens are kept. `persistent`: in IndexedDB, sealed under a key that no script can read; all tabs
   * have the same sign-in, also after a reload. `memory`: in this page alone, where each tab and each reload
   * is signed in anew; with `host: "shared"` in the worker, for all tabs. No token rests on a disk then.
   * Default "persistent".
   */
  storage?: TokenStorage;
  /** Sends the requests of the sign-in. Default: the browser's fetch. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /**
   * The address to read a metadata document from, where its server sends no CORS header: a proxy of the app's
   * own.
   */
  metadataProxy?: (url: string) => string;
}

/** Options of a sign-in as they cross to a worker: data, without the app's functions. */
export interface CrossingSignIn {
  readonly options: SignInOptions;
  readonly how: HowPeople;
  readonly storage: TokenStorage;
  /** {@link SignInSource.client} */
  readonly client: string;
}

/** The source of a sign-in. A client opens the sign-in from this once it has a server. */
export interface SignInSource {
  /** True if a person signs in; false for a program with credentials of its own. */
  readonly attended: boolean;
  /** The object of options that the app has given. */
  readonly of: object;
  /** The app's word for its client: two clients with different words share no sign-in. */
  readonly client: string;
  /** Options of the sign-in in this page. Throws `bad_argument`. */
  opening(): { options: SignInOptions } & Omit<SignInOpening, "place">;
  /**
   * Options of the sign-in in a worker; missing where the worker would need code of the page. Throws
   * `bad_argument`.
   */
  crossing?(): CrossingSignIn;
}

/**
 * Makes the `auth` of programs, which sign in without a person. Not for a page: whoever opens it can read
 * what it signs in with.
 */
export interface OAuthProgram<Made> {
  /** Client credentials, with a secret or with a key (PKCS #8, as PEM). */
  clientCredentials(how: { clientId: string; clientSecret: string } | {
    clientId: string;
    privateKey: string;
    algorithm: SigningAlgorithm
  }): Made;
  /** Enterprise-managed authorization, with the id token of the company's provider. */
  enterprise(how: Omit<Extract<Unattended, { kind: "enterprise" }>, "kind">): Made;
  /** Workload identity, with what the platform says of the program. */
  workload(how: Omit<Extract<Unattended, { kind: "workload" }>, "kind">): Made;
}

/** Has a person sign in. Checks the options; throws `bad_argument`. */
export function oauth(options: OAuthOptions = {}): SignInSource {
  checkOptions(options);
  const client = clientWord(options);
  const crossing = (): CrossingSignIn => {
    const redirectUrl = absolute(options.redirectUrl) ?? here();
    if (redirectUrl === undefined)
      throw badArgument("oauth", "redirectUrl", "is needed where there is no page");
    const {
      redirectUrl: _, clientMetadataUrl, interaction = "popup", storage = "persistent", fetch: __,
      metadataProxy: ___, ...rest
    } = options;
    const metadata = absolute(clientMetadataUrl);
    return {
      options: { ...rest, redirectUrl, ...(metadata === undefined ? {} : { clientMetadataUrl: metadata }) },
      how: interaction, storage, client,
    };
  };
  const { fetch, metadataProxy, credentials } = options;
  const own = {
    ...(fetch ? { fetch } : {}), ...(metadataProxy ? { proxied: metadataProxy } : {})
  } satisfies Partial<Hands>;
  return {
    attended: true,
    of: options,
    client,
    opening: () => ({ ...crossing(), own }),
    ...(!fetch && !metadataProxy && !credentials && { crossing }),
  };
}

/**
 * The app's word for its client: a client id, else the address of its metadata, else the name that it
 * registers itself with.
 */
function clientWord({ clientId, clientMetadataUrl, clientName }: OAuthOptions): string {
  if (clientId !== undefined) return JSON.stringify(["id", clientId]);
  if (clientMetadataUrl !== undefined) return JSON.stringify(["metadata", absolute(clientMetadataUrl)]);
  return JSON.stringify(clientName === undefined ? ["itself"] : ["itself", clientName]);
}

/** Signs in without a person. */
export function unattended(how: Unattended): SignInSource {
  if (typeof document !== "undefined")
    console.warn(
      "holdfast: whoever opens this page can read what it signs in with: that is for programs, and a page " +
        "uses oauth()",
    );
  const client = JSON.stringify(["program", how.kind, "clientId" in how ? how.clientId : ""]);
  return {
    attended: false, of: how, client,
    opening: () => ({ options: { redirectUrl: "" }, how, storage: "persistent", client, own: {} }),
  };
}

/**
 * Throws `bad_argument`. By itself, and not by the kinds of the other options: those are in chunks, and this
 * is in what every page loads.
 */
export function checkOptions(options: OAuthOptions): void {
  checkGroup("oauth", "options", options);
  const {
    redirectUrl, clientMetadataUrl, scopes, interaction, storage, clientId, clientSecret, issuer, clientName,
    credentials, dpop, fetch, metadataProxy, ...none
  } = options;
  const known =
    "redirectUrl, clientId, clientSecret, issuer, clientMetadataUrl, clientName, credentials, scopes, " +
      "dpop, interaction, storage, fetch, metadataProxy";
  for (const [name, value] of Object.entries(none))
    if (value !== undefined) throw badArgument("oauth", name, `is no option: there are ${known}`);
  for (const [name, value] of Object.entries({ redirectUrl, clientMetadataUrl })) {
    if (value !== undefined && absolute(value) === undefined)
      throw badArgument("oauth", name, "is not a URL");
  }
  if (scopes !== undefined && !(Array.isArray(scopes) && scopes.every((scope) => typeof scope === "string")))
    throw badArgument("oauth", "scopes", "has to be a list of strings");
  if (interaction !== undefined && !["popup", "redirect", "manual"].includes(interaction))
    throw badArgument("oauth", "interaction", 'has to be "popup", "redirect" or "manual"');
  if (storage !== undefined && storage !== "persistent" && storage !== "memory")
    throw badArgument("oauth", "storage", 'has to be "persistent" or "memory"');
  for (const [name, value] of Object.entries({ clientId, clientSecret, issuer, clientName })) {
    if (value !== undefined && (typeof value !== "string" || value === ""))
      throw badArgument("oauth", name, "has to be a string that is not empty");
  }
  for (const [name, value] of Object.entries({ credentials, fetch, metadataProxy })) {
    if (value !== undefined && typeof value !== "function")
      throw badArgument("oauth", name, "has to be a function");
  }
  if (dpop !== undefined && typeof dpop !== "boolean")
    throw badArgument("oauth", "dpop", "has to be a boolean");
  if (clientSecret !== undefined && clientId === undefined)
    throw badArgument("oauth", "clientSecret", "goes with a clientId");
}

function absolute(url: string | URL | undefined): string | undefined {
  if (typeof url !== "string" && !(url instanceof URL)) return undefined;
  try {
    return inPage(url);
  } catch {
    return undefined;
  }
}

function here(): string | undefined {
  const { origin, pathname } = globalThis.location ?? {};
  return origin === undefined ? undefined : `${origin}${pathname}`;
}
