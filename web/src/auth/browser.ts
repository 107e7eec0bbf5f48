// The hands of the sign-in in a page: windows, the address bar, and word to the other tabs.

import { type AuthFailure, failureOf } from "./failure.js";
import { type Callback, hasCallback, readCallback, withoutCallback } from "./flow.js";
import type { Hands } from "./hands.js";
import type { ShownAddress, WindowInteraction } from "./interaction.js";

/** The part of a Window that a sign-in uses. */
export interface OpenedWindow {
  opener: unknown;
  readonly closed: boolean;
  readonly location: { replace(url: string): void };
  close(): void;
}

/** The parts of the page that a sign-in uses. */
export interface Page {
  readonly location: { readonly href: string; readonly origin: string; assign(url: string): void };
  readonly history: { replaceState(data: unknown, unused: string, url: string): void };
  /** The name of its window. */
  readonly name: string;
  readonly document?: { hasFocus(): boolean };
  readonly performance?: {
    getEntriesByType(type: "navigation"): readonly { readonly entryType: string; readonly type?: string }[],
  };
  open(url: string, target: string, features: string): OpenedWindow | null;
  close(): void;
  addEventListener(type: PageEvent, listener: (event: { persisted: boolean }) => void): void;
  removeEventListener(type: PageEvent, listener: (event: { persisted: boolean }) => void): void;
}

/** By what a page hears that somebody is there again. */
const PAGE_EVENTS = ["pageshow", "visibilitychange", "focus"] as const;
type PageEvent = (typeof PAGE_EVENTS)[number];

/** How often a window is looked at, in ms, and how long after its end an answer may still be on its way. */
const LOOK = 500;
const GRACE = 3_000;

/**
 * How often a flow is looked at whose window was blocked, in ms. Timers do not run while the machine sleeps:
 * soon after it wakes.
 */
export const LOOK_AGAIN = 60_000;

/**
 * Where the browser opens no window. Its flow would be over before somebody comes who has been away for the
 * night.
 */
function blockedWindow(page: Page, hands: Pick<Hands, "after">): ShownAddress {
  return { kind: "blocked", later: () => somebodyIsThere(page, hands) };
}

/** Resolves when somebody comes back to the page, or after a while. */
function somebodyIsThere(page: Page, hands: Pick<Hands, "after">): Promise<void> {
  return new Promise((resolve) => {
    const there = (): void => {
      stop();
      for (const type of PAGE_EVENTS) page.removeEventListener(type, there);
      resolve();
    };
    const stop = hands.after(LOOK_AGAIN, there);
    for (const type of PAGE_EVENTS) page.addEventListener(type, there);
  });
}

/** Goes to an address, at once where it is there. */
function lead(address: string | Promise<string>, go: (address: string) => void, none = (): void => {}): void {
  if (typeof address === "string") go(address);
  else void address.then(go, none); // why there is none, whoever asked for it knows
}

/**
 * Signs in in a window of its own, that nobody else's flow runs in. It is opened empty, cut
 * off from this page, and only then led to the authorization server: with an opener that
 * server could lead this page to a copy of itself.
 */
export function popupInteraction(
  page: Page, hands: Pick<Hands, "after">,
  size: { width: number; height: number } = { width: 520, height: 720 },
): WindowInteraction {
  return {
    show(address, { window }) {
      const opened = page.open("about:blank", window, `popup,width=${size.width},height=${size.height}`);
      if (!opened) return blockedWindow(page, hands);
      try {
        opened.opener = null;
      } catch {
        // Some browsers refuse: the window then has an opener, as any popup has.
      }
      lead(address, (there) => opened.location.replace(there), () => opened.close());
      return { kind: "waiting", closed: closedWindow(opened, page, hands) };
    },
  };
}

/** The same, where the app itself says when: until then it has the address. */
export function manualInteraction(page: Page, hands: Pick<Hands, "after">): WindowInteraction {
  const popup = popupInteraction(page, hands);
  return {
    show: (address, record, asked) => (
      asked ? popup.show(address, record, asked) : blockedWindow(page, hands)
    ),
  };
}

/**
 * A server whose pages are cut off from all others (COOP) makes its window look closed at
 * once. While a person is in there this page has not the focus; when it really closes, the page has it again.
 */
function closedWindow(opened: OpenedWindow, page: Page, hands: Pick<Hands, "after">): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (opened.closed && page.document?.hasFocus() !== false) hands.after(GRACE, resolve);
      else hands.after(LOOK, look);
    };
    hands.after(LOOK, look);
  });
}

/**
 * Signs in in this page itself, which goes away and comes back. Calls that are kept go on
 * when it is back. Where the person comes back with the Back button, the page may be the
 * old one: then nothing was decided.
 */
export function redirectInteraction(page: Page): WindowInteraction {
  return {
    leaves: true,
    show(address) {
      const closed = new Promise<void>((resolve) => {
        const shown = ({ persisted }: { persisted: boolean }): void => {
          if (!persisted) return;
          page.removeEventListener("pageshow", shown);
          resolve();
        };
        page.addEventListener("pageshow", shown);
      });
      lead(address, (there) => page.location.assign(there));
      return { kind: "waiting", closed };
    },
  };
}

/** True if the person pressed Back, and the browser loaded the page anew. */
export function cameBack({ performance }: Pick<Page, "performance">): boolean {
  return performance?.getEntriesByType("navigation")[0]?.type === "back_forward";
}

/** The answer in the address bar, if the page is the one that answers come to. */
export function readAnswer(page: Pick<Page, "location">, redirectUrl: string): Callback | undefined {
  const here = new URL(page.location.href);
  const there = new URL(redirectUrl);
  return here.origin === there.origin && here.pathname === there.pathname
    ? readCallback(here.href)
    : undefined;
}

/**
 * Takes what is or looks like an answer out of the address bar: neither the history nor a Referer may keep a
 * code, and a bad one holds a code as well.
 */
export function dropAnswer(page: Pick<Page, "location" | "history">, redirectUrl: string): void {
  const here = new URL(page.location.href);
  const there = new URL(redirectUrl);
  if (here.origin !== there.origin || here.pathname !== there.pathname) return;
  if (hasCallback(here)) page.history.replaceState(null, "", withoutCallback(here.href));
}

/** Reads the answer in the address bar, and takes it out of there at once. */
export function takeAnswer(page: Page, redirectUrl: string): Callback | undefined {
  const callback = readAnswer(page, redirectUrl);
  dropAnswer(page, redirectUrl);
  return callback;
}

/** The part of a BroadcastChannel that sign-ins use. */
export interface AuthChannel {
  postMessage(message: unknown): void;
  onmessage: ((event: { readonly data: unknown; readonly origin: string }) => void) | null;
  close(): void;
}

/** The name of the channel on which tabs hear of each other's sign-ins. */
export const AUTH_CHANNEL = "holdfast.auth";

/** A listener to the news of other tabs. */
export interface NewsListener {
  /** A grant of that sign-in was stored or deleted. */
  stored(signIn: string): void;
  /** The page in that window took an answer that was no good. */
  failed(window: string, failure: AuthFailure): void;
  /** The page in that window has left its answer with the flow. */
  answered(window: string): void;
}

/**
 * Tells the other tabs and workers of the origin of a sign-in, a sign-out or a failure. Nothing
 * secret is said: they read the store. What comes from another origin, or is no such word, is dropped.
 */
export function authNews(channel: AuthChannel, origin: string, listener: NewsListener): NewsListener {
  channel.onmessage = (event) => {
    if (event.origin !== origin) return;
    const { kind, signIn, window, leg, fields } = (event.data ?? {}) as {
      kind?: unknown;
      signIn?: unknown;
      window?: unknown;
      leg?: unknown;
      fields?: unknown
    };
    if (kind === "stored" && typeof signIn === "string") listener.stored(signIn);
    if (kind === "answered" && typeof window === "string") listener.answered(window);
    const failure = kind === "failed" ? failureOf(leg, fields) : undefined;
    if (failure && typeof window === "string") listener.failed(window, failure);
  };
  return {
    stored: (signIn) => channel.postMessage({ kind: "stored", signIn }),
    failed: (window, { leg, fields }) => channel.postMessage({ kind: "failed", window, leg, fields }),
    answered: (window) => channel.postMessage({ kind: "answered", window }),
  };
}
