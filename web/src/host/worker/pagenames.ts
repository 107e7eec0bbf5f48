// Names that a message of a page can contain, and the names that a page may use. Any script of the origin can
// open a port to a worker: the worker trusts it with what the app in its page may say, and with no more. A
// message or member without a row does not compile.

import type { HowPeople, TokenStorage } from "../../auth/opensignin.js";
import type { PageMessage } from "../wire/protocol.js";

/** Kind of name that a member contains. */
export type Named =
  /**
   * A number of this port, for what its page has opened, made or asked, or was told of. Objects of other pages
   * have no number here.
   */
  | "own"
  /** Any server or agent, as the app may: http or WebSocket. */
  | "address"
  /** A file of the package, beside the worker: by its name, without a query, which is the worker's to add. It is looked at where it is imported. */
  | "file"
  /** The wasm, wherever it lies: the worker knows it by its digest. */
  | "wasm"
  /**
   * Options of connect() or of a call, as the app may give them; no code, and nothing that stands for code.
   */
  | "options"
  /** Options of oauth(), as the app may give them. */
  | "signIn"
  /** Handlers that the page has. */
  | "handlers"
  /** The user, by the app's word. Keys of stores are made of it here; a page names none. */
  | "user"
  /** The page's own Web Lock, and none of Holdfast's others. */
  | "lock"
  /** The page's own window. */
  | "window"
  /** The answer of a sign-in that the page has come back with: whose it is, its state says. */
  | "answer"
  /** A method of the client that has a row where it is carried out, or any of an agent's. */
  | "method"
  /** No name: facts of the page, and data that goes to the server unchanged. */
  | "nothing";

type Names = { readonly [T in PageMessage["t"]]: { readonly [F in Exclude<keyof Extract<PageMessage, { t: T }>, "t">]-?: Named } };

const OPENS = { client: "own", url: "address", options: "options", handlers: "handlers", token: "nothing", auth: "own", again: "nothing", ifKeys: "nothing" } as const;
const OF_CALL = { call: "own" } as const;

/** Kind of name in each member of each message. */
export const NAMES: Names = {
  hello: { build: "nothing", lock: "lock", outlives: "nothing" },
  holds: {},
  load: { wasm: "wasm", agents: "nothing" },
  connect: { ...OPENS, calls: "own" },
  agent: OPENS,
  auth: { client: "own", url: "address", principal: "user", how: "signIn", file: "file", window: "window", answer: "answer", seen: "nothing", back: "nothing" },
  seen: { client: "own", seen: "nothing" },
  signIn: { client: "own", ask: "own" },
  signOut: { client: "own", ask: "own" },
  request: { client: "own", ask: "own", session: "own", method: "method", params: "nothing", notifies: "nothing" },
  respond: { client: "own", question: "own", ok: "nothing", json: "nothing" },
  save: { client: "own", question: "own", json: "nothing" },
  forgetSession: { client: "own", session: "own" },
  listening: { client: "own" },
  ask: { client: "own", ask: "own", op: "nothing", method: "method", args: "nothing" },
  abandon: { client: "own" },
  abort: { ask: "own", why: "nothing" },
  make: { client: "own", call: "own", op: "nothing", method: "method", args: "nothing", options: "options" },
  forget: { ask: "own", url: "address", user: "user", agents: "nothing" },
  rerun: { call: "own", as: "own" },
  cancel: { ...OF_CALL, reason: "nothing" },
  pause: { ...OF_CALL, on: "nothing" },
  answer: { ...OF_CALL, responses: "nothing" },
  acted: OF_CALL,
  peek: OF_CALL,
  park: { ...OF_CALL, on: "nothing" },
  draft: { ...OF_CALL, key: "nothing", draft: "nothing" },
  ack: { ask: "own", ...OF_CALL, position: "nothing" },
  reread: { ask: "own", ...OF_CALL, read: "own", events: "nothing", from: "nothing", to: "nothing" },
  heard: { question: "own" },
  reply: { question: "own", value: "nothing", error: "nothing" },
  typed: { question: "own", draft: "nothing" },
  credit: { bytes: "nothing" },
  stop: { read: "own" },
  away: { cached: "nothing" },
  back: {},
  bye: {},
};

/** Options that are code, or say where it runs: they stay in the page. */
const OF_PAGE = ["fetch", "token", "auth", "handlers", "signal", "worker", "host", "onprogress"];
const HOW: readonly unknown[] = ["popup", "redirect", "manual"] satisfies HowPeople[];
const STORAGE: readonly unknown[] = ["persistent", "memory"] satisfies TokenStorage[];
const HANDLERS = ["elicitation", "sampling", "roots", "permission"];

/**
 * Checks of a name, where the kind of the member does not say all. The reader of a number knows its owner:
 * each port has numbers of its own.
 */
const MAY: { readonly [N in Named]?: (value: unknown) => boolean } = {
  address: (url) => !URL.canParse(url as string) || /^(http|ws)s?:$/.test(new URL(url as string).protocol), // what is none is refused by its name
  options: (options) => !OF_PAGE.some((name) => (options as Record<string, unknown>)[name] !== undefined),
  signIn: (given) => {
    const { options, how, storage } = given as Record<string, unknown>;
    return typeof options === "object" && options !== null && HOW.includes(how) && STORAGE.includes(storage);
  },
  handlers: (names) => (names as unknown[]).every((name) => HANDLERS.includes(name as string)),
  lock: (name) => !(name as string).startsWith("holdfast.") || (name as string).startsWith("holdfast.page."),
  answer: (answer) => answer === undefined || Object.values(answer as object).every((member) => member === undefined || typeof member === "string"),
};

/** True if a page may use all the names in its message. */
export function mayName(message: PageMessage): boolean {
  const names: Readonly<Record<string, Named>> = NAMES[message.t];
  return Object.entries(names).every(([member, named]) => MAY[named]?.((message as unknown as Record<string, unknown>)[member]) !== false);
}
