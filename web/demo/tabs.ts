import { part, setAttributes, setText } from "./element.js";

export type TabName = "tools" | "resources" | "prompts" | "log";

const NAMES: TabName[] = ["tools", "resources", "prompts", "log"];

/** The tabs beside the calls: what the server offers, and what it says. */
export class Tabs {
  #open: TabName = "tools";
  /** Log lines that nobody has seen. */
  #unseen = 0;

  constructor() {
    for (const name of NAMES) {
      const tab = part(`tab-${name}`);
      tab.addEventListener("click", () => this.open(name));
      tab.addEventListener("keydown", (event) => this.#move(event));
    }
  }

  open(name: TabName): void {
    this.#open = name;
    for (const each of NAMES) {
      setAttributes(part(`tab-${each}`), {
        "aria-selected": each === name ? "true" : "false", tabindex: each === name ? 0 : -1,
      });
      part(`panel-${each}`).hidden = each !== name;
    }
    if (name === "log") {
      this.#unseen = 0;
      this.count("log", 0);
    }
  }

  /** Shows a tab, or takes it away: what a server does not offer is no use. */
  offer(name: TabName, offered: boolean): void {
    part(`tab-${name}`).hidden = !offered;
    if (!offered && this.#open === name) this.open("tools");
  }

  /** The small number in a tab. */
  count(name: TabName, count: number): void {
    setText(part(`tab-${name}-count`), count > 0 ? String(Math.min(count, 999)) : "");
  }

  /** Counts a line of the log, unless it can be seen. */
  logged(): void {
    if (this.#open !== "log") this.count("log", ++this.#unseen);
  }

  /** Arrow keys, as the tabs pattern has them. */
  #move(event: KeyboardEvent): void {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const shown = NAMES.filter((name) => !part(`tab-${name}`).hidden);
    const next = shown[(shown.indexOf(this.#open) + step + shown.length) % shown.length]!;
    this.open(next);
    part(`tab-${next}`).focus();
  }
}
