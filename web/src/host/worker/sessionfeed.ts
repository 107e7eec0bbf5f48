import { EVENT } from "../../base/border.js";
import { ASSIGNED, MissedEvents } from "./missedevents.js";
import type { Presence } from "./pagepresence.js";
import type { HostMessage } from "../wire/protocol.js";
import type { SessionMirror } from "./sessionmirror.js";

/** Characters that are sent in one go, of what a page has missed. */
const PIECE = 256 << 10;
/** Characters of operations that wait for a page: beyond, it gets the transcript from its start, where that is no more than they are. */
const KEPT = 1 << 20;

/** The page, as far as what it gets of a session goes. */
export interface FeedPage {
  readonly presence: Presence;
  /** True if the page takes events now. */
  readonly takes: boolean;
  event(number: number, kind: number, position: number, text: string, stream: number): void;
  send(message: HostMessage): void;
  /** Sends the events that are gathered. */
  flush(): void;
}

/**
 * Part of the transcript that the page has. `whole`: all, and the page gets each new event. `partly`: the
 * page takes no more for now, and gets the rest in order. `old`: the page has missed events that are kept
 * nowhere, and gets the transcript from its start.
 */
type Has = "whole" | "partly" | "old";

/**
 * Feed of one session to one page, which gets no more at a time than it takes. The feed knows how far the
 * page has come, so that a long transcript is not sent again for each addition.
 */
export class SessionFeed {
  /** The session's number on the port. */
  readonly number: number;
  readonly #mirror: SessionMirror;
  readonly #client: number;
  readonly #page: FeedPage;
  #has: Has = "whole";
  /** The rest of the transcript as it was when its first piece was sent: what came since waits behind it. */
  #pieces: Iterator<string> | undefined;
  /** Characters of those pieces that the page has had. */
  #sent = 0;
  readonly #missed = new MissedEvents();

  /** `client` is the page's number for the agent. */
  constructor(mirror: SessionMirror, number: number, client: number, page: FeedPage) {
    this.#mirror = mirror;
    this.number = number;
    this.#client = client;
    this.#page = page;
  }

  /** True if the page has all of the session. */
  get isWhole(): boolean {
    return this.#has === "whole";
  }

  /** The page gets all of the session, from its start. */
  begin(): void {
    while (this.#missed.take());
    this.#fallBehind();
    for (const turn of this.#mirror.turns()) this.#missed.add(EVENT.phase, 0, turn);
    this.goOn();
  }

  /** Takes an event of the session. */
  event(kind: number, position: number, text: string): void {
    if (this.isWhole && this.#page.takes) return this.#send(kind, position, text);
    if (this.isWhole) this.#has = "partly";
    if (kind === EVENT.item) {
      // One that is away may be so for days: what it misses of the transcript is not kept for it.
      if (this.#page.presence !== "here") this.#fallBehind();
      if (this.#has === "old") return;
    }
    this.#missed.add(kind, position, text);
    // No more is kept than what the page would have to get once more without it.
    if (this.#missed.operationBytes > Math.max(KEPT, this.#sent)) this.#fallBehind();
  }

  /** Sends what the page has not had, as far as it takes it. */
  goOn(): void {
    while (!this.isWhole && this.#page.takes) {
      if (this.#has === "old") {
        this.#has = "partly";
        this.#pieces = this.#mirror.transcript();
        this.#sent = 0;
      }
      for (let sent = 0; sent < PIECE && !this.isWhole; ) sent += this.#sendNext();
      this.#page.flush();
    }
  }

  /** Sends one event of what it has not had. Returns its characters. */
  #sendNext(): number {
    const piece = this.#pieces?.next();
    if (piece && !piece.done) {
      this.#sent += piece.value.length;
      this.#send(EVENT.item, 0, piece.value);
      return piece.value.length;
    }
    this.#pieces = undefined;
    const next = this.#missed.take();
    if (!next) {
      this.#has = "whole";
      return 0;
    }
    this.#send(...next);
    return next[2].length;
  }

  #send(kind: number, position: number, text: string): void {
    if (kind === ASSIGNED) this.#page.send({ t: "assigned", client: this.#client, session: this.number, number: position });
    else this.#page.event(this.number, kind, position, text, 0);
  }

  #fallBehind(): void {
    this.#has = "old";
    this.#pieces = undefined;
    this.#missed.dropOperations();
  }
}
