// The metadata of an authorization server (RFC 8414, OpenID Connect Discovery 1.0).

import { checkedURL } from "./addresses.js";
import { invalid, type Leg } from "./failure.js";
import { scopeArray } from "./scopes.js";

const LEG: Leg = "auth/server-metadata";

/** How a client shows at the token endpoint who it is (RFC 7591 section 2). */
export type ClientAuthMethod = "none" | "client_secret_basic" | "client_secret_post";

/** The metadata of a server that a sign-in uses. Plain data: a flow and a grant store it. */
export interface AuthorizationServer {
  /** Word for word. */
  readonly issuer: string;
  /** Missing where no person can go there: for clients that sign in without one. */
  readonly authorizationEndpoint?: string;
  readonly tokenEndpoint: string;
  readonly registrationEndpoint?: string;
  readonly revocationEndpoint?: string;
  readonly scopesSupported: readonly string[];
  /** Undefined where it does not say, which means client_secret_basic (RFC 8414 section 2). */
  readonly authMethods?: readonly string[];
  /** Algorithms of proofs of possession; empty where it takes none (RFC 9449 section 5.1). */
  readonly dpopAlgorithms: readonly string[];
  /** True if the server names itself in its redirect back (`iss`, RFC 9207). */
  readonly namesItself: boolean;
  /** True if the server takes the address of a client's metadata for the client's id. */
  readonly takesClientMetadata: boolean;
}

/**
 * Where the metadata of an issuer may be, in the specification's order: RFC 8414 and
 * OpenID with the path behind the well-known part, then OpenID with it in front.
 */
export function serverMetadataURLs(issuer: URL): string[] {
  const path = issuer.pathname.replace(/\/$/, "");
  const at = (suffix: string): string => `${issuer.origin}/.well-known/${suffix}${path}`;
  const urls = [at("oauth-authorization-server"), at("openid-configuration")];
  if (path !== "") urls.push(`${issuer.origin}${path}/.well-known/openid-configuration`);
  return urls;
}

/**
 * Checks metadata that was found; throws `oauth_invalid`.
 *
 * @param issuer what its address was made from: it has to be the same, character by character
 * @param local whether http on this machine will do
 * @param person whether a person is to sign in there
 */
export function readAuthorizationServer(
  json: Readonly<Record<string, unknown>>, issuer: string, local: boolean, person = true,
): AuthorizationServer {
  if (json.issuer !== issuer) {
    throw invalid(
      LEG, "its issuer is not the one that its address was made from",
      "issuer has to be what the server's authorization_servers has, character by character.",
    );
  }
  const methods = json.code_challenge_methods_supported;
  if (person && (!Array.isArray(methods) || !methods.includes("S256"))) {
    throw invalid(
      LEG, "the authorization server does not say that it knows PKCE with S256",
      'It has to answer with  "code_challenge_methods_supported": ["S256"]',
    );
  }
  const types = json.response_types_supported;
  if (person && Array.isArray(types) && !types.includes("code"))
    throw invalid(LEG, "the authorization server gives no codes", 'response_types_supported lacks "code".');
  const endpoint = (name: string): string => checkedURL(LEG, name, json[name], local).href;
  const optional = (name: string): string | undefined => (
    json[name] === undefined || json[name] === null ? undefined : endpoint(name)
  );
  const authorizationEndpoint = person
    ? endpoint("authorization_endpoint")
    : optional("authorization_endpoint");
  const registrationEndpoint = optional("registration_endpoint");
  const revocationEndpoint = optional("revocation_endpoint");
  const authMethods = strings(json.token_endpoint_auth_methods_supported);
  return {
    issuer,
    ...(authorizationEndpoint === undefined ? {} : { authorizationEndpoint }),
    tokenEndpoint: endpoint("token_endpoint"),
    ...(registrationEndpoint === undefined ? {} : { registrationEndpoint }),
    ...(revocationEndpoint === undefined ? {} : { revocationEndpoint }),
    scopesSupported: scopeArray(json.scopes_supported) ?? [],
    ...(authMethods === undefined ? {} : { authMethods }),
    dpopAlgorithms: strings(json.dpop_signing_alg_values_supported) ?? [],
    namesItself: json.authorization_response_iss_parameter_supported === true,
    takesClientMetadata: json.client_id_metadata_document_supported === true,
  };
}

/** The authorization server of 2025-03-26 that has no metadata: three paths at the server's own origin. */
export function legacyServer(origin: string): AuthorizationServer {
  return {
    issuer: origin,
    authorizationEndpoint: `${origin}/authorize`,
    tokenEndpoint: `${origin}/token`,
    registrationEndpoint: `${origin}/register`,
    scopesSupported: [],
    authMethods: ["none"],
    dpopAlgorithms: [],
    namesItself: false,
    takesClientMetadata: false,
  };
}

/** Members of a list that are kept: it rests with each flow and grant. */
const MAX_LIST = 64;

function strings(value: unknown): string[] | undefined {
  return Array.isArray(value)
    ? value.filter((one): one is string => typeof one === "string").slice(0, MAX_LIST)
    : undefined;
}
