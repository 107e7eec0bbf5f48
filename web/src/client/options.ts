import type { Handlers } from "../input/handlers.js";
import type { Keeping } from "../connect/lifetime.js";
import type { Auth, JournalOptions, RecordOptions, TokenProvider } from "../connect/useroptions.js";
import type { ValidatePolicy } from "../output-schema/outputs.js";
import type { FetchLike } from "../runtime/sender.js";
import type { WasmSource } from "../runtime/loadruntime.js";
import { badArgument } from "../base/arguments.js";
import type { Host } from "../base/host.js";
import type { Implementation, Open } from "../base/mcp.js";

/** Times in ms, above 0; `Infinity` is never. */
export interface Timeouts {
  /** From a request to the head of its response. Default 120,000. */
  answer?: number;
  /**
   * Silence on an open stream: the client then cuts the stream, and resumes where the server can. Default
   * 180,000.
   */
  idle?: number;
  /** Duration of a whole call. Default: no limit. */
  total?: number;
}

/**
 * How long calls that nobody acknowledges are stored, in ms above 0; `Infinity` is for
 * ever. A call's age is counted to a time that two pages have read, a
 * day apart, so that one wrong clock deletes nothing. The event `evicted` reports each
 * call that is deleted.
 */
export interface Retention {
  /** A call that has ended, from its end. Default 7 days. */
  ended?: number;
  /** A call without an outcome that no page carries, counted from its making. Default 30 days. */
  running?: number;
}

/**
 * Bounds of memory. Exceeding one is an error with code `limit_exceeded`, but for
 * `stored`: then calls are evicted, or go on in memory.
 */
export interface Limits {
  /** Bytes of one line of an event stream. Default 64 MiB. */
  line?: number;
  /** Bytes of one event. Default 64 MiB. */
  event?: number;
  /** Bytes of a JSON body. Default 64 MiB. */
  body?: number;
  /** Levels of JSON nesting. Default 512. */
  depth?: number;
  /** Calls in flight. Default 1,024. */
  calls?: number;
  /** Events of one call that wait for a reader. Default 100,000. */
  backlog?: number;
  /**
   * Bytes of those. A slow reader holds up its stream long before. If nobody asks for events, they are
   * dropped, and a later reader gets them from the store; for events that the store does not have, the reader
   * gets a {@link GapEvent}. Default 64 MiB.
   */
  backlogBytes?: number;
  /** Bytes of the events of all calls that wait for their readers. Default 256 MiB. */
  backlogTotal?: number;
  /**
   * Bytes of this server's calls in the store; finished ones are forgotten first, oldest first. Default 64
   * MiB.
   */
  stored?: number;
}

/** When the store forgets a call ({@link CallOptions.ack}). */
export type AckMode = "auto" | "manual";

/**
 * The rule for running a request again once its outcome can no longer be had: `never`; `hinted`, where its
 * tool was listed with `readOnlyHint` or `idempotentHint`; `always`. MCP calls these hints untrusted: the
 * server says them of itself. The event `resumed` with the outcome `restarted` reports each further run. In
 * one page a call runs again five times at most; then the call ends with `lost` or `outcome_unknown`.
 */
export type RerunPolicy = "never" | "hinted" | "always";

/** @internal What holds for calls that do not say otherwise. */
export interface CallDefaults {
  ack: AckMode;
  rerun: RerunPolicy;
}

/** @internal How a client keeps its calls, where each call may say otherwise. */
export interface CallKeeping extends Keeping {
  defaults: CallDefaults;
  /** The options that can change the server's lists, as text. Example: capabilities and header fields. */
  variant?: string;
  /**
   * Why nothing outlives the page, as was found out before the client was there; empty where it does, or the
   * app wants it so.
   */
  why?: string;
}

/** @internal The defaults of a client's calls; throws `bad_argument`. */
export function callDefaults(
  op: string, { ack = "auto", rerun = "hinted" }: Partial<CallDefaults>,
): CallDefaults {
  if (ack !== "auto" && ack !== "manual") throw badArgument(op, "ack", 'has to be "auto" or "manual"');
  if (rerun !== "never" && rerun !== "hinted" && rerun !== "always")
    throw badArgument(op, "rerun", 'has to be "never", "hinted" or "always"');
  return { ack, rerun };
}

/** Options of {@link connect}. All are optional. */
export interface ConnectOptions {
  /** Name and version of the app, shown to the server. */
  client?: Implementation;
  /**
   * Capabilities of the app beside its handlers (schema: ClientCapabilities), such as `extensions` and
   * `experimental`. For a handler's capability, this names the part that the handler supports. Example: `{
   * elicitation: { form: {} } }` for a handler that opens no pages. By default the client declares all of the
   * capability.
   */
  capabilities?: Open;
  /** Pins the protocol revision: nothing else is tried. By default the server is asked. */
  revision?: string;
  /** The app's handlers for the server's requests: a form, a model's reply, folders. */
  handlers?: Handlers;
  /**
   * More header fields for every request. The protocol's own names are refused. They
   * may say who the user is: with any, nothing is kept without a `principal`.
   */
  headers?: HeadersInit;
  /**
   * The rule for sending cookies, as in fetch. Default "omit". Cookies may say who the user is: with cookies,
   * nothing is kept without a `principal`.
   */
  credentials?: RequestCredentials;
  /** Gives bearer tokens. */
  token?: TokenProvider;
  /**
   * Signs in where the server wants it: what {@link oauth} gives. Not with `token`.
   * Where the client is in a worker, that signs in and has the tokens; pages have the windows.
   */
  auth?: Auth;
  /**
   * Sends the requests to the server, in the place of the browser's fetch: for a proxy, or for tests. It has
   * to be in this page: `host` has to be "page" or left out. What it sends may say who the user is: nothing
   * is kept without a `principal`. What the browser itself could find out of a failure, such as CORS rules,
   * no `hint` says then.
   */
  fetch?: FetchLike;
  /** True to open the stream for messages that belong to no request. Default true. */
  listen?: boolean;
  /** Times for every call of this client. */
  timeouts?: Timeouts;
  /**
   * For how long a call may wait for a connection, the network or a token before it
   * leaves for the first time, in ms: see {@link CallOptions.sendWithin}. Default 300,000.
   */
  sendWithin?: number;
  /**
   * True to send a tool call that must not run twice with a stream as its body. The browser must be Chromium,
   * and the server must speak HTTP/2 or later and take such a body. A browser by itself repeats a request
   * whose connection ends before the answer begins; it cannot repeat a request whose body is a stream.
   * Requests that carry cookies, and those of an own `fetch`, have bytes. Default false.
   */
  streamedBodies?: boolean;
  /** Bounds of memory. */
  limits?: Limits;
  /**
   * The rule for tool results that do not fit their outputSchema, where listTools has brought one. Default
   * "reject". If a schema cannot be used (it refers to another document, it takes too long ...), the client
   * delivers the result, and the event `integrity` reports `unchecked_output`.
   */
  validate?: ValidatePolicy;
  /**
   * The place of holdfast-validate.mjs, if not beside this module; a worker takes the file from its own
   * folder. The client loads the file with the first result that needs it.
   */
  validator?: string | URL;
  /**
   * True to keep tool calls in IndexedDB, so that the calls outlive the page. Default true. Without a store
   * the client says `durability: "memory"` and works on.
   */
  journal?: boolean | JournalOptions;
  /**
   * The user's name, which tells the users of this browser apart: no user ever sees what another one has
   * stored. Not empty; never sent. `"shared"` says that all users of this origin are one. Without a
   * `principal`, each JWT of the token provider names the user, by issuer and subject. A JWT of another user
   * ends the calls under way here with `closed`; the client then continues with the store of that user, in a
   * session of its own. Where cookies, header fields or opaque tokens may name the user, and there is no
   * `principal`, nothing is kept: `durability` is "memory", and its event says why ("principal").
   */
  principal?: string;
  /**
   * True to record the network traffic, redacted, in a ring in IndexedDB that survives a reload and a crash.
   * `exportTrace()` of `holdfast/recorder` reads the recording. The runtime records wherever it runs, for all
   * pages that share the connection, from when the first page asks for it. Nothing is recorded where nothing
   * is kept (`durability`, `principal`). {@link Connection.forget} and {@link wipe} delete the recording with
   * the rest. Default false.
   */
  record?: boolean | RecordOptions;
  /**
   * The place of holdfast-record.mjs, if not beside this module. The client loads the file for `record`
   * alone.
   */
  recorder?: string | URL;
  /** Time for which the store keeps calls that nobody acknowledges. */
  retention?: Retention;
  /** When the store forgets a call: see {@link CallOptions.ack}. Default "auto". */
  ack?: AckMode;
  /** The rule for running calls again without the app: see {@link CallOptions.rerun}. Default "hinted". */
  rerun?: RerunPolicy;
  /**
   * Where the runtime runs. `page`: in this page. `worker`: in a worker of this page's, off its main
   * thread. `shared`: in a worker that all pages of the origin share. That worker outlives a
   * reload, so a reload cuts no call. If the host that is named cannot be had, connect rejects
   * with `host_unavailable`. Default `auto`: `shared` where it can be had, else `page`; the event `host` says
   * why.
   */
  host?: "auto" | Host;
  /**
   * The place of holdfast-worker.mjs, if not beside this module; of the page's own origin. For `shared` and
   * `worker`.
   */
  worker?: string | URL;
  /**
   * The place of holdfast.wasm, if not beside this module, or the wasm itself. holdfast-agents.wasm will do.
   * The first connect of a page reads this option.
   */
  wasm?: WasmSource;
  /** Gives up connecting, or closes the client later. */
  signal?: AbortSignal;
}

/** How a server may answer a call that may become a task (SEP-1905). */
export type ResponseMode = "immediate" | "streaming" | "task";

/** Options of a request that is answered, and no more: a list, a resource, a prompt. */
export interface RequestOptions {
  /** Cancels the request. */
  signal?: AbortSignal;
  /** Times for this request, where they differ from the client's. */
  timeouts?: Timeouts;
  /**
   * For how long the request may wait for a connection, the network or a token before it
   * leaves for the first time, in ms above 0; `Infinity` for ever. The time
   * counts from the making of a call, over reloads as well. If the clock cannot be
   * believed, the time is over. Then it rejects with `unsent`: nobody will send the
   * request, and the app may make it again. Default: the client's.
   */
  sendWithin?: number;
  /** Members for the request's `_meta`. */
  meta?: Open;
}

/** Options of a completion. */
export interface CompleteOptions extends RequestOptions {
  /**
   * What completions may depend on: `arguments` are those of the prompt, or variables of the template, that
   * are chosen already, by name. Sent since 2025-06-18; an earlier revision has no place for it, and the
   * server completes without.
   */
  context?: { arguments?: Record<string, string> };
}

/** Options of a list: with a cursor, the one page that it names; without, all of them. */
export interface ListOptions extends RequestOptions {
  /** `nextCursor` of the page before. */
  cursor?: string;
  /**
   * `reload` asks the server whatever is kept of the list, as for a button that says so. By default a list is
   * asked for that is not fresh any more: by the server's `ttlMs` (2026-07-28), also one that an earlier page
   * or another tab of this user was given.
   */
  cache?: "default" | "reload";
}

/** How far a call has come (schema: ProgressNotificationParams). */
export interface Progress {
  progress: number;
  total?: number;
  message?: string;
}

/** Options of one call. */
export interface CallOptions extends RequestOptions {
  /**
   * Called with the call's progress, as the official client does. A listener that throws is
   * reported as an uncaught error and harms nobody. What came before a reload is
   * not told again: iterate the call for that.
   */
  onprogress?: (progress: Progress) => void;
  /** True if the store keeps the call. Default true for tools/call, false for everything else. */
  journal?: boolean;
  /**
   * The app's own name for the call, of 1 to 1,024 characters. A known key with the same
   * request gives the call that exists, whichever page made it; with another request, the
   * call rejects with `key_in_use`. The call leaves once the store has decided whose the key
   * is. If the store fails, the call waits for {@link CallOptions.sendWithin}, then rejects
   * with `unsent`.
   */
  key?: string;
  /**
   * When the store forgets the call. `auto`: two tasks after a living page has received
   * the {@link Call.result}, or a loop has thrown the error, unless the code that awaited
   * it throws and nobody catches. A hidden page that only follows the call waits until
   * somebody sees the page. `manual`: when the app calls {@link Call.ack}, for apps that
   * have to process each outcome exactly once. Either way `lost` and
   * `outcome_unknown` are kept until the app decides ({@link Call.retry},
   * {@link Call.abandon}, {@link Call.ack}). Default: the client's.
   */
  ack?: AckMode;
  /**
   * The rule for running the request again once its outcome can no longer be had. The tool's hints are copied
   * when the call is made: a later list changes nothing. Default: the client's.
   */
  rerun?: RerunPolicy;
  /**
   * The wish for a task (2025-11-25), which outlives every connection. By default a tool call becomes a task
   * where the tool offers one. `false`: only where the tool demands one. `ttl` is how long the server shall
   * keep the task, in whole ms. `responseModes` is how the server may answer (SEP-1905), where it offers a
   * choice: at once, in numbered segments, or with a task alone. By default the server may use any of them.
   */
  task?: boolean | { ttl?: number; responseModes?: readonly ResponseMode[] };
  /**
   * The responder to requests for input of 2026-07-28 and of tasks: the handlers, or the app with {@link
   * Call.answer}, on a later page as well. Default "handlers".
   */
  input?: "handlers" | "manual";
}
