// The options of connect and connectAgent about the user, and about the data that is kept of the user.

import type { FetchLike, RequestSender } from "../runtime/sender.js";
import { badArgument } from "../base/arguments.js";
import type { PageChunk } from "./loadchunk.js";
import type { TokenReply } from "./tokenreply.js";

/**
 * Gives a bearer token: the token alone, without "Bearer". Asked for once before
 * the first request and once after a 401, however many requests got one; the
 * requests are then repeated once. A rejection ends what waited for the token with
 * `unauthorized`, and is its `cause`, unless it is for want of the network: while the
 * browser is offline, by a TypeError in the words of fetch ("Failed to fetch" ...), a
 * NetworkError or TimeoutError, or with a true `retryable`. Then it is asked again, at
 * once when the network is back, and a page with a `principal` has its stored calls
 * meanwhile.
 */
export type TokenProvider = () => string | Promise<string>;

/** The sign-in of one client. */
export interface ClientAuthorization extends RequestSender {
  /** The user who is signed in; undefined for nobody, or where that cannot be known. */
  principal(): Promise<string | undefined>;
  /**
   * The answer to the core's question for a token: at once, where nothing was refused; else once somebody has
   * signed in, in whatever tab. Never rejects. `opening`: nobody has the client yet, and where nobody signs
   * in there is no token. The question ends once `over` aborts.
   */
  token(opening: boolean, over?: AbortSignal): Promise<TokenReply>;
  /**
   * That one is another page's of the same client: what was refused of the client, and what was tried for it,
   * is known to both.
   */
  joins(other: ClientAuthorization): void;
  /** Signs out: nothing of the user's tokens is kept any more. */
  signOut(): Promise<void>;
}

/** The data by which a worker signs in. */
export interface CrossingAuth {
  readonly options: { readonly redirectUrl: string };
  readonly how: string;
  readonly storage: string;
  readonly client: string;
}

/** The sign-in for clients: {@link oauth} makes one. */
export interface Auth {
  /** @internal What it needs in the page, which is there before {@link Auth.authorize} is called. */
  readonly chunk?: PageChunk<unknown>;
  /** @internal What a worker signs in with; missing where code of the page has to run for it. */
  readonly crossing?: () => CrossingAuth;
  /** @internal What the app has made it of: two that are of the same are alike. */
  readonly of?: object;
  /** @internal What the app has written of its client: those of two share no connection. */
  readonly client?: string;
  /** @internal A client is being connected with it. */
  used?(): void;
  /** @internal The app hears of a sign-in that is in a worker. */
  heard?(signIn: object): void;
  /** @internal The sign-in of a client of that server or agent, and of that user, in the app's own word. */
  authorize(url: string, principal?: string): ClientAuthorization;
}

/** How what is kept rests in IndexedDB. */
export interface JournalOptions {
  /**
   * What is encrypted there, under a key that no script can read. `secrets`: what lets
   * somebody take over a call or a session, drafts and answers; arguments, events and
   * results rest in plain. `all`: those as well, and nothing is kept where there is no
   * cipher (plain http): `durability` is then `memory`, because of `cipher`. Numbers,
   * times and sizes of what is stored stay readable. Default `secrets`.
   */
  seal?: "secrets" | "all";
}

/** How what crosses the network is recorded. */
export interface RecordOptions {
  /** How many frames are kept of a server and user; the oldest go first. Default 2,000. */
  most?: number;
}

/** Refuses a second source of tokens. */
export function checkAuth(op: string, { auth, token }: UserOptions): void {
  if (auth !== undefined && token !== undefined)
    throw badArgument(op, "auth", "and `token` exclude each other");
}

/** The options about the user. */
export interface UserOptions {
  journal?: boolean | JournalOptions;
  principal?: string;
  headers?: HeadersInit;
  token?: TokenProvider;
  auth?: Auth;
  fetch?: FetchLike;
  record?: boolean | RecordOptions;
  recorder?: string | URL;
}
