// The authorization of a client with `auth`: the fields of each request, the repair after a refusal, and the
// user. The core knows whether there is a token, and no more.

import { type ClientAuth, openClientAuth } from "./clientauth.js";
import { loadSignIn } from "./loadsignin.js";
import type { SignInSource } from "./oauth.js";
import { authPlace, leftPlace } from "./authplace.js";
import { badProvider, type TokenReply } from "../connect/tokenreply.js";
import type { ClientAuthorization } from "../connect/useroptions.js";
import type { Answer, Leave } from "../runtime/sender.js";
import { HoldfastError } from "../base/errors.js";
import type { KeptAuth } from "../storage/keptauth.js";

/** Counters of {@link ClientAuth.repaired} and {@link ClientAuth.refused}. */
type Trials = NonNullable<Awaited<ReturnType<ClientAuth["refused"]>>>;
type Shown = NonNullable<Awaited<ReturnType<ClientAuth["headers"]>>>;
type Refusal = Parameters<ClientAuth["refused"]>[0];

/**
 * Why a request is held: what it was refused with (`away`: nobody could be asked), what failed, that somebody
 * else is signed in, or what is long on its way to say it.
 */
type Held =
  | { readonly refusal: Refusal; readonly away?: boolean | undefined }
  | { readonly error: unknown }
  | { readonly user: string }
  | { readonly late: Promise<Held | undefined> };

/**
 * How long, in ms, a request waits here for a token that nobody is needed for. The core takes it for sent
 * meanwhile, and a page that is killed, or a worker, would leave a call that may have run.
 */
const QUICK = 2_000;

/** Stands in the core for whatever the requests carry. */
const SIGNED_IN = "signed-in";

/**
 * The refusal of a request whose user has signed out, or has no usable token. The request is held: a server
 * that takes anonymous requests would run it as anonymous.
 */
const SIGNED_OUT: Refusal = { status: 401, challenge: undefined, token: undefined, nonce: false };

/** The codes of errors after which a person can still sign in. */
const WAITS: readonly string[] = ["sign_in_required", "sign_in_expired", "oauth_denied"];

/** The sign-in at a server, and all in this page who have to hear of it. */
export interface WatchedSignIn {
  readonly auth: ClientAuth;
  /** True if a person signs in; false for a program. */
  readonly attended: boolean;
  readonly listeners: Set<() => void>;
  /** The token that the last request of any of them has passed with, and the sign-in that it came by. */
  proven?: string;
  /**
   * True if a page of this sign-in is visible; by default, if this page is. The listeners hear of a change.
   */
  isSeen?(): boolean;
}

function isThisPageSeen(): boolean {
  return globalThis.document?.visibilityState !== "hidden";
}

/** The state of a client's refused requests, shared by all of its pages. */
interface Refused {
  /** The user that the core heard of last; undefined before that. */
  user?: { readonly principal: string | undefined };
  /** Why the last request was refused that needs more than a refresh, until the core asks for a token. */
  held?: Held | undefined;
  /** The refusal behind the core's question for a token, until its answer: the asked page may end before. */
  asked?: Held | undefined;
  /** Trials since a request last passed. */
  trials?: Trials | undefined;
}

/** The sign-in of one client; of a client in a worker one page's part in it. */
export class Authorization implements ClientAuthorization {
  readonly #url: string;
  readonly #shared: () => Promise<WatchedSignIn>;
  readonly #quick: number;
  readonly #waits: boolean;
  /** The same for all pages of the client. */
  #refused: Refused = {};

  /**
   * `shared` gives the one that all clients of this page with that `auth` have; where it did not open, it
   * tries again. `waits`: the app has the client, which waits for somebody while it is opening as well.
   */
  constructor(
    url: string, shared: () => Promise<WatchedSignIn>,
    { quick = QUICK, waits = false }: { quick?: number; waits?: boolean } = {},
  ) {
    this.#url = url;
    this.#shared = shared;
    this.#quick = quick;
    this.#waits = waits;
  }

  /**
   * Opens the sign-in at a server, of the user that the app names; `changed` gets it after each change, and
   * `newest` gives what the app's functions are by then.
   */
  static async open(
    source: SignInSource, url: string, changed: (auth: ClientAuth) => void, newest: () => object | undefined,
    principal: string | undefined,
  ): Promise<WatchedSignIn> {
    const auth = await openClientAuth(source, url, await authPlace(), newest, principal);
    const listeners = new Set<() => void>();
    auth.onchange = () => {
      for (const listener of [...listeners]) listener();
      changed(auth);
    };
    if (auth.failure) changed(auth); // of the answer that this page came back with
    return { auth, attended: source.attended, listeners };
  }

  /** The user who is signed in; undefined for none, or where that cannot be read. */
  async principal(): Promise<string | undefined> {
    try {
      return await this.#told();
    } catch {
      return undefined;
    }
  }

  joins(other: ClientAuthorization): void {
    if (other instanceof Authorization) this.#refused = other.#refused;
  }

  async #told(): Promise<string | undefined> {
    const refused = this.#refused;
    refused.user = { principal: await (await this.#shared()).auth.principal() };
    return refused.user.principal;
  }

  /**
   * The answer to the core's question for a token: at once, where no request was refused; else after a
   * sign-in, in whatever tab. Never rejects. `opening`: no app has the client yet, and without a sign-in
   * there is none. No person is asked once `over` is aborted.
   */
  async token(opening: boolean, over?: AbortSignal): Promise<TokenReply> {
    const refused = this.#refused;
    // what the page was asked for that has gone meanwhile comes first
    let held = (refused.asked ??= refused.held);
    refused.held = undefined;
    try {
      const { auth } = await this.#shared();
      if (held && "late" in held) held = await held.late;
      if (held && "error" in held) throw held.error;
      await auth.headers("POST", this.#url); // refreshes what is over, or says that the network is missing
      if (held && "refusal" in held) refused.trials = await this.#signedIn(held, opening, over);
      const user = await this.#told();
      if (!over?.aborted) refused.asked = undefined;
      return { ok: true, text: SIGNED_IN, user };
    } catch (error) {
      const answer = badProvider(error);
      if (over?.aborted) return answer; // nobody waits for it here
      refused.asked = undefined;
      // The core asks again, later: the request that was refused is not sent before there is another token.
      if (answer.away && held && "refusal" in held) refused.held = held;
      return answer;
    }
  }

  async #signedIn(
    { refusal, away }: Extract<Held, { refusal: Refusal }>, opening: boolean, over: AbortSignal | undefined,
  ): Promise<Trials | undefined> {
    const { auth, attended, isSeen = isThisPageSeen } = await this.#shared();
    // After a step-up that came to nothing the former token is there, and is no news.
    const isIn = (): boolean => auth.state === "signed-in" && !auth.failure;
    for (let inVain = 0; ; ) {
      if (attended && away && !isSeen()) {
        const repair = await auth.repaired(
          new Response(null, { status: refusal.status }), refusal, undefined, this.#refused.trials,
        );
        if (repair?.kind === "retry") return repair.trials;
        if (repair?.away)
          throw new HoldfastError({
            code: "network_error", op: "auth/refresh", message: "the authorization server cannot be reached",
            retryable: true,
          });
      }
      // A page that nobody sees opens no window, and does not leave: the one that is seen does. Nor does it
      // where there is no token any more.
      if (attended && !(away && isSeen()))
        await this.#until(async () => isSeen() || (await this.#hasOther(refusal)), over);
      over?.throwIfAborted();
      try {
        return await auth.refused(refusal, this.#refused.trials);
      } catch (error) {
        if ((opening && !this.#waits) || !(error instanceof HoldfastError) || !WAITS.includes(error.code))
          throw error;
        // It failed before anybody was asked, and would again.
        if (isIn() && inVain++ > 0) throw error;
      }
      // No person has signed in: the calls wait until one does.
      await this.#until(isIn, over);
    }
  }

  /** True if there is a token other than the refused one. */
  async #hasOther(refusal: Refusal): Promise<boolean> {
    const shown = await (await this.#shared()).auth.headers("POST", this.#url);
    // Another sign-in may bring the same one again.
    return shown !== undefined && (shown.token !== refusal.token || shown.cameBy !== refusal.cameBy);
  }

  /**
   * Resolves when that is so, which is looked at when the sign-in or the page changes. Rejects when `over` is
   * aborted.
   */
  async #until(reached: () => boolean | Promise<boolean>, over: AbortSignal | undefined): Promise<void> {
    const { listeners } = await this.#shared();
    for (let is = false; !is; ) {
      over?.throwIfAborted();
      let changed = (): void => {};
      const news = new Promise<void>((resolve) => (changed = resolve));
      listeners.add(changed);
      globalThis.document?.addEventListener("visibilitychange", changed);
      over?.addEventListener("abort", changed);
      try {
        is = await reached();
        if (!is) await news;
      } finally {
        over?.removeEventListener("abort", changed);
        listeners.delete(changed);
        globalThis.document?.removeEventListener("visibilitychange", changed);
      }
    }
  }

  async send(method: string, url: string, leave: Leave): Promise<Answer> {
    const { user } = this.#refused;
    let opened: { value: WatchedSignIn } | undefined;
    try {
      const opening = this.#shared();
      opened = await this.#soon(opening);
      if (!opened) return this.#holdLate(opening.then(() => undefined), new Response(null));
    } catch (error) {
      return this.#hold({ error }, new Response(null)); // it never left
    }
    const { auth, attended } = opened.value;
    let nonce: string | undefined; // of the answer to this request: what others were given by then is theirs
    for (let trials = this.#refused.trials, isFirst = true; ; isFirst = false) {
      let shown: Shown | undefined;
      let now: string | undefined;
      try {
        const work = auth.headers(method, url, nonce).then(
          async (some) => [some, some ? some.principal : await auth.principal()] as const,
        );
        const soon = await this.#soon(work);
        if (!soon) return this.#holdLate(work.then(() => undefined), new Response(null));
        [shown, now] = soon.value;
      } catch (error) {
        return this.#hold({ error }, new Response(null)); // it never left
      }
      // Somebody else has signed in, in another tab perhaps: what this client sends is nobody else's.
      if (user && now !== undefined && now !== user.principal && (shown || attended)) {
        return this.#hold({ user: now }, new Response(null));
      }
      // The user has signed out, or the token is over and nothing refreshes it: nor is it nobody's.
      if (user?.principal !== undefined && attended && !shown) {
        return this.#hold({ refusal: SIGNED_OUT }, new Response(null));
      }
      // Another client may have been the one to pass, such as that of the window that somebody signed in in.
      if (isFirst && shown && shown.token + shown.cameBy === opened.value.proven) trials = undefined;
      const response = await leave(shown?.fields ?? []);
      if (response.ok && shown) opened.value.proven = shown.token + shown.cameBy;
      if (response.ok && shown?.unproven) void auth.passed(shown.token).catch(() => {});
      nonce = auth.noted(url, response.headers, shown);
      let repair: Awaited<ReturnType<ClientAuth["repaired"]>>;
      try {
        const work = auth.repaired(response, shown, nonce, trials);
        const soon = await this.#soon(work);
        if (!soon) return this.#holdLate(work.then((later) => this.#tried(later, trials)), response);
        repair = soon.value;
      } catch (error) {
        return this.#hold({ error }, response);
      }
      if (repair?.kind === "more") return this.#hold(this.#tried(repair, trials)!, response);
      if (!repair) {
        // A request has passed: an earlier refusal, which the core took as an answer, asks no person any
        // more.
        if (response.ok) this.#refused.trials = this.#refused.held = undefined;
        return { response, status: response.status };
      }
      trials = repair.trials;
      void response.body?.cancel().catch(() => {});
    }
  }

  /**
   * The value of the work, if it comes soon and the page is not left meanwhile. The core then hears at once
   * that the request did not run, and stores the request.
   */
  async #soon<T>(work: Promise<T>): Promise<{ value: T } | undefined> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let giveUp = (): void => {};
    const late = new Promise<undefined>((resolve) => {
      giveUp = () => resolve(undefined);
      timer = setTimeout(giveUp, this.#quick);
    });
    const page = globalThis.window as Window | undefined; // a worker has none
    page?.addEventListener("pagehide", giveUp, true); // before those that store what waits
    try {
      return await Promise.race([work.then((value) => ({ value })), late]);
    } finally {
      clearTimeout(timer);
      page?.removeEventListener("pagehide", giveUp, true);
    }
  }

  /** Notes what was tried before a person is asked: what was refreshed in vain is not refreshed once more. */
  #tried(repair: Awaited<ReturnType<ClientAuth["repaired"]>>, before: Trials | undefined): Held | undefined {
    const more = repair?.kind === "more" ? repair : undefined;
    this.#refused.trials = repair?.kind === "retry" ? repair.trials : before;
    return more;
  }

  #holdLate(late: Promise<Held | undefined>, response: Response): Answer {
    return this.#hold({ late: late.catch((error: unknown) => ({ error })) }, response);
  }

  /** The core has the request wait for another token, and asks for one. */
  #hold(held: Held, response: Response): Answer {
    this.#refused.held = held;
    return { response, status: 401 };
  }

  /**
   * Signs out: nothing of the user's tokens is kept any more. Resolves when the authorization server knows,
   * or cannot be reached.
   */
  async signOut(): Promise<void> {
    await (await this.#shared()).auth.signOut(true);
  }
}

/** Leaves the answer that this window has come back with to the page that has opened it. */
export async function handOver(): Promise<void> {
  const [{ handOver: hand }, place] = await Promise.all([loadSignIn(), authPlace()]);
  await hand(place);
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
