// The sign-ins of one page at its host, by their numbers on the port.

import type { Callback } from "../../auth/flow.js";
import type { AddressToShow } from "../../auth/askedpages.js";
import { checkOptions, type CrossingSignIn } from "../../auth/oauth.js";
import type { ReturnedPage } from "../../auth/opensignin.js";
import type { Auth } from "../../connect/useroptions.js";
import { Authorization } from "../../auth/authorization.js";
import { GONE } from "./askpage.js";
import { badArgument } from "../../base/arguments.js";
import { BUILD } from "../../base/build.js";
import { errorData } from "../wire/errordata.js";
import { HostSignIn, type SignInPage } from "./hostsignin.js";
import type { AskedToSignIn, HostMessage, PageMessage } from "../wire/protocol.js";

/** How the names of windows begin that sign-ins run in (auth/flow.ts). */
const FLOW_WINDOW = "holdfast-";

/** The page, as far as its sign-ins go. */
interface AuthPage {
  readonly isHere: boolean;
  question(client: number, asked: AskedToSignIn, request: object, context: { server: string }): Promise<unknown>;
  send(message: HostMessage): void;
}

/** A page's hold on a sign-in: from its opening to the page's end. */
export class PortSignIn implements SignInPage {
  /** Resolves when it is open, and the answer taken that the page has come back with; rejects with `load_failed` where nothing can sign in here. */
  readonly ready: Promise<void>;
  readonly signIn: HostSignIn;
  readonly url: string;
  readonly principal: string;
  readonly isInFlow: boolean;
  isSeen: boolean;
  isReturning = true;
  readonly #page: AuthPage;
  readonly #number: number;
  readonly #client: string;
  /** Opens the sign-in again; missing where it is open, or may yet open. */
  again?: () => PortSignIn;

  constructor(page: AuthPage, message: Extract<PageMessage, { t: "auth" }>, taken: Set<string>) {
    const { client, url, principal, how, file, window, answer, seen, back } = message;
    this.#page = page;
    this.#number = client;
    this.url = url;
    this.principal = principal;
    this.#client = (how as CrossingSignIn).client;
    this.isSeen = seen;
    this.isInFlow = window.startsWith(FLOW_WINDOW);
    const signIn = (this.signIn = HostSignIn.of(how as CrossingSignIn, url, principal, `${file}?${BUILD}`));
    const self = this;
    const returned: ReturnedPage & { isBack: boolean } = {
      itself: page,
      name: window,
      isBack: back,
      get isAlone() {
        return signIn.isAlone(self);
      },
      take: () => newAnswer(answer as Callback | undefined, taken),
      close: () => page.send({ t: "closeWindow", client }),
      marks: async () => String(await this.ask("signInMarks", {})),
      leave: async (address, { window, marks }) => {
        await this.#leave({ address, window, leaves: true, marks });
        returned.isBack = true;
      },
    };
    const joined = signIn.join(this, returned).finally(() => {
      this.isReturning = false;
      signIn.arrived();
    });
    this.ready = joined;
    // The clients that wait for it hear of it.
    this.ready.catch(() => {
      signIn.leave(this);
      this.again = () => new PortSignIn(page, { ...message, seen: this.isSeen }, taken);
    });
  }

  /** Authorization that a client here signs in with; `waits` is {@link Authorization}'s. */
  auth(waits: boolean): Auth {
    return { client: this.#client, authorize: (at) => new Authorization(at, () => this.signIn.shared, { waits }) };
  }

  get isHere(): boolean {
    return this.#page.isHere;
  }

  ask(asked: AskedToSignIn, request: object): Promise<unknown> {
    return this.#page.question(this.#number, asked, request, { server: "" });
  }

  /** Sends the page to an address; resolves when a person comes back from there, or the page has gone. */
  async #leave(there: AddressToShow): Promise<void> {
    try {
      if ((await this.ask("signIn", there)) === true) await this.ask("signInWindow", there);
    } catch (error) {
      if (error !== GONE) throw error;
    }
  }

  tell(): void {
    void this.signIn.shared.then(({ auth: { state, address = "", failure, refreshFailure } }) => {
      this.#page.send({ t: "signedIn", client: this.#number, state, address, ...(failure && { failure: errorData(failure) }), ...(refreshFailure && { refreshFailure: errorData(refreshFailure) }) });
    });
  }
}

/** An answer comes with each of the page's sign-ins, until the page knows that it was taken. */
function newAnswer(answer: Callback | undefined, taken: Set<string>): Callback | undefined {
  if (!answer || taken.has(answer.state)) return undefined;
  taken.add(answer.state);
  return answer;
}

/** The sign-ins of a page. */
export class PortSignIns {
  readonly #page: AuthPage & { answer(ask: number, work: Promise<unknown>): void };
  readonly #all = new Map<number, PortSignIn>();
  /** Error that each refused sign-in was refused with, by its number. */
  readonly #refused = new Map<number, unknown>();
  /** The states of answers that the page has come back with. */
  readonly #taken = new Set<string>();

  constructor(page: AuthPage & { answer(ask: number, work: Promise<unknown>): void }) {
    this.#page = page;
  }

  /** Number of the page's sign-ins, with the refused ones. */
  get size(): number {
    return this.#all.size + this.#refused.size;
  }

  /** Sign-in of that number. One that did not open is opened again, since the page sends its message once. */
  get(number: number): PortSignIn | undefined {
    const one = this.#all.get(number);
    const again = one?.again?.();
    if (again) this.#all.set(number, again);
    return again ?? one;
  }

  /**
   * Sign-in of that number for a client of the same server and user: its tokens go nowhere else. Throws
   * `bad_argument` for any other number, and the error of a sign-in that was refused.
   */
  at(number: number, url: string, principal: unknown = ""): PortSignIn {
    if (this.#refused.has(number)) throw this.#refused.get(number);
    const one = this.get(number);
    if (one?.url !== url || one.principal !== principal) throw badArgument("connect", "auth", "is no sign-in of that user at that address");
    return one;
  }

  /** Takes a page's message about a sign-in. */
  take(message: Extract<PageMessage, { t: "auth" | "seen" | "signIn" | "signOut" }>): void {
    const one = message.t === "seen" ? this.#all.get(message.client) : this.get(message.client);
    switch (message.t) {
      case "auth":
        if (!one) this.#opens(message);
        break;
      case "seen":
        if (!one) break;
        one.isSeen = message.seen;
        if (message.seen) one.signIn.arrived();
        else one.signIn.changed();
        break;
      case "signIn":
        if (one) this.#page.answer(message.ask, one.ready.then(() => one.signIn.signIn(one)));
        break;
      case "signOut":
        if (one) this.#page.answer(message.ask, one.ready.then(async () => (await one.signIn.shared).auth.signOut()));
        break;
    }
  }

  #opens(message: Extract<PageMessage, { t: "auth" }>): void {
    try {
      checkOptions((message.how as CrossingSignIn).options);
      this.#all.set(message.client, new PortSignIn(this.#page, message, this.#taken));
    } catch (error) {
      this.#refused.set(message.client, error); // the client hears it that names it
    }
  }

  /** The page is away. */
  pageAway(): void {
    for (const one of this.#all.values()) one.signIn.changed();
  }

  /** The page is back. */
  pageBack(): void {
    for (const one of this.#all.values()) one.signIn.arrived();
  }

  /** The page has gone. */
  end(): void {
    for (const one of this.#all.values()) one.signIn.leave(one);
    this.#all.clear();
  }
}
