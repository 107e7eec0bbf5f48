import type { Call } from "../../client/call.js";
import { ClientView } from "../../client/clientview.js";
import type { Auth } from "../../connect/useroptions.js";
import type { NewCall, CoreCall } from "../../client/corecall.js";
import type { Presence } from "./pagepresence.js";
import { type CallPort, PortCall } from "./portcall.js";

/** The page that has a view, as far as the view goes. */
export interface ViewPage extends CallPort {
  /** Presence of the page: here, away or gone. */
  readonly presence: Presence;
  /** True if the host outlives the page. */
  readonly outlives: boolean;
  /** Another page has the client of that view of its own now. */
  shared(view: PortView): void;
  /** A call is made known under that number; 0 for one of the host's own, which is returned. */
  known(view: PortView, call: (id: number) => PortCall<unknown>, made: NewCall): PortCall<unknown>;
  /** Takes back what waits for the page of the client's last user: the client's user is another one. */
  takeBack(client: number): void;
  /** The sign-in that a client of its names. */
  signIn(number: number | undefined, url: string, principal: unknown): PageSignIn | undefined;
  /** Puts a question to the app; rejects with {@link GONE} where the page goes before it has answered. */
  question(client: number, asked: string, request: object, context: QuestionContext): Promise<unknown>;
}

/** A sign-in of a page's. */
export interface PageSignIn {
  /**
   * Authorization that the page's clients sign in with. `waits`: also while they are opening, since the app
   * has them.
   */
  auth(waits: boolean): Auth;
  /** Resolves when it is open; rejects where nothing can sign in here. */
  readonly ready: Promise<void>;
}

/** Context of a question. */
export interface QuestionContext {
  server: string;
  signal?: AbortSignal;
  draft?: unknown;
  saveDraft?: (value: unknown) => void;
}

/** View that a page has of a client here. Its calls go to the page, its questions to a page that is there. */
export class PortView extends ClientView {
  /** The page's number for the client. */
  readonly number: number;
  readonly page: ViewPage;

  constructor(number: number, page: ViewPage, made: ConstructorParameters<typeof ClientView>) {
    super(...made);
    this.number = number;
    this.page = page;
  }

  override newCall<T>(...made: NewCall): Call<T> {
    return this.page.known(this, (id) => new PortCall<unknown>(id, this.page, made, this), made) as PortCall<T>;
  }

  /** All views of the same client, the newest last; this one alone while that is being opened. */
  get peers(): readonly PortView[] {
    const all = this.all as readonly PortView[];
    return all.length > 0 ? all : [this];
  }

  /**
   * True if kept calls continue where a page is loaded again. False where that page could not join the
   * client.
   */
  get outlives(): boolean {
    return this.page.outlives && this.client?.keeps !== false && this.client?.isShareable !== false;
  }

  /** True if events of kept calls can be read again. */
  get keepsEvents(): boolean {
    return this.facts.durability !== "memory";
  }

  /** Calls of the client that the page has. */
  *shown(): Generator<{ shared: CoreCall<unknown>; call: PortCall<unknown> }> {
    for (const shared of this.client?.all() ?? []) {
      const call = shared.of(this);
      if (call) yield { shared, call: call as PortCall<unknown> };
    }
  }

  /** True if the view's page is there and has made the call, by this client or another. */
  isAskedOn(call: object): boolean {
    const made = (view: PortView): boolean => ((call as CoreCall<unknown>).of(view) as PortCall<unknown> | undefined)?.isPages === true;
    return this.page.presence === "here" && this.peers.some((other) => other.page === this.page && made(other));
  }

  /** Resolves when its page knows what a logout deletes. */
  placesKnown: Promise<void> = Promise.resolve();

  /** True if the page has a provider of tokens. */
  hasToken = false;

  heardToken(token: unknown, isLate = false): void {
    if (this.client && (isLate || this.peers.length > 1) && this.stores.shows(token)) this.leaves(); // what waits for it says so itself
  }

  override leaves(): void {
    this.page.takeBack(this.number);
    super.leaves();
  }

  /** Other pages hear of a call that this one has made, as other tabs do. */
  tellOthers(call: CoreCall<unknown>): void {
    for (const other of this.peers) if (other.page !== this.page) other.emit("restored", { call: call as never });
  }

  /** Ends the views of pages that have gone, and at a logout of those that are away: of the others it is theirs to close. */
  async closeAbsent(how: "close" | "logout"): Promise<void> {
    const isAbsent = ({ presence }: ViewPage): boolean => presence === "gone" || (how === "logout" && presence !== "here");
    await Promise.all(this.peers.filter((other) => other !== this && isAbsent(other.page)).map((other) => other.close()));
  }
}
