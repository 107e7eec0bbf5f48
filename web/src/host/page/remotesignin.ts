// A page's side of a sign-in that is in a worker: a chunk, which is loaded while the worker starts. The worker decides,
// and has the tokens; the page has the windows, the address bar, and what the app sees.

import type { AddressToShow, SignInReply } from "../../auth/askedpages.js";
import { cameBack, dropAnswer, popupInteraction, readAnswer, redirectInteraction } from "../../auth/browser.js";
import type { ServerSignIn } from "../../auth/clientauth.js";
import type { ShownAddress } from "../../auth/interaction.js";
import type { SignInState } from "../../auth/signinstate.js";
import type { Auth, CrossingAuth } from "../../connect/useroptions.js";
import { fileName, located } from "../../runtime/located.js";
import type { HoldfastError } from "../../base/errors.js";
import { markSignOut, signInMarks } from "../../storage/marks.js";
import { errorData, type ErrorData, holdfastErrorFrom } from "../wire/errordata.js";
import type { HostLink, LinkedClient } from "./hostlink.js";
import type { AskedToSignIn, HostMessage } from "../wire/protocol.js";

// At the top level and in this literal form, as runtime/beside.ts has it.
const oauthBeside = located("holdfast-oauth.mjs", () => new URL("./holdfast-oauth.mjs", import.meta.url));

/** Operation that errors name. */
const OP = "oauth";

/** Timers of a page. */
const timers = {
  after(ms: number, run: () => void): () => void {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

const made = new WeakMap<Auth, Map<string, RemoteSignIn>>();

/** The sign-in at one server in one worker, for all clients of this page with that `auth`. */
export class RemoteSignIn implements LinkedClient, ServerSignIn {
  readonly url: string;
  readonly #auth: Auth;
  /** Empty where the app names none. */
  readonly #principal: string;
  readonly #crossing: CrossingAuth;
  readonly #newLink: () => Promise<HostLink>;
  #link: HostLink | undefined;
  /** Its own, on that link. */
  #number = 0;
  #said: { state: SignInState; address: string; failure?: ErrorData | undefined; refreshFailure?: ErrorData | undefined } = { state: "signed-out", address: "" };
  /** Outcomes of showing an address, by the name of its window. */
  readonly #shown = new Map<string, ShownAddress>();

  /** @internal A framework leaves alone what says what it is: behind its proxy an object has no private members. */
  get [Symbol.toStringTag](): string {
    return "ServerSignIn";
  }

  private constructor(auth: Auth, url: string, principal: string, newLink: () => Promise<HostLink>) {
    this.#auth = auth;
    this.#crossing = auth.crossing!();
    this.url = url;
    this.#principal = principal;
    this.#newLink = newLink;
    document.addEventListener("visibilitychange", () => this.#link?.send({ t: "seen", client: this.#number, seen: isSeen() }));
  }

  /** Sign-in with `auth` of a user at a server, in the worker `where`; `newLink` links to that worker. */
  static of(auth: Auth, url: string, principal: string, where: string, newLink: () => Promise<HostLink>): RemoteSignIn {
    let all = made.get(auth);
    if (!all) made.set(auth, (all = new Map()));
    const key = JSON.stringify([url, principal, where]);
    let one = all.get(key);
    if (!one) all.set(key, (one = new RemoteSignIn(auth, url, principal, newLink)));
    return one;
  }

  get state(): SignInState {
    return this.#said.state;
  }

  get address(): string | undefined {
    return this.#said.address || undefined;
  }

  get failure(): HoldfastError | undefined {
    return this.#said.failure && holdfastErrorFrom(this.#said.failure, OP);
  }

  get refreshFailure(): HoldfastError | undefined {
    return this.#said.refreshFailure && holdfastErrorFrom(this.#said.refreshFailure, OP);
  }

  async signIn(): Promise<void> {
    await this.#ask("signIn");
  }

  async signOut(): Promise<boolean> {
    await this.#mark(false);
    return (await this.#ask("signOut")) as boolean;
  }

  /** Marks that its user is logged out of the server, whatever the client. */
  markUser(): Promise<void> {
    return this.#mark(true);
  }

  #mark(every: boolean): Promise<void> {
    return markSignOut(this.#of, every);
  }

  get #of(): { url: string; principal: string; client: string } {
    return { url: this.url, principal: this.#principal, client: this.#crossing.client };
  }

  /**
   * Number of the sign-in on a link; opens the sign-in there where it is not yet open. The page's answer from
   * the authorization server goes along.
   */
  at(link: HostLink): number {
    if (this.#link === link && !link.isOver) return this.#number;
    this.#link = link;
    this.#number = link.number();
    link.add(this.#number, this);
    const { options, how, storage, client } = this.#crossing;
    const answer = readAnswer(window, options.redirectUrl);
    link.send({ t: "auth", client: this.#number, url: this.url, principal: this.#principal, how: { options, how, storage, client }, file: fileName(oauthBeside), window: window.name, ...(answer && { answer }), seen: isSeen(), back: cameBack(window) });
    return this.#number;
  }

  /** Asks the worker, by a link of its own where no client has one. */
  async #ask(t: "signIn" | "signOut"): Promise<unknown> {
    const link = this.#link && !this.#link.isOver ? this.#link : await this.#newLink();
    const client = this.at(link);
    return link.ask(OP, this, (ask) => ({ t, client, ask }));
  }

  receive(message: HostMessage): void {
    switch (message.t) {
      case "signedIn":
        this.#heard(message);
        break;
      case "closeWindow":
        window.close();
        break;
      case "question":
        void this.#answer(message);
        break;
    }
  }

  #heard({ state, address, failure, refreshFailure }: Extract<HostMessage, { t: "signedIn" }>): void {
    // The worker has the answer, which was left where it is until then: where no worker takes it, this page does.
    dropAnswer(window, this.#crossing.options.redirectUrl);
    const before = this.#said;
    this.#said = { state: state as SignInState, address, failure, refreshFailure };
    if (before.state === state && before.address === address && before.failure?.message === failure?.message && before.refreshFailure?.message === refreshFailure?.message) return;
    this.#auth.heard?.(this);
  }

  async #answer({ question, asked, request }: Extract<HostMessage, { t: "question" }>): Promise<void> {
    const link = this.#link;
    try {
      link?.send({ t: "reply", question, value: asked === "signInMarks" ? await signInMarks(this.#of) : await this.#show(asked as AskedToSignIn, request as AddressToShow) });
    } catch (error) {
      link?.send({ t: "reply", question, error: errorData(error) });
    }
  }

  /** Resolves with whether an address is shown, or once nobody is in its window any more. The marks are read again right before. */
  async #show(asked: AskedToSignIn, { address, window: name, leaves, marks }: AddressToShow): Promise<SignInReply> {
    if (asked === "signIn") {
      if ((await signInMarks(this.#of)) !== marks) return "logged out";
      const how = leaves ? redirectInteraction(window) : popupInteraction(window, timers);
      this.#shown.set(name, how.show(address, { window: name }, true));
    }
    const shown = this.#shown.get(name);
    if (asked === "signInWindow" && shown?.kind === "waiting") await shown.closed;
    return shown?.kind === "waiting";
  }

  event(): void {}

  hostEnded(): void {
    this.#link = undefined;
  }

  thrown(): unknown {
    return undefined;
  }
}

function isSeen(): boolean {
  return document.visibilityState !== "hidden";
}
