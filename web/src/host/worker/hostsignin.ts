// A sign-in in a worker, and the pages that it is for: they have the windows that a worker has not.

import type { AddressToShow, SignInReply, AskedPages } from "../../auth/askedpages.js";
import { openAuthOfPages } from "../../auth/clientauth.js";
import type { CrossingSignIn } from "../../auth/oauth.js";
import type { OpenedSignIn, ReturnedPage } from "../../auth/opensignin.js";
import { HoldfastError } from "../../base/errors.js";
import type { WatchedSignIn } from "../../auth/authorization.js";
import { authPlace } from "../../auth/authplace.js";
import { GONE } from "./askpage.js";
import type { AskedToSignIn } from "../wire/protocol.js";

/** A page that can be asked to show an address. */
export interface SignInPage {
  /** True if the page takes messages. */
  readonly isHere: boolean;
  /** True if a person looks at the page. */
  readonly isSeen: boolean;
  /** True while the page's answer from the authorization server is being taken: the user is not known yet. */
  readonly isReturning: boolean;
  /** True if the page is in the window of a sign-in: the host asks such a page last. */
  readonly isInFlow: boolean;
  /** Asks it; rejects with {@link GONE} where it goes before it has answered. */
  ask(asked: AskedToSignIn, request: object): Promise<unknown>;
  /** Updates what the page shows of the sign-in. */
  tell(): void;
}

/** Number of sign-ins that a worker has at most. They stay, with the tokens that they have in memory. */
const MOST = 1_000;

/**
 * Sign-ins of this worker, by server, user and options. Tokens in memory belong to the worker: all of its
 * pages have them.
 */
const open = new Map<string, HostSignIn>();

/** The sign-in at one server, for all pages of this worker. */
export class HostSignIn implements AskedPages {
  readonly shared: Promise<WatchedSignIn>;
  readonly #returned: Promise<OpenedSignIn["returned"]>;
  readonly #listeners = new Set<() => void>();
  #pages: readonly SignInPage[] = [];
  /** Number of times that a page has come, or was looked at again. */
  #arrivals = 0;
  /** Number of windows that were asked for. */
  #windows = 0;
  /** Page in which a person has clicked. */
  #clicked: SignInPage | undefined;

  private constructor(how: CrossingSignIn, url: string, principal: string, file: string) {
    const opening = authPlace(this).then((place) => openAuthOfPages(how, url, principal, place, file));
    this.shared = opening.then(({ auth }) => {
      auth.onchange = () => {
        this.changed();
        for (const page of this.#pages) page.tell();
      };
      return { auth, attended: true, listeners: this.#listeners, isSeen: () => this.#pages.some(canShow) };
    });
    this.#returned = opening.then(({ returned }) => returned);
    this.#returned.catch(() => {}); // whoever opens it hears of it
  }

  /** The one of that user at that server, opened where it is not yet; rejections of what it is made of are `load_failed`. */
  static of(how: CrossingSignIn, url: string, principal: string, file: string): HostSignIn {
    const key = JSON.stringify([url, principal, how]);
    let one = open.get(key);
    if (!one) {
      if (open.size >= MOST) throw new HoldfastError({ code: "limit_exceeded", op: "oauth", message: "the worker has more sign-ins than any app" });
      open.set(key, (one = new HostSignIn(how, url, principal, file)));
      one.shared.catch(() => open.delete(key)); // whoever connects next tries again
    }
    return one;
  }

  /** A page has come: takes the answer that it may have come back with, and then it can be asked. */
  async join(page: SignInPage, returned: ReturnedPage): Promise<void> {
    const take = await this.#returned;
    this.#pages = [...this.#pages, page];
    page.tell();
    await take(returned);
  }

  /** Removes a page that has gone. */
  leave(page: SignInPage): void {
    this.#pages = this.#pages.filter((other) => other !== page);
    this.changed();
  }

  /** True if there is no page but this one. */
  isAlone(page: SignInPage): boolean {
    return this.#pages.every((other) => other === page);
  }

  /** A page has come, is back, or is looked at again. */
  arrived(): void {
    this.#arrivals++;
    this.changed();
  }

  /** Signs in, as a person has clicked in the page: that page shows the address. */
  async signIn(page: SignInPage): Promise<void> {
    this.#clicked = page;
    await (await this.shared).auth.signIn();
  }

  async show(flow: AddressToShow): Promise<{ closed: Promise<void | "lost"> } | Exclude<SignInReply, true>> {
    for (;;) {
      // A window of that name that another page has opened this one may not lead anywhere.
      const wanted = { ...flow, window: `${flow.window}.${++this.#windows}` };
      await this.#until(() => this.#next !== undefined);
      const page = this.#next!;
      try {
        const asked = (await page.ask("signIn", wanted)) as SignInReply;
        return asked === true ? { closed: this.#watched(page, wanted) } : asked === "logged out" && asked;
      } catch (error) {
        if (error !== GONE) throw error;
        if (wanted.leaves) return { closed: Promise.resolve("lost") }; // it may have left, which counts
      }
    }
  }

  async marks(): Promise<string> {
    for (;;) {
      await this.#until(() => this.#next !== undefined);
      try {
        return String(await this.#next!.ask("signInMarks", {}));
      } catch (error) {
        if (error !== GONE) throw error;
      }
    }
  }

  /** The page that is asked: where somebody has clicked, else the newest that somebody looks at. */
  get #next(): SignInPage | undefined {
    const clicked = this.#clicked;
    if (clicked && canShow(clicked) && this.#pages.includes(clicked)) return clicked;
    const seen = this.#pages.filter(canShow);
    return seen.filter((page) => !page.isInFlow).at(-1) ?? seen.at(-1);
  }

  /**
   * Resolves when nobody is in the window any more that a page has opened, or the page is back that has left; with "lost" when that page
   * is away, and another one can show the address. One that has left is itself at the authorization server: the others
   * do not follow before somebody looks at one of them.
   */
  async #watched(page: SignInPage, wanted: AddressToShow): Promise<void | "lost"> {
    for (;;) {
      try {
        await page.ask("signInWindow", wanted);
        return undefined;
      } catch (error) {
        if (error !== GONE) throw error;
      }
      const before = this.#arrivals;
      const another = (): boolean => (this.#arrivals > before || !wanted.leaves) && this.#pages.some((other) => other !== page && !other.isInFlow && canShow(other));
      await this.#until(() => page.isHere || another());
      if (!page.isHere) return "lost";
      if (wanted.leaves) return undefined; // somebody went back to it
    }
  }

  /** Resolves when that is so. */
  async #until(reached: () => boolean): Promise<void> {
    while (!reached()) {
      await new Promise<void>((resolve) => {
        const changed = (): void => {
          this.#listeners.delete(changed);
          resolve();
        };
        this.#listeners.add(changed);
      });
    }
  }

  /** Which pages are here, or looked at, may have changed. */
  changed(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

function canShow(page: SignInPage): boolean {
  return page.isHere && page.isSeen && !page.isReturning;
}
