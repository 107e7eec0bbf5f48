import type { Asks, ClientBackend, ConnectionFacts, Makes } from "./backend.js";
import type { Backlog } from "../base/backlog.js";
import { Call } from "./call.js";
import type { ClientEvents } from "./clientevents.js";
import { closedError, type HoldfastError } from "../base/errors.js";
import type { Handlers } from "../input/handlers.js";
import type { Host } from "../base/host.js";
import { Listeners } from "../base/listeners.js";
import type { CallToolResult } from "../base/mcp.js";
import type { CallOptions } from "./options.js";
import type { CallViewer, Made, MadeFor, NewCall, CoreCall } from "./corecall.js";
import type { CoreClient } from "./coreclient.js";
import type { UserStores } from "../connect/userstores.js";
import type { Usage } from "../storage/storage.js";
import type { View, Views } from "../connect/views.js";
import type { ClientState } from "../base/clientstate.js";
import { otherUser } from "../connect/otheruser.js";

/** The client that a view uses, open or being opened, as far as the view asks anything of it. */
interface ViewedClient {
  readonly views: Views<ClientView>;
  /** Removes a view, which no longer uses the client. Returns true if that view was the last. */
  leave(view: ClientView): boolean;
  /** Retires the client: no further view joins the client. */
  retire(): void;
  /** Moves a view to a client of the view's new user. `part` ends the view's share of this client. */
  goesOn(view: ClientView, part: (isLast: boolean) => void): void;
  /** Tells all views of it. */
  emit<E extends keyof ClientEvents>(event: E, value: ClientEvents[E]): void;
}

/**
 * The share that one `connect` of the app has in a client used by several: its handlers, tokens, listeners,
 * calls and pending promises. A view ends alone. The client ends with its last view.
 */
export class ClientView implements ClientBackend, View, CallViewer {
  readonly host: Host = "page";
  readonly backlog: Backlog;
  readonly handlers: Handlers;
  readonly stores: UserStores;
  readonly listeners: Listeners<ClientEvents> = new Listeners();
  /** The server's address. */
  address: string;
  #at!: ViewedClient;
  #client: CoreClient | undefined;
  #over = new AbortController();
  #closed: Promise<void> | undefined;
  /** True if this view has ended, while the client continues. */
  #ended = false;
  /** The app has said that it ends. */
  #ends = false;
  /** Calls that the app has got or made. */
  readonly #known = new WeakSet<CoreCall<unknown>>();
  /** And those that it has made. */
  readonly #made = new WeakSet<CoreCall<unknown>>();
  /** Calls that the app has, of the user that the page has now. */
  #shown = new WeakSet<CoreCall<unknown>>();
  /** Rejections of the promises that the app waits for. */
  readonly #waiting = new Set<(why: (op: string) => HoldfastError) => void>();
  readonly #watched = new Set<string>();

  constructor(address: string, backlog: Backlog, handlers: Handlers, stores: UserStores) {
    this.address = address;
    this.backlog = backlog;
    this.handlers = handlers;
    this.stores = stores;
  }

  /** The client that it uses, from when that is open. */
  get client(): CoreClient {
    return this.#client!;
  }

  /** True if the client is open, and the app has the client. */
  get isOpen(): boolean {
    return this.#client !== undefined;
  }

  /** The client, which may be being opened. */
  get at(): ViewedClient {
    return this.#at;
  }

  get facts(): ConnectionFacts {
    return this.client;
  }

  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** All who use the client, this one included, the newest last. */
  protected get all(): readonly ClientView[] {
    return this.#at?.views.all ?? [];
  }

  /** The state of this view. */
  get state(): ClientState {
    return this.#ended ? "closed" : this.client.state;
  }

  /** Joins a client, which may still be opening. */
  comesTo(client: ViewedClient): void {
    this.#at = client;
  }

  /** Takes the client, which is open now. */
  uses(client: CoreClient): void {
    this.#client = client;
    this.address = client.url;
  }

  /** The app can listen from here on. */
  connected(): void {
    const { durability, told: { why, subject } } = this.client;
    if (subject) this.listeners.emit("subject", subject);
    if (why) this.listeners.emit("durability", { durability, why });
    for (const call of this.client.calls()) this.#restored(call);
  }

  /** The store has brought a call back. */
  recalled(call: CoreCall<CallToolResult>): void {
    this.#show(call);
  }

  newCall<T>(...made: NewCall): Call<T> {
    return new Call<T>(...made);
  }

  /** Something has happened to the client. */
  emit<E extends keyof ClientEvents>(event: E, value: ClientEvents[E]): void {
    if (!this.#client) return; // the app cannot listen yet
    if (event === "restored")
      this.#restored((value as ClientEvents["restored"]).call as CoreCall<CallToolResult>);
    else this.listeners.emit(event, value);
  }

  #restored(call: CoreCall<CallToolResult>): void {
    if (this.#known.has(call as CoreCall<unknown>)) return;
    this.#known.add(call as CoreCall<unknown>);
    this.listeners.emit("restored", { call: this.#of(call) });
  }

  /** The app's call for one of the client's: what is stored of it comes first, where the app has none yet. */
  #of<T>(call: CoreCall<T>): Call<T> {
    return call.of(this) ?? this.#show(call, call.kept);
  }

  #show<T>(call: CoreCall<T>, late = false): Call<T> {
    this.#shown.add(call as CoreCall<unknown>);
    return call.show(this, late);
  }

  /** The app's calls for all that is kept; none once it has said that this ends (fault 676). */
  calls(): Call<CallToolResult>[] {
    return this.#ends || this.state === "closed" ? [] : this.client.calls().map((call) => this.#of(call));
  }

  make<T, M extends keyof Makes>(op: string, method: M, args: Makes[M], options: CallOptions): Call<T> {
    const client =
      this.client as unknown as Record<M, (...all: [...Makes[M], CallOptions, Made]) => CoreCall<T>>;
    return this.#make(op, options, (rest, made) => client[method](...args, rest, made));
  }

  /** Makes a call: `send` does, and has to pass `made` on. The signal is this view's. */
  #make<T>(
    op: string, { signal, ...options }: CallOptions, send: (options: CallOptions, made: Made) => CoreCall<T>,
  ): Call<T> {
    if (this.#ended) {
      const call = this.newCall<T>(op, this.backlog);
      call.fail(closedError(op));
      return call;
    }
    const mine = signal instanceof AbortSignal && !signal.aborted;
    let call: Call<unknown> | undefined;
    const made = send(mine || signal === undefined ? options : { ...options, signal }, (shared) => {
      this.#known.add(shared);
      this.#made.add(shared);
      call = this.#show(shared);
    });
    if (mine) call?.cancelWith(signal);
    if (call) this.listeners.emit("call", { call });
    this.#known.add(made as CoreCall<unknown>); // the app is told of no call that it has asked for
    return (call as Call<T> | undefined) ?? this.#of(made);
  }

  rerun(call: CoreCall<unknown>): Call<unknown> {
    if (this.#ended || !this.#shown.has(call)) throw closedError("retry"); // or it is of the last user
    return this.#make("retry", {}, (_, made) => call.repeat(made));
  }

  stored(): Promise<Usage | null> {
    return this.#until("stored", this.client.stored());
  }

  recorded(): Promise<string | null> {
    return this.#until("recorded", this.client.recorded());
  }

  /** Waits for an answer, no longer than this view lasts. */
  ask<M extends keyof Asks>(op: string, method: M, ...args: Parameters<Asks[M]>): ReturnType<Asks[M]>;
  ask(op: string, method: keyof Asks, ...args: unknown[]): Promise<unknown> {
    const { client } = this;
    const asksServer = !method.endsWith("ubscribeResource") ||
      this.#watch(args[0] as string, method === "subscribeResource");
    if (this.#ended) return Promise.reject(closedError(op));
    if (!asksServer) return Promise.resolve();
    return this.#until(
      op,
      (
        client as unknown as Record<string, (...all: unknown[]) => Promise<unknown>>
      )[method]!(...this.#marked(args)),
    );
  }

  /**
   * The arguments with `made` among the options, which come last: it notes each request as this view's, and
   * lets none out once the view has another user or has ended.
   */
  #marked(args: readonly unknown[]): unknown[] {
    const { signal: over } = this.#over;
    const made: Made = (shared) => {
      if (over.aborted) throw closedError(shared.method); // whoever asked has been told
      this.#made.add(shared);
    };
    return [...args.slice(0, -1), { ...(args.at(-1) as object | undefined), made } satisfies MadeFor];
  }

  /** Settles as the promise does; rejects earlier if this view ends, or if the view's user changes. */
  #until<T>(op: string, asked: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const end = (why: (op: string) => HoldfastError): void => reject(why(op));
      this.#waiting.add(end);
      void asked.then(resolve, reject).finally(() => this.#waiting.delete(end));
    });
  }

  /**
   * The view subscribes to changes of a resource, or no longer does. Reports whether the server has to be
   * asked.
   */
  #watch(uri: string, watched: boolean): boolean {
    if (watched) this.#watched.add(uri);
    else this.#watched.delete(uri);
    return watched || !this.#at.views.all.some((view) => view.#watched.has(uri));
  }

  /** Ends it, and the client with the last view. Resolves when that has ended. */
  close(): Promise<void> {
    this.#ends = true;
    return (this.#closed ??= this.#close());
  }

  async #close(): Promise<void> {
    const { client } = this;
    const last = this.#at.leave(this);
    this.#over.abort();
    if (last) {
      await client.close();
      return;
    }
    this.#ended = true;
    this.#part((op) => closedError(op), false);
    for (const uri of this.#watched)
      if (this.#watch(uri, false)) void client.unsubscribeResource(uri).catch(() => {});
    if (client.state !== "failed" && client.state !== "closed")
      this.listeners.emit("state", { state: "closed" });
  }

  /**
   * Suspends the client as a page does that is left: the view is closed, and the server keeps the session.
   */
  async suspend(): Promise<void> {
    this.#at.retire();
    await this.client.suspend();
    await this.close();
  }

  /** Ends it for a logout, and the client for all who use it, unless others have calls under way. */
  async logout(): Promise<void> {
    const { client } = this;
    this.#ends = true;
    this.#at.retire();
    const others = [...client.all()].some((call) => !call.settled && call.isSeenBeside(this));
    if (!others) await client.logout();
    await this.close();
    // Logout deletes the stored data at once: the authorization server may take long to answer.
    await Promise.all([client.forget().then(() => this.stores.forgetOthers()), this.stores.signOut()]);
  }

  leaves(): void {
    if (this.#closed) return; // nobody would close the next one
    const { isOpen } = this;
    this.#over.abort();
    this.#over = new AbortController();
    this.#watched.clear();
    this.#shown = new WeakSet();
    this.#at.goesOn(this, (isLast) => {
      this.#revoke();
      this.#part(otherUser, isLast, this.#client?.inspected);
    });
    if (!isOpen) return; // the app has nothing yet
    this.listeners.emit("state", { state: "reconnecting", anotherUser: true });
    // others of its user have it
    if (this.client.state === "open") this.listeners.emit("state", { state: "open" });
    for (const what of ["tools", "prompts", "resources"] as const) this.listeners.emit("changed", { what });
  }

  /**
   * Revokes the calls that this view made after the client asked for the token: they are calls of the new
   * user, and the client would send them as the last user.
   */
  #revoke(): void {
    const { question } = this.#client ?? {};
    if (question)
      for (const shared of this.#client!.all())
        if (this.#made.has(shared) && shared.question === question) shared.revoke();
  }

  /**
   * Ends what the app has of the client. What is kept goes on for the others; of the rest nobody would hear,
   * and the last to go ends it all.
   */
  #part(
    why: (op: string) => HoldfastError, isLast: boolean, inspected: Iterable<CoreCall<unknown>> = [],
  ): void {
    for (const shared of [...(this.#client?.all() ?? []), ...inspected]) {
      const call = shared.of(this);
      if (!call) continue;
      shared.drop(this);
      call.fail(why(call.method));
      if (shared.settled || isLast) continue;
      this.#known.add(shared); // for this one it is none that has come back
      if (shared.kept) this.#at.emit("restored", { call: shared as CoreCall<CallToolResult> });
      else if (!shared.isSeenBeside(this)) shared.cancel("the client was closed");
    }
    for (const end of this.#waiting) end(why);
  }
}
