import type { ClientEvents } from "../../client/clientevents.js";
import { CONNECT } from "../../client/clientoptionkinds.js";
import type { Call } from "../../client/call.js";
import { type Guarantees, inHost } from "../../client/guarantees.js";
import type { openView } from "../../client/openview.js";
import { unlessAborted } from "../../connect/abort.js";
import type { ConnectOptions } from "../../client/options.js";
import { check } from "../../base/kinds.js";
import { type ErrorData, errorData } from "../wire/errordata.js";
import { KnownPlaces } from "./knownplaces.js";
import { pageCame } from "./lingering.js";
import { NewFacts } from "./newfacts.js";
import type { PortCall } from "./portcall.js";
import { PortView, type ViewPage } from "./portview.js";
import type { HostMessage, PageMessage } from "../wire/protocol.js";
import { askForToken, handlersOf, pageArrived } from "./askpage.js";

/** A client that a page has opened here. */
export class HostedClient {
  readonly #page: ViewPage;
  readonly #number: number;
  readonly #open: typeof openView;
  readonly #over = new AbortController();
  #view: PortView | undefined;
  readonly #facts = new NewFacts(
    () => this.#known(),
    (facts) => this.#send({ t: "facts", client: this.#number, facts }),
  );
  readonly #places = new KnownPlaces((facts) => this.#send({ t: "facts", client: this.#number, facts }), false);

  /** `open` opens a view of a client here. */
  constructor(page: ViewPage, number: number, open: typeof openView) {
    this.#page = page;
    this.#number = number;
    this.#open = open;
  }

  /** The view, once the client is open. */
  get view(): PortView | undefined {
    return this.#view;
  }

  /** Opens it; tells the page. */
  async open({ url, options, handlers, token, auth, again }: Extract<PageMessage, { t: "connect" }>): Promise<void> {
    let view!: PortView;
    const { signal } = this.#over;
    try {
      check("connect", "options", options, CONNECT);
      const signIn = this.#page.signIn(auth, url, (options as ConnectOptions).principal);
      const all: ConnectOptions = {
        ...(options as ConnectOptions),
        handlers: handlersOf(handlers, () => view),
        ...(token && { token: () => askForToken(view, url) }),
        ...(signIn && { auth: signIn.auth(again) }),
        signal,
      };
      await unlessAborted("connect", signal, signIn?.ready ?? Promise.resolve());
      await this.#open(url, all, (...made) => {
        view = new PortView(this.#number, this.#page, made);
        view.hasToken = token;
        view.listeners.tap((event, value) => this.#emit(view, event, value));
        return view;
      });
    } catch (error) {
      this.#send({ t: "failed", client: this.#number, error: errorData(error) });
      return;
    }
    if (this.#over.signal.aborted) {
      void view.close();
      return;
    }
    this.#view = view;
    this.tell();
    view.calls(); // the page knows the keys from the start
    this.#send({ t: "opened", client: this.#number });
  }

  /** The app can listen from here on. */
  listening(): void {
    const view = this.#view;
    if (!view) return;
    view.connected();
    pageCame(view);
    pageArrived();
    view.client?.visited();
  }

  /** The page has gone while it was being opened, or wants it no more. */
  abort(): void {
    this.#over.abort();
    this.#facts.end();
  }

  /** Something has happened that facts may follow from. */
  touched(): void {
    this.#facts.touched();
  }

  /** Tells the page what it does not know of the client. */
  tell(): void {
    this.#facts.tell();
    const view = this.#view;
    if (!view?.client) return;
    this.#places.tell(view.stores, view.address);
    view.placesKnown = this.#places.known;
  }

  #known(): Record<string, unknown> | undefined {
    const view = this.#view;
    if (!view?.client) return undefined;
    const { url, revision, negotiation, session, server, capabilities, instructions, durability, counters } = view.facts;
    const guarantees = guaranteesIn(view);
    const { stores } = view;
    return { user: stores.opened ?? stores.user, state: view.state, url, revision, negotiation, session, server, capabilities, instructions, durability, guarantees, counters };
  }

  #emit<E extends keyof ClientEvents>(view: PortView, event: E, value: ClientEvents[E]): void {
    if (event === "call") return; // the page has made it
    this.#view ??= view.client && view; // what is said before it is open goes with that
    if (event === "state" && (value as ClientEvents["state"]).anotherUser) this.#facts.repeatAll(); // those that wait are not sent
    this.tell();
    this.touched();
    if (event === "durability" && (value as ClientEvents["durability"]).why === "closed") for (const { call } of view.shown()) call.lost();
    let call = 0;
    let data: object = value;
    let error: ErrorData | undefined;
    if (event === "restored") {
      call = ((value as ClientEvents["restored"]).call as Call<unknown> as PortCall<unknown>).number;
      data = {};
    } else if (event === "state") {
      const { error: why, ...rest } = value as ClientEvents["state"];
      data = rest;
      if (why) error = errorData(why);
    }
    this.#send({ t: "emit", client: this.#number, event, value: data, call, ...(error && { error }) });
  }

  #send(message: HostMessage): void {
    this.#page.send(message);
  }
}

/** Guarantees of calls in a host that outlives the page, where the host does. */
function guaranteesIn({ facts, outlives }: PortView): Guarantees {
  const { floor, ceiling } = facts.guarantees;
  return { floor: inHost(floor, outlives), ceiling: inHost(ceiling, outlives) };
}
