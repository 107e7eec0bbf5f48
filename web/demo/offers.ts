import type { McpClient } from "holdfast";
import { element, part } from "./element.js";
import { showThrown } from "./failure.js";
import { promptEntry } from "./prompts.js";
import { ResourceEntry, templateEntry } from "./resources.js";
import type { Tabs } from "./tabs.js";

/** Entries shown of each list; a server may have any number. */
const MAX_ENTRIES = 200;

/** The resources and prompts of the server, each in its tab. */
export class Offers {
  readonly #tabs: Tabs;
  readonly #resources = part("resources");
  readonly #prompts = part("prompts");
  #shown = new Map<string, ResourceEntry>();
  #mcp: McpClient | undefined;

  constructor(tabs: Tabs) {
    this.#tabs = tabs;
  }

  /** Follows a client that is open. */
  follow(mcp: McpClient): void {
    this.#mcp = mcp;
    this.#shown.clear();
    mcp.on("notification", ({ method, params }) => {
      if (method === "notifications/resources/updated")
        this.#shown.get(String((params as { uri?: unknown } | undefined)?.uri))?.updated();
      if (method === "notifications/resources/list_changed") void this.#listResources(mcp);
      if (method === "notifications/prompts/list_changed") void this.#listPrompts(mcp);
    });
  }

  /** A session has begun. */
  begin(mcp: McpClient): void {
    const { resources, prompts } = mcp.capabilities;
    this.#tabs.offer("resources", Boolean(resources));
    this.#tabs.offer("prompts", Boolean(prompts));
    if (resources) void this.#listResources(mcp);
    if (prompts) void this.#listPrompts(mcp);
    for (const entry of this.#shown.values()) entry.renew();
  }

  clear(): void {
    this.#mcp = undefined;
    this.#shown.clear();
    this.#tabs.offer("resources", false);
    this.#tabs.offer("prompts", false);
    this.#resources.replaceChildren();
    this.#prompts.replaceChildren();
  }

  async #listResources(mcp: McpClient): Promise<void> {
    try {
      const { resources } = await mcp.listResources();
      // Servers without templates may not know the method.
      const { resourceTemplates } =
        await mcp.listResourceTemplates().catch(() => ({ resourceTemplates: [] }));
      if (mcp !== this.#mcp) return;
      const before = this.#shown;
      this.#shown = new Map();
      // One that is known stays as it is: it may be open, and watched.
      for (const each of resources.slice(0, MAX_ENTRIES))
        this.#shown.set(each.uri, before.get(each.uri) ?? new ResourceEntry(mcp, each));
      const templates = resourceTemplates.slice(0, MAX_ENTRIES).map((each) => templateEntry(mcp, each));
      fill(
        this.#resources, [...[...this.#shown.values()].map((each) => each.element), ...templates],
        "This server has no resources now.",
      );
      this.#tabs.count("resources", resources.length + resourceTemplates.length);
    } catch (error) {
      if (mcp === this.#mcp)
        this.#resources.replaceChildren(
          showThrown(error, "resource-error", "The resources could not be listed."),
        );
    }
  }

  async #listPrompts(mcp: McpClient): Promise<void> {
    try {
      const { prompts } = await mcp.listPrompts();
      if (mcp !== this.#mcp) return;
      fill(
        this.#prompts, prompts.slice(0, MAX_ENTRIES).map((each) => promptEntry(mcp, each)),
        "This server has no prompts now.",
      );
      this.#tabs.count("prompts", prompts.length);
    } catch (error) {
      if (mcp === this.#mcp)
        this.#prompts.replaceChildren(showThrown(error, "prompt-error", "The prompts could not be listed."));
    }
  }
}

function fill(box: HTMLElement, entries: HTMLElement[], none: string): void {
  box.replaceChildren(
    ...(entries.length > 0 ? entries : [element("p", { class: "tool-description" }, none)])
  );
}
