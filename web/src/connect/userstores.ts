// Whose store a client works with. Two users of one origin never share one: it is
// opened only where the options say whose calls they are, and another one is opened
// when a token shows that the user has changed.

import { forgetStored } from "../tabs/forget.js";
import { Journal } from "../tabs/journal.js";
import { serverKey } from "../storage/storage.js";
import type { TokenSubject } from "../base/clientstate.js";
import { principalOf } from "./principal.js";
import { headerEntries } from "../base/headerentries.js";
import { badProvider, type TokenReply } from "./tokenreply.js";
import type { ClientAuthorization, TokenProvider, UserOptions } from "./useroptions.js";
import type { RequestSender } from "../runtime/sender.js";

/** The principal that says that all users of this origin are one. */
const SHARED = "shared";

/** A store that was opened. */
export interface OpenedStore {
  /** Undefined where nothing is kept. */
  journal: Journal | undefined;
  /** Why what is kept ends with the page; empty where it does not, or where the app wants it so. */
  why: string;
}

/** The keys of a server's stores. */
export interface StoreKeys {
  /** The key of a principal's store. */
  of(principal: string): Promise<string>;
}

/** The keys of the stores of whatever is at an address; `prefix` keeps those of another protocol apart. */
export function storeKeys(address: () => string, prefix = ""): StoreKeys {
  return { of: async (principal) => prefix + (await serverKey(address(), principal)) };
}

/** The source of a client's tokens, which also opens the store of the token's user. */
export interface TokenSource {
  /**
   * The next token. Never rejects. `opening`: the client is not open yet. `over`: aborted once nobody waits
   * for it.
   */
  token(opening?: boolean, over?: AbortSignal): Promise<TokenReply>;
  /** The last token that was given. */
  readonly given?: string | undefined;
  /** How requests leave, where they do not leave as the core has them. */
  readonly sender?: RequestSender | undefined;
  /** Gives up what says who the user is, where that is ours to give up. */
  signOut?(): Promise<void>;
  /** Whose a token is, where that is known, and is not whom the app has named. */
  stranger?(answer: TokenReply): TokenSubject | undefined;
  /** True if the token belongs to another user than the last token. */
  changed(answer: TokenReply): boolean;
  /** Opens the store of whoever the next token belongs to. */
  open(): Promise<OpenedStore>;
  /** True if `store` is the key of the user's store, as far as the user is known. */
  isOf?(store: string): Promise<boolean>;
  /** Deletes what other clients keep of the user, where this one keeps nothing. */
  forgetOthers?(): Promise<void>;
}

/** The stores of one client's users, one after the other, and the tokens that say who they are. */
export class UserStores implements TokenSource {
  readonly #options: UserOptions;
  readonly #cookies: boolean;
  readonly #keys: StoreKeys;
  readonly #authorization: ClientAuthorization | undefined;
  /** True if the client that has the last token was not open yet. */
  #opening = false;
  /** The user whose store was opened last; undefined where nothing is kept. */
  #opened: string | undefined;
  /** The provider's answer that came before the core asked. */
  #ahead: Promise<TokenReply> | undefined;
  /** The user of the last token; undefined before the first. */
  #user: { principal: string | undefined } | undefined;

  /**
   * `cookies`: requests carry the page's cookies, which may say who the user is. `url` is the
   * server's, for the sign-in.
   */
  constructor(options: UserOptions, cookies: boolean, keys: StoreKeys, url = "") {
    this.#options = options;
    this.#cookies = cookies;
    this.#keys = keys;
    this.#authorization = options.auth?.authorize(url, options.principal);
  }

  /** How requests leave, where somebody signs in for them. */
  get sender(): RequestSender | undefined {
    return this.#authorization;
  }

  /** The options about a recording. */
  get recording(): Pick<UserOptions, "record" | "recorder"> {
    return this.#options;
  }

  /** Those are another page's of the same client. */
  joins(other: UserStores): void {
    if (other.#authorization) this.#authorization?.joins(other.#authorization);
  }

  /** Signs out, where somebody signs in here. */
  async signOut(): Promise<void> {
    await this.#authorization?.signOut();
  }

  /** Opens the store of whoever the next token belongs to. */
  async open(): Promise<OpenedStore> {
    const { journal: wanted } = this.#options;
    if (wanted === false) return { journal: undefined, why: "" };
    const principal = (this.#opened = await this.principal());
    // Without a name for the user, one user might be shown another's calls.
    if (principal === undefined) return { journal: undefined, why: "principal" };
    return Journal.open(await this.#keys.of(principal), typeof wanted === "object" && wanted.seal === "all");
  }

  async isOf(store: string): Promise<boolean> {
    const known = this.#known;
    return known !== undefined && (await this.#keys.of(known)) === store;
  }

  /** The user as far as known by now, also of a client that keeps nothing. */
  get #known(): string | undefined {
    const { principal = this.#user?.principal } = this.#options;
    return principal === SHARED ? "" : principal;
  }

  /** The user whose store was opened last; undefined where nothing is kept. */
  get opened(): string | undefined {
    return this.#opened;
  }

  /** The keys of the user's stores. */
  async places(): Promise<string[]> {
    return this.#opened === undefined ? [] : [await this.#keys.of(this.#opened)];
  }

  async forgetOthers(): Promise<void> {
    const known = this.#known;
    if (this.#opened === undefined && known !== undefined) await forgetStored(await this.#keys.of(known));
  }

  /** The next token. One that was handed out is never handed out again: it may have been refused. */
  token(opening = false, over?: AbortSignal): Promise<TokenReply> {
    this.#opening = opening;
    const answer =
      this.#ahead ?? this.#authorization?.token(opening, over) ?? askForToken(this.#options.token);
    this.#ahead = undefined;
    return answer;
  }

  /** True if a token belongs to another user than the last token. */
  isAnothers(answer: TokenReply): boolean {
    if (this.#options.principal !== undefined || !answer.ok) return false;
    return this.#user !== undefined && this.#user.principal !== userOf(answer);
  }

  /** The same; then it is kept for the client that works with that user's store, and asks for it next. */
  changed(answer: TokenReply): boolean {
    if (this.#options.principal !== undefined || !answer.ok) return false;
    const isAnothers = this.isAnothers(answer);
    const before = this.#user;
    this.#user = { principal: userOf(answer) };
    if (!before || !isAnothers) return false;
    // Calls may be older than the first sign-in: the user who signs in for them is the user who made them.
    if (this.#authorization && before.principal === undefined && !this.#opening) return false;
    this.#ahead = Promise.resolve(answer);
    return true;
  }

  /** The same of what a provider has given. */
  shows(token: unknown): boolean {
    return typeof token === "string" && token !== "" && this.changed({ ok: true, text: token });
  }

  stranger(answer: TokenReply): TokenSubject | undefined {
    const { principal } = this.#options;
    return answer.ok && principal !== SHARED ? otherSubject(userOf(answer), principal) : undefined;
  }

  /** The user whom the last token names; undefined where the token names nobody, or where there was none. */
  get user(): string | undefined {
    return this.#user?.principal;
  }

  /**
   * The client that this one comes to has its token: the one that said who the user is may be old by the time
   * that the next is asked for.
   */
  joined(principal: string): void {
    if (this.#options.journal !== false) this.#opened = principal;
    if (this.#ahead) this.#user = { principal };
    this.#ahead = undefined;
  }

  /**
   * The user by the options and the next token: "" where all users are one, undefined where the user is
   * unknown.
   */
  async principal(): Promise<string | undefined> {
    const { principal, headers, token, fetch } = this.#options;
    if (principal !== undefined) return principal === SHARED ? "" : principal;
    // any of them may say who the user is
    if (this.#cookies || fetch || headerEntries(headers).length > 0) return undefined;
    if (this.#authorization) {
      this.#user = { principal: await this.#authorization.principal() };
      return this.#user.principal;
    }
    if (!token) return "";
    const answer = await (this.#ahead ??= askForToken(token));
    return answer.ok ? userOf(answer) : undefined;
  }
}

/** The user of a token. */
function userOf(answer: TokenReply): string | undefined {
  return "user" in answer ? answer.user : principalOf(answer.text);
}

/** Asks the app for a token. Never rejects. */
async function askForToken(provider: TokenProvider | undefined): Promise<TokenReply> {
  try {
    await undefined; // app code never runs within the core's effects
    const token: unknown = await provider?.();
    const ok = typeof token === "string" && token !== "";
    return { ok, text: ok ? token : `it gave no token (type: ${typeof token})` };
  } catch (error) {
    return badProvider(error);
  }
}

/** The subject of a token's user where that is known, and is not whom the app has named. */
export function otherSubject(user: string | undefined, named: string | undefined): TokenSubject | undefined {
  if (user === undefined || named === undefined || user === named) return undefined;
  const [issuer, subject] = JSON.parse(user) as [unknown, unknown];
  return typeof issuer === "string" && typeof subject === "string" && subject !== named
    ? { issuer, subject }
    : undefined;
}
