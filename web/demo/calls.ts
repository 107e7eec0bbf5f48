import type { CallEvent, CallOptions, McpClient, Open, Tool } from "holdfast";
import { CallCard } from "./card.js";
import { button, part, setText } from "./element.js";

/** Finished calls that stay in the page. */
const MAX_FINISHED = 30;

/** Hears of a call's events, and of its end (undefined). */
export type CallWatcher = (card: CallCard, event: CallEvent | undefined) => void;

/** The calls of this page, newest first. They stay when the server changes. */
export class CallList {
  readonly #list = part("call-list");
  readonly #empty = part("no-calls");
  readonly #count = part("call-count");
  readonly #clear: HTMLButtonElement;
  readonly #watchers = new Set<CallWatcher>();
  readonly #options: (mcp: McpClient) => CallOptions;
  #cards: CallCard[] = [];

  /** `options` is what each call is made with. */
  constructor(options: (mcp: McpClient) => CallOptions) {
    this.#options = options;
    this.#clear = button("Clear finished", { class: "quiet small", hidden: true }, () => this.#drop((card) => card.state !== "running"));
    part("calls-head").append(this.#clear);
  }

  /** Calls a tool and shows the call. */
  run(mcp: McpClient, tool: Tool, args: Open): CallCard {
    const card = new CallCard(
      tool,
      args,
      mcp.callTool(tool.name, args, this.#options(mcp)),
      () => this.run(mcp, tool, args),
      (changed, event) => {
        if (event === undefined) this.#show();
        for (const watcher of this.#watchers) watcher(changed, event);
      },
    );
    this.#cards.unshift(card);
    this.#list.prepend(card.element);
    let finished = 0;
    this.#drop((each) => each.state !== "running" && ++finished > MAX_FINISHED);
    reveal(card.element);
    return card;
  }

  /**
   * The call that a question belongs to, if that is plain: until 2025-11-25 a
   * server's request does not say on whose behalf it comes.
   */
  get only(): CallCard | undefined {
    const running = this.#cards.filter((card) => card.state === "running");
    return running.length === 1 ? running[0] : undefined;
  }

  /** Listens to all calls; for the guide. */
  watch(watcher: CallWatcher): void {
    this.#watchers.add(watcher);
  }

  #drop(unwanted: (card: CallCard) => boolean): void {
    this.#cards = this.#cards.filter((card) => {
      if (!unwanted(card)) return true;
      card.element.remove();
      return false;
    });
    this.#show();
  }

  #show(): void {
    const running = this.#cards.filter((card) => card.state === "running").length;
    this.#empty.hidden = this.#cards.length > 0;
    this.#clear.hidden = running === this.#cards.length;
    setText(this.#count, running > 0 ? `${running} running` : "");
  }
}

/** On a phone the form that made the call is far from its card. */
function reveal(card: HTMLElement): void {
  const { top, bottom } = card.getBoundingClientRect();
  if (top >= 0 && Math.min(bottom, top + 220) <= window.innerHeight) return;
  const calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  card.scrollIntoView({ block: "nearest", behavior: calm ? "auto" : "smooth" });
}
