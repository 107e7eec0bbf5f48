// The sign-in of one client: a small state machine over the parts of this folder.

import { authorize, type Reason, type SignInOptions } from "./authorize.js";
import { type OAuthChallenge, oauthChallenge } from "./challenge.js";
import { proofOf } from "./dpop.js";
import type { ErrorFields } from "../base/errors.js";
import { isOver, openWish } from "./epochs.js";
import { asFailure, AuthFailure, isSignInRequired } from "./failure.js";
import { type BegunFlow, type Callback, checkRedirectURL, dropFlow, FLOW_TIME, flowIn, type FlowRecord, keepFlow, readFlow, takeFlow } from "./flow.js";
import { cameBy, dropEnded, exchange, type Grant, grantKey, isUsable, readGrant } from "./grants.js";
import type { Hands } from "./hands.js";
import type { AskingInteraction } from "./interaction.js";
import type { Pending } from "./pendingsignin.js";
import { liveGrant, type LiveGrant } from "./refresh.js";
import { doubt } from "./registration.js";
import { goesRound, leavesFor, leftFor, loggedOut, signedInAt, wentBack, wentRound } from "./rounds.js";
import { heldOf, isOf, judge, NO_TRIALS, type Refusal, type Repair, type Trials, type Verdict } from "./refusal.js";
import { union } from "./scopes.js";
import { signOut } from "./signout.js";
import { isAmong } from "./stepup.js";
import { NEXT_SIGN_IN, type Shown, type SignInState } from "./signinstate.js";
import { lifeOf } from "./tokens.js";

/** Signs in at one server, keeps its token fresh, and gives it to requests. */
export class SignIn {
  readonly #hands: Hands;
  readonly #options: SignInOptions;
  readonly #interaction: AskingInteraction;
  readonly #unattended: ((reason: Reason) => Promise<unknown>) | undefined;
  #state: SignInState = "signed-out";
  #pending: Pending | undefined;
  #address: string | undefined;
  /** The last token that a request has passed with. */
  #proven: string | undefined;
  /** The token that was stored when that was last looked at, and the sign-in that it came by. */
  #read: string | undefined;
  /** A sign-in that came to nothing after a person was asked. */
  #declined: (Reason & { readonly failure: AuthFailure }) | undefined;
  #taking: Promise<unknown> | undefined;
  /** The server's last known challenge; undefined for a request that is held after its user signed out. */
  #challenge: OAuthChallenge | undefined;
  /** Why the token could not be refreshed when that was last tried. */
  #unrefreshed: AuthFailure | undefined;
  /** The MCP server or agent. */
  readonly url: string;
  /** Key of this sign-in, in the store and in the messages between tabs ({@link signInKey}). */
  readonly key: string;
  /** Called after each change of {@link state} or {@link address}. */
  onchange: (() => void) | undefined;
  /** Called with the key of a sign-in when its grant was stored or deleted here: other tabs then read it. */
  onstored: ((signIn: string) => void) | undefined;
  /** Transitions that the table does not have: always 0. */
  misplaced = 0;

  /** @param unattended gets a grant and stores it, without a person: for programs that are no page */
  constructor(hands: Hands, { url, key }: { readonly url: string; readonly key: string }, options: SignInOptions, interaction: AskingInteraction, unattended?: (reason: Reason) => Promise<unknown>) {
    if (!unattended) checkRedirectURL(options.redirectUrl);
    this.#unattended = unattended;
    this.#hands = hands;
    this.url = url;
    this.key = key;
    this.#options = options;
    this.#interaction = interaction;
  }

  get state(): SignInState {
    return this.#state;
  }

  /** Where a person has to go, while the browser has opened no window for it. */
  get address(): string | undefined {
    return this.#address;
  }

  /**
   * The failure of the last sign-in, after a person was asked. Until {@link signIn} no person is asked again:
   * one who says no would be sent back at once.
   */
  get failure(): ErrorFields | undefined {
    return this.#declined?.failure.toFields();
  }

  /**
   * Why the token cannot be refreshed just now, while what needs it waits: nothing answers, or CORS rules keep the page out, which the
   * `hint` says how to mend. It is tried again by itself, and is over with the first token that comes.
   */
  get refreshFailure(): ErrorFields | undefined {
    return this.#unrefreshed?.toFields();
  }

  /** The user who is signed in; undefined for none. */
  async principal(): Promise<string | undefined> {
    return (await readGrant(this.#hands, this.key))?.value.principal;
  }

  /** Looks what is stored: at the beginning, and when another tab says that it has signed in or out. */
  async reread(): Promise<void> {
    await dropEnded(this.#hands, this.key);
    const grant = (await readGrant(this.#hands, this.key))?.value;
    if (grant?.resourceMetadata !== undefined) {
      this.#challenge ??= { resourceMetadata: grant.resourceMetadata, dpop: false };
    }
    if (this.#pending) {
      if (grant && this.#suffices(grant, this.#pending)) this.#settle();
      return;
    }
    if (grant && this.#declined && this.#suffices(grant, this.#declined)) this.#declined = undefined;
    const before = this.#state;
    const isIn = isUsable(grant, this.#hands.now());
    const read = grant?.access && grant.access.token + cameBy(grant);
    // Another tab had better luck, or somebody has signed in or out: before the app hears of that.
    if (!isIn || read !== this.#read) this.#unrefreshed = undefined;
    if (before !== "refreshing" || !isIn) this.#enter(isIn ? "signed-in" : "signed-out");
    // Another token is news as well: it may be for the scopes that somebody waits for.
    if (read !== this.#read && before === this.#state) this.onchange?.();
    this.#read = read;
  }

  /**
   * The header fields for a request, and the token in them. None where nobody has signed in:
   * the server may want no token, and says what it wants. `own` is the nonce that this very request was refused with.
   */
  async headers(method: string, url: string, own?: string): Promise<Shown | undefined> {
    // A token is shown to the server that it is for, and to nobody else.
    if (new URL(url).origin !== new URL(this.url).origin) return undefined;
    const kept = await readGrant(this.#hands, this.key);
    if (!isUsable(kept?.value, this.#hands.now())) return undefined;
    let grant: LiveGrant;
    try {
      grant = await this.#live();
    } catch (error) {
      if (isSignInRequired(error)) return undefined;
      throw error;
    }
    const { token, type } = grant.access;
    const fields: [string, string][] = [["authorization", `${type} ${token}`]];
    const nonce = own ?? this.#hands.nonces.get("resource", url);
    if (grant.dpop) fields.push(["dpop", await proofOf(this.#hands, grant.dpop, { method, url, token, nonce })]);
    return { token, cameBy: cameBy(grant), fields, principal: grant.principal, nonce, unproven: grant.unproven !== undefined };
  }

  /** Notes that a request has passed with that token: the server does not refuse every token. */
  async passed(token: string): Promise<void> {
    this.#proven = token; // the store may take longer than the server's next answer
    const kept = await readGrant(this.#hands, this.key);
    if (kept?.value.unproven === undefined || kept.value.access?.token !== token) return;
    const { unproven: _, ...proven } = kept.value;
    await this.#hands.store.set(grantKey(this.key), kept.version, proven); // where it has changed, the next request says it
  }

  /** Notes the nonce of an answer; returns a nonce that differs from that of the request (`shown`). */
  noted(url: string, headers: Headers, shown?: Pick<Shown, "nonce">): string | undefined {
    return this.#hands.nonces.note("resource", url, headers, shown?.nonce);
  }

  /**
   * Handles a 401 or 403. Resolves when the request is to be sent again, however long that takes, with the
   * trials so far; undefined for a request that no token mends. Rejects where nothing helps.
   */
  async refused(refusal: Refusal, trials: Trials = NO_TRIALS): Promise<Trials | undefined> {
    const verdict = await this.#judged(refusal, trials);
    switch (verdict.kind) {
      case "pass":
        return undefined;
      case "retry":
        return verdict.trials;
      case "refresh":
        try {
          await this.#live(refusal.token);
        } catch (error) {
          if (!isSignInRequired(error)) throw error;
          return this.refused(refusal, verdict.trials);
        }
        return verdict.trials;
      case "sign-in":
        await this.#ask({ challenge: refusal.challenge, rejected: refusal, scope: verdict.scope });
        return verdict.trials;
    }
  }

  /**
   * The same for the answer to a request, as far as nobody is needed for it; `shown` is what
   * it carried, `nonce` what {@link noted} said. Undefined for an answer that is no such refusal.
   */
  async repaired({ status, headers }: { status: number; headers: Headers }, shown: Pick<Refusal, "token" | "cameBy"> | undefined, nonce: string | undefined, trials: Trials = NO_TRIALS): Promise<Repair | undefined> {
    if (status !== 401 && status !== 403) return undefined;
    const refusal: Refusal = { status, challenge: oauthChallenge(headers.get("www-authenticate")), token: shown?.token, cameBy: shown?.cameBy, nonce: nonce !== undefined };
    if (status === 401) this.#challenge = refusal.challenge ?? this.#challenge;
    const verdict = await this.#judged(refusal, trials);
    switch (verdict.kind) {
      case "pass":
        return undefined;
      case "retry":
        return verdict;
      case "refresh":
        try {
          await this.#live(refusal.token);
        } catch (error) {
          return { kind: "more", refusal, away: !isSignInRequired(error) };
        }
        return { kind: "retry", trials: verdict.trials };
      case "sign-in":
        return { kind: "more", refusal };
    }
  }

  /** The verdict on a refusal, with what is held now. Throws where nothing helps. */
  async #judged(refusal: Refusal, trials: Trials): Promise<Exclude<Verdict, { kind: "give-up" }>> {
    const grant = (await readGrant(this.#hands, this.key))?.value;
    const held = grant && heldOf(grant, this.#hands.now(), this.#proven);
    const verdict = judge(refusal, held, trials);
    if (verdict.kind !== "give-up") return verdict;
    throw new AuthFailure("auth/challenge", { code: "unauthorized", status: refusal.status, message: "the server refuses every token that it is given" });
  }

  /**
   * Has a person sign in, from a click at best: browsers open windows then. Resolves once
   * somebody has, in this tab or in another one. Who asks meanwhile waits for the same; a window that
   * was not opened so far is opened now. After a failure it asks for what was asked for then.
   *
   * @param waiting what of the app waits, as plain data: it is in the flow's record
   */
  signIn(challenge?: OAuthChallenge, { waiting }: { waiting?: unknown } = {}): Promise<void> {
    const { challenge: former, rejected, scope } = this.#declined ?? {};
    this.#declined = undefined;
    const promise = this.#ask({ challenge: challenge ?? former, rejected, scope }, waiting);
    if (this.#pending) {
      this.#pending.asked = true;
      this.#pending.open?.();
    }
    return promise;
  }

  #ask(reason: Reason, waiting?: unknown): Promise<void> {
    if (this.#pending) return this.#pending.promise;
    if (this.#declined) return Promise.reject(this.#declined.failure);
    let [resolve, reject]: [() => void, (error: AuthFailure) => void] = [() => {}, () => {}];
    const promise = new Promise<void>((...both) => ([resolve, reject] = both));
    const { challenge = this.#challenge } = reason;
    const pending: Pending = { ...reason, challenge, promise, resolve, reject, asked: false };
    this.#pending = pending;
    this.#enter(reason.scope !== undefined && this.#state !== "signed-out" ? "step-up" : "authorizing");
    this.#begin(pending, waiting).catch((error: unknown) => this.#fail(pending, asFailure(error)));
    return promise;
  }

  async #begin(pending: Pending, waiting: unknown): Promise<void> {
    if (this.#unattended) {
      await this.#unattended(pending);
      await this.reread();
      this.#fail(pending, new AuthFailure("auth/token", { code: "unauthorized", message: "the authorization server gave the same token again" }));
      return;
    }
    const wish = (pending.wish ??= await openWish(this.#hands, this.key, () => pending.asked));
    if (!wish) return this.#fail(pending, loggedOut(), true);
    if (await this.#goesRound(pending)) return;
    const begun = await this.#authorize(pending, waiting);
    if (begun) await this.#show(pending, begun);
  }

  /** True if the page stays, and the request fails: without a click it would leave and return without end. */
  async #goesRound(pending: Pending): Promise<boolean> {
    if (!this.#interaction.leaves || !(await goesRound(this.#hands, this.key)) || pending.asked) return false;
    this.#fail(pending, wentRound(), true);
    return true;
  }

  /** Begins the flow of a request; undefined where another tab was faster. */
  async #authorize(pending: Pending, waiting: unknown): Promise<BegunFlow | undefined> {
    const begun = await authorize(this.#hands, this, this.#options, pending, waiting, this.#interaction.leaves === true);
    if (this.#pending !== pending) {
      await dropFlow(this.#hands, begun.record.state); // nobody has been shown it
      return undefined;
    }
    ({ state: pending.state, window: pending.window } = begun.record);
    await this.#held(begun.record);
    return this.#pending === pending ? begun : undefined;
  }

  /** Keeps a flow until a person continues it, however late; begins another flow once the first is gone. */
  async #keep(pending: Pending, { state, waiting }: FlowRecord, later: () => Promise<void>): Promise<void> {
    pending.kept = state;
    const waits = (): boolean => this.#pending === pending && pending.state === state && pending.open !== undefined;
    for (;;) {
      await later();
      if (!waits()) return;
      if (await keepFlow(this.#hands, state, FLOW_TIME / 2)) continue;
      if (waits()) await this.#begin(pending, waiting);
      return;
    }
  }

  /** The flow that a person continues now, however late: with a full hour, or a new flow once it is gone. */
  async #goesOn(pending: Pending, begun: BegunFlow): Promise<BegunFlow> {
    const { state, waiting } = begun.record;
    await this.#held(begun.record);
    // A store that fails says nothing of the flow.
    const isKept = await keepFlow(this.#hands, state).catch(() => true);
    await this.#held(begun.record);
    if (isKept) return begun;
    const again = await this.#authorize(pending, waiting);
    if (!again) throw new AuthFailure("auth/authorization", { code: "sign_in_expired", message: "somebody has signed in meanwhile" });
    return again;
  }

  /** Shows a flow; `now` is the one to go on with, where that is still looked up. */
  async #show(pending: Pending, begun: BegunFlow, now?: Promise<BegunFlow>): Promise<void> {
    if (this.#interaction.leaves) {
      await leavesFor(this.#hands, now ? (await now).record : begun.record);
      if (this.#pending !== pending) return;
      await this.#held(begun.record); // somebody may have logged out meanwhile
      if (this.#pending !== pending) return;
      pending.asked = false; // a click is for one time
    }
    const showing = this.#interaction.show(now ? now.then(({ address }) => address) : begun.address, begun.record, pending.asked);
    // Where this page opens the window itself, that is at once: it is in a click.
    const shown = showing instanceof Promise ? await showing : showing;
    if (shown.kind === "waiting") {
      delete pending.open;
      this.#point(undefined);
    }
    const flow = now ? await now : begun;
    if (this.#pending !== pending) return;
    if (shown.kind === "logged out") return this.#loggedOut(flow.record.state);
    if (shown.kind === "blocked") {
      const failed = (error: unknown): void => this.#fail(pending, asFailure(error));
      pending.open = () => void this.#show(pending, flow, this.#goesOn(pending, flow)).catch(failed);
      if (shown.later && pending.kept !== flow.record.state) this.#keep(pending, flow.record, shown.later).catch(failed);
      return this.#point(flow.address);
    }
    if ((await shown.closed) === "lost") return this.#showAgain(pending, flow);
    await pending.taken?.catch(() => {});
    // An authorization server that forgot the client sends no person back: the next sign-in registers anew.
    if (this.#pending === pending) await doubt(this.#hands, flow.record.client).catch(() => {});
    // With COOP a window seems closed that is not: an answer that still comes is taken all the same.
    this.#fail(pending, new AuthFailure("auth/authorization", { code: "sign_in_required", message: "the window was closed, or cannot be seen any more", hint: "Sign in again." }));
  }

  /** Shows a flow again, in a page that is still there: its window is out of everybody's sight. */
  async #showAgain(pending: Pending, flow: BegunFlow): Promise<void> {
    await pending.taken?.catch(() => {});
    if (this.#pending !== pending || pending.state !== flow.record.state || (await this.#goesRound(pending))) return;
    await this.#show(pending, flow, this.#goesOn(pending, flow));
  }

  /** Fails the flow that the last page left for: the person came Back. Only a click leads there again. */
  async wentBack(): Promise<void> {
    const flow = this.#interaction.leaves ? await leftFor(this.#hands, this.key) : undefined;
    const pending = this.#pending;
    if (!flow || pending?.asked) return;
    if (pending) return this.#fail(pending, wentBack(), true);
    this.#decline(flow, wentBack());
  }

  /** A flow has come to nothing that nobody waits for here. */
  #decline({ scope }: FlowRecord, failure: AuthFailure): void {
    this.#declined = { challenge: undefined, rejected: undefined, scope, failure };
    this.onchange?.(); // the state is the same: what is new is why
  }

  /** True if this sign-in waits for the answer with that state, or in that window. */
  awaits(state: string, window: string): boolean {
    return this.#pending !== undefined && (this.#pending.state === state || this.#pending.window === window);
  }

  /** Says where a person has to go: nowhere, where a window leads there. */
  #point(address: string | undefined): void {
    if (address === this.#address) return;
    this.#address = address;
    this.onchange?.();
  }

  /** Ends a flow, and throws, if the user has logged out since its wish. `now`: the present marks. */
  async #held({ marks, state }: FlowRecord, now?: string): Promise<void> {
    if (marks !== (now ?? (await this.#hands.marks()))) await this.#loggedOut(state);
  }

  async #loggedOut(state: string): Promise<never> {
    await dropFlow(this.#hands, state).catch(() => {}); // then it is swept
    throw loggedOut();
  }

  /** Takes an answer, in any page of the origin; `marks` are those of that page. Rejects a bad answer. */
  finish(callback: Callback, marks?: string): Promise<Grant> {
    const pending = this.#pending;
    if (!pending || pending.state !== callback.state) return (this.#taking = this.#finish(callback, marks));
    // Two windows may show one flow: the first answer counts, and the second is no failure of it.
    return (pending.taken ??= this.#taking = this.#finish(callback, marks));
  }

  /** Ends the flow after a logout of all users. Resolves when none of its requests is still to begin. */
  wiped(): Promise<unknown> {
    if (this.#pending?.wish) this.#fail(this.#pending, loggedOut(), true);
    return Promise.allSettled([this.#taking]);
  }

  async #finish(callback: Callback, marks?: string): Promise<Grant> {
    const flow = await readFlow(this.#hands, callback.state);
    try {
      const { record, code } = await takeFlow(this.#hands, callback);
      await this.#held(record, marks);
      const grant = await exchange(this.#hands, record, code);
      await signedInAt(this.#hands, record.signIn);
      this.onstored?.(record.signIn);
      if (record.signIn === this.key) await this.reread();
      return grant;
    } catch (error) {
      // Somebody else's answer, or one that nobody waits for, ends no flow that is under way.
      if (this.#pending && this.#pending.state === callback.state) this.#fail(this.#pending, asFailure(error));
      else if (!this.#pending && flow?.signIn === this.key) this.#decline(flow, (await isOver(this.#hands, flow)) ? loggedOut() : asFailure(error));
      throw error;
    }
  }

  /** Reports the failure of the page in a flow's window: that page took the answer. */
  failed(window: string, failure: AuthFailure): void {
    // Where it is being taken here as well, that counts: the page there was a moment later.
    if (this.#pending?.window === window && !this.#pending.taken) this.#fail(this.#pending, failure);
  }

  /** The page in the window of a flow has left its answer with the flow: whoever began it has the tokens. */
  async answered(window: string): Promise<void> {
    const pending = this.#pending;
    if (pending?.state === undefined || pending.window !== window) return;
    // By its window: one that was over when its answer came goes on there under another state.
    const flow = await flowIn(this.#hands, window);
    if (flow) pending.state = flow.state;
    const answer = flow?.answer;
    if (answer) await this.finish(answer).catch(() => {}); // `failure` says what is no good about it
  }

  /** Signs out; true if the authorization server was told. `every`: of all clients there. */
  async signOut(every = false): Promise<boolean> {
    if (!this.#unattended) await this.#hands.markLogout(every);
    const revoking = signOut(this.#hands, this.key);
    if (this.#pending) this.#fail(this.#pending, new AuthFailure("auth/authorization", { code: "sign_in_required", message: "somebody has signed out" }));
    const revoked = await revoking;
    this.onstored?.(this.key);
    await this.reread();
    return revoked;
  }

  async #live(rejected?: string): Promise<LiveGrant> {
    const kept = (await readGrant(this.#hands, this.key))?.value;
    const fresh = kept?.access && kept.access.token !== rejected && lifeOf(kept.access, this.#hands.now()) === "fresh";
    // A person who is on the way to sign in does not make the token any worse.
    const shown = !fresh && !this.#pending && this.#state === "signed-in";
    if (shown) this.#enter("refreshing");
    const enter = (next: SignInState, failure?: AuthFailure): void => {
      const isNews = failure?.fields.code !== this.#unrefreshed?.fields.code;
      this.#unrefreshed = failure;
      if (shown && this.#state === "refreshing") this.#enter(next);
      else if (isNews) this.onchange?.();
    };
    try {
      const grant = await liveGrant(this.#hands, this.key, rejected);
      enter("signed-in");
      return grant;
    } catch (error) {
      if (isSignInRequired(error)) enter("signed-out");
      else enter("signed-in", asFailure(error));
      throw error;
    }
  }

  #suffices(grant: Grant, { rejected, scope }: Reason): boolean {
    if (!isUsable(grant, this.#hands.now())) return false;
    if (rejected && isOf(rejected, { token: grant.access?.token, cameBy: cameBy(grant) })) return false;
    return isAmong(scope, union(grant.requested, grant.granted));
  }

  #settle(): void {
    const pending = this.#pending;
    this.#pending = undefined;
    this.#declined = this.#unrefreshed = undefined;
    this.#proven = undefined; // the same token may have come again
    this.#enter("signed-in");
    pending?.resolve();
  }

  #fail(pending: Pending, error: AuthFailure, isFinal = pending.state !== undefined): void {
    if (this.#pending !== pending) return;
    this.#pending = undefined;
    // A request that failed before a person was asked is tried again: the next refused request does that.
    if (pending.state === undefined) this.#challenge = undefined; // what it names may be there no more
    if (isFinal) this.#declined = { challenge: pending.challenge, rejected: pending.rejected, scope: pending.scope, failure: error };
    this.#enter(this.#state === "step-up" ? "signed-in" : "signed-out");
    pending.reject(error);
  }

  #enter(next: SignInState): void {
    this.#address = undefined;
    if (next === this.#state) return;
    if (!NEXT_SIGN_IN[this.#state].includes(next)) this.misplaced++;
    this.#state = next;
    this.onchange?.();
  }
}
