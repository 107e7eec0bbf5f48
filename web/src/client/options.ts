import { HoldfastError } from "../shared/errors.js";
import type { Handlers } from "../input/handlers.js";
import type { Implementation, Open } from "../shared/mcp.js";
import type { WasmSource } from "../runtime/loadruntime.js";
import { utf8ByteString } from "../runtime/table.js";

/**
 * Gives a bearer token: the token alone, without "Bearer". Asked once before
 * the first request and once after a 401, however many requests got one; the
 * requests are then repeated once. A rejection ends what waited for the token with
 * `unauthorized`, and is its `cause`, unless it is for want of the network: while the
 * browser is offline, by a TypeError in the words of fetch ("Failed to fetch" ...), a
 * NetworkError or TimeoutError, or with a true `retryable`. Then it is asked again, at
 * once when the network is back, and a page with a `principal` has its stored calls
 * meanwhile.
 */
export type TokenProvider = () => string | Promise<string>;

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

/**
 * What becomes of a tool's result that does not fit its outputSchema: `reject`
 * ends the call with `invalid_structured_content`, which carries the result;
 * `report` delivers it, and tells of it with the event `integrity`
 * (`invalid_output`); `false` does not look.
 */
export type ValidatePolicy = "reject" | "report" | false;

/** How what is kept rests in IndexedDB. */
export interface JournalOptions {
  /**
   * What is encrypted there, under a key that no script can read. `secrets`: what lets
   * somebody take over a call or a session, drafts and answers; arguments, events and
   * results rest in plain. `all`: those as well, and nothing is kept where there is no
   * cipher (plain http): `durability` is then `memory`, because of `cipher`. Numbers,
   * times and sizes of what is stored stay readable. Default `secrets`.
   */
  seal?: "secrets" | "all";
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

/** Names that MCP sets itself. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  "accept",
  "content-type",
  "last-event-id",
  "mcp-method",
  "mcp-name",
  "mcp-protocol-version",
  "mcp-session-id",
]);

/** An error that names the argument. */
export function badArgument(op: string, argument: string, problem: string): HoldfastError {
  return new HoldfastError({ code: "bad_argument", op, message: `${argument} ${problem}` });
}

/** The absolute form of a server URL, resolved against the page; `protocols` are those that it may have. */
export function serverURL(url: string | URL, op = "connect", protocols: readonly string[] = ["http:", "https:"]): string {
  let absolute: URL;
  try {
    absolute = new URL(url, globalThis.location?.href);
  } catch {
    throw badArgument(op, "url", "is not a URL");
  }
  if (!protocols.includes(absolute.protocol)) {
    throw badArgument(op, "url", `has to start with ${protocols.join(", ").replace(/, ([^,]*)$/, " or $1")}, not ${absolute.protocol}`);
  }
  if (absolute.username || absolute.password) {
    throw badArgument(op, "url", "holds a user name or password, which fetch refuses: use headers or token");
  }
  absolute.hash = "";
  return absolute.href;
}

/** Refuses what is not an AbortSignal: a controller in its place is a common slip. */
export function checkSignal(op: string, signal: unknown): void {
  if (signal !== undefined && !(signal instanceof AbortSignal)) throw badArgument(op, "signal", "has to be an AbortSignal");
}

/** Refuses what is no token provider: a token in its place is a common slip. */
export function checkToken(op: string, token: unknown): void {
  if (token !== undefined && typeof token !== "function") throw badArgument(op, "token", "has to be a function that gives a token");
}

/** Refuses what says nothing of how calls are kept. */
export function checkJournal(op: string, journal: unknown): void {
  if (journal === undefined || typeof journal === "boolean") return;
  if (typeof journal !== "object" || journal === null) throw badArgument(op, "journal", "has to be a boolean or an object");
  const { seal } = journal as { seal?: unknown };
  if (seal !== undefined && seal !== "secrets" && seal !== "all") throw badArgument(op, "journal.seal", 'has to be "secrets" or "all"');
}

/** Refuses what is no name of a user. */
export function checkPrincipal(op: string, principal: unknown): void {
  if (principal === undefined || (typeof principal === "string" && principal !== "")) return;
  throw badArgument(op, "principal", 'has to be a string that names the user, or "shared"');
}

/** Rejects what was begun for nothing. */
export function throwIfAborted(op: string, signal: AbortSignal | undefined): void {
  if (signal?.aborted) {
    throw new HoldfastError({ code: "cancelled", op, message: "the signal was aborted", cause: signal.reason });
  }
}

/** The names and values of header fields, in whatever form fetch takes them. */
export function headerEntries(headers: HeadersInit = {}): [string, string][] {
  if (headers instanceof Headers) return [...headers];
  return (Array.isArray(headers) ? headers : Object.entries(headers)) as [string, string][];
}

/** Header fields as the core takes them: name, value as a byte string, and so on. `own` are those that the protocol sets itself. */
export function headerList(
  headers: HeadersInit | undefined,
  hasTokenProvider: boolean,
  op = "connect",
  own: ReadonlySet<string> = OWN_HEADERS,
): string[] {
  const list: string[] = [];
  for (const [name, value] of headerEntries(headers)) {
    const argument = `headers[${JSON.stringify(name)}]`;
    const lower = String(name).toLowerCase();
    if (own.has(lower)) throw badArgument(op, argument, "is set by the protocol itself");
    if (lower === "authorization" && hasTokenProvider) {
      throw badArgument(op, argument, "cannot go with a token provider, which sets it too");
    }
    if (typeof value !== "string") throw badArgument(op, argument, "has to be a string");
    const bytes = utf8ByteString(value);
    let sent: string | null;
    try {
      // A Request's headers drop the names that a page may not set.
      sent = new Request("http://localhost/", { headers: { [name]: bytes } }).headers.get(name);
    } catch {
      throw badArgument(op, argument, "holds characters that a header cannot carry");
    }
    if (sent === null) throw badArgument(op, argument, "is a header that browsers do not let a page set");
    list.push(name, bytes);
  }
  return list;
}

/**
 * A time for the core: 0 for the default, -1 for never. The app's own 0 is refused: some
 * would mean "at once" by it, and others "never".
 */
export function milliseconds(op: string, argument: string, value: number | undefined): number {
  if (value === undefined) return 0;
  if (typeof value !== "number" || !(value > 0)) {
    throw badArgument(op, argument, "has to be a number of ms above 0: Infinity is for ever, and without it the default holds");
  }
  return value > Number.MAX_SAFE_INTEGER ? -1 : Math.ceil(value);
}

/** A bound for the core: 0 for the default. */
export function bound(argument: string, value: number | undefined, op = "connect"): number {
  if (value === undefined) return 0;
  if (!Number.isSafeInteger(value) || value < 1) throw badArgument(op, argument, "has to be a positive integer");
  return Math.min(value, 0x7fffffff);
}

/** Refuses a number where its group belongs: `timeouts: 5000` says nothing. */
export function checkGroup(op: string, argument: "timeouts" | "limits" | "retention", value: unknown): void {
  if (value !== undefined && (typeof value !== "object" || value === null)) throw badArgument(op, argument, "has to be an object");
}
