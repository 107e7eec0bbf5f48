import type { Tab } from "./tab.js";

/** The other pages of the origin whose end is watched for, and which of them were heard. */
export class Peers {
  readonly #tab: Tab;
  readonly #gone: (name: string) => void;
  readonly #watched = new Map<string, AbortController>();
  readonly #known = new Set<string>();

  /** `gone` hears of each that ends. */
  constructor(tab: Tab, gone: (name: string) => void) {
    this.#tab = tab;
    this.#gone = gone;
  }

  /** True if there is another page of the origin. */
  get any(): boolean {
    return this.#watched.size > 0;
  }

  /** True if this page has heard one of these pages: that page is of the same server and user. */
  heardOf(pages: Set<string>): boolean {
    return [...this.#known].some((name) => pages.has(name));
  }

  /** A page has said something. */
  hear(name: string): void {
    this.#known.add(name);
  }

  /** Watches for a page's end. */
  watch(name: string): void {
    const watch = new AbortController();
    this.#watched.get(name)?.abort();
    this.#watched.set(name, watch);
    void this.#tab.gone(name, watch.signal).then(() => {
      if (watch.signal.aborted) return;
      this.#watched.delete(name);
      this.#known.delete(name);
      this.#gone(name);
    });
  }

  /** Ends all watches. */
  stop(): void {
    for (const watch of this.#watched.values()) watch.abort();
    this.#watched.clear();
    this.#known.clear();
  }
}
