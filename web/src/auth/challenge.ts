// WWW-Authenticate (RFC 9110 section 11.6.1): several challenges, of any scheme, in one field.

/** One challenge. */
export interface Challenge {
  /** In lower case. */
  readonly scheme: string;
  /** Token68 in the place of parameters, as with Negotiate. */
  readonly token68?: string;
  /** Names in lower case; of a name that comes twice, the first value. */
  readonly params: ReadonlyMap<string, string>;
}

/** The parameters of the challenges that a client of OAuth uses. */
export interface OAuthChallenge {
  /** The address of the protected-resource metadata (RFC 9728 section 5.1). Unchecked. */
  readonly resourceMetadata?: string;
  /** The scopes that the request needs (RFC 6750 section 3). */
  readonly scope?: string;
  /** Such as "invalid_token", "insufficient_scope", "use_dpop_nonce". */
  readonly error?: string;
  /** The server wants proofs of possession (RFC 9449 section 7.1). */
  readonly dpop: boolean;
}

/** Characters of the field that are read. */
const MAX_FIELD = 8 * 1024;

const TOKEN = /[!#$%&'*+\-.^_`|~0-9A-Za-z]+/y;
const TOKEN68 = /[A-Za-z0-9\-._~+/]+=*(?=[ \t]*(?:,|$))/y;
const QUOTED = /"((?:[^"\\]|\\[^])*)"/y;
const BLANKS = /[ \t]*/y;
const BLANKS_AND_COMMAS = /[ \t,]*/y;

/** Reads a field from left to right. */
class Reader {
  #at = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  get ended(): boolean {
    return this.#at >= this.#text.length;
  }

  /**
   * The match of the pattern at this place: its group, if the pattern has one. The scanner moves past the
   * match.
   */
  take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (!found) return undefined;
    this.#at = pattern.lastIndex;
    return found[1] ?? found[0];
  }

  /** True if the pattern matches at this place. The scanner stays. */
  sees(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    return pattern.test(this.#text);
  }

  /** A parameter; undefined, and nothing taken, where the next thing is none. */
  parameter(): [string, string] | undefined {
    const from = this.#at;
    const name = this.take(TOKEN);
    this.take(BLANKS);
    if (name !== undefined && this.sees(/=/y)) {
      this.#at++;
      this.take(BLANKS);
      const quoted = this.take(QUOTED);
      if (quoted !== undefined) return [name.toLowerCase(), quoted.replace(/\\([^])/g, "$1")];
      // Not all servers quote a URL or several scopes; what is in no quotes ends at a comma.
      const bare = this.take(/[^",\s][^",]*/y);
      if (bare !== undefined) return [name.toLowerCase(), bare.trim()];
    }
    this.#at = from;
    return undefined;
  }

  /** Leaves out what cannot be read, up to the next comma that is in no quotes. */
  skip(): void {
    while (!this.ended && !this.sees(/,/y)) if (this.take(QUOTED) === undefined) this.#at++;
  }
}

/** The challenges of a field, in their order. What cannot be read is left out, and the rest is read. */
export function parseChallenges(field: string): Challenge[] {
  const challenges: Challenge[] = [];
  const reader = new Reader(field.slice(0, MAX_FIELD));
  let params: Map<string, string> | undefined;
  for (;;) {
    reader.take(BLANKS_AND_COMMAS);
    if (reader.ended) return challenges;
    const pair = params && reader.parameter();
    if (pair) {
      if (!params!.has(pair[0])) params!.set(...pair);
      continue;
    }
    const scheme = reader.take(TOKEN)?.toLowerCase();
    if (scheme === undefined || !(reader.ended || reader.sees(/[ \t,]/y))) {
      reader.skip();
      params = undefined;
      continue;
    }
    params = new Map();
    const blank = reader.take(/[ \t]+/y) !== undefined;
    const token68 = blank && !reader.sees(/[^\s=,]+[ \t]*=[ \t]*[^\s=,]/y) ? reader.take(TOKEN68) : undefined;
    challenges.push(token68 === undefined ? { scheme, params } : { scheme, token68, params });
  }
}

/**
 * The challenge for a client of OAuth: the first Bearer or DPoP one, completed by the others of the two.
 * Undefined where there is none, or where CORS hides the field: a page cannot tell these apart, and goes on
 * with the well-known addresses.
 */
export function oauthChallenge(field: string | null | undefined): OAuthChallenge | undefined {
  const ours = parseChallenges(field ?? "").filter(({ scheme }) => scheme === "bearer" || scheme === "dpop");
  if (ours.length === 0) return undefined;
  const first = (name: string): string | undefined => ours.map(({ params }) => params.get(name)).find(
    (value) => value !== undefined && value !== "",
  );
  const [resourceMetadata, scope, error] = [first("resource_metadata"), first("scope"), first("error")];
  return {
    ...(resourceMetadata === undefined ? {} : { resourceMetadata }),
    ...(scope === undefined ? {} : { scope }),
    ...(error === undefined ? {} : { error }),
    dpop: ours.every(({ scheme }) => scheme === "dpop"),
  };
}
