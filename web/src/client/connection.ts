/// <reference lib="esnext.disposable" preserve="true" />
import type { Asks, ClientBackend, Makes } from "./backend.js";
import type { Call } from "./call.js";
import { CLIENT_EVENTS, type ClientEvents } from "./clientevents.js";
import type { Counters } from "./counters.js";
import type { Durability } from "../tabs/journalclient.js";
import type { Guarantees } from "./guarantees.js";
import type { CallToolResult, Implementation, Open, ServerCapabilities } from "../base/mcp.js";
import type { CallOptions, RequestOptions } from "./options.js";
import { ASKS, CALL, MAKES } from "./clientoptionkinds.js";
import { nameOf } from "./methodname.js";
import type { ClientState } from "../base/clientstate.js";
import { disposedBy } from "../base/dispose.js";
import type { Host } from "../base/host.js";
import { check, checkAll } from "../base/kinds.js";
import { checkListener } from "../base/listeners.js";
import type { Usage } from "../storage/storage.js";
import type { NegotiationStep } from "../base/negotiation.js";

/** A connection to one MCP server: its state, requests and events. {@link McpClient} adds MCP's methods. */
export class Connection {
  /** The server's URL, absolute. */
  readonly url: string;
  /** @internal The runtime, and what this one has of the client there, which others may share. */
  protected readonly backend: ClientBackend;
  /** Closes the client where an `await using` ends. */
  declare readonly [Symbol.asyncDispose]: () => Promise<void>;

  static {
    disposedBy(this.prototype, function () {
      return this.close();
    });
  }

  /**
   * @internal A framework leaves alone what says what it is: behind its proxy an object has no private
   * members.
   */
  get [Symbol.toStringTag](): string {
    return "McpClient";
  }

  /** @internal Use {@link connect}. */
  constructor(backend: ClientBackend) {
    this.backend = backend;
    this.url = backend.facts.url;
  }

  /** The attempts to find the revision, in order; empty where the revision was known. */
  get negotiation(): readonly NegotiationStep[] {
    return this.backend.facts.negotiation;
  }

  /** Where the runtime of this client runs: what its work outlives. */
  get host(): Host {
    return this.backend.host;
  }

  /** Where the client stands. */
  get state(): ClientState {
    return this.backend.state;
  }

  /** The protocol revision in use, such as "2025-11-25". */
  get revision(): string {
    return this.backend.facts.revision;
  }

  /** True if the server keeps a session for this client. */
  get session(): boolean {
    return this.backend.facts.session;
  }

  /** The server's own name and version; for display only. */
  get server(): Implementation {
    return this.backend.facts.server;
  }

  /** The capabilities that the server declares. */
  get capabilities(): ServerCapabilities {
    return this.backend.facts.capabilities;
  }

  /** How to use the server, in its own words; for a model. */
  get instructions(): string | undefined {
    return this.backend.facts.instructions;
  }

  /** Where calls of tools are kept: `memory` ends with the page. */
  get durability(): Durability {
    return this.backend.facts.durability;
  }

  /**
   * What a call of a tool can count on here: what it starts with, and the best
   * that it may come to. From 2026-07-28 on a stream that ends with the page
   * cancels its call, unless the server makes a task of it.
   */
  get guarantees(): Guarantees {
    return this.backend.facts.guarantees;
  }

  /**
   * The calls that are kept and not acknowledged: of this page, of earlier ones
   * and of others that are open, those that have ended included. Needs no
   * network. Iterating one gives its events from the start. Empty once the client is closed.
   */
  async calls(): Promise<Call<CallToolResult>[]> {
    return this.backend.calls();
  }

  /**
   * What the store holds of this server and user, once what is on its way to it is
   * there; null where there is none, or not any more: it was deleted, or the client is closed.
   *
   * @throws HoldfastError `storage_failed` where it cannot be read now
   */
  stored(): Promise<Usage | null> {
    return this.backend.stored();
  }

  /**
   * Asks the browser to spare this origin when it needs room, so that calls are
   * not evicted. Resolves with whether it will: where `durability` is `memory` at once, with false. Firefox
   * asks the user, and resolves when that is answered: ask on a click, and wait for nothing by it. What
   * the origin takes up is in {@link Connection.stored}.
   */
  async persist(): Promise<boolean> {
    // With site data blocked Firefox asks all the same, and never resolves.
    if (this.durability === "memory") return false;
    // Missing on plain http; a window that may not store anything refuses.
    return (await globalThis.navigator?.storage?.persist?.().catch(() => false)) ?? false;
  }

  /**
   * Closes the connection, ends the session at the server, and deletes all that is stored
   * of this server and user: calls, results, the session and what was learned of the server.
   * Where another tab carries a call, which may be in that session, the last tab that is
   * closed ends it. For a logout; {@link wipe} does it for all servers. In every tab a call
   * of this user that has not left ends `unsent`; one under way is read to the end of its open stream.
   * Clients of this page that share the connection end with it, unless they have calls under way, which are
   * read so, too.
   *
   * @throws HoldfastError `storage_failed` where it could not be deleted
   */
  forget(): Promise<void> {
    return this.backend.logout();
  }

  /** Numbers of messages and events that were dropped or repaired so far. */
  get counters(): Counters {
    return this.backend.facts.counters;
  }

  /**
   * Makes any request. Progress is always asked for.
   *
   * @throws HoldfastError `bad_argument`, at once
   */
  request<T = unknown>(method: string, params?: Open, options: CallOptions = {}): Call<T> {
    const op = nameOf(method);
    checkAll(op, [method, params], MAKES.request);
    return this.make(op, "request", [method, params], options);
  }

  /** Sends a notification; resolves once the server has taken it. */
  notify(method: string, params?: Open, options: Pick<RequestOptions, "meta"> = {}): Promise<void> {
    return this.ask(nameOf(method), "notify", method, params, options);
  }

  /** Asks the server for a sign of life. */
  ping(options: RequestOptions = {}): Promise<void> {
    return this.ask("ping", "ping", options);
  }

  /**
   * Listens to the client. Returns the function that stops listening. A
   * listener that throws is reported as an uncaught error and harms nobody.
   *
   * @throws HoldfastError `bad_argument` for an event that there is not
   */
  on<E extends keyof ClientEvents>(event: E, listener: (event: ClientEvents[E]) => void): () => void {
    checkListener(CLIENT_EVENTS, event, listener);
    return this.backend.listeners.add(event, listener);
  }

  /**
   * Closes the connection: calls in flight reject with code `closed`, the
   * session is deleted at the server, unless a call that is kept goes on in it or
   * another page uses it. Resolves when that is answered, after two seconds at
   * most; nothing happens any more from then on. Whoever connects meanwhile makes
   * a session of their own.
   *
   * Where `connect` has given this page more than one client of the same URL, user and
   * options, this ends for this one alone: what it has under way rejects with `closed`,
   * and of that what is kept goes on for the others, who hear of it by `restored`. The
   * last one that closes ends the session.
   */
  close(): Promise<void> {
    return this.backend.close();
  }

  /** @internal Asks for something. */
  protected async ask<M extends keyof Asks>(
    op: string, method: M, ...args: Parameters<Asks[M]>
  ): Promise<Awaited<ReturnType<Asks[M]>>> {
    checkAll(op, args, ASKS[method]);
    return (await this.backend.ask(op, method, ...args)) as Awaited<ReturnType<Asks[M]>>;
  }

  /** @internal Makes a call; what can be none throws at once: in the call nobody might read of it. */
  protected make<T, M extends keyof Makes>(
    op: string, method: M, args: Makes[M], options: CallOptions,
  ): Call<T> {
    check(op, "options", options, CALL);
    const { onprogress, ...rest } = options;
    const call = this.backend.make<T, M>(op, method, args, rest);
    if (onprogress) call.progressed(onprogress);
    return call;
  }
}
