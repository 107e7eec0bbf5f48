// What the two pages in the panes of the first page have in common: they show what they do, and tell the page
// around them, which counts. Each is a page of its own: it can be loaded anew, or taken away, as a tab can.

import { part, setAttributes, setText } from "./element.js";

/** Which of the two pages. */
export type Which = "official" | "holdfast";

/**
 * How the call of a page stands. `ready`: it is about to be made. `away`: nothing comes just now. The last
 * three are ends.
 */
export type Standing = "connecting" | "ready" | "counting" | "away" | "done" | "lost" | "failed";

/** What a page tells the one around it. */
export interface Told {
  pane: Which;
  /** Which run of the first page it is about. */
  run: string;
  standing: Standing;
  /** How many numbers this page has, each counted once. */
  numbers: number;
  /** What it says, in words. */
  words: string;
  /** The client in it, with its version. */
  client: string;
}

/** How far the tool counts. */
export const COUNT = 40;

/**
 * Time between two of its numbers, in ms. The whole takes eight seconds: long enough to break, short enough
 * to watch.
 */
export const BETWEEN = 190;

/** The server of both, beside this page's folder: the demo's own, or the one that a service worker plays. */
export const serverURL: string = new URL("../mcp", location.href).href;

/**
 * What the page around both says to them when both are ready: neither is to be ahead because it loads faster.
 */
export const GO = "holdfast-demo.go";

/** The run that the first page has given this one. */
export const run: string = new URLSearchParams(location.search).get("run") ?? "alone";

/** What this page shows of itself, and tells. */
export class Pane {
  /** Whether an earlier page of this run was here, which had begun the call. */
  readonly again: boolean;
  #numbers = new Set<number>();
  #standing: Standing = "connecting";
  #words = "";

  constructor(
    private readonly pane: Which,
    private readonly client: string,
  ) {
    const pages = `holdfast-demo.pages.${pane}.${run}`;
    const before = Number(sessionStorage.getItem(pages) ?? 0);
    sessionStorage.setItem(pages, String(before + 1));
    this.again = before > 0;
    setText(part("page"), `Page ${before + 1}`);
  }

  /**
   * Resolves when the call is to be made: when the other page is ready as well, and at once where there is
   * none.
   */
  async go(): Promise<void> {
    if (this.again || parent === window) return;
    const told = new Promise<void>((resolve) => {
      addEventListener(
        "message", ({ data, origin }) => origin === location.origin && data === GO && resolve(),
      );
    });
    this.tell("ready", "Connected.");
    await told;
  }

  /** A number has come. */
  number(number: number): void {
    this.#numbers.add(number);
    this.tell("counting", this.#standing === "counting" ? this.#words : "Counting.");
  }

  /** How the call stands, and what to say of it. */
  tell(standing: Standing, words: string): void {
    // What a client that has given up says a minute later is no news.
    if (this.#standing === "lost") return;
    this.#standing = standing;
    this.#words = words;
    setText(part("words"), words);
    setAttributes(document.body, { "data-standing": standing, "data-numbers": this.#numbers.size });
    const told: Told = {
      pane: this.pane, run, standing, numbers: this.#numbers.size, words, client: this.client,
    };
    parent.postMessage(told, location.origin);
  }

  /** Whether every number has come. */
  get complete(): boolean {
    return this.#numbers.size === COUNT;
  }
}
