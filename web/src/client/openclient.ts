import { Backlog } from "../base/backlog.js";
import type { ClientEvents } from "./clientevents.js";
import type { ClientView } from "./clientview.js";
import { diagnose } from "./diagnose.js";
import { HoldfastError } from "../base/errors.js";
import { joinable } from "../connect/joinable.js";
import { ClientRecording } from "../connect/recording.js";
import type { CallToolResult } from "../base/mcp.js";
import { unlessAborted } from "../connect/abort.js";
import { openedClient } from "../connect/opening.js";
import { abortedError, throwIfAborted } from "../base/arguments.js";
import type { CallDefaults, ConnectOptions, CallKeeping } from "./options.js";
import { mcpWasm } from "../runtime/beside.js";
import { load } from "../runtime/loadruntime.js";
import type { Runtime } from "../runtime/runtime.js";
import type { CoreCall } from "./corecall.js";
import { CoreClient, type Validation } from "./coreclient.js";
import type { ConnectionUse } from "./connectionuse.js";
import { lastSpoken } from "./spoken.js";
import { newestHandlers, NewestTokens, Views } from "../connect/views.js";

/** The settings that a client is made from, without the settings of each view. */
export interface Plan {
  /** Absolute. */
  url: string;
  /** As the app gave them. */
  options: ConnectOptions;
  /** The options that the core takes, as wasm/connect.go reads them. */
  core: { revision: string; capabilities?: string; extensions?: string; headers?: readonly string[] };
  credentials: RequestCredentials;
  /** limits.backlog, limits.backlogBytes and limits.backlogTotal. */
  backlog: [number, number, number];
  validation: Validation;
  defaults: CallDefaults;
}

/**
 * A client that is open, or being opened, and the views that use it: those of the same
 * URL, user and plain options. It ends with the last of them.
 */
export class OpenClient implements ConnectionUse {
  readonly views: Views<ClientView> = new Views();
  readonly #plan: Plan;
  readonly #key: string | undefined;
  #client: CoreClient | undefined;
  #loading!: Promise<Runtime>;
  #opened: Promise<CoreClient> | undefined;
  readonly #recording: ClientRecording;
  /** Aborted when nobody uses it any more. */
  readonly #over = new AbortController();
  /** The view that was the last one, until the client has ended. */
  #last: ClientView | undefined;

  private constructor(plan: Plan, key: string | undefined) {
    this.#plan = plan;
    this.#key = key;
    this.#recording = new ClientRecording(plan.options.fetch);
    if (key !== undefined) joinable.set(key, this);
  }

  /** The client of that user; a new one where none is open, or where the user is unknown. */
  static of(plan: Plan, principal: string | undefined): OpenClient {
    const key = keyOf(plan, principal);
    const there = key === undefined ? undefined : (joinable.get(key) as OpenClient | undefined);
    return there && there.#client?.isShareable !== false ? there : new OpenClient(plan, key);
  }

  /** Retires the client: no further view joins the client. */
  retire(): void {
    if (this.#key !== undefined && joinable.get(this.#key) === this) joinable.delete(this.#key);
  }

  /**
   * Opens the client with the first view; resolves when it is open, or that of the user whom the view has by
   * then. A signal that is aborted before ends this view alone, and the opening with the last.
   */
  join(
    view: ClientView,
    signal: AbortSignal | undefined,
    runtime: Promise<Runtime>,
    principal: string | undefined,
  ): Promise<void> {
    this.#enter(view, principal, runtime);
    return new Promise((resolve, reject) => {
      const cancelled = (): void => {
        const at = view.at as OpenClient;
        const end = (): void => reject(abortedError("connect", signal!));
        if (!at.leave(view)) end();
        else at.#opened!.then((client) => client.close()).then(end, end);
      };
      const follow = (at: OpenClient): void => {
        at.#opened!.then(
          (client) => {
            if (view.at !== at) return follow(view.at as OpenClient);
            signal?.removeEventListener("abort", cancelled);
            if (signal?.aborted) return;
            view.uses(client);
            resolve();
          },
          (error) => {
            if (view.at !== at) follow(view.at as OpenClient);
            else if (!signal?.aborted) reject(error);
          },
        );
      };
      signal?.addEventListener("abort", cancelled, { once: true });
      if (signal?.aborted) cancelled();
      follow(this);
    });
  }

  #enter(view: ClientView, principal: string | undefined, runtime: Promise<Runtime>): void {
    this.#comes(view);
    if (this.#opened && principal !== undefined) view.stores.joined(principal);
    this.#loading ??= runtime;
    this.#opened ??= this.#open(view, runtime);
  }

  #comes(view: ClientView): void {
    this.views.add(view);
    view.comesTo(this);
    this.#recording.ask(view.stores.recording);
  }

  /** Removes a view, which no longer uses the client. Returns true if that view was the last. */
  leave(view: ClientView): boolean {
    if (!this.views.remove(view)) return false;
    this.#last = view;
    this.retire();
    this.#over.abort();
    return true;
  }

  goesOn(view: ClientView, part: (isLast: boolean) => void): void {
    const isLast = this.views.remove(view);
    if (isLast) this.retire();
    part(isLast);
    this.#next(view);
    if (!isLast) return;
    void this.#client?.suspend();
    this.#over.abort();
  }

  /** Has a view use a client of its user's: one that there is, or another one of the same server. */
  #next(view: ClientView): void {
    const client = this.#client;
    const principal = view.stores.user;
    let next = OpenClient.of(this.#plan, principal);
    if (!client || !view.isOpen) return next.#enter(view, principal, this.#loading);
    // that one is being opened
    if (next.#opened && !next.#client) next = new OpenClient(this.#plan, undefined);
    next.#comes(view);
    if (!next.#opened) {
      next.#loading = this.#loading;
      const made = next.#made(client.runtime, client.url, undefined, client);
      next.#opened = Promise.resolve(made);
      made.startLater(
        { ...this.#plan.core, url: client.url, assume: client.revision }, this.#plan.credentials,
      );
      made.connected(); // the app listens
    } else if (principal !== undefined) {
      view.stores.joined(principal);
    }
    view.uses(next.#client!);
  }

  recalled(call: CoreCall<CallToolResult>): void {
    for (const view of this.views.all) view.recalled(call);
  }

  emit<E extends keyof ClientEvents>(event: E, value: ClientEvents[E]): void {
    for (const view of this.views.all) view.emit(event, value);
    this.#last?.emit(event, value);
    if (event !== "state") return;
    const { state } = value as ClientEvents["state"];
    if (state === "closed" || state === "failed") this.retire();
  }

  #made(
    runtime: Runtime,
    url: string,
    keeping: Pick<CallKeeping, "journal" | "why"> | undefined,
    like?: CoreClient,
  ): CoreClient {
    const { options, core, validation, defaults, backlog } = this.#plan;
    const stores = new NewestTokens(this.views);
    const all = {
      journal: keeping?.journal,
      why: keeping?.why ?? "",
      stores,
      defaults,
      fetch: options.fetch,
      recording: this.#recording,
      variant: JSON.stringify([core.capabilities, core.extensions, core.headers]),
      reload: () => load(mcpWasm, options.wasm),
    };
    const client = new CoreClient(
      runtime,
      url,
      new Backlog(...backlog),
      newestHandlers(this.views, core.capabilities),
      validation,
      all,
      like,
    );
    client.use = this;
    return (this.#client = client);
  }

  async #open(view: ClientView, loading: Promise<Runtime>): Promise<CoreClient> {
    const { url, options, core, credentials } = this.#plan;
    const over = this.#over.signal;
    let first: Promise<Runtime> | undefined = loading; // a second one is loaded where that one has exited
    try {
      return await openedClient("connect", url, over, (address) => {
        view.address = address;
        const last = lastSpoken(address); // beside the store
        last.catch(() => {}); // whoever needs it hears of it
        const runtime = first ?? load(mcpWasm, options.wasm);
        first = undefined;
        return {
          runtime,
          store: view.stores.open(),
          make: (loaded, opened) => this.#made(loaded, address, opened),
          start: async (made, { journal }) => {
            const [assume] = await Promise.all([last, this.#recording.begins(journal)]);
            throwIfAborted("connect", over); // it was closed before the core had it
            await made.start({ ...core, url: address, assume }, credentials);
            if (options.revision === undefined) await made.noteSpoken();
            setTimeout(() => made.connected(), 0); // not before the app can listen
          },
        };
      });
    } catch (error) {
      this.retire(); // whoever connects meanwhile tries by themselves
      if (!(error instanceof HoldfastError) || over.aborted) throw error;
      // The first view's signal is that view's: others may wait for the cause.
      throw await unlessAborted(
        "connect", over, diagnose(url, error, { ...options, signal: over }, this.#client?.negotiation),
      );
    }
  }
}

/** The settings that all views of a client share, as a key; undefined where the user is unknown. */
function keyOf(
  {
    url,
    core: { ...core },
    credentials,
    backlog,
    validation,
    defaults,
    options: { journal = true, fetch, auth },
  }: Plan,
  principal: string | undefined,
): string | undefined {
  if (principal === undefined) return undefined;
  // it follows from the rest, but for what one page records for all
  delete (core as { eventSource?: boolean }).eventSource;
  return JSON.stringify([
    url,
    principal,
    core,
    credentials,
    backlog,
    validation,
    defaults,
    journal,
    fetch && numberOf(fetch),
    auth?.client,
  ]);
}

const numbers = new WeakMap<object, number>();
let last = 0;

/** A number for each fetch of the app's: clients with another one do not share a connection. */
function numberOf(fetch: object): number {
  if (!numbers.has(fetch)) numbers.set(fetch, ++last);
  return numbers.get(fetch)!;
}
