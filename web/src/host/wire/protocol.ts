// The messages between a page and the host that its runtime runs in, a worker. The one
// place that describes them: both sides take what arrives through `checked`.
//
// A page opens a port and says `hello`; the host answers `welcome` or `refused`. Each says `holds` once it has
// the Web Lock by which the other notices its end: a lock takes a browser that opens a page as long as all else, so
// nothing waits for it but connect(), with its page's. A page may open a client with its hello: what is said of that may come before the `welcome`. The page opens clients on the port, each under a number of its own. Calls have numbers too: even
// ones are given by the page that makes a call, odd ones by the host, for what it has. An
// agent's sessions have numbers of the host's among them, and the agent itself its client's. What an
// agent asks has a number that nothing else has at that host, whichever runtime there has asked it.
// The order of messages on a port is the order in which things happened.

import type { Asks, Makes } from "../../client/backend.js";
import { checked as checkedMessage, type Fields } from "../../base/checkedmessage.js";
import type { ErrorData } from "./errordata.js";

/** Name of the app's code that a host asks: the token provider, or a handler. */
export type Asked = "token" | "elicitation" | "sampling" | "roots";

/**
 * Name of a request to the page itself for a sign-in: "signIn" shows an address ({@link AddressToShow}),
 * "signInWindow" tells when its window is gone, "signInMarks" reads the marks of logouts.
 */
export type AskedToSignIn = "signIn" | "signInWindow" | "signInMarks";

/**
 * Place of the work that a logout deletes. The host sends it with the facts, so that the work can be deleted
 * when the client is closed. The host makes the keys of the stores: a page names none.
 */
export interface StoredPlaces {
  /** The server's URL, absolute. */
  url: string;
  /** Name of the user; undefined where the user is unknown. */
  user?: string | undefined;
  /** True for an agent's work, false for an MCP server's. */
  agents: boolean;
}

/**
 * A call that a page has of an earlier host's: the number that it has here, its {@link Call.id} and when it
 * was made, and whether the page has made it. Where the host has it, its message `call` has that number.
 */
export type CallOfPage = [number: number, id: string, createdAt: number, isMade: boolean];

/** Messages of a page to its host. */
export type PageMessage =
  /**
   * First message. `lock` names a Web Lock that the page holds while it lives; the page says when it has the
   * lock. `outlives`: the host outlives its pages.
   */
  | { t: "hello"; build: string; lock: string; outlives: boolean }
  /** The page has the lock that its hello named. */
  | { t: "holds" }
  /** Loads the runtime from that address before a client asks for it: with what is spoken to agents, or for MCP. */
  | { t: "load"; wasm: string; agents: boolean }
  /**
   * Opens a client: `options` are those of connect() without functions, `handlers` the names of those that the page has. `again`: it
   * takes the place of one that ended with its worker, and that the app has, and `calls` are what it had. `ifKeys`: only where the host can store keys, which the page has not heard yet.
   */
  | { t: "connect"; client: number; url: string; options: object; handlers: string[]; token: boolean; auth?: number; again: boolean; ifKeys: boolean; calls?: CallOfPage[] }
  /** Opens an agent's client in the same way. */
  | { t: "agent"; client: number; url: string; options: object; handlers: string[]; token: boolean; auth?: number; again: boolean; ifKeys: boolean }
  /**
   * Opens the sign-in at a server, which clients name as their `auth`: `how` is {@link CrossingSignIn}, `file` the name,
   * beside the worker's script, of what signs in, `window` the name of the page's own, `answer` what the page has come
   * back with, `seen` whether somebody looks at it, `back` that somebody has come Back to it.
   */
  | { t: "auth"; client: number; url: string; principal: string; how: object; file: string; window: string; answer?: object; seen: boolean; back: boolean }
  /** `seen` is true if a person looks at the page. */
  | { t: "seen"; client: number; seen: boolean }
  /** Has a person sign in, or signs out; `answered` comes when that is done. */
  | { t: "signIn"; client: number; ask: number }
  | { t: "signOut"; client: number; ask: number }
  /** Makes a request of an agent in a session, or sends a notification; 0 is no session. `params` is JSON. `answered` comes with the result. */
  | { t: "request"; client: number; ask: number; session: number; method: string; params: string; notifies: boolean }
  /** Answers what an agent asks: JSON of a result, or of an error object. */
  | { t: "respond"; client: number; question: number; ok: boolean; json: string }
  /** Saves what a person has typed of such an answer, as JSON. */
  | { t: "save"; client: number; question: number; json: string }
  /** Forgets a session of an agent's. */
  | { t: "forgetSession"; client: number; session: number }
  /** The app has the client, and can listen: what it asked before that comes before it. */
  | { t: "listening"; client: number }
  /** Asks for something under a number: `answer` comes with it. */
  | { t: "ask"; client: number; ask: number; op: string; method: keyof Asks | "calls" | "stored" | "recorded" | "close" | "terminate" | "logout"; args: unknown[] }
  /**
   * Drops the client that was opened with the hello and that no caller wants. The client leaves to the next
   * page what an earlier page has left here.
   */
  | { t: "abandon"; client: number }
  /** Aborts an ask: no caller waits for its answer any more. */
  | { t: "abort"; ask: number; why: string }
  /** Makes a call under an even number. `args` is JSON. */
  | { t: "make"; client: number; call: number; op: string; method: keyof Makes; args: string; options: object }
  /** Deletes what is stored of a server and user, without a client: {@link StoredPlaces}. `answer` comes when that is done. */
  | ({ t: "forget"; ask: number } & StoredPlaces)
  /** Runs the request of a call once more, under a number for the new one. */
  | { t: "rerun"; call: number; as: number }
  /** Operations of {@link CallControl} on a call. */
  | { t: "cancel"; call: number; reason: string }
  | { t: "pause"; call: number; on: boolean }
  | { t: "answer"; call: number; responses: string }
  | { t: "acted"; call: number }
  | { t: "peek"; call: number }
  | { t: "park"; call: number; on: boolean }
  | { t: "draft"; call: number; key: string; draft: string }
  /** `answer` comes when it is stored. */
  | { t: "ack"; ask: number; call: number; position: number }
  /** The next events of a gap, from the store; `answer` comes with them. The first names the gap; `read` is a number for it. */
  | { t: "reread"; ask: number; call: number; read: number; events: number; from: number; to: number }
  /** Receipt of a `question`: the page does not hang. */
  | { t: "heard"; question: number }
  /** The app's answer to a `question`: `value`, or `error` where it threw. */
  | { t: "reply"; question: number; value?: unknown; error?: ErrorData }
  /** A person has begun to answer that question; `draft` is JSON, empty for none. */
  | { t: "typed"; question: number; draft: string }
  /** Credit: the page has taken so many bytes of the host's messages. */
  | { t: "credit"; bytes: number }
  /** Ends a read of that number (`reread`): no caller reads on. */
  | { t: "stop"; read: number }
  /** The page takes nothing: it is frozen, and holds its lock; or it is `cached`, in the back/forward cache, and does not. */
  | { t: "away"; cached: boolean }
  /** The page is back, and holds its lock again. */
  | { t: "back" }
  /** The page goes for good. */
  | { t: "bye" };

/** How long, in ms, one side waits to hear that the other has its lock; then it looks. One that has ended before has said nothing. */
export const UNHELD = 10_000;

/** Message that opens a client. */
export type OpeningMessage = Extract<PageMessage, { t: "connect" | "agent" }>;

/**
 * Message of a host to a page. `size` is the number of bytes that the message counts for in the page's
 * credit.
 */
export type HostMessage = HostSays & { size?: number };

type HostSays =
  /** `lock` names a Web Lock that the host holds while it lives, and has not given the page up; it says when it does. `keys`: it can store what secrets are sealed with. */
  | { t: "welcome"; build: string; lock: string; keys: boolean }
  /** The host has that lock. */
  | { t: "holds" }
  | { t: "refused"; why: string }
  /** The host has given the page up, and hears nothing more on the port. */
  | { t: "over" }
  /** A client is open: what is kept came before it. */
  | { t: "opened"; client: number }
  | { t: "failed"; client: number; error: ErrorData }
  /**
   * Changes of {@link ConnectionFacts}, of the client's state, and of `stored`, which is {@link StoredPlaces}
   * with the keys of the `stores`.
   */
  | { t: "facts"; client: number; facts: object }
  /** An event for the client's listeners; `error` is that of a state, `call` that of `restored`. */
  | { t: "emit"; client: number; event: string; value: object; error?: ErrorData; call: number }
  | { t: "answered"; ask: number; value?: unknown; error?: ErrorData }
  /** A call that the page has not made: `made` is what {@link Call} takes. One that it has sought is there. */
  | { t: "call"; client: number; call: number; method: string; manual: boolean; params: string; made: object; kept: boolean }
  /** The client has it no more, or it is a session of an agent's that is over. */
  | { t: "forgotten"; call: number }
  /** Stored events of a call come first, up to that position. */
  | { t: "from"; call: number; position: number }
  /** Events that the page did not take, between those before and after: it has them from the store. */
  | { t: "skipped"; call: number; events: number; from: number; to: number; position: number; guarantee: string; followed: boolean }
  /** Events of several calls (eventbatch.ts): numbers, and their texts, many in one. */
  | { t: "events"; heads: Uint32Array; texts: string[] }
  /** Stored events of a call, packed. */
  | { t: "replayed"; call: number; position: number; events: Uint8Array }
  | { t: "settle"; call: number; outcome: number; text: string }
  | { t: "fail"; call: number; error: ErrorData }
  | { t: "peeked"; call: number; outcome: number; text: string }
  /** An agent has a session, or one that the page knows has a new runtime: what it holds follows as events. `made` is what the core says of it. */
  | { t: "session"; client: number; session: number; made: object }
  /** Question of an agent that this page is to answer. */
  | { t: "assigned"; client: number; session: number; number: number }
  /** The agent's sessions are over; `error` says why, where its client has failed. `again`: it is another user's, and is to be opened once more. */
  | { t: "ended"; client: number; again: boolean; error?: ErrorData }
  /** Where a sign-in stands: its page may show that. `address` is where a person has to go, empty where no window is blocked. */
  | { t: "signedIn"; client: number; state: string; address: string; failure?: ErrorData; refreshFailure?: ErrorData }
  /** The page is in the window of a flow that is over. */
  | { t: "closeWindow"; client: number }
  /** The app is asked, or the page for a sign-in: `reply` answers. */
  | { t: "question"; client: number; question: number; asked: Asked | AskedToSignIn; request: object; server: string; draft: string }
  /**
   * Withdraws a question: no caller waits for its answer. A page gives a token all the same: the token says
   * who the user is.
   */
  | { t: "withdrawn"; question: number };

/** Fields of a page's messages. */
export const FROM_PAGE: Fields<PageMessage, "t"> = {
  hello: { build: "s", lock: "s", outlives: "b" },
  holds: {},
  load: { wasm: "s", agents: "b" },
  connect: {
    client: "n", url: "s", options: "o", handlers: "a", token: "b", auth: "n?", again: "b", ifKeys: "b",
    calls: "a?",
  },
  agent: { client: "n", url: "s", options: "o", handlers: "a", token: "b", auth: "n?", again: "b", ifKeys: "b" },
  auth: { client: "n", url: "s", principal: "s", how: "o", file: "s", window: "s", answer: "o?", seen: "b", back: "b" },
  seen: { client: "n", seen: "b" },
  signIn: { client: "n", ask: "n" },
  signOut: { client: "n", ask: "n" },
  request: { client: "n", ask: "n", session: "n", method: "s", params: "s", notifies: "b" },
  respond: { client: "n", question: "n", ok: "b", json: "s" },
  save: { client: "n", question: "n", json: "s" },
  forgetSession: { client: "n", session: "n" },
  listening: { client: "n" },
  ask: { client: "n", ask: "n", op: "s", method: "s", args: "a" },
  abandon: { client: "n" },
  abort: { ask: "n", why: "s" },
  make: { client: "n", call: "n", op: "s", method: "s", args: "s", options: "o" },
  forget: { ask: "n", url: "s", user: "s?", agents: "b" },
  rerun: { call: "n", as: "n" },
  cancel: { call: "n", reason: "s" },
  pause: { call: "n", on: "b" },
  answer: { call: "n", responses: "s" },
  acted: { call: "n" },
  peek: { call: "n" },
  park: { call: "n", on: "b" },
  draft: { call: "n", key: "s", draft: "s" },
  ack: { ask: "n", call: "n", position: "n" },
  reread: { ask: "n", call: "n", read: "n", events: "n", from: "n", to: "n" },
  heard: { question: "n" },
  reply: { question: "n", value: "?", error: "o?" },
  typed: { question: "n", draft: "s" },
  credit: { bytes: "n" },
  stop: { read: "n" },
  away: { cached: "b" },
  back: {},
  bye: {},
};

/** Fields of a host's messages. */
export const FROM_HOST: Fields<HostMessage, "t"> = {
  welcome: { build: "s", lock: "s", keys: "b" },
  holds: {},
  refused: { why: "s" },
  over: {},
  opened: { client: "n" },
  failed: { client: "n", error: "o" },
  facts: { client: "n", facts: "o" },
  emit: { client: "n", event: "s", value: "o", error: "o?", call: "n" },
  answered: { ask: "n", value: "?", error: "o?" },
  call: { client: "n", call: "n", method: "s", manual: "b", params: "s", made: "o", kept: "b" },
  forgotten: { call: "n" },
  from: { call: "n", position: "n" },
  skipped: { call: "n", events: "n", from: "n", to: "n", position: "n", guarantee: "s", followed: "b" },
  events: { heads: "u32", texts: "s[]" },
  replayed: { call: "n", position: "n", events: "u8" },
  settle: { call: "n", outcome: "n", text: "s" },
  fail: { call: "n", error: "o" },
  peeked: { call: "n", outcome: "n", text: "s" },
  session: { client: "n", session: "n", made: "o" },
  assigned: { client: "n", session: "n", number: "n" },
  ended: { client: "n", again: "b", error: "o?" },
  signedIn: { client: "n", state: "s", address: "s", failure: "o?", refreshFailure: "o?" },
  closeWindow: { client: "n" },
  question: { client: "n", question: "n", asked: "s", request: "o", server: "s", draft: "s" },
  withdrawn: { question: "n" },
};

/** Message that arrived on a port, if its fields fit; undefined for anything else. */
export function checked<M extends { t: string }>(fields: Fields<M, "t">, data: unknown): M | undefined {
  return checkedMessage(fields, "t", data);
}
