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

/** What an app asks of a client and gets a promise for, by the name of the client's method. */
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

/** What an app asks of a client and gets a call for: the arguments before the options. */
export interface Makes {
  callTool: [name: string, args: Record<string, unknown>];
  request: [method: string, params: Record<string, unknown> | undefined];
}

/** What is known of a connection without a question to anybody. */
export interface ConnectionFacts {
  /** The server's URL, absolute. */
  readonly url: string;
  /** The protocol revision in use. */
  readonly revision: string;
  /** What was tried to find the revision, in order. */
  readonly negotiation: readonly NegotiationStep[];
  /** Whether the server keeps a session. */
  readonly session: boolean;
  /** Who the server says it is. */
  readonly server: Implementation;
  /** What the server says it can do. */
  readonly capabilities: ServerCapabilities;
  /** How to use the server, in its own words. */
  readonly instructions: string | undefined;
  /** Where calls of tools are kept. */
  readonly durability: Durability;
  /** What a call of a tool can count on. */
  readonly guarantees: Guarantees;
  /** What was dropped or repaired so far. */
  readonly counters: Counters;
}

/**
 * What the public client rests on: the runtime, wherever it runs. Nothing but data, an
 * `AbortSignal` and the app's listeners crosses it, so that a message port can carry it.
 */
export interface ClientBackend {
  /** Where the runtime runs. */
  readonly host: Host;
  /** What is known of the connection now. */
  readonly facts: ConnectionFacts;
  /** Where this client stands, which may be closed while the connection goes on. */
  readonly state: ClientState;
  /** Those of the app's that listen to this client. */
  readonly listeners: Listeners<ClientEvents>;
  /** Asks for something; `op` is what an error names. Rejects when this client is closed. */
  ask<M extends keyof Asks>(op: string, method: M, ...args: Parameters<Asks[M]>): ReturnType<Asks[M]>;
  /** Makes a call; `op` is what an error names. */
  make<T, M extends keyof Makes>(op: string, method: M, args: Makes[M], options: CallOptions): Call<T>;
  /** The calls that are kept and not acknowledged. */
  calls(): Call<CallToolResult>[] | Promise<Call<CallToolResult>[]>;
  /** What the store holds of this server and user. */
  stored(): Promise<Usage | null>;
  /**
   * Under which key what was recorded of this server and user is stored, all that has crossed so far
   * included; null where nothing is kept.
   */
  recorded(): Promise<string | null>;
  /** Ends this client, and the connection with the last that uses it. */
  close(): Promise<void>;
  /** Ends it, and deletes all that is stored of this server and user. */
  logout(): Promise<void>;
}
