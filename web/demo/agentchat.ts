import type { AgentSession } from "holdfast/agent";
import { drawPending, Entry } from "./agententry.js";
import { part } from "./element.js";

/** How far from its end, in px, somebody who reads along may be. */
const NEAR = 60;

/** Draws what was said. */
export class Chat {
  readonly #box = part("transcript");
  readonly #empty = part("transcript-empty");
  /** What is asked comes after all that was said. */
  readonly #end = part("permissions");
  #entries: Entry[] = [];
  #pending: HTMLElement[] = [];
  #follows = true;

  constructor() {
    this.#box.addEventListener("scroll", () => {
      this.#follows = this.#box.scrollHeight - this.#box.scrollTop - this.#box.clientHeight < NEAR;
    });
  }

  /**
   * Draws a session as it stands. Items are never changed, so that only those that
   * are others are drawn; told again, they take the places of the old ones, and
   * nothing flickers.
   */
  show(session: AgentSession): void {
    const { transcript, pending } = session;
    for (const gone of this.#entries.splice(transcript.length)) gone.element.remove();
    for (const gone of this.#pending) gone.remove();
    for (const [i, item] of transcript.entries()) {
      const entry = (this.#entries[i] ??= new Entry());
      if (!entry.element.isConnected) this.#end.before(entry.element);
      entry.draw(item);
      entry.live = i === transcript.length - 1 && session.state === "running" &&
        item.type === "agent_message";
    }
    this.#pending = pending.map(({ content }) => drawPending(content));
    this.#end.before(...this.#pending);
    this.#empty.hidden = transcript.length + pending.length > 0;
    if (this.#follows) this.#box.scrollTop = this.#box.scrollHeight;
  }

  /** Goes to the end, and brings the panel into view where the window is too low for all of the page. */
  reveal(): void {
    this.#follows = true;
    const panel = this.#box.closest("section")!;
    if (panel.getBoundingClientRect().bottom <= window.innerHeight) return;
    const calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    panel.scrollIntoView({ block: "start", behavior: calm ? "auto" : "smooth" });
  }
}
