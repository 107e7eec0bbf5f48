import { EVENT } from "../../base/border.js";
import type { Open } from "../../base/mcp.js";
import { ASSIGNED } from "./missedevents.js";
import { type FeedPage, SessionFeed } from "./sessionfeed.js";
import type { MirroredQuestion, SessionMirror } from "./sessionmirror.js";

/** The page, as far as what it is shown goes. */
export interface ShownPage extends FeedPage {
  /** A number that nothing else has on the port. */
  number(): number;
  /** Releases a number, under which no message goes to the page any more. */
  letGo(number: number): void;
}

/** Sessions of an agent, and requests outside of all sessions, that one page is shown. */
export class ShownSessions {
  readonly #client: number;
  readonly #page: ShownPage;
  readonly #feeds = new Map<SessionMirror, SessionFeed>();
  /** Drafts of answers that the page knows to be saved. */
  readonly #drafts = new WeakMap<MirroredQuestion, string | undefined>();
  /** Callbacks that wait until the page has all. */
  #waiting: (() => void)[] = [];

  /** `client` is the page's number for the agent. */
  constructor(client: number, page: ShownPage) {
    this.#client = client;
    this.#page = page;
  }

  /** Makes a session known to the page, with all that is in it, or what is asked outside of all. `restored`: not of this page's making. */
  show(mirror: SessionMirror, restored: boolean): void {
    if (this.#page.presence === "gone") return;
    let feed = this.#feeds.get(mirror);
    if (!feed) {
      feed = new SessionFeed(mirror, mirror.isSession ? this.#page.number() : this.#client, this.#client, this.#page);
      this.#feeds.set(mirror, feed);
    }
    if (mirror.isSession) {
      const { made } = mirror;
      this.#page.send({ t: "session", client: this.#client, session: feed.number, made: { ...made, restored: made.restored || restored } });
      feed.begin();
    }
    for (const open of mirror.questions.values()) {
      this.#ask(feed, open);
      open.isShown = true;
    }
  }

  /** Takes an event of a session. */
  deliver(mirror: SessionMirror, kind: number, position: number, text: string): void {
    const feed = this.#feeds.get(mirror);
    if (!feed || this.#page.presence === "gone") return;
    const open = kind === EVENT.question ? mirror.questions.get(position) : undefined;
    if (open) this.#ask(feed, open);
    else feed.event(kind, position, text);
    this.#letGo(mirror, feed);
  }

  /** Assigns a question to this page, which is to answer it. */
  assign(mirror: SessionMirror, open: MirroredQuestion): void {
    const feed = this.#feeds.get(mirror);
    if (!feed) return;
    if (open.draft !== this.#drafts.get(open)) {
      // The page before this one has saved it since.
      feed.event(EVENT.withdrawn, open.number, `{"reason":"moved"}`);
      this.#ask(feed, open);
    }
    feed.event(ASSIGNED, open.number, "");
  }

  /** The page itself has saved that of an answer. */
  saved(open: MirroredQuestion): void {
    this.#drafts.set(open, open.draft);
  }

  /** The page takes events again. */
  resume(): void {
    for (const [mirror, feed] of this.#feeds) {
      feed.goOn();
      this.#letGo(mirror, feed);
    }
    if (this.#isWhole) for (const goOn of this.#waiting.splice(0)) goOn();
  }

  /** Resolves when the page has all; undefined where it has. */
  get whole(): Promise<void> | undefined {
    return this.#isWhole ? undefined : new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** The session under that number on the port. */
  sessionOf(number: number): SessionMirror | undefined {
    for (const [mirror, feed] of this.#feeds) if (feed.number === number && mirror.isSession) return mirror;
    return undefined;
  }

  /** The page is shown no more of all this. */
  clear(): void {
    for (const { number } of this.#feeds.values()) this.#page.letGo(number);
    this.#feeds.clear();
    for (const goOn of this.#waiting.splice(0)) goOn();
  }

  get #isWhole(): boolean {
    return [...this.#feeds.values()].every((feed) => feed.isWhole);
  }

  /** A session that is over needs nothing here once the page knows that. */
  #letGo(mirror: SessionMirror, feed: SessionFeed): void {
    if (!mirror.isOver || !feed.isWhole) return;
    this.#feeds.delete(mirror);
    this.#page.send({ t: "forgotten", call: feed.number });
  }

  #ask(feed: SessionFeed, open: MirroredQuestion): void {
    const { number, text, draft, isShown } = open;
    this.#drafts.set(open, draft);
    if (draft !== undefined) feed.event(EVENT.draft, number, draft);
    feed.event(EVENT.question, number, isShown ? JSON.stringify({ ...(JSON.parse(text) as Open), restored: true }) : text);
  }
}
