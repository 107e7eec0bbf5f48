import type { Handlers } from "../input/handlers.js";
import type { Keeping } from "../connect/lifetime.js";
import type { JournalOptions, TokenProvider } from "../connect/useroptions.js";
import type { ValidatePolicy } from "../output-schema/outputs.js";
import type { WasmSource } from "../runtime/loadruntime.js";
import { badArgument } from "../shared/arguments.js";
import type { Host } from "../shared/host.js";
import type { Implementation, Open } from "../shared/mcp.js";

/** Times in ms, above 0; `Infinity` is never. */
export interface Timeouts {
  /** From a request to the head of its response. Default 120,000. */
  answer?: number;
  /** Of silence on an open stream; it is then cut and resumed where it can be. Default 180,000. */
  idle?: number;
  /** Of a whole call. Default: never. */
  total?: number;
}

/**
 * How long calls that nobody acknowledges are stored, in ms above 0; `Infinity` is for
 * ever. A call's age is counted to a time that two pages have read, a
 * day apart, so that one wrong clock deletes nothing. What goes is told by the event
 * `evicted`.
 */
export interface Retention {
  /** A call that has ended, from its end. Default 7 days. */
  ended?: number;
  /** One that has not, and that no page carries, from its making. Default 30 days. */
  running?: number;
}

/**
 * Bounds of memory. Exceeding one is an error with code `limit_exceeded`, but for
 * `stored`: then calls are evicted, or go on in memory.
 */
export interface Limits {
  /** Bytes of one line of an event stream. Default 16 MiB. */
  line?: number;
  /** Bytes of one event. Default 16 MiB. */
  event?: number;
  /** Bytes of a JSON body. Default 64 MiB. */
  body?: number;
  /** Levels of JSON nesting. Default 512. */
  depth?: number;
  /** Calls in flight. Default 1,024. */
  calls?: number;
  /** Events of one call that wait for a reader. Default 100,000. */
  backlog?: number;
  /** Bytes of those. A slow reader holds up its stream long before; for one that does not ask for events they are dropped, and read again from the store when it does; what is not there is told ({@link GapEvent}). Default 64 MiB. */
  backlogBytes?: number;
  /** Bytes of the events of all calls that wait for their readers. Default 256 MiB. */
  backlogTotal?: number;
  /** Bytes of this server's calls in the store; finished ones are forgotten first, oldest first. Default 64 MiB. */
  stored?: number;
}

/** When the store forgets a call ({@link CallOptions.ack}). */
export type AckMode = "auto" | "manual";

/**
 * Whether a request may be run again by itself where its outcome cannot be had any
 * more: `never`; `hinted`, where its tool was listed with `readOnlyHint` or
 * `idempotentHint`; `always`. MCP calls these hints untrusted: they are what the
 * server says of itself. Each run that follows another is told, as `resumed` with
 * the outcome `restarted`. In one page a call is run again five times at most; then it
 * ends with `lost` or `outcome_unknown`.
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
}

/** @internal The defaults of a client's calls; throws `bad_argument`. */
export function callDefaults(op: string, { ack = "auto", rerun = "hinted" }: Partial<CallDefaults>): CallDefaults {
  if (ack !== "auto" && ack !== "manual") throw badArgument(op, "ack", 'has to be "auto" or "manual"');
  if (rerun !== "never" && rerun !== "hinted" && rerun !== "always") throw badArgument(op, "rerun", 'has to be "never", "hinted" or "always"');
  return { ack, rerun };
}

/** Options of {@link connect}. All are optional. */
export interface ConnectOptions {
  /** Name and version of the app, shown to the server. */
  client?: Implementation;
  /** Pins the protocol revision: nothing else is tried. By default the server is asked. */
  revision?: string;
  /** What to do when the server asks for something: a form, a model, folders. */
  handlers?: Handlers;
  /**
   * More header fields for every request. The protocol's own names are refused. They
   * may say who the user is: with any, nothing is kept without a `principal`.
   */
  headers?: HeadersInit;
  /**
   * Whether cookies go along, as fetch has it. Default "omit". Cookies may say who
   * the user is: where they go along, nothing is kept without a `principal`.
   */
  credentials?: RequestCredentials;
  /** Gives bearer tokens. */
  token?: TokenProvider;
  /** Whether to open the stream for what the server says unasked. Default true. */
  listen?: boolean;
  /** Times for every call of this client. */
  timeouts?: Timeouts;
  /**
   * For how long a call may wait for a connection, the network or a token before it
   * leaves for the first time, in ms: see {@link CallOptions.sendWithin}. Default 300,000.
   */
  sendWithin?: number;
  /** Bounds of memory. */
  limits?: Limits;
  /**
   * Whether results of tools are validated against their outputSchema, where
   * listTools has brought one. Default "reject". A result whose schema cannot be
   * worked with (it refers to another document, it takes too long ...) is
   * delivered, and told of as `unchecked_output`.
   */
  validate?: ValidatePolicy;
  /** Where holdfast-validate.mjs is, if not beside this module. Loaded with the first result that needs it. */
  validator?: string | URL;
  /**
   * Whether calls of tools are kept in IndexedDB, so that they outlive the page.
   * Default true. Where there is no store the client says `durability: "memory"`
   * and works on.
   */
  journal?: boolean | JournalOptions;
  /**
   * Who the user is, to tell the users of this browser apart: what one has stored,
   * another never sees. Not empty; it is not sent. `"shared"` says that all users of
   * this origin are one. Without it each JWT of the token provider says it, by issuer
   * and subject: one of another user ends what is under way here with `closed`, and
   * the client goes on with the store of that user, in a session of its own. Where
   * cookies, header fields or opaque tokens may say who it is, and this does not,
   * nothing is kept: `durability` is "memory", and its event says why ("principal").
   */
  principal?: string;
  /** How long calls that nobody acknowledges stay in the store. */
  retention?: Retention;
  /** When the store forgets a call: see {@link CallOptions.ack}. Default "auto". */
  ack?: AckMode;
  /** Whether calls may be run again by themselves: see {@link CallOptions.rerun}. Default "hinted". */
  rerun?: RerunPolicy;
  /**
   * Where the runtime runs. `page`: in this page. `worker`: in a worker of this page's, off its main
   * thread. `shared`: in a worker that all pages of the origin share, and that outlives a reload:
   * nothing of what is under way is cut by one. A host that is named and cannot be had is
   * an error, `host_unavailable`. Default `auto`, which is the page.
   */
  host?: "auto" | Host;
  /** Where holdfast-worker.mjs is, if not beside this module; of the page's own origin. For `shared` and `worker`. */
  worker?: string | URL;
  /** Where the wasm is, if not beside this module. Read by the first connect of a page. */
  wasm?: WasmSource;
  /** Gives up connecting, or closes the client later. */
  signal?: AbortSignal;
}

/** How a server may answer a call that may become a task (SEP-1905). */
export type ResponseMode = "immediate" | "streaming" | "task";

/** Options of one call. */
export interface CallOptions {
  /** Cancels the call. */
  signal?: AbortSignal;
  /** Times for this call, where they differ from the client's. */
  timeouts?: Timeouts;
  /**
   * For how long the call may wait for a connection, the network or a token before it
   * leaves for the first time, in ms above 0; `Infinity` for ever. It counts
   * from when the call was made, over reloads as well, and where the clock cannot be believed the time is
   * over. Then the call rejects with `unsent`: nobody will send it, and the app may make
   * it again. Default: the client's.
   */
  sendWithin?: number;
  /** Members for the request's `_meta`. */
  meta?: Open;
  /**
   * Whether the call is kept in the store. Default true for tools/call, false
   * for everything else.
   */
  journal?: boolean;
  /**
   * The app's own name for the call, of 1 to 1,024 characters. A known key with the same
   * request gives that call, whichever page made it; with another one it rejects `key_in_use`.
   * It leaves once the store has decided whose the key is: where the store fails it waits
   * for {@link CallOptions.sendWithin}, then rejects with `unsent`.
   */
  key?: string;
  /**
   * When the store forgets the call. `auto`: two tasks after its {@link Call.result}
   * was handed to a page that lives, or its error thrown by a loop, unless what awaited
   * that throws and nobody catches it; a page that only follows the call and that
   * nobody sees waits until it is seen. `manual`: when the app says {@link Call.ack},
   * for apps that have to process each outcome exactly once. Either way `lost` and
   * `outcome_unknown` are kept until the app decides ({@link Call.replay},
   * {@link Call.abandon}, {@link Call.ack}). Default: the client's.
   */
  ack?: AckMode;
  /**
   * Whether the request may be run again where its outcome cannot be had any
   * more. What a tool's hints say is copied when the call is made: a list that
   * comes later changes nothing. Default: the client's.
   */
  rerun?: RerunPolicy;
  /**
   * Whether a tool's call may become a task of the server's (2025-11-25), which
   * outlives every connection. By default it does where the tool offers it;
   * `false` where it only may; `ttl` is how long the server shall keep it, in whole ms;
   * `responseModes` how it may answer (SEP-1905), where it says that it has a choice:
   * at once, in numbered segments, or with a task alone. By default in any of these.
   */
  task?: boolean | { ttl?: number; responseModes?: readonly ResponseMode[] };
  /**
   * Who answers requests for input of 2026-07-28 and of tasks: the handlers, or the
   * app with {@link Call.answer}, on a later page as well. Default "handlers".
   */
  input?: "handlers" | "manual";
}
