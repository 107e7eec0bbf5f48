import {
  type ClientState,
  connect,
  type ConnectOptions,
  type HoldfastError,
  type McpClient,
  type StateEvent,
} from "holdfast";
import { callsOf } from "./callsstore.js";
import { badArgument, checkClient } from "../shared/checks.js";
import { connectionKey, withNewest } from "./connectionkey.js";
import { Observed, type Store } from "./observed.js";

/** A client as it stands. */
export interface ConnectionSnapshot<C = McpClient> {
  /** The client, from when it is connected. */
  readonly client: C | undefined;
  /** The state of the connection; `connecting` before there is a client. */
  readonly state: ClientState;
  /** The reason why the state is `failed`. */
  readonly error: HoldfastError | undefined;
  /** Connects again, where it is `failed` or `closed`. */
  reconnect(): void;
}

/** Options of a connection that several parts of an app share: those of `connect` or `connectAgent`. */
export type SharedOptions<O> = Omit<O, "signal"> & {
  /**
   * For how long it stays open when nobody uses it any more and no call is under way, in ms. Default 10,000.
   */
  linger?: number;
};

/** A connection that several parts of an app share. */
export interface SharedConnection<C, O> extends Store<ConnectionSnapshot<C>> {
  /** The key, which is the same for the same address and options. */
  readonly key: string;
  /** Connects, if nobody has yet; resolves to the client. */
  ready(): Promise<C>;
  /**
   * Why it could not be had, so that who waited for {@link SharedConnection.ready} can show it: for a second,
   * after which `ready()` tries again.
   */
  failure(): HoldfastError | undefined;
  /** These are the newest of its functions: handlers, `token`, `fetch`. */
  update(options: SharedOptions<O>): void;
}

/** The snapshot before there is a client, and on a server that renders the page. */
export const CONNECTING: ConnectionSnapshot<never> = Object.freeze({
  client: undefined, state: "connecting", error: undefined, reconnect: () => {},
});

/** ms that a connection stays open when nobody uses it. */
const LINGER = 10_000;

/**
 * ms in which a component that has suspended draws what has come of it; and then a failure is over: who draws
 * anew, as by "try again", connects.
 */
const DRAWN_WITHIN = 1_000;

/** The members of a client that a shared connection uses. */
interface Client {
  readonly state: ClientState;
  on(event: "state", listener: (event: StateEvent) => void): () => void;
  close(): Promise<void>;
}

/** How a kind of client is opened, and when it may be closed. */
interface Kind<C, O> {
  readonly op: string;
  open(url: string | URL, options: O): Promise<C>;
  /**
   * True if no work is under way that would end with the client. Otherwise calls `then` once there is none.
   */
  isIdle(client: C, then: () => void): boolean;
}

/** Why a client has failed; what it gets over is no failure. */
function failureIn({ state, error }: StateEvent): HoldfastError | undefined {
  return state === "failed" ? error : undefined;
}

/** One connection, while somebody uses it and for a while after that. */
class Entry<C extends Client, O extends object> extends Observed<ConnectionSnapshot<C>> {
  newest: SharedOptions<O>;
  readonly #kind: Kind<C, O>;
  readonly #url: string | URL;
  /** The same each time that it is opened: what can differ are functions, of which the newest are called. */
  readonly #options: O;
  readonly #gone: () => void;
  #client: C | undefined;
  #opening: Promise<C> | undefined;
  #state: ClientState = "connecting";
  #error: HoldfastError | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Somebody has listened since it was opened. */
  #wasHeard = false;
  /** True if the failure has been shown for long enough. */
  #wasShown = false;

  constructor(kind: Kind<C, O>, url: string | URL, options: SharedOptions<O>, gone: () => void) {
    super();
    this.#kind = kind;
    this.#url = url;
    this.newest = options;
    const { linger: _, ...others } = options;
    this.#options = withNewest(others as unknown as O, () => this.newest as unknown as O);
    this.#gone = gone;
  }

  protected override begin(): void {
    clearTimeout(this.#timer);
    this.#open();
    this.#wasHeard = true;
  }

  protected override end(): void {
    this.#lingers();
  }

  // Components are drawn meanwhile: one that shows the failure hears of another try after that.
  ready(): Promise<C> {
    const opening = this.#open(this.heard);
    if (!this.heard) this.#lingers();
    return opening;
  }

  failure(): HoldfastError | undefined {
    return this.#client || this.#wasShown ? undefined : this.#error;
  }

  /** Over and done with: it is opened again by who comes next, or asks for it. */
  get #isOver(): boolean {
    return this.#state === "failed" || this.#state === "closed";
  }

  #open(toldLater = false): Promise<C> {
    if (this.#opening && !this.#isOver) return this.#opening;
    clearTimeout(this.#timer);
    [this.#state, this.#error, this.#client, this.#wasShown] = ["connecting", undefined, undefined, false];
    this.#wasHeard = this.heard;
    const opening = this.#kind.open(this.#url, this.#options);
    this.#opening = opening;
    opening.then(
      (client) => {
        this.#client = client;
        this.#says(client.state);
        client.on("state", (event) => {
          if (this.#client === client) this.#says(event.state, failureIn(event));
        });
      },
      (error: HoldfastError) => this.#says("failed", error),
    );
    if (toldLater) queueMicrotask(() => this.publish());
    else this.publish();
    return opening;
  }

  #says(state: ClientState, error?: HoldfastError): void {
    [this.#state, this.#error] = [state, error];
    this.publish();
    if (!this.heard || state === "failed") this.#lingers();
  }

  /** The connection has no user: it closes in a while, unless a user comes or work continues. */
  #lingers(): void {
    clearTimeout(this.#timer);
    const { linger = LINGER } = this.newest;
    const ms = this.#state === "failed"
      ? DRAWN_WITHIN
      : this.#wasHeard ? linger : Math.max(linger, DRAWN_WITHIN);
    this.#timer = setTimeout(() => this.#over(), ms);
    (this.#timer as { unref?: () => void }).unref?.(); // a page has no such thing; Node would wait for it
  }

  #over(): void {
    if (this.heard) return void (this.#wasShown = this.#isOver);
    const client = this.#client;
    if (!client && !this.#isOver) return; // it is on its way, and lingers once it is there
    const again = (): void => {
      if (!this.heard && this.#client === client) this.#lingers();
    };
    if (client && !this.#isOver && !this.#kind.isIdle(client, again)) return;
    this.#gone();
    this.#client = undefined; // what becomes of it is nobody's any more
    void client?.close().catch((error: unknown) => reportError(error));
  }

  readonly #reconnect = (): void => {
    if (this.#isOver) this.#open().catch(() => {}); // the snapshot says so
  };

  protected current(): ConnectionSnapshot<C> {
    return { client: this.#client, state: this.#state, error: this.#error, reconnect: this.#reconnect };
  }
}

/** The connections of one kind that parts of an app share, by address and options. */
export class Connections<C extends Client, O extends object> {
  readonly #kind: Kind<C, O>;
  readonly #entries = new Map<string, Entry<C, O>>();

  constructor(kind: Kind<C, O>) {
    this.#kind = kind;
  }

  /**
   * A way to that connection. Nothing is opened, or kept, before somebody uses it: a component may be drawn
   * and thrown away.
   */
  to(url: string | URL, options: SharedOptions<O>): SharedConnection<C, O> {
    check(this.#kind.op, options);
    const key = connectionKey(url, options);
    let newest = options;
    const entry = (): Entry<C, O> => {
      let there = this.#entries.get(key);
      if (!there) {
        const made = (there = new Entry(this.#kind, url, newest, () => {
          if (this.#entries.get(key) === made) this.#entries.delete(key);
        }));
        this.#entries.set(key, made);
      }
      return there;
    };
    return {
      key,
      subscribe: (listener) => entry().subscribe(listener),
      onChange: (listener) => entry().onChange(listener),
      snapshot: () => this.#entries.get(key)?.snapshot() ?? CONNECTING,
      ready: () => entry().ready(),
      failure: () => this.#entries.get(key)?.failure(),
      update: (options) => {
        newest = options;
        const there = this.#entries.get(key);
        if (there) there.newest = options;
      },
    };
  }
}

function check(op: string, options: { linger?: number; signal?: unknown }): void {
  if (typeof options !== "object" || options === null)
    throw badArgument(op, "options", "has to be an object");
  if (options.signal !== undefined)
    throw badArgument(op, "signal", "cannot be given: the connection is closed when nobody uses it");
  const { linger } = options;
  if (linger !== undefined && !(typeof linger === "number" && linger >= 0 && linger < 2 ** 31))
    throw badArgument(op, "linger", "has to be a number of ms from 0 to 2^31");
}

const clients = new Connections<McpClient, ConnectOptions>({
  op: "sharedConnection",
  open: async (url, options) => {
    const client = await connect(url, options);
    callsOf(client).listen(); // what is made from here on counts as under way
    return client;
  },
  isIdle: (client, then) => {
    const calls = callsOf(client);
    calls.onidle = then;
    return calls.isIdle;
  },
});

/**
 * A connection to an MCP server that all parts of an app share which name the same address and options. It is
 * opened by the first that subscribes, and closed when nobody has used it for `linger` ms and no call is
 * under way.
 *
 * Functions among the options may be others each time: the newest are called. An object of a class has to be
 * the same one; `oauth()` with the same options is the same, where its functions have the same text. What is
 * wrong with the options is the `error` of the snapshot.
 *
 * @throws HoldfastError `bad_argument` of `linger` and `signal`
 */
export function sharedConnection(
  url: string | URL, options: SharedOptions<ConnectOptions> = {},
): SharedConnection<McpClient, ConnectOptions> {
  return clients.to(url, options);
}

/** A client that the app has connected by itself. */
class OwnClient<C extends Client> extends Observed<ConnectionSnapshot<C>> {
  readonly #client: C;
  #error: HoldfastError | undefined;

  /**
   * Listens as long as the client lives: it may end while no component is there, before the first is mounted
   * or between two.
   */
  constructor(client: C) {
    super();
    this.#client = client;
    client.on("state", (event) => {
      this.#error = failureIn(event);
      this.publish();
    });
  }

  protected current(): ConnectionSnapshot<C> {
    return {
      client: this.#client, state: this.#client.state, error: this.#error, reconnect: CONNECTING.reconnect,
    };
  }
}

const own = new WeakMap<McpClient, Store<ConnectionSnapshot>>();

/**
 * Observes where a client stands that the app has connected, and closes, by itself.
 *
 * @throws HoldfastError `bad_argument`
 */
export function observeClient(client: McpClient): Store<ConnectionSnapshot> {
  checkClient("observeClient", client);
  let store = own.get(client);
  if (!store) own.set(client, (store = new OwnClient(client)));
  return store;
}
