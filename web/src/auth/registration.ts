// The client id of the page at an authorization server: an agreed one, or one from a registration.

import { checkedURL, isLoopback } from "./addresses.js";
import { ask } from "./answers.js";
import type { ClientAuthMethod, AuthorizationServer } from "./authorizationserver.js";
import { AuthFailure, denied, denialOf, invalid, type Leg } from "./failure.js";
import type { Hands } from "./hands.js";
import { locked } from "./locked.js";

const LEG: Leg = "auth/registration";

/** Characters of a client id, or of its secret. */
const MAX_CREDENTIAL = 4096;

/** A client id at one issuer. The page stores the id under that issuer, and shows it to no other. */
export interface Registration {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret?: string;
  readonly authMethod: ClientAuthMethod;
  /** Where it came from. What was given is not stored. */
  readonly source: "given" | "metadata" | "dynamic" | "app";
  /** The redirect address that it is registered with. */
  readonly redirectUrl: string;
  /** When the secret ends, in ms since 1970; missing for never. */
  readonly expiresAt?: number;
  /**
   * `doubted`: the authorization server may have forgotten it, and another one takes its place as soon as
   * there is one. `spared`: there was none to be had, so it gets one more try.
   */
  readonly standing?: "doubted" | "spared";
}

/** A client id of the app's own. */
export interface Credentials {
  clientId: string;
  clientSecret?: string;
}

/** Options of the app about its client. */
export interface ClientOptions {
  redirectUrl: string;
  /** A client id that was agreed on with the authorization server. */
  clientId?: string;
  clientSecret?: string;
  /** The issuer that the client id is of. Without it the first one that it is used at. */
  issuer?: string;
  /** The https address of this app's client metadata (CIMD), which is then its client id. */
  clientMetadataUrl?: string;
  /** The name that people see when they are asked. */
  clientName?: string;
  /** Asks the app, or a person, for a client id where there is no other way. */
  credentials?(issuer: string): Promise<Credentials | undefined> | Credentials | undefined;
}

/** The key in the store of what is registered at an issuer for a redirect address. */
export async function registrationKey(
  { digest }: Pick<Hands, "digest">, issuer: string, redirectUrl: string,
): Promise<string> {
  return `client/${await digest([issuer, redirectUrl])}`;
}

/**
 * The client to use at an authorization server, in the specification's order: the one
 * that was agreed on, the address of its metadata, one that registers itself, the one
 * that the app names when it is asked.
 */
export async function register(
  hands: Hands, server: AuthorizationServer, options: ClientOptions,
): Promise<Registration> {
  const { redirectUrl } = options;
  const { issuer } = server;
  const base = { issuer, redirectUrl };
  if (options.clientId !== undefined) {
    await bindGiven(hands, options, issuer);
    return { ...base, ...credentials(server, options.clientId, options.clientSecret), source: "given" };
  }
  if (options.clientMetadataUrl !== undefined && server.takesClientMetadata) {
    return {
      ...base, clientId: clientMetadataURL(options.clientMetadataUrl), authMethod: "none", source: "metadata",
    };
  }
  const key = await registrationKey(hands, issuer, redirectUrl);
  const known = await usable(hands, key);
  if (known) return known;
  // Under a lock one tab registers, and the others find what it has got.
  const made = await locked(
    hands, key, () => registerOnce(hands, server, options, key),
  ).catch((error: unknown) => {
    if (error instanceof AuthFailure && options.credentials && !error.fields.retryable) return error;
    throw error;
  });
  if (made && !(made instanceof AuthFailure)) return made;
  const given = await named(options, issuer);
  if (!given) throw made ?? unregistered(options, server);
  return put(hands, key, {
    ...base, ...credentials(server, given.clientId, given.clientSecret), source: "app",
  });
}

/** The client id that the app names when it is asked, checked. */
async function named({ credentials }: ClientOptions, issuer: string): Promise<Credentials | undefined> {
  let given: Credentials | undefined;
  try {
    given = await credentials?.(issuer);
  } catch {
    // with what, the app knows
    throw new AuthFailure(LEG, { code: "bad_argument", message: "the app's credentials() failed" });
  }
  if (given === undefined || given === null) return undefined;
  if (isCredential(given.clientId) && (given.clientSecret === undefined || isCredential(given.clientSecret)))
    return given;
  throw new AuthFailure(LEG, {
    code: "bad_argument",
    message: "the app's credentials() has to give a clientId, and perhaps a clientSecret, as strings",
  });
}

/** The stored registration; undefined where it is over or in doubt. */
async function usable(hands: Hands, key: string): Promise<Registration | undefined> {
  const { value } = (await hands.store.get<Registration>(key)) ?? {};
  return value && value.standing !== "doubted" && !isOver(value, hands.now()) ? value : undefined;
}

/**
 * The client that another tab has registered meanwhile, or one that registers itself; undefined where that
 * cannot be.
 */
async function registerOnce(
  hands: Hands, server: AuthorizationServer, options: ClientOptions, key: string,
): Promise<Registration | undefined> {
  const known = await usable(hands, key);
  if (known) return known;
  const made = await dynamic(hands, server, options).catch((error: unknown) => error);
  if (made && !(made instanceof Error)) return put(hands, key, made as Registration);
  // The next sign-in tries a retryable failure again. After any other failure that sign-in keeps the doubted
  // client.
  if (!(made instanceof AuthFailure && made.fields.retryable))
    await stand(hands, key, (kept) => kept.standing === "doubted" && "spared");
  if (made) throw made;
  return undefined;
}

/**
 * Puts a client in the place of what can be used no more. Where another tab was faster, its client is the
 * one: one is enough.
 */
async function put(hands: Hands, key: string, made: Registration): Promise<Registration> {
  for (;;) {
    const known = await usable(hands, key);
    if (known) return known;
    const kept = await hands.store.get<Registration>(key);
    if (await hands.store.set(key, kept?.version ?? 0, made)) return made;
  }
}

/**
 * Doubts a client with which no person has come back from a sign-in: the authorization server may have
 * forgotten the client, and show a page of its own. The client stays until another one has taken its place.
 * The app's own client id is not doubted: the app cannot register that one anew.
 */
export async function doubt(
  hands: Hands, { issuer, redirectUrl, clientId, source }: Registration,
): Promise<void> {
  if (source !== "dynamic") return;
  await stand(
    hands, await registrationKey(hands, issuer, redirectUrl),
    (kept) => kept.clientId === clientId && (kept.standing === "spared" ? undefined : "doubted"),
  );
}

/**
 * Writes how a client stands; false leaves it. Where somebody else writes at the same time, theirs counts.
 */
async function stand(
  hands: Hands, key: string, judge: (kept: Registration) => Registration["standing"] | false,
): Promise<void> {
  const kept = await hands.store.get<Registration>(key);
  if (!kept) return;
  const standing = judge(kept.value);
  if (standing === false) return;
  const { standing: _, ...rest } = kept.value;
  await hands.store.set(key, kept.version, standing === undefined ? rest : { ...rest, standing });
}

/** Forgets a registration that the authorization server no longer knows. */
export async function unregister(
  hands: Hands, { issuer, redirectUrl, clientId }: Registration,
): Promise<void> {
  const key = await registrationKey(hands, issuer, redirectUrl);
  const kept = await hands.store.get<Registration>(key);
  if (kept?.value.clientId === clientId) await hands.store.set(key, kept.version, undefined);
}

/** A client id that was agreed on is of one issuer: another one must not see it. */
async function bindGiven(
  { store, digest }: Hands, { clientId, issuer: pinned }: ClientOptions, issuer: string,
): Promise<void> {
  const key = `issuer/${await digest([clientId!])}`;
  const bound = await store.get<string>(key);
  const first = pinned ?? bound?.value;
  if (first !== undefined && first !== issuer) {
    throw invalid(
      LEG, "the server has changed its authorization server, and clientId is of the former one",
      "Agree on a client id with the new one, and give its issuer with it.",
    );
  }
  if (bound === undefined) await store.set(key, 0, issuer);
}

/** The address of a client's metadata: https, and with a path, since it is not the address of a site. */
export function clientMetadataURL(text: string): string {
  const url = checkedURL(LEG, "clientMetadataUrl", text, false);
  if (url.pathname === "/")
    throw new AuthFailure(LEG, { code: "bad_argument", message: "clientMetadataUrl has to have a path" });
  return text;
}

function unregistered(
  { clientMetadataUrl }: ClientOptions, { takesClientMetadata }: AuthorizationServer,
): AuthFailure {
  const hint =
    takesClientMetadata && clientMetadataUrl === undefined
      ? "It takes the address of client metadata: give clientMetadataUrl."
      : "Register the app there by hand, and give its clientId.";
  return invalid(LEG, "the authorization server lets no client register itself", hint);
}

/** The client metadata of a registration request (RFC 7591 section 2). */
export function clientMetadata(
  { authMethods }: AuthorizationServer, { redirectUrl, clientName }: ClientOptions, type: ApplicationType,
): object {
  return {
    client_name: clientName ?? "Holdfast",
    redirect_uris: [redirectUrl],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: preferred(authMethods) ?? "none",
    application_type: type,
  };
}

type ApplicationType = "web" | "native";

/** Registers the client; undefined where the authorization server has no such endpoint. */
async function dynamic(
  hands: Hands, server: AuthorizationServer, options: ClientOptions,
): Promise<Registration | undefined> {
  const { registrationEndpoint } = server;
  if (registrationEndpoint === undefined) return undefined;
  const types: ApplicationType[] = isLoopback(new URL(options.redirectUrl))
    ? ["native", "web"]
    : ["web", "native"];
  let refused: AuthFailure | undefined;
  for (const type of types) {
    const { status, json } = await ask(hands, LEG, registrationEndpoint, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(clientMetadata(server, options, type)),
      allow: ["content-type"],
    });
    if (status >= 200 && status < 300)
      return readRegistration(json, server, options.redirectUrl, hands.now());
    if (status >= 500 || status === 429)
      throw new AuthFailure(LEG, {
        code: "http_error", status, message: `the authorization server answered ${status}`, retryable: true,
      });
    const hint =
      `It did not register ${new URL(options.redirectUrl).origin}: register the app there by hand, and ` +
        "give its clientId.";
    // Without an error code it is no endpoint of OAuth: a guess of 2025-03-26, or a page of an app.
    if (json?.error === undefined)
      throw new AuthFailure(LEG, {
        code: "http_error", status,
        message: `the authorization server answered ${status}, without an error code of OAuth`, hint,
      });
    refused ??= denied(LEG, json.error, status, hint);
    // Servers differ in the redirect addresses that fit a type. The other type mends no other error.
    if (!["invalid_redirect_uri", "invalid_client_metadata"].includes(denialOf(json.error) ?? "")) break;
  }
  throw refused!;
}

function readRegistration(
  json: Readonly<Record<string, unknown>> | undefined, server: AuthorizationServer, redirectUrl: string,
  now: number,
): Registration {
  const {
    client_id: id, client_secret: secret, client_secret_expires_at: expires, redirect_uris: redirects,
    token_endpoint_auth_method: method,
  } = json ??
    {};
  if (!isCredential(id))
    throw invalid(LEG, "the authorization server registered the client and gave it no client_id");
  if (secret !== undefined && secret !== null && !isCredential(secret))
    throw invalid(LEG, "client_secret is no string");
  if (Array.isArray(redirects) && !redirects.includes(redirectUrl))
    throw invalid(LEG, "the authorization server registered another redirect address");
  const expiresAt = typeof secret === "string" && typeof expires === "number" && expires > 0
    ? expires * 1000
    : undefined;
  if (expiresAt !== undefined && expiresAt <= now)
    throw invalid(
      LEG, "the client's secret has expired before it was used", "Is the clock of this machine right?",
    );
  return {
    issuer: server.issuer,
    redirectUrl,
    ...credentials(server, id, typeof secret === "string" ? secret : undefined, method),
    source: "dynamic",
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
}

function isCredential(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= MAX_CREDENTIAL;
}

/** A client id with the way to show it. */
function credentials(
  { authMethods }: AuthorizationServer, clientId: string, clientSecret: string | undefined, said?: unknown,
): Pick<Registration, "clientId" | "clientSecret" | "authMethod"> {
  if (clientSecret === undefined || said === "none") return { clientId, authMethod: "none" };
  const secret = KNOWN.filter((method) => method !== "none");
  const own = secret.find((method) => method === said);
  // RFC 8414 section 2: without a list it is client_secret_basic.
  const method = own ?? secret.find((one) => authMethods?.includes(one)) ??
    (authMethods?.includes("none") ? "none" : "client_secret_basic");
  return method === "none"
    ? { clientId, authMethod: method }
    : { clientId, clientSecret, authMethod: method };
}

/** The best first: a page cannot keep a secret. */
const KNOWN: readonly ClientAuthMethod[] = ["none", "client_secret_basic", "client_secret_post"];

function preferred(methods: readonly string[] | undefined): ClientAuthMethod | undefined {
  return KNOWN.find((method) => methods?.includes(method));
}

function isOver({ expiresAt }: Registration, now: number): boolean {
  return expiresAt !== undefined && expiresAt <= now;
}
