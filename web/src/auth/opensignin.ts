// The entry of the chunk that signs in. Nothing that it imports needs anything of another room but the
// base's: what it shared with the module would become a file that every page has to load.

import {
  AUTH_CHANNEL, authNews, cameBack, type AuthChannel, manualInteraction, type NewsListener, type Page,
  popupInteraction, redirectInteraction, takeAnswer,
} from "./browser.js";
import { AuthFailure } from "./failure.js";
import {
  type Callback, type FlowRecord, leaveAnswer, readCallback, readFlow, renewFlow, WINDOW,
} from "./flow.js";
import { drop } from "./grants.js";
import { type AskedPages, pagesInteraction } from "./askedpages.js";
import type { AuthLocks, AuthStore, Hands } from "./hands.js";
import { MemoryAuthStore, type MemoryRows } from "./memorystore.js";
import { Nonces } from "./nonces.js";
import type { SignInOptions } from "./authorize.js";
import type { AskingInteraction } from "./interaction.js";
import { leavesFor } from "./rounds.js";
import { SignIn } from "./signin.js";
import { signOutOfAll } from "./signout.js";
import { SplitAuthStore } from "./splitstore.js";
import { obtain, type Unattended } from "./unattended.js";

/**
 * The parts that tell one sign-in from another. The key of its rows, locks, rounds and tab messages is made
 * of them.
 */
export interface SignInOf {
  /** The MCP server or agent. */
  readonly url: string;
  /** The user, in the app's own word; undefined where it names none. */
  readonly principal?: string | undefined;
  /** Word of the app for its client: the client id, for example (oauth.ts). */
  readonly client: string;
}

/** The digest that stands for a sign-in: an address may hold a secret, and keys are not sealed. */
export function signInKey(
  { digest }: Pick<Hands, "digest">, { url, principal = "", client }: SignInOf,
): Promise<string> {
  return digest([url, principal, client]);
}

/** Where a client with `auth` runs: what the client gives to the sign-in. */
export interface AuthPlace {
  /** Undefined where nothing can be kept: then it ends with the page. */
  readonly store: AuthStore | undefined;
  /** The tokens that are kept nowhere else. */
  readonly memory: MemoryRows;
  readonly locks: AuthLocks;
  readonly digest: Hands["digest"];
  /** The marks of logouts; missing in a worker, whose pages have them. */
  readonly logouts?: {
    marks(of: SignInOf): Promise<string>;
    mark(of: SignInOf, every: boolean): Promise<void>
  };
  /** Undefined in a worker, which opens no window: then a page has to. */
  readonly page?: Page;
  /** The pages that a worker asks in place of one of its own. */
  readonly pages?: AskedPages;
  /** Has it called when everybody logs out, in whatever tab: the wipe waits for what it returns. */
  readonly whenWiped?: (gone: () => Promise<unknown>) => void;
  /**
   * Makes a BroadcastChannel of that name, and says which origin is its own. It is the page's, until that
   * goes.
   */
  readonly channel?: (name: string) => { readonly port: AuthChannel; readonly origin: string };
}

/** Where tokens are kept: `persistent` in the store, sealed; `memory` in that of the page or worker alone. */
export type TokenStorage = "persistent" | "memory";

/** How a person gets to the authorization server. */
export type HowPeople = "popup" | "redirect" | "manual";

/** How a sign-in is opened. */
export interface SignInOpening {
  how: HowPeople | Unattended;
  storage: TokenStorage;
  /** The user, in the app's own word; missing where the app names none. */
  principal?: string | undefined;
  /** Word of the app for its client. */
  client: string;
  place: AuthPlace;
  /** The app's own hands. */
  own: Partial<Hands>;
}

/**
 * How long the page in the window of a flow waits for the one that began it, in ms, and how often it looks.
 */
const TAKES = 3_000;
const LOOK = 50;

/** Nonces are of servers, not of clients. */
const nonces = new Nonces();

/** A page that may have come back with an answer. */
export interface ReturnedPage {
  /** The object that names this page in all of its sign-ins. */
  readonly itself: object;
  /** The name of its window. */
  readonly name: string;
  /** True if tokens in memory end with the page. */
  readonly isAlone: boolean;
  /** Takes the answer that it has come back with; undefined for none, or where it was taken. */
  take(redirectUrl: string): Callback | undefined;
  /** The marks of logouts that it reads; missing where it is this page. */
  marks?(): Promise<string>;
  close(): void;
  /** Somebody has come Back to it. */
  readonly isBack: boolean;
  /**
   * Goes to an address; resolves when somebody comes back from there without an answer, which makes it
   * `isBack`.
   */
  leave(address: string, record: FlowRecord): Promise<void>;
}

/** A sign-in, and what takes the answers of the pages that it is in. */
export interface OpenedSignIn {
  readonly signIn: SignIn;
  /**
   * A page is there: takes the answer that it may have come back with. What is no good about it is in
   * `failure`.
   */
  returned(page: ReturnedPage): Promise<void>;
}

/**
 * Makes the sign-in at a server, with what is stored of it; takes the answer that this page may have come
 * back with.
 */
export async function openSignIn(
  url: string, options: SignInOptions, opening: SignInOpening,
): Promise<SignIn> {
  const { signIn, returned } = await openSignInOfPages(url, options, opening);
  const { page } = opening.place;
  if (page && typeof opening.how !== "object") {
    const here = {
      ...{ itself: page, name: page.name, isAlone: true, isBack: cameBack(page) },
      take: (redirectUrl: string) => takeAnswer(page, redirectUrl),
      close: () => page.close(),
      async leave(address: string, record: FlowRecord) {
        const gone = redirectInteraction(page).show(address, record, false);
        if (gone.kind === "waiting") await gone.closed;
        here.isBack = true;
      },
    };
    await returned(here);
  }
  return signIn;
}

/** The same for a worker, whose pages come and go. */
export async function openSignInOfPages(
  url: string, options: SignInOptions, { how, storage, principal, client, place, own }: SignInOpening,
): Promise<OpenedSignIn> {
  const hands = handsOf(place, storage, own, { url, principal, client });
  const of = { url, key: await signInKey(hands, { url, principal, client }) };
  const { key } = of;
  if (typeof how === "object") {
    const program = new SignIn(
      hands, of, options, interactionOf("redirect", hands, {}), (reason) => obtain(hands, of, how, reason),
    );
    await program.reread();
    return { signIn: program, returned: () => Promise.resolve() };
  }
  const signIn = new SignIn(
    hands, of, options,
    (place.page || place.pages) && !place.store ? nowhereToComeBackTo : interactionOf(how, hands, place),
  );
  checkOrigin(
    options.redirectUrl, place.page?.location.origin ?? (place.pages && globalThis.location?.origin),
  );
  const channel = place.channel?.(AUTH_CHANNEL);
  const news = channel && authNews(channel.port, channel.origin, {
    // whoever sends next reads it
    stored: (changed) => void (changed === key && signIn.reread().catch(() => {})),
    failed: (window, failure) => signIn.failed(window, failure),
    answered: (window) => void signIn.answered(window),
  });
  place.whenWiped?.(() => signIn.wiped());
  signIn.onstored = (changed) => news?.stored(changed);
  // Tokens of an earlier build of the app are deleted here: this build stores none.
  if (hands.store.alone && place.store) await drop(hands, place.store, key);
  await signIn.reread();
  return { signIn, returned: (page) => takeReturn(signIn, hands, options.redirectUrl, page, news) };
}

async function takeReturn(
  signIn: SignIn, hands: Hands, redirectUrl: string, page: ReturnedPage, news: NewsListener | undefined,
): Promise<void> {
  const [window = ""] = page.name.split("."); // behind that is which page of a worker has opened it
  const tell = news && window.startsWith(WINDOW) ? () => news.answered(window) : undefined;
  const callback = await answerFor(signIn.key, hands, page, redirectUrl, tell);
  if (!callback) return page.isBack ? signIn.wentBack() : undefined;
  const own = window.startsWith(WINDOW);
  if (
    tell && hands.store.alone && !signIn.awaits(callback.state, window) &&
      (await handedOver(hands, callback, tell))
  )
    return page.close();
  // `failure` holds the fault of the answer. No caller waits here: the tab that opened this window does.
  await signIn.finish(callback, await page.marks?.()).catch((error: unknown) => {
    if (own && error instanceof AuthFailure) news?.failed(window, error);
  });
  // With the tokens in its memory it is the page that works with them: the one that began is gone.
  if (own && !(hands.store.alone && page.isAlone && signIn.state === "signed-in")) page.close();
}

/** The answer that a page has come back with, as long as no sign-in that it is for has opened in it. */
const unclaimed = new WeakMap<object, Promise<Callback | undefined>>();

/**
 * The answer that this page has come back with, unless it is of another sign-in, at whatever server: that one
 * knows where its tokens may be kept, and has to hear a no. It opens in this page yet, or runs in the one
 * that opened this window, which `tell` reaches.
 */
function answerFor(
  key: string, hands: Hands, page: ReturnedPage, redirectUrl: string, tell?: () => void,
): Promise<Callback | undefined> {
  const taken = page.take(redirectUrl);
  const found = taken ? inTime(hands, page, taken) : Promise.resolve(unclaimed.get(page.itself));
  const mine = found.then(async (answer) => {
    const flow = answer && (await readFlow(hands, answer.state).catch(() => undefined));
    return flow && flow.signIn !== key ? undefined : answer;
  });
  // At once: sign-ins that open meanwhile wait for what this one leaves.
  unclaimed.set(page.itself, left(hands, page, found, mine, tell));
  return mine;
}

/**
 * The answer, unless it comes too late, as in the morning after: then the page goes back to the authorization
 * server with a flow that is good, whichever server it is for. Undefined for somebody who comes Back from
 * there.
 */
async function inTime(hands: Hands, page: ReturnedPage, answer: Callback): Promise<Callback | undefined> {
  const again = await renewFlow(
    hands, answer, (await page.marks?.()) ?? (await hands.marks()),
  ).catch(() => undefined);
  if (!again) return answer;
  await leavesFor(hands, again.record).catch(() => {});
  await page.leave(again.address, again.record);
  return undefined;
}

/** The answer that this sign-in leaves to those that open next; undefined for none. */
async function left(
  hands: Hands, page: ReturnedPage, found: Promise<Callback | undefined>, mine: Promise<Callback | undefined>,
  tell?: () => void,
): Promise<Callback | undefined> {
  const answer = await found;
  if (!answer || (await mine)) return undefined;
  if (!tell || !(await handedOver(hands, answer, tell).catch(() => false))) return answer;
  page.close();
  return undefined;
}

/** Leaves an answer to the page that began the flow, and tells it; false where nobody takes it. */
async function handedOver(hands: Hands, callback: Callback, tell: () => void): Promise<boolean> {
  if (!(await leaveAnswer(hands, callback))) return false;
  tell();
  for (let waited = 0; waited < TAKES; waited += LOOK) {
    await new Promise<void>((resolve) => void hands.after(LOOK, resolve));
    if (!(await readFlow(hands, callback.state))) return true;
  }
  return false;
}

/**
 * Leaves the answer that the window of a flow has come back with to whoever began that, and closes it: for a
 * page whose app does not connect by itself. The answer is out of the address meanwhile, and there again
 * where nobody takes it.
 */
export async function handOver(place: AuthPlace): Promise<void> {
  const { page, store, channel } = place;
  const answer = page && readCallback(page.location.href);
  if (!answer || !store || !channel) return;
  const hands = handsOf(place, "persistent", {});
  const [window = ""] = page.name.split(".");
  const flow = await readFlow(hands, answer.state);
  if (flow?.window !== window) return;
  const { href } = page.location;
  // a client has taken it meanwhile, or it is no page for answers
  if (!takeAnswer(page, flow.client.redirectUrl)) return;
  const { port, origin } = channel(AUTH_CHANNEL);
  const news = authNews(port, origin, { stored() {}, failed() {}, answered() {} });
  const isTaken = await handedOver(hands, answer, () => news.answered(window)).catch(() => false);
  port.close();
  if (isTaken) page.close();
  else page.history.replaceState(null, "", href);
}

/**
 * Signs out of all servers, and deletes what is kept of them. Resolves with whether all tokens are revoked.
 */
export async function signOutEverywhere(place: AuthPlace): Promise<boolean> {
  const channel = place.channel?.(AUTH_CHANNEL);
  const news = channel && authNews(channel.port, channel.origin, { stored() {}, failed() {}, answered() {} });
  // At the same time: no authorization server is in the way of what is still to be deleted.
  const all = await Promise.all(
    (["memory", "persistent"] as const).map(
      (storage) => signOutOfAll(handsOf(place, storage, {}), (signIn) => news?.stored(signIn)),
    ),
  );
  channel?.port.close();
  return all.every((one) => one);
}

function handsOf(
  { store, memory, locks, digest, logouts, pages }: AuthPlace, storage: TokenStorage, own: Partial<Hands>,
  of?: SignInOf,
): Hands {
  const tokens = new MemoryAuthStore(memory);
  return {
    fetch: (address, init) => fetch(address, init),
    now: () => Date.now(),
    after(ms, run) {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
    random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
    subtle: globalThis.crypto?.subtle as SubtleCrypto | undefined,
    store: !store ? tokens : storage === "memory" ? new SplitAuthStore(tokens, store) : store,
    locks,
    digest,
    marks: async () => (of && pages ? pages.marks() : of ? ((await logouts?.marks(of)) ?? "") : ""),
    markLogout: async (every) => of && logouts?.mark(of, every),
    nonces,
    ...own,
  };
}

/** Each origin has its own store: an answer at another one would find no flow, and leave its code there. */
function checkOrigin(redirectUrl: string, origin: string | undefined): void {
  if (origin === undefined || new URL(redirectUrl).origin === origin) return;
  throw new AuthFailure("auth/authorization", {
    code: "bad_argument",
    message: `redirectUrl is of another origin than this page, which is at ${origin}`,
    hint: "Answers come to a page of the app itself: localhost and 127.0.0.1 are two origins, and so are " +
      "two ports.",
  });
}

/**
 * Where nothing can be stored, the page that an answer comes to knows of no flow. It would send a person away
 * again, and so on.
 */
const nowhereToComeBackTo: AskingInteraction = {
  show() {
    throw new AuthFailure("auth/authorization", {
      code: "bad_argument",
      message: "nothing can be stored here, so the answer of a sign-in would find nobody who waits for it",
      hint: "The browser has to let this site use IndexedDB. Are all cookies blocked, or is the page in a " +
        "frame of another site? A shared worker of WebKit can store no key: leave the option host out.",
    });
  },
};

function interactionOf(
  how: HowPeople, hands: Hands, { page, pages }: Pick<AuthPlace, "page" | "pages">,
): AskingInteraction {
  if (pages) return pagesInteraction(pages, how, hands);
  if (!page) return { show: () => ({ kind: "blocked" }) };
  switch (how) {
    case "popup":
      return popupInteraction(page, hands);
    case "manual":
      return manualInteraction(page, hands);
    case "redirect":
      return redirectInteraction(page);
  }
}
