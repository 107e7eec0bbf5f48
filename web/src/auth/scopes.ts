// Which scopes are asked for.

/** Characters of a scope (RFC 6749 section 3.3), and how many scopes are read of a server. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/;
const MAX_SCOPES = 256;

/** The scopes of a list, each once, without what cannot be one. */
export function scopeList(text: string | undefined): string[] {
  return clean((text ?? "").split(" "));
}

/** The scopes of a list of metadata; undefined where it is missing or is none. */
export function scopeArray(value: unknown): string[] | undefined {
  return Array.isArray(value) ? clean(value) : undefined;
}

function clean(values: readonly unknown[]): string[] {
  const scopes = new Set<string>();
  for (const value of values)
    if (typeof value === "string" && SCOPE.test(value) && scopes.size < MAX_SCOPES) scopes.add(value);
  return [...scopes];
}

/** The lists from which {@link chooseScopes} takes the scopes of a request. */
export interface ScopeSources {
  /** Scopes of the app: they take the place of all others. */
  app?: readonly string[];
  /** `scope` of the challenge. */
  challenge?: string | undefined;
  /** `scopes_supported` of the protected resource. */
  resource?: readonly string[] | undefined;
  /** `scopes_supported` of the authorization server: there has to be `offline_access`, to be asked for. */
  server?: readonly string[] | undefined;
}

/**
 * The scopes to ask for, as the specification orders it: those of the challenge, else
 * all that the resource supports, else none. `offline_access` is added where the
 * authorization server lists it, and asked for nowhere else.
 */
export function chooseScopes({ app, challenge, resource, server = [] }: ScopeSources): string | undefined {
  const chosen = clean(app ?? (challenge === undefined ? (resource ?? []) : challenge.split(" ")));
  const offered = server.includes(OFFLINE);
  const scopes = chosen.filter((scope) => scope !== OFFLINE || offered);
  // An empty list asks with the server's own default. offline_access alone would replace that default.
  if (offered && scopes.length > 0 && !scopes.includes(OFFLINE)) scopes.push(OFFLINE);
  return scopes.length > 0 ? scopes.join(" ") : undefined;
}

const OFFLINE = "offline_access";

/** All scopes of several lists, in their order. */
export function union(...lists: readonly (string | undefined)[]): string | undefined {
  const scopes = clean(lists.flatMap((list) => scopeList(list)));
  return scopes.length > 0 ? scopes.join(" ") : undefined;
}
