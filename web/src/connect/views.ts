// Views of a client: `connect` has given each of them to the app, and the newest is last. A question that the
// server asks on a call goes to the page that made the call, to its newest view. Every other question of the
// server or of the core goes to the newest view of all. Once a view closes, the view before it takes its
// place.

import type { AskedContext, DeclaredHandlers, Handlers, InputContext } from "../input/handlers.js";
import type { TokenSubject } from "../base/clientstate.js";
import type { Open } from "../base/mcp.js";
import type { RequestSender } from "../runtime/sender.js";
import type { TokenReply } from "./tokenreply.js";
import type { OpenedStore, TokenSource, UserStores } from "./userstores.js";

/** A view of a client: one of its users. */
export interface View {
  readonly handlers: Handlers;
  readonly stores: UserStores;
  /** Aborted once it uses the client no more. */
  readonly over: AbortSignal;
  /**
   * True if this view comes before the newest for a question on that call. Example: its page made the call.
   */
  isAskedOn?(call: object): boolean;
  /** The view's user is another one from here on, and the client becomes that user's. */
  userChanged?(): void;
  /** The view's last token is another user's: the view continues with a client of that user's. */
  leaves(): void;
}

/** The views of one client. */
export class Views<V extends View = View> {
  #all: readonly V[] = [];

  /** All of them, in the order of their coming. */
  get all(): readonly V[] {
    return this.#all;
  }

  /** The view that is asked. */
  get newest(): V | undefined {
    return this.#all.at(-1);
  }

  /** The view that is asked on a call. */
  askedOn(call: object | undefined): V | undefined {
    return (call && this.#all.filter((view) => view.isAskedOn?.(call)).at(-1)) ?? this.newest;
  }

  /** Adds a view, which uses the client from here on. */
  add(view: V): void {
    const { newest } = this;
    if (newest) view.stores.joins(newest.stores);
    this.#all = [...this.#all, view];
  }

  /** Removes a view, which no longer uses the client. Returns true if that view was the last. */
  remove(view: V): boolean {
    const had = this.#all.includes(view);
    this.#all = this.#all.filter((other) => other !== view);
    return had && this.#all.length === 0;
  }
}

/**
 * The handlers of the view that is asked. All views of a client have handlers for the same; `declared`: what
 * all have declared, as JSON.
 */
export function newestHandlers(views: Views, declared?: string): DeclaredHandlers {
  const { elicitation, sampling, roots } = views.newest?.handlers ?? {};
  return {
    ...(declared && { declared: JSON.parse(declared) as Open }),
    ...(
      elicitation && {
        elicitation: (request, context) =>
          ask(views, context, (handlers, own) => handlers.elicitation!(request, own)),
      }
    ),
    ...(
      sampling && {
        sampling: (request, context) =>
          ask(views, context, (handlers, own) => handlers.sampling!(request, own)),
      }
    ),
    ...(roots && { roots: (context) => ask(views, context, (handlers, own) => handlers.roots!(own)) }),
  };
}

/** Asks a view; the next one, with the same draft, where that one closes before it has answered. */
async function ask<T>(
  views: Views, context: AskedContext, of: (handlers: Handlers, context: InputContext) => T | Promise<T>,
): Promise<T> {
  let { draft, call, ...rest } = context;
  const saveDraft = (value: unknown): void => {
    context.saveDraft(value);
    draft = value;
  };
  for (let view = views.askedOn(call); view && !context.signal.aborted; view = views.askedOn(call)) {
    const { handlers, over } = view;
    const own = {
      ...rest,
      ...(draft === undefined ? {} : { draft }),
      saveDraft: (value: unknown) => over.aborted || saveDraft(value),
      signal: either(context.signal, over).signal,
    };
    try {
      const answer = await whileThere(over, Promise.resolve(of(handlers, own)));
      if (answer) return answer.value;
    } catch (error) {
      if (!over.aborted) throw error;
    }
  }
  return new Promise(() => {}); // nobody waits for it
}

/** The tokens and stores of the newest view. */
export class NewestTokens implements TokenSource {
  readonly #views: Views;
  readonly #becomes: ((principal: string | undefined) => void) | undefined;
  #changed = false;
  given: string | undefined;

  /**
   * `becomes`: the client becomes that of its only view's next user, where it can (an agent's); else that
   * view leaves, as others do.
   */
  constructor(views: Views, becomes?: (principal: string | undefined) => void) {
    this.#views = views;
    this.#becomes = becomes;
  }

  get sender(): RequestSender | undefined {
    return this.#views.newest?.stores.sender;
  }

  async token(opening = false, gone?: AbortSignal): Promise<TokenReply> {
    for (let view = this.#views.newest; view && !gone?.aborted; view = this.#views.newest) {
      const { stores } = view;
      const asked = either(view.over, gone);
      const answer = (await whileThere(asked.signal, stores.token(opening, asked.signal)))?.value;
      const over = asked.signal.aborted;
      asked.abort(); // it listens to neither any more
      if (!answer || over) continue;
      if (!stores.changed(answer)) {
        if (answer.ok) this.given = answer.text;
        return answer;
      }
      if (this.#becomes && this.#views.all.length === 1) {
        view.userChanged?.();
        this.#becomes(stores.user);
        this.#changed = true;
        return answer;
      }
      view.leaves(); // what the client has is not that user's
    }
    return { ok: false, text: "there is no token provider" };
  }

  stranger(answer: TokenReply): TokenSubject | undefined {
    return this.#views.newest?.stores.stranger(answer);
  }

  changed(): boolean {
    const changed = this.#changed;
    this.#changed = false;
    return changed;
  }

  open(): Promise<OpenedStore> {
    return this.#views.newest!.stores.open();
  }

  async isOf(store: string): Promise<boolean> {
    return (await this.#views.newest?.stores.isOf(store)) ?? false;
  }
}

/** The value of a promise; undefined if `over` aborts first. */
function whileThere<T>(over: AbortSignal, promise: Promise<T>): Promise<{ value: T } | undefined> {
  return new Promise((resolve, reject) => {
    if (over.aborted) resolve(undefined);
    const end = (): void => resolve(undefined);
    over.addEventListener("abort", end, { once: true });
    promise.then((value) => resolve({ value }), reject).finally(() => over.removeEventListener("abort", end));
  });
}

/** Aborted with the first of two. */
function either(one: AbortSignal, other: AbortSignal | undefined): AbortController {
  const controller = new AbortController();
  const { signal } = controller;
  for (const source of [one, other]) {
    if (!source) continue;
    if (source.aborted) controller.abort(source.reason);
    else source.addEventListener("abort", () => controller.abort(source.reason), { once: true, signal });
  }
  return controller;
}
