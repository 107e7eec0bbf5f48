import {
  isA,
  type AgentContentBlock,
  type PlanItem,
  type TerminalItem,
  type ToolCallContent,
  type ToolCallItem,
  type TranscriptItem,
} from "holdfast/agent";
import { drawDiff } from "./agentdiff.js";
import { textOf } from "./agentsaid.js";
import { clipped, element, setAttributes, setText } from "./element.js";

/** Characters of a terminal's output that are shown: its end. */
const MAX_OUTPUT = 20_000;

const STATUS: Record<string, string> = {
  pending: "not begun", in_progress: "at work", paused: "waits", completed: "done", failed: "not done",
    cancelled: "cancelled",
};

/**
 * An item of the transcript as it is drawn. It is drawn again in the same place, so that what is open or
 * selected in it stays so.
 */
export class Entry {
  readonly element = element("article", { class: "entry", "data-testid": "entry" });
  #item: TranscriptItem | undefined;
  readonly #said = element("div", { class: "said", "data-testid": "said" });

  /** Draws an item; the same one costs nothing. */
  draw(item: TranscriptItem): void {
    if (item === this.#item) return;
    if (item.type !== this.#item?.type) this.#begin(item.type);
    this.#item = item;
    switch (item.type) {
      case "user_message":
      case "agent_message":
      case "agent_thought":
        paragraphs(this.#said, shown(item.content as readonly AgentContentBlock[]));
        break;
      case "tool_call":
        this.#tool(item as ToolCallItem);
        break;
      case "terminal":
        this.#terminal(item as TerminalItem);
        break;
      case "plan":
        this.#plan(item as PlanItem);
        break;
      case "notice":
        paragraphs(this.#said, [item.title, item.description].filter(Boolean).join("\n\n") as string);
        break;
      case "unknown":
        setText(this.#said, `An update of a kind that this page does not know: ${String(item.name)}`);
        break;
    }
  }

  /** Whether it is being said now. */
  set live(live: boolean) {
    setAttributes(this.element, { "data-live": live });
  }

  #begin(type: string): void {
    setAttributes(this.element, { "data-type": type, "data-status": undefined });
    if (type === "agent_thought")
      this.element.replaceChildren(element("details", {}, element("summary", {}, "Thoughts"), this.#said));
    else if (type === "tool_call" || type === "terminal" || type === "plan") this.element.replaceChildren();
    else this.element.replaceChildren(this.#said);
  }

  #tool({ title, name, status, content }: ToolCallItem): void {
    setAttributes(this.element, { "data-status": status });
    this.element.replaceChildren(
      element("div", { class: "tool-line" },
        element("strong", { "data-testid": "tool-title" }, clipped(title ?? name ?? "A tool", 200)),
        element("span", { class: "status" }, STATUS[status] ?? status)),
      element("div", { class: "tool-body" }, ...content.map(drawContent)),
    );
  }

  #terminal({ command, text }: TerminalItem): void {
    const output = this.element.querySelector("pre") ?? element("pre", {
      class: "terminal", "data-testid": "output", tabindex: 0,
    });
    setText(output, text.slice(-MAX_OUTPUT));
    if (!output.isConnected)
      this.element.replaceChildren(element("p", { class: "terminal-command" }), output);
    setText(this.element.firstElementChild!, clipped(command ?? "", 400));
    output.scrollTop = output.scrollHeight;
  }

  #plan({ entries }: PlanItem): void {
    this.element.replaceChildren(
      element("div", { class: "tool-line" },
        element("strong", {}, "Plan"),
        element(
          "span", { class: "dim" },
          `${entries.filter(({ status }) => status === "completed").length} of ${entries.length} done`,
        )),
      element("ol", { class: "steps" }, ...entries.map(({ content, status }) =>
        element("li", { "data-testid": "step", "data-step": status }, clipped(content, 400)))),
    );
  }
}

/** A prompt that the agent has not taken in yet. */
export function drawPending(content: readonly AgentContentBlock[]): HTMLElement {
  const said = element("div", { class: "said" });
  paragraphs(said, shown(content));
  return element(
    "article", { class: "entry", "data-type": "user_message", "data-pending": true, "data-testid": "entry" },
    said,
  );
}

/** What can be shown of blocks in this page: text, and the names of what is none. */
function shown(content: readonly AgentContentBlock[]): string {
  return content.some(({ type }) => type !== "text")
    ? content.map((block) => (block.type === "text" ? textOf([block]) : `[${block.type}]`)).join("\n\n")
    : textOf(content);
}

/** Puts text into paragraphs, and writes only to those that have changed. */
function paragraphs(into: HTMLElement, text: string): void {
  const parts = text.split(/\n{2,}/).filter((part) => part !== "");
  while (into.childElementCount > parts.length) into.lastElementChild!.remove();
  while (into.childElementCount < parts.length) into.append(element("p"));
  for (const [i, part] of parts.entries()) setText(into.children[i]!, part);
}

function drawContent(content: ToolCallContent): HTMLElement | undefined {
  if (isA(content, "diff")) return drawDiff(content);
  if (isA(content, "content")) return element("p", {}, clipped(shown([content.content]), 2000));
  return undefined; // a terminal is an item of its own
}
