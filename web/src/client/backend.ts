import type { ClientState } from "../base/clientstate.js";
import type { Host } from "../base/host.js";
import type { Listeners } from "../base/listeners.js";
import type { CallToolResult, Implementation, ServerCapabilities } from "../base/mcp.js";
import type { NegotiationStep } from "../base/negotiation.js";
import type { Usage } from "../storage/storage.js";
import type { Durability } from "../tabs/journalclient.js";
import type { Call } from "./call.js";
import type { ClientEvents } from "./clientevents.js";
import type { Counters } from "./counters.js";
import type { Guarantees } from "./guarantees.js";
import type { CallOptions } from "./options.js";
import type { CoreClient } from "./coreclient.js";

/** The client's methods that return a promise, by name. */
export type Asks = Pick<
  CoreClient,
  | "listTools"
  | "listTasks"
  | "listResources"
  | "listResourceTemplates"
  | "readResource"
  | "subscribeResource"
  | "unsubscribeResource"
  | "listPrompts"
  | "getPrompt"
  | "complete"
  | "setLoggingLevel"
  | "rootsChanged"
  | "notify"
  | "ping"
>;

/** The client's methods that return a call, by name: the arguments before the options. */
export interface Makes {
  callTool: [name: string, args: Record<string, unknown>];
  request: [method: string, params: Record<string, unknown> | undefined];
}

/** Facts about a connection that the page reads without asking the worker or the core. */
export interface ConnectionFacts {
  /** The server's URL, absolute. */
  readonly url: string;
  /** The protocol revision in use. */
  readonly revision: string;
  /** The attempts to find the revision, in order. */
  readonly negotiation: readonly NegotiationStep[];
  /** True if the server keeps a session. */
  readonly session: boolean;
  /** The server's own name and version. */
  readonly server: Implementation;
  /** The capabilities that the server declares. */
  readonly capabilities: ServerCapabilities;
  /** How to use the server, in its own words. */
  readonly instructions: string | undefined;
  /** Where calls of tools are kept. */
  readonly durability: Durability;
  /** The guarantees that a tool call starts with, and can reach. */
  readonly guarantees: Guarantees;
  /** Numbers of messages and events that were dropped or repaired so far. */
  readonly counters: Counters;
}

/**
 * The runtime as the public client uses it, in whatever host. Only data, an `AbortSignal` and the app's
 * listeners cross this interface, so that a message port can carry them.
 */
export interface ClientBackend {
  /** Where the runtime runs. */
  readonly host: Host;
  /** The facts about the connection at this moment. */
  readonly facts: ConnectionFacts;
  /** The state of this client; it may be closed while the connection continues. */
  readonly state: ClientState;
  /** The app's listeners to this client. */
  readonly listeners: Listeners<ClientEvents>;
  /** Asks for something; `op` is what an error names. Rejects when this client is closed. */
  ask<M extends keyof Asks>(op: string, method: M, ...args: Parameters<Asks[M]>): ReturnType<Asks[M]>;
  /** Makes a call; `op` is what an error names. */
  make<T, M extends keyof Makes>(op: string, method: M, args: Makes[M], options: CallOptions): Call<T>;
  /** The calls that are kept and not acknowledged. */
  calls(): Call<CallToolResult>[] | Promise<Call<CallToolResult>[]>;
  /** The size of the store of this server and user. */
  stored(): Promise<Usage | null>;
  /**
   * The key under which the recording of this server and user is stored, all traffic so far included; null
   * where nothing is kept.
   */
  recorded(): Promise<string | null>;
  /** Ends this client, and the connection with the last that uses it. */
  close(): Promise<void>;
  /** Ends it, and deletes all that is stored of this server and user. */
  logout(): Promise<void>;
}
