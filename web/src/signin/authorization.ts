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
  #held: { readonly refusal: Refusal } | { readonly error: unknown } | undefined;
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
    return { auth, attended: source.attended, listeners };
  }

  /** Who is signed in; undefined for nobody, or where that cannot be known. */
  async principal(): Promise<string | undefined> {
    try {
      return await (await this.#shared).auth.principal();
    } catch {
      return undefined;
    }
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
      if (held) this.#trials = await this.#signedIn(held.refusal, opening);
      return { ok: true, text: SIGNED_IN, user: await auth.principal() };
    } catch (error) {
      const answer = badProvider(error);
      // The core asks again, later: the request that was refused is not sent before there is another token.
      if (answer.away && held && "refusal" in held) this.#held = held;
      return answer;
    }
  }

  async #signedIn(refusal: Refusal, opening: boolean): Promise<Trials | undefined> {
    const { auth, attended } = await this.#shared;
    for (;;) {
      // A page that nobody sees opens no window: the one that is seen does.
      if (attended && globalThis.document?.visibilityState === "hidden") await this.#until(() => document.visibilityState !== "hidden" || auth.state === "signed-in");
      try {
        return await auth.refused(refusal, this.#trials);
      } catch (error) {
        if (opening || !(error instanceof HoldfastError) || !WAITS.includes(error.code)) throw error;
      }
      // Nobody has signed in: the calls wait on, until somebody does.
      await this.#until(() => auth.state === "signed-in");
    }
  }

  /** Resolves when that is so, which is looked at when the sign-in or the page changes. */
  async #until(reached: () => boolean): Promise<void> {
    const { listeners } = await this.#shared;
    await new Promise<void>((resolve) => {
      const look = (): void => {
        if (!reached()) return;
        listeners.delete(look);
        globalThis.document?.removeEventListener("visibilitychange", look);
        resolve();
      };
      listeners.add(look);
      globalThis.document?.addEventListener("visibilitychange", look);
      look();
    });
  }

  async send(method: string, url: string, make: (fields: readonly [string, string][]) => Request): Promise<Answer> {
    const { auth } = await this.#shared;
    for (let trials = this.#trials; ; ) {
      let shown: Awaited<ReturnType<ClientAuth["headers"]>>;
      try {
        shown = await auth.headers(method, url);
      } catch (error) {
        return this.#hold({ error }, new Response(null)); // it never left
      }
      const response = await fetch(make(shown?.fields ?? []));
      const nonce = auth.noted(url, response.headers);
      let repair: Awaited<ReturnType<ClientAuth["repaired"]>>;
      try {
        repair = await auth.repaired(response, shown?.token, nonce, trials);
      } catch (error) {
        return this.#hold({ error }, response);
      }
      if (repair?.kind === "more") return this.#hold({ refusal: repair.refusal }, response);
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
  #hold(held: { refusal: Refusal } | { error: unknown }, response: Response): Answer {
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
