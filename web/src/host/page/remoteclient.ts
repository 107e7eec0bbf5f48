import { livedLong } from "../../connect/interrupted.js";
import type { TokenProvider } from "../../connect/useroptions.js";
import { unlessAborted } from "../../connect/abort.js";
import type { Handlers } from "../../input/handlers.js";
import { abortedError, throwIfAborted } from "../../base/arguments.js";
import type { ClientState, StateEvent } from "../../base/clientstate.js";
import { closedError, HoldfastError } from "../../base/errors.js";
import type { HostEvent } from "../../base/host.js";
import { Listeners } from "../../base/listeners.js";
import { named, reasonOf } from "./noworker.js";
import { holdfastErrorFrom } from "../wire/errordata.js";
import type { TakeEvent } from "../wire/eventbatch.js";
import { type HostLink, hostEnded, type LinkedClient } from "./hostlink.js";
import { PageQuestions } from "./pagequestions.js";
import { type Ahead, FIRST_CLIENT, giveUp } from "../wire/openingmessage.js";
import type { HostMessage, PageMessage, StoredPlaces } from "../wire/protocol.js";
import { cannotCross } from "./remotecalls.js";
import { mayFollow, type Standing } from "./standing.js";

/** The way to a host. */
export interface RemoteWay {
  kind: "shared" | "worker";
  /** Provider of the app's tokens, where the app has one. */
  token: TokenProvider | undefined;
  /** The sign-in of the page's there. */
  signIn?: { at(link: HostLink): number; markUser(): Promise<void>; signOut(): Promise<boolean> } | undefined;
  /** Message that opens the client, where the page sent it with its hello. */
  ahead?: Ahead | undefined;
  /** The link to the host, a new one where that has ended. */
  link(): Promise<HostLink>;
}

/**
 * Hint for a person, or the app, where a worker cannot be replaced. A page of the next build adopts the
 * stored calls.
 */
const RELOAD = "Load the page again, by location.reload(): it takes up what is kept. A new build may have been deployed.";
/** So many workers, one after the other, are asked to delete what is stored. */
const DELETERS = 3;

/** The life of a client whose runtime is in a worker: opened there, and once more in the next worker where one ends. */
export abstract class RemoteClient<Events extends { state: StateEvent; host: HostEvent }> implements LinkedClient {
  readonly host: "shared" | "worker";
  readonly listeners: Listeners<Events> = new Listeners();
  protected readonly questions: PageQuestions;
  /** Number of the client at the host. */
  protected number = 0;
  /** The app has it: what is opened from here on takes the place of one that has ended with its worker. */
  protected again = false;
  protected link!: HostLink;
  readonly #op: string;
  readonly #way: RemoteWay;
  #state: ClientState = "connecting";
  /** Places that a logout deletes, as far as the host has told them. */
  #stored: (StoredPlaces & { readonly stores: readonly string[] }) | undefined;
  #standing: Standing = "opening";
  /** `resolve` says whether the host has it; if not, it is opened once more. */
  #opening: { resolve(isOpen: boolean): void; reject(error: HoldfastError): void } | undefined;
  /** Resolves when the worker has been replaced, or cannot be. */
  #replaced: Promise<void> | undefined;
  #revivedAt = -Infinity;
  /** Why there is no other worker. */
  #failure: HoldfastError | undefined;
  #closing: Promise<void> | undefined;
  #logout: Promise<void> | undefined;

  /** `op` is what an error of the opening names. */
  constructor(op: string, way: RemoteWay, handlers: Handlers) {
    this.#op = op;
    this.host = way.kind;
    this.#way = way;
    this.questions = new PageQuestions(handlers, way.token, (message) => this.link.send(message));
  }

  get state(): ClientState {
    return this.#state;
  }

  /** True once the app has closed the client. */
  protected get isClosed(): boolean {
    return this.#standing === "closed";
  }

  /** Message that opens the client at the host, under {@link number}. */
  protected abstract hello(): PageMessage;
  /** Notes that the client is being opened under {@link number}, over {@link link}. */
  protected linked(): void {}
  /** Notes that the client is open at the host. */
  protected opened(): void {}
  /**
   * Fails the calls under way and those that wait for a host. `comes`: the next host may have those that are
   * kept.
   */
  protected abstract lost(why: (op: string, wasUnderWay?: boolean) => HoldfastError, comes?: boolean): void;
  /** Runs before the app ends the client, to report the results that the app has had. */
  protected closing(): void {}
  /** Takes a message for this client alone. */
  protected abstract take(message: HostMessage): void;
  /** Takes changed facts of the client. */
  protected abstract heard(facts: object): void;
  /** Emits an event that the app may listen to. */
  protected abstract happened(message: Extract<HostMessage, { t: "emit" }>): void;
  abstract event(...event: Parameters<TakeEvent>): void;

  /** Opens it at the host; resolves when it is open. */
  async open(signal: AbortSignal | undefined): Promise<void> {
    while (!(await this.#openOnce(signal)));
    this.checkOpen(this.#op);
    this.again = true;
    this.#enter("open");
    this.opened();
    const { link, number } = this;
    setTimeout(() => link.send({ t: "listening", client: number }), 0);
  }

  /** Resolves to whether the host has it; if not, another one is to open it. */
  async #openOnce(signal: AbortSignal | undefined): Promise<boolean> {
    const op = this.#op;
    let link: HostLink;
    do {
      const linking = this.#way.link();
      try {
        link = await unlessAborted(op, signal, linking);
        throwIfAborted(op, signal); // it may have been since that was there
      } catch (error) {
        giveUp(this.#way.ahead);
        linking.then((given) => given.unused(this.#way.ahead)).catch(() => {}); // a link that nobody uses is given back
        throw error;
      }
    } while (link.isOver); // it ended on the way here
    this.link = link;
    if (this.#standing === "closed") link.unused(this.#way.ahead);
    this.checkOpen(op);
    const isSaid = link.claim(this.#way.ahead);
    const number = (this.number = isSaid ? FIRST_CLIENT : link.number());
    link.add(number, this);
    return new Promise<boolean>((resolve, reject) => {
      const cancelled = (): void => {
        void this.close();
        reject(abortedError(op, signal!));
      };
      const end = (): void => signal?.removeEventListener("abort", cancelled);
      this.#opening = { resolve: (isOpen) => (end(), resolve(isOpen)), reject: (error) => (end(), reject(error)) };
      signal?.addEventListener("abort", cancelled);
      try {
        this.linked();
        const hello = this.hello(); // which refuses what cannot cross, also where it is said
        if (!isSaid) link.send(hello);
      } catch (error) {
        link.remove(number);
        reject(error instanceof HoldfastError ? error : cannotCross(op, error));
      }
    });
  }

  /** Throws where nothing can be asked of it any more. */
  protected checkOpen(op: string): void {
    const error = this.overError(op);
    if (error) throw error;
  }

  protected overError(op: string): HoldfastError | undefined {
    if (this.#standing === "closed") return closedError(op);
    if (this.#standing !== "failed") return undefined;
    const { code, retryable, hint } = this.#failure!;
    return new HoldfastError({ code, op, message: "the client has failed", ...(retryable && { retryable }), ...(hint !== undefined && { hint }), cause: this.#failure });
  }

  /** Reports whether it may stand so from here on. */
  #enter(next: Standing): boolean {
    const may = mayFollow(this.#standing, next);
    if (may) this.#standing = next;
    return may;
  }

  /** The keys under which something is stored of its server and user, as far as the host has said. */
  protected get storedAs(): readonly string[] {
    return this.#stored?.stores ?? [];
  }

  /** Resolves when something can be asked of a host, where one is being replaced; undefined where it can be at once. Throws where nothing can any more. */
  protected ready(op: string, signal?: AbortSignal): Promise<void> | undefined {
    if (this.#replaced) return unlessAborted(op, signal, this.#replaced).then(() => this.checkOpen(op));
    this.checkOpen(op);
    return undefined;
  }

  /** Asks the host for something, until the signal gives it up. */
  protected async askUntil(op: string, signal: AbortSignal | undefined, message: (ask: number) => PageMessage): Promise<unknown> {
    let number = 0;
    const { link } = this;
    const abort = (): void => link.send({ t: "abort", ask: number, why: String((signal!.reason as Error | undefined)?.message ?? signal!.reason ?? "") });
    signal?.addEventListener("abort", abort, { once: true });
    try {
      return await link.ask(op, this, (ask) => message((number = ask)));
    } catch (error) {
      throw error instanceof HoldfastError ? error : cannotCross(op, error);
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  }

  /** Asks the client itself for something, by the name of the message's method. */
  protected async own(method: "calls" | "stored" | "recorded"): Promise<unknown> {
    const wait = this.ready(method);
    if (wait) await wait;
    return this.#tell(method);
  }

  /**
   * Asks the client itself as {@link own} does; gives `after` once the app has said that it ends the
   * client.
   */
  protected async ownUntilEnd<T>(method: "calls" | "stored", after: T): Promise<T> {
    try {
      return this.#closing ? after : ((await this.own(method)) as T);
    } catch (error) {
      if (this.#closing) return after;
      throw error;
    }
  }

  #tell(method: "calls" | "stored" | "recorded" | "close" | "terminate" | "logout"): Promise<unknown> {
    return this.link.ask(method, this, (ask) => ({ t: "ask", client: this.number, ask, op: method, method, args: [] }));
  }

  close(terminate = false): Promise<void> {
    return (this.#closing ??= this.#end("closing", () => this.#tell(terminate ? "terminate" : "close").catch(unlessEnded)));
  }

  logout(): Promise<void> {
    const hasWorker = this.#standing !== "failed";
    const end = (): Promise<void> => this.#end("deleting", () => (hasWorker ? this.#forget() : this.#deleteStored()));
    this.#logout ??= this.#closing ? this.#closing.then(() => this.#deleteStored()) : end();
    this.#closing ??= this.#logout.catch(() => {});
    return this.#logout;
  }

  /**
   * Ends the client's session and deletes the stored work. The next worker does so where one ends meanwhile.
   */
  async #forget(): Promise<void> {
    if (this.#way.signIn) await this.#way.signIn.markUser();
    const replaced = this.#replaced;
    if (replaced) await replaced;
    await unlessEnding(async () => {
      const isThere = this.link.has(this.number) || (!(replaced && this.#stored) && (await this.#opensAgain()));
      await (isThere ? this.#tell("logout") : this.#deleteOnce());
    });
  }

  /**
   * True if the next worker opens the client. If it cannot, as where the server is away, the stored work can
   * be deleted all the same.
   */
  async #opensAgain(): Promise<boolean> {
    try {
      await this.open(undefined);
      return true;
    } catch (error) {
      if (!this.#stored || hasEnded(error)) throw error; // the next one may
      return false;
    }
  }

  /** Deletes the stored work where no worker has the client. */
  async #deleteStored(): Promise<void> {
    if (this.#way.signIn) await this.#way.signIn.markUser();
    return unlessEnding(() => this.#deleteOnce());
  }

  async #deleteOnce(): Promise<void> {
    const stored = this.#stored;
    if (!stored) throw hostEnded("forget"); // it ended before it could say what there is
    const link = await this.#way.link();
    try {
      const { url, user, agents } = stored;
      await link.ask("forget", undefined, (ask) => ({ t: "forget", ask, url, user, agents }));
    } finally {
      link.unused();
    }
    await this.#way.signIn?.signOut(); // the client would have done it
  }

  async #end(how: "closing" | "deleting", tell: () => Promise<unknown>): Promise<void> {
    this.#enter(how);
    this.closing();
    try {
      await tell();
    } finally {
      this.#enter("closed");
      if (this.#state !== "failed" && this.#state !== "closed") this.#say("closed"); // else the host has said so
      this.lost((op) => closedError(op));
      this.questions.end();
      this.#opening?.reject(closedError(this.#op));
      this.#opening = undefined;
      this.link?.remove(this.number);
    }
  }

  thrown(question: number): unknown {
    return this.questions.thrown(question);
  }

  receive(message: HostMessage): void {
    switch (message.t) {
      case "facts": {
        const { state, stored, ...facts } = message.facts as { state?: ClientState; stored?: StoredPlaces & { stores: string[] } };
        this.#state = state ?? this.#state;
        this.#stored = stored ?? this.#stored;
        this.heard(facts);
        break;
      }
      case "opened":
        this.#openedThere();
        break;
      case "failed":
        this.link.remove(this.number);
        this.#opening?.reject(this.errorOf(message));
        this.#opening = undefined;
        break;
      case "emit":
        if (message.event === "state") this.#state = (message.value as StateEvent).state;
        this.happened(message);
        break;
      case "question":
        void this.questions.answer(message);
        break;
      case "withdrawn":
        this.questions.withdrawn(message.question);
        break;
      default:
        this.take(message);
    }
  }

  /** The host has opened it: it is open once the page has its lock. */
  #openedThere(): void {
    const opening = this.#opening;
    const { held } = this.link;
    const settle = (how: (waits: NonNullable<typeof opening>) => void): void => {
      if (!opening || this.#opening !== opening) return; // the app, or the host, has ended it meanwhile
      this.#opening = undefined;
      how(opening);
    };
    held.then(
      () => settle(({ resolve }) => resolve(true)),
      (error: unknown) => settle(({ reject }) => reject(named(this.#op, error) as HoldfastError)),
    );
  }

  /** The error of a message that has one. */
  protected errorOf({ error }: Extract<HostMessage, { t: "failed" }>): HoldfastError {
    return holdfastErrorFrom(error, this.#op, (question) => this.thrown(question));
  }

  /**
   * The worker was killed, or has crashed. What was under way is rejected; what is stored
   * comes back in another one.
   */
  hostEnded(): void {
    const opening = this.#opening;
    this.#opening = undefined;
    const isSoon = !livedLong(this.#revivedAt);
    const isUp = this.#standing === "open" && this.#state !== "failed" && this.#state !== "closed";
    this.lost(hostEnded, !isSoon && (isUp || opening !== undefined));
    this.questions.end();
    if (opening) {
      // No work has begun that a second try would repeat. A person may also have been at the authorization
      // server for long.
      if (isSoon) return opening.reject(hostEnded(this.#op));
      this.#revivedAt = performance.now();
      return opening.resolve(false);
    }
    if (!isUp) return;
    if (isSoon) return this.#fail(hostEnded(this.#op));
    this.#openAgain({ error: hostEnded(this.#op) });
  }

  /** The host has given it up, since a token of another user has come: it is opened once more, unless the app ends it. */
  protected givenUp(): void {
    const opening = this.#opening;
    this.#opening = undefined;
    if (mayFollow(this.#standing, "open") || mayFollow(this.#standing, "replacing")) this.link.remove(this.number);
    else opening?.reject(closedError(this.#op));
    if (opening) opening.resolve(false);
    else this.#openAgain({ anotherUser: true });
  }

  /** Opens it once more; `why` is what the app hears. What is asked meanwhile waits. */
  #openAgain(why: Omit<StateEvent, "state">): void {
    if (!this.#enter("replacing")) return;
    this.#say("reconnecting", why);
    const opened = (): void => {
      if (this.#standing !== "open") return; // the app has ended it meanwhile
      this.#revivedAt = performance.now();
      this.#say("open");
    };
    const failed = (error: HoldfastError): void => {
      if (this.#standing === "replacing") this.#fail(this.#irreplaceable(error));
    };
    this.#replaced = this.open(undefined).then(opened, failed).finally(() => (this.#replaced = undefined));
  }

  /** The error where no worker takes the place of one that has ended, as in a page of before a deploy: the app hears why, and what helps. */
  #irreplaceable(cause: HoldfastError): HoldfastError {
    const { code, op } = cause;
    if (code !== "host_unavailable" && code !== "load_failed") return cause;
    const error = new HoldfastError({ code, op, message: "the worker has ended, and this page can have no other", hint: RELOAD, cause });
    const why = reasonOf(cause);
    if (why) this.listeners.emit("host", { host: this.host, why, error } as Events["host"]);
    return error;
  }

  #fail(error: HoldfastError): void {
    this.#enter("failed");
    this.#failure = error;
    this.lost((op) => this.overError(op)!);
    this.#say("failed", { error });
  }

  #say(state: ClientState, why?: Omit<StateEvent, "state">): void {
    this.#state = state;
    this.listeners.emit("state", { state, ...why } as Events["state"]);
  }
}

/** Repeats the work in the next worker where one has ended, for three workers at most. */
async function unlessEnding(work: () => Promise<unknown>): Promise<void> {
  for (let n = 1; ; n++) {
    try {
      await work();
      return;
    } catch (error) {
      if (n === DELETERS || !hasEnded(error)) throw error;
    }
  }
}

/** A host that has ended has nothing that could be closed; any other error is thrown. */
function unlessEnded(error: unknown): void {
  if (!hasEnded(error)) throw error;
}

/** True if the error says that the host has ended. */
function hasEnded(error: unknown): boolean {
  return (error as HoldfastError).code === "runtime_exited";
}
