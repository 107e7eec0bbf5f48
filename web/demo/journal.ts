import type { McpClient, Usage } from "holdfast";
import { button, part, setAttributes, setText } from "./element.js";

/** How often the store is asked, in ms. */
const REFRESH = 500;

/** Why calls are kept in memory only, in words. */
const WHY: Record<string, string> = {
  principal: "nothing says for certain whose calls they are (Options: User)",
  missing: "this browser offers no IndexedDB here",
  quota: "the browser has no room left",
  closed: "all of it was wiped",
  newer: "a newer version of Holdfast has the store",
};

/** What the journal asks of the page. */
export interface JournalUse {
  /** Deletes all that is stored, and begins again. */
  forget(): Promise<void>;
}

/** What is stored of this server in this browser, and how much it is. */
export class JournalPanel {
  readonly #box = part("journal");
  readonly #where = part("journal-where");
  readonly #persist = part("journal-persist");
  readonly #keep: HTMLButtonElement;
  readonly #forget: HTMLButtonElement;
  readonly #use: JournalUse;
  #mcp: McpClient | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #why: string | undefined;
  #asking = false;

  constructor(use: JournalUse) {
    this.#use = use;
    this.#keep = button(
      "Ask to keep it", { class: "small", "data-testid": "persist", hidden: true },
      () => void this.#askToKeep(),
    );
    this.#forget = button(
      "Forget everything", { class: "small", "data-testid": "forget", "aria-describedby": "forget-what" },
      () => void this.#forgetAll(),
    );
    part("journal-actions").append(this.#forget, this.#keep);
  }

  /** Follows a client until the next one, or until {@link JournalPanel.stop}. */
  follow(mcp: McpClient): void {
    this.stop();
    this.#mcp = mcp;
    this.#why = undefined;
    this.#box.hidden = false;
    mcp.on("durability", ({ why }) => {
      this.#why = why;
      void this.refresh();
    });
    this.#timer = setInterval(() => void this.refresh(), REFRESH);
    void this.refresh();
    void this.#showPersistence();
  }

  /** There is no client; what was stored is still there. */
  stop(): void {
    clearInterval(this.#timer);
    this.#mcp = undefined;
    this.#box.hidden = true;
  }

  /** Asks the store what it holds. */
  async refresh(): Promise<void> {
    const mcp = this.#mcp;
    if (!mcp || this.#asking) return;
    this.#asking = true;
    try {
      const usage = await mcp.stored();
      if (mcp === this.#mcp) this.#show(mcp, usage);
    } catch {
      // The store is closing; the next client opens it again.
    } finally {
      this.#asking = false;
    }
  }

  #show(mcp: McpClient, usage: Usage | null): void {
    const kept = mcp.durability === "indexeddb";
    setAttributes(this.#where, { "data-durability": mcp.durability });
    const why = this.#why === undefined ? "" : `: ${WHY[this.#why] ?? this.#why}`;
    for (const each of [part("journal-note"), part("journal-actions")]) each.hidden = !kept;
    setText(
      this.#where, kept ? "Stored in this browser (IndexedDB)" : `In the memory of this page only${why}`,
    );
    number("calls", usage?.calls ?? 0);
    number("rows", usage?.rows ?? 0);
    setText(part("journal-bytes"), bytes(usage?.bytes ?? 0));
    const { origin } = usage ?? {};
    part("journal-origin").parentElement!.hidden = !origin;
    setText(part("journal-origin"), origin ? `${bytes(origin.usage)} of ${bytes(origin.quota)}` : "");
    part("journal-quarantined").hidden = !usage?.quarantined;
    setText(
      part("journal-quarantined"),
      usage?.quarantined ? `${usage.quarantined} records of another version are left alone.` : "",
    );
  }

  async #showPersistence(): Promise<void> {
    const manager = globalThis.navigator.storage;
    const persisted = await manager?.persisted?.().catch(() => undefined);
    this.#keep.hidden = persisted !== false;
    const words =
      persisted === undefined
        ? ""
        : persisted
          ? "The browser keeps it until you clear it."
          : "The browser may clear it when the disk is full.";
    setText(this.#persist, words);
  }

  async #askToKeep(): Promise<void> {
    const granted = (await this.#mcp?.persist()) ?? false;
    await this.#showPersistence();
    if (!granted)
      setText(this.#persist, "The browser does not promise it. It may clear it when the disk is full.");
  }

  async #forgetAll(): Promise<void> {
    this.#forget.disabled = true;
    try {
      await this.#use.forget();
    } finally {
      this.#forget.disabled = false;
    }
  }
}

function number(what: "calls" | "rows", count: number): void {
  setText(part(`journal-${what}`), count.toLocaleString("en"));
}

function bytes(count: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let unit = 0;
  for (; count >= 999.5 && unit < units.length - 1; unit++) count /= 1000;
  return `${count < 10 && unit > 0 ? count.toFixed(1) : Math.round(count)} ${units[unit]}`;
}
