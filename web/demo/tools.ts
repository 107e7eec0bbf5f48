import type { Open, Tool } from "holdfast";
import { clipped, element, part, setText } from "./element.js";
import { toolForm } from "./form.js";
import type { Tabs } from "./tabs.js";

/** Lists longer than this get a filter. */
const FILTER_FROM = 10;

interface Shown {
  /** The tool as JSON: a tool that did not change keeps its element, and what was typed into it. */
  text: string;
  element: HTMLDetailsElement;
}

/** The tools of the server, each with a form. */
export class ToolList {
  readonly #list = part("tool-list");
  readonly #tabs: Tabs;
  readonly #filter = part<HTMLInputElement>("tool-filter");
  readonly #note = part("no-tools");
  readonly #run: (tool: Tool, args: Open) => void;
  #shown = new Map<string, Shown>();

  constructor(tabs: Tabs, run: (tool: Tool, args: Open) => void) {
    this.#tabs = tabs;
    this.#run = run;
    this.#filter.addEventListener("input", () => this.#applyFilter());
  }

  /** Shows these tools. A tool whose definition is not what it was is marked. */
  show(tools: Tool[]): void {
    const before = this.#shown;
    this.#shown = new Map();
    for (const tool of tools) {
      const text = JSON.stringify(tool);
      const known = before.get(tool.name);
      const same = known?.text === text;
      const made = same ? known.element : this.#entry(tool, known !== undefined);
      if (!same && known?.element.open) made.open = true;
      this.#shown.set(tool.name, { text, element: made });
    }
    this.#list.replaceChildren(...[...this.#shown.values()].map((each) => each.element));
    this.#filter.hidden = tools.length < FILTER_FROM;
    if (this.#filter.hidden) this.#filter.value = "";
    this.#applyFilter();
    this.#tabs.count("tools", tools.length);
    this.say(tools.length > 0 ? "" : "This server offers no tools.");
  }

  /** Takes the tools away: there is no server. */
  clear(note: string): void {
    this.#shown.clear();
    this.#list.replaceChildren();
    this.#filter.hidden = true;
    this.#tabs.count("tools", 0);
    this.say(note);
  }

  /** Says why there is nothing to see. */
  say(note: string): void {
    setText(this.#note, note);
    this.#note.hidden = note === "";
  }

  #entry(tool: Tool, changed: boolean): HTMLDetailsElement {
    const title = tool.title ?? tool.annotations?.title;
    return element(
      "details",
      // One name: opening a tool closes the one that was open.
      { class: "tool", name: "tool", "data-testid": "tool", "data-tool": tool.name },
      element(
        "summary",
        {},
        element(
          "span",
          { class: "tool-head" },
          element("span", { class: "tool-title" }, clipped(title ?? tool.name, 100)),
          title === undefined ? undefined : element("code", { class: "tool-name" }, clipped(tool.name, 100)),
          element("span", { class: "badges" }, ...badges(tool, changed)),
        ),
      ),
      tool.description === undefined
        ? undefined
        : element("p", { class: "tool-description" }, clipped(tool.description, 4000)),
      toolForm(tool, (args) => this.#run(tool, args)),
    );
  }

  #applyFilter(): void {
    const wanted = this.#filter.value.trim().toLowerCase();
    for (const { text, element: shown } of this.#shown.values())
      shown.hidden = !text.toLowerCase().includes(wanted);
  }
}

/** What the tool says of itself. Hints, not promises: the server wrote them. */
function badges({ annotations = {} }: Tool, changed: boolean): HTMLElement[] {
  const made: HTMLElement[] = [];
  const badge = (label: string, title: string, tone?: string): void => {
    made.push(element("span", { class: "badge", title, "data-tone": tone }, label));
  };
  if (changed) badge("changed", "The server has changed this tool since it was first listed", "warn");
  if (annotations.readOnlyHint === true) badge("read-only", "Says that it changes nothing");
  else if (annotations.destructiveHint === true)
    badge("destructive", "Says that it may destroy something", "warn");
  if (annotations.readOnlyHint !== true && annotations.idempotentHint === true)
    badge("idempotent", "Says that running it twice does no more than once");
  if (annotations.openWorldHint === true) badge("open world", "Says that it reaches out to other systems");
  return made;
}
