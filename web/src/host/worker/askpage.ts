// Questions of a host to the app. The host asks the view's own page, or else the newest page that is there.
// Where no page is there, the question waits for one, and the work continues.

import { principalOf } from "../../connect/principal.js";
import type { UserStores } from "../../connect/userstores.js";
import type { Handlers, InputContext } from "../../input/handlers.js";
import type { Asked } from "../wire/protocol.js";
import type { Presence } from "./pagepresence.js";
import type { PortView, QuestionContext } from "./portview.js";

/** A page's view of a client, as far as it is asked for tokens. */
export interface TokenView {
  /** The page's number for the client. */
  readonly number: number;
  readonly page: { readonly presence: Presence; question(client: number, asked: Asked, request: object, context: QuestionContext): Promise<unknown> };
  /** Aborted once it uses the client no more. */
  readonly over: AbortSignal;
  readonly stores: Pick<UserStores, "user" | "token" | "changed">;
  /** True if the page has a provider of tokens. */
  readonly hasToken: boolean;
  /** All views of the same client, the newest last. */
  readonly peers: readonly TokenView[];
  /** Its own page has given that token, whoever wanted it; `isLate`: no client waits for it. */
  heardToken?(token: unknown, isLate?: boolean): void;
  /** Goes on with a client of the user that its page has now. */
  leaves(): void;
}

/** Why a question has no answer: its page has gone. */
export const GONE: unique symbol = Symbol("the page has gone");

/** A page that has not answered after so many ms is not waited for. */
const HANGS = 1_000;

/** Views whose user is being checked. */
const checking = new WeakSet<TokenView>();

/** Whoever waits for a page. */
const waiting = new Set<() => void>();

/** A page has come, or is back: what waits for one is asked there. */
export function pageArrived(): void {
  for (const goOn of [...waiting]) goOn();
}

/** Asks a page for something; rejects with what the app's code threw there. */
export async function askPage(view: PortView, asked: Asked, request: object, context: QuestionContext): Promise<unknown> {
  let { draft } = context;
  const saveDraft = (value: unknown): void => {
    draft = value;
    context.saveDraft?.(value);
  };
  while (!context.signal?.aborted) {
    const asks = isHere(view) ? view : view.peers.filter(isHere).at(-1);
    if (!asks) {
      await arrival(context.signal);
      continue;
    }
    try {
      return await asks.page.question(asks.number, asked, request, { ...context, draft, saveDraft });
    } catch (error) {
      if (error !== GONE) throw error;
    }
  }
  throw context.signal.reason;
}

/**
 * Asks the view's page for a token, and the other pages for theirs: one whose user has
 * changed leaves for a client of that user's. They are waited for, since what a page makes from
 * then on is not the last user's; but not for long, since a page may hang.
 */
export async function askForToken(view: TokenView, server: string): Promise<string> {
  // One that is being checked itself has the others check nothing.
  const others = checking.has(view) ? [] : view.peers.filter((other) => other !== view && other.page !== view.page && isHere(other));
  const all = Promise.all(others.map(checkUser));
  const token = await firstToken(view, server);
  const isSame = view.stores.user === undefined || principalOf(token) === view.stores.user; // else it leaves at once, and makes nothing more for the last user
  if (others.length > 0 && isSame) await Promise.race([all, new Promise((resolve) => setTimeout(resolve, HANGS))]);
  return token;
}

/** Asks a view's page for a token of its own: where that is another user's, the view goes on with a client of that user's. */
async function checkUser(view: TokenView): Promise<void> {
  if (checking.has(view)) return;
  checking.add(view);
  try {
    const answer = await view.stores.token();
    if (!view.over.aborted && view.stores.changed(answer)) view.leaves();
  } finally {
    checking.delete(view);
  }
}

/**
 * The view's own page's token; where that is away, or does not answer for a while, the first
 * that another page gives, unless that is another user's.
 */
function firstToken(view: TokenView, server: string): Promise<string> {
  const { over, stores } = view;
  const isChecked = checking.has(view);
  const { user } = stores;
  const answered = new AbortController();
  const end = (): void => answered.abort(over.reason);
  if (over.aborted) end();
  over.addEventListener("abort", end, { once: true });
  const { signal } = answered;
  const asked = new Set<TokenView>();
  const token = new Promise<string>((resolve, reject) => {
    const askNext = (): void => {
      if (signal.aborted) return reject(signal.reason as Error);
      const all = isChecked ? [view] : [...view.peers.filter((other) => other.hasToken && other !== view), view];
      const next = all.filter((other) => isHere(other) && !asked.has(other)).at(-1);
      if (!next) return void arrival(signal).then(askNext);
      asked.add(next);
      let waits = true;
      const goOn = (): void => {
        clearTimeout(timer);
        if (waits) askNext();
        waits = false;
      };
      const timer = setTimeout(goOn, HANGS);
      next.page.question(next.number, "token", {}, { server, signal }).then(
        (given) => {
          clearTimeout(timer);
          next.heardToken?.(given, isChecked);
          if (next === view || user === undefined || principalOf(given) === user) resolve(given as string);
          else goOn();
        },
        (error: unknown) => {
          if (error !== GONE) return reject(error as Error);
          asked.delete(next);
          goOn();
        },
      );
    };
    askNext();
  });
  return token.finally(() => {
    over.removeEventListener("abort", end);
    answered.abort();
  });
}

/** The handlers that a page has, by name, as functions that ask it. `view` is whose they are. */
export function handlersOf(names: readonly unknown[], view: () => PortView): Handlers {
  const ask =
    (asked: Asked) =>
    (request: object, context: InputContext): Promise<never> =>
      askPage(view(), asked, request, context) as Promise<never>;
  return {
    ...(names.includes("elicitation") && { elicitation: ask("elicitation") }),
    ...(names.includes("sampling") && { sampling: ask("sampling") }),
    ...(names.includes("roots") && { roots: (context: InputContext) => ask("roots")({}, context) }),
  };
}

/** Resolves when a page has come, or nobody waits for it any more. */
function arrival(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const goOn = (): void => {
      waiting.delete(goOn);
      signal?.removeEventListener("abort", goOn); // it may be that of a call that runs for days
      resolve();
    };
    waiting.add(goOn);
    signal?.addEventListener("abort", goOn);
  });
}

function isHere({ page }: Pick<TokenView, "page">): boolean {
  return page.presence === "here";
}
