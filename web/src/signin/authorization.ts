// What a client with `auth` asks of its sign-in: the fields of each request, what follows a
// refusal, and who the user is. The core knows that there is a token, and when there is none.

import { type ClientAuth, openClientAuth } from "../auth/clientauth.js";
import { loadSignIn } from "../auth/loadsignin.js";
import type { SignInSource } from "../auth/oauth.js";
import { authPlace, leftPlace } from "./authplace.js";
import { badProvider, type TokenAnswer } from "../connect/tokenanswer.js";
import type { ClientAuthorization } from "../connect/useroptions.js";
import type { Answer } from "../runtime/sender.js";
import { HoldfastError } from "../shared/errors.js";
import type { KeptAuth } from "../storage/keptauth.js";

/** What {@link ClientAuth.repaired} and {@link ClientAuth.refused} count by. */
type Trials = NonNullable<Awaited<ReturnType<ClientAuth["refused"]>>>;
type Refusal = Parameters<ClientAuth["refused"]>[0];

/** Why a request is held: what it was refused with (`away`: nobody could be asked), what failed, or that somebody else is signed in. */
type Held = { readonly refusal: Refusal; readonly away?: boolean | undefined } | { readonly error: unknown } | { readonly user: string };

/** Stands in the core for whatever the requests carry. */
const SIGNED_IN = "signed-in";

/** The codes of errors after which a person can still sign in. */
const WAITS: readonly string[] = ["sign_in_required", "sign_in_expired", "oauth_denied"];

/** The sign-in at a server, and all in this page who have to hear of it. */
export interface SharedSignIn {
  readonly auth: ClientAuth;
  /** Whether a person signs in. */
  readonly attended: boolean;
  readonly listeners: Set<() => void>;
}

/** The sign-in of one client. */
export class Authorization implements ClientAuthorization {
  readonly #url: string;
  readonly #shared: Promise<SharedSignIn>;
  /** Why the last request was refused that needs more than a refresh, until the core asks for a token. */
  #held: Held | undefined;
  /** Who the core was last told that the user is; undefined before that. */
  #user: { readonly principal: string | undefined } | undefined;
  /** What was tried since a request passed. */
  #trials: Trials | undefined;

  /** `shared` is the one that all clients of this page with that `auth` have. */
  constructor(url: string, shared: Promise<SharedSignIn>) {
    this.#url = url;
    this.#shared = shared;
  }

  /** Opens the sign-in at a server; `changed` gets it after each change. */
  static async open(source: SignInSource, url: string, changed: (auth: ClientAuth) => void): Promise<SharedSignIn> {
    const auth = await openClientAuth(source, url, await authPlace());
    const listeners = new Set<() => void>();
    auth.onchange = () => {
      for (const listener of [...listeners]) listener();
      changed(auth);
    };
    if (auth.failure) changed(auth); // of the answer that this page came back with
    return { auth, attended: source.attended, listeners };
  }

  /** Who is signed in; undefined for nobody, or where that cannot be known. */
  async principal(): Promise<string | undefined> {
    try {
      return await this.#told();
    } catch {
      return undefined;
    }
  }

  async #told(): Promise<string | undefined> {
    this.#user = { principal: await (await this.#shared).auth.principal() };
    return this.#user.principal;
  }

  /**
   * What the core's question for a token comes to: at once, where nothing was refused; else once
   * somebody has signed in, in whatever tab. Never rejects. `opening`: nobody has the
   * client yet, and where nobody signs in there is none.
   */
  async token(opening: boolean): Promise<TokenAnswer> {
    const held = this.#held;
    this.#held = undefined;
    try {
      const { auth } = await this.#shared;
      if (held && "error" in held) throw held.error;
      await auth.headers("POST", this.#url); // refreshes what is over, or says that the network is missing
      if (held && "refusal" in held) this.#trials = await this.#signedIn(held, opening);
      return { ok: true, text: SIGNED_IN, user: await this.#told() };
    } catch (error) {
      const answer = badProvider(error);
      // The core asks again, later: the request that was refused is not sent before there is another token.
      if (answer.away && held && "refusal" in held) this.#held = held;
      return answer;
    }
  }

  async #signedIn({ refusal, away }: Extract<Held, { refusal: Refusal }>, opening: boolean): Promise<Trials | undefined> {
    const { auth, attended } = await this.#shared;
    // After a step-up that came to nothing the former token is there, and is no news.
    const isIn = (): boolean => auth.state === "signed-in" && !auth.failure;
    for (let inVain = 0; ; ) {
      // A page that nobody sees opens no window, and does not leave: the one that is seen does.
      if (attended && !away) await this.#until(async () => globalThis.document?.visibilityState !== "hidden" || (await this.#token()) !== refusal.token);
      try {
        return await auth.refused(refusal, this.#trials);
      } catch (error) {
        if (opening || !(error instanceof HoldfastError) || !WAITS.includes(error.code)) throw error;
        // It failed before anybody was asked, and would again.
        if (isIn() && inVain++ > 0) throw error;
      }
      // Nobody has signed in: the calls wait on, until somebody does.
      await this.#until(isIn);
    }
  }

  async #token(): Promise<string | undefined> {
    return (await (await this.#shared).auth.headers("POST", this.#url))?.token;
  }

  /** Resolves when that is so, which is looked at when the sign-in or the page changes. */
  async #until(reached: () => boolean | Promise<boolean>): Promise<void> {
    const { listeners } = await this.#shared;
    for (let over = false; !over; ) {
      let changed = (): void => {};
      const news = new Promise<void>((resolve) => (changed = resolve));
      listeners.add(changed);
      globalThis.document?.addEventListener("visibilitychange", changed);
      try {
        over = await reached();
        if (!over) await news;
      } finally {
        listeners.delete(changed);
        globalThis.document?.removeEventListener("visibilitychange", changed);
      }
    }
  }

  async send(method: string, url: string, make: (fields: readonly [string, string][]) => Request): Promise<Answer> {
    const user = this.#user;
    const { auth } = await this.#shared;
    for (let trials = this.#trials; ; ) {
      let shown: Awaited<ReturnType<ClientAuth["headers"]>>;
      try {
        shown = await auth.headers(method, url);
      } catch (error) {
        return this.#hold({ error }, new Response(null)); // it never left
      }
      // Somebody else has signed in, in another tab perhaps: what this client sends is not theirs.
      if (user && shown && shown.principal !== user.principal) return this.#hold({ user: shown.principal }, new Response(null));
      const response = await fetch(make(shown?.fields ?? []));
      if (response.ok && shown?.unproven) void auth.passed(shown.token).catch(() => {});
      const nonce = auth.noted(url, response.headers);
      let repair: Awaited<ReturnType<ClientAuth["repaired"]>>;
      try {
        repair = await auth.repaired(response, shown?.token, nonce, trials);
      } catch (error) {
        return this.#hold({ error }, response);
      }
      if (repair?.kind === "more") return this.#hold(repair, response);
      if (!repair) {
        // What was refused before, and was an answer to the core, is no reason to ask anybody later.
        if (response.ok) this.#trials = this.#held = undefined;
        return { response, status: response.status };
      }
      trials = repair.trials;
      void response.body?.cancel().catch(() => {});
    }
  }

  /** The core has the request wait for another token, and asks for one. */
  #hold(held: Held, response: Response): Answer {
    this.#held = held;
    return { response, status: 401 };
  }

  /** Signs out: nothing of the user's tokens is kept any more. Resolves when the authorization server knows, or cannot be reached. */
  async signOut(): Promise<void> {
    await (await this.#shared).auth.signOut();
  }
}

/**
 * Signs out at all servers of this origin, by what was stored before it was deleted: authorization
 * servers hear that their tokens are not needed any more, and other tabs that there are none.
 */
export async function signOutEverywhere(kept: KeptAuth | undefined, deleted: Promise<void>): Promise<void> {
  const place = leftPlace(); // at once: it has what is in memory, which nobody uses from here on
  const [{ signOutEverywhere: signOut }] = await Promise.all([loadSignIn(), deleted.catch(() => {})]);
  await signOut(await place(kept));
}
