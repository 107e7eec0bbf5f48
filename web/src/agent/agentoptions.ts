import { clientInfo, commonCore } from "../connect/commonoptions.js";
import type { Auth, JournalOptions, TokenProvider } from "../connect/useroptions.js";
import type { FetchLike } from "../runtime/sender.js";
import type { WasmSource } from "../runtime/loadruntime.js";
import { badArgument, bound } from "../base/arguments.js";
import type { Host } from "../base/host.js";
import type { Implementation } from "../base/mcp.js";
import { sendsCookies } from "../base/origins.js";
import type { AgentAddress } from "./agentaddress.js";
import { OP } from "./op.js";
import type { AgentHandlers } from "./openquestions.js";

/** Times in ms, above 0; `Infinity` is never. */
export interface AgentTimeouts {
  /**
   * From a request to its answer. Default 120,000. A prompt, a login and a history may take as long as they
   * like.
   */
  answer?: number;
  /**
   * ms of silence on an open stream; the stream is then cut and opened again. Default 180,000, less where the
   * agent's server sends keep-alives.
   */
  idle?: number;
}

/**
 * Bounds of memory. What exceeds one is an error with code `limit_exceeded`, or reported with `integrity`.
 */
export interface AgentLimits {
  /** Bytes of one line of an event stream. Default 16 MiB. */
  line?: number;
  /** Bytes of one message. Default 16 MiB. */
  event?: number;
  /** Bytes of a JSON body. Default 16 MiB. */
  body?: number;
  /** Levels of JSON nesting. Default 512. */
  depth?: number;
  /**
   * Bytes of one item of a transcript, a terminal's output included; then it is `truncated`. Default 4 MiB.
   */
  item?: number;
  /** Bytes of a history that is replayed. Default 64 MiB. */
  replay?: number;
  /** Requests under way. Default 1,024. */
  requests?: number;
  /**
   * Event streams at once. Default 4: over HTTP/1.1 a browser has six connections for an origin, and tabs
   * share them: a page may have less.
   */
  streams?: number;
  /** Bytes of this agent's sessions in the store. Default 64 MiB. */
  stored?: number;
  /** Events of one session that wait for a reader that is iterating. Default 100,000. */
  backlog?: number;
  /** Bytes of those, about. Default 64 MiB. */
  backlogBytes?: number;
  /** Bytes of the events of all sessions that wait for their readers. Default 256 MiB. */
  backlogTotal?: number;
}

/** Options of {@link connectAgent}. All are optional. */
export interface AgentOptions {
  /** Name and version of the app, shown to the agent. */
  client?: Implementation;
  /** Pins the version of ACP. By default 2 is asked for, and 1 is taken as well. */
  version?: 1 | 2;
  /**
   * Whether an agent of version 1 is offered the prompt lifecycle of version 2: by `promptLifecycle` in
   * `_meta` of
   * `initialize`, and of its `clientCapabilities`. The name is Holdfast's own. An agent that refuses it is
   * asked once more without. True by default.
   */
  promptLifecycle?: boolean;
  /** How the agent is spoken to. By default as the URL says: http: is Streamable HTTP, ws: a WebSocket. */
  transport?: "http" | "websocket";
  /**
   * More header fields for every request. The protocol's own names are refused. With
   * any, nothing is kept without a `principal`. Not with a WebSocket, which sends none.
   */
  headers?: HeadersInit;
  /** Gives bearer tokens. Not with a WebSocket. */
  token?: TokenProvider;
  /**
   * Signs in where the agent's server wants it: what {@link oauth} gives. Not with `token`, nor with a
   * WebSocket. Where the client is in a worker, that has the tokens.
   */
  auth?: Auth;
  /**
   * Sends the requests in the place of the browser's fetch, as for MCP ({@link ConnectOptions.fetch}). Not
   * with a WebSocket.
   */
  fetch?: FetchLike;
  /**
   * The cookies of a request, as fetch has it. Default "omit"; a WebSocket always sends them. Where cookies
   * are sent, nothing is stored without a `principal`.
   */
  credentials?: RequestCredentials;
  /** The app's answers to the agent's requests. */
  handlers?: AgentHandlers;
  /**
   * The answers to elicitations: by the handler, or by the app from {@link AgentSession.requests}. With
   * "handlers", and no such handler, the client does not offer elicitations to the agent. The agent asks for
   * permissions in any case. Default "handlers".
   */
  input?: "handlers" | "manual";
  /** True to store sessions in IndexedDB, so that they outlive the page; or how to. Default true. */
  journal?: boolean | JournalOptions;
  /**
   * The user, as for MCP ({@link ConnectOptions.principal}). Needed with a WebSocket, or nothing is stored.
   */
  principal?: string;
  /** Times for every request. */
  timeouts?: AgentTimeouts;
  /** Bounds of memory. */
  limits?: AgentLimits;
  /**
   * Where the runtime runs: in this `page`; in a `worker` of its own, off the main thread, which
   * ends with the page; or in a `shared` worker, where a reload does not cut the connection and
   * all tabs have the same one. Default `auto`: `shared` where it can be had, else `page`; the event
   * `host` says why. {@link Agent.host} says which it is.
   */
  host?: "auto" | Host;
  /** Where holdfast-worker.mjs is, if not beside this module; of the page's own origin. */
  worker?: string | URL;
  /**
   * Where holdfast-agents.wasm is, if not beside this module, or that wasm itself. Read by the first
   * connectAgent of a page.
   */
  wasm?: WasmSource;
  /** Gives up connecting, or closes the client later. */
  signal?: AbortSignal;
}

/** Names that ACP sets itself (RFD streamable-http-websocket-transport). */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  "accept",
  "acp-connection-id",
  "acp-protocol-version",
  "acp-session-id",
  "content-type",
  "last-event-id",
]);

/**
 * The options as the core takes them (wasm/agent.go), but for what follows from the store; throws
 * `bad_argument` as {@link commonCore} does.
 */
export function coreOptions({ transport }: AgentAddress, options: AgentOptions): object {
  const { limits = {} } = options;
  const common = commonCore(OP, options, OWN_HEADERS);
  if (transport === "websocket") {
    for (const name of ["headers", "token", "auth", "fetch", "credentials"] as const) {
      if (options[name] !== undefined)
        throw badArgument(
          OP, name, "cannot be chosen for a WebSocket: a browser sends its cookies and nothing else",
        );
    }
  }
  const at = (name: keyof AgentLimits): number => bound(`limits.${name}`, limits[name], OP);
  return {
    transport,
    ...common,
    info: clientInfo(options),
    capabilities: JSON.stringify(elicits(options) ? { elicitation: { form: {}, url: {} } } : {}),
    version: options.version ?? 0,
    noLifecycle: options.promptLifecycle === false,
    maxItem: at("item"),
    maxReplay: at("replay"),
    maxRequests: at("requests"),
    maxStreams: at("streams"),
  };
}

/** True if the client offers elicitations to the agent. */
export function elicits({ handlers, input }: AgentOptions): boolean {
  return handlers?.elicitation !== undefined || input === "manual";
}

/** True if the browser sends an agent its cookies, which may say who the user is. */
export function cookiesGo({ url, transport }: AgentAddress, { credentials = "omit" }: AgentOptions): boolean {
  return transport === "websocket" || sendsCookies(url, credentials);
}
