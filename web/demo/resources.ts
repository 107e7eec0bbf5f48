import type { McpClient, Resource, ResourceContents, ResourceTemplate } from "holdfast";
import { counted } from "./duration.js";
import { button, clipped, element, setAttributes, setText } from "./element.js";
import { entry } from "./entry.js";
import { showThrown } from "./failure.js";
import { fieldForm, submit, textFields } from "./form.js";
import { MAX_TEXT, showImage } from "./result.js";
import { suggest } from "./suggest.js";

const MAX_CONTENTS = 20;

/** A resource in the list: read on demand, and again whenever it changes while it is watched. */
export class ResourceEntry {
  readonly element: HTMLElement;
  readonly uri: string;
  readonly #mcp: McpClient;
  readonly #shown = element("div", { class: "shown", "aria-live": "off" });
  readonly #watch: HTMLButtonElement;
  readonly #note = element("span", { class: "dim", role: "status", "data-testid": "updated" });
  #watched = false;
  #updates = 0;

  constructor(mcp: McpClient, resource: Resource) {
    this.uri = resource.uri;
    this.#mcp = mcp;
    const read = button(
      "Read", { class: "primary", "data-testid": "read-resource" },
      () => void readInto(this.#shown, mcp, this.uri),
    );
    this.#watch = button(
      "Watch", { "data-testid": "watch", "aria-pressed": "false" }, () => void this.#toggle(),
    );
    // The toggle is only there for servers that tell of changes.
    this.#watch.hidden = !mcp.capabilities.resources?.subscribe;
    this.element = entry(
      { ...resource, key: resource.uri },
      { "data-testid": "resource", "data-uri": resource.uri, name: "resource" },
      element("div", { class: "actions" }, read, this.#watch, this.#note),
      this.#shown,
    );
  }

  /** The server says that it has changed. */
  updated(): void {
    if (!this.#watched) return;
    this.#updates++;
    setAttributes(this.element, { "data-updates": this.#updates });
    setText(this.#note, `updated ${counted(this.#updates, "time")}`);
    void readInto(this.#shown, this.#mcp, this.uri);
  }

  /** A new session knows of no subscription. */
  renew(): void {
    if (this.#watched)
      void this.#mcp.subscribeResource(this.uri).catch((error: unknown) => this.#refused(error));
  }

  async #toggle(): Promise<void> {
    const wanted = !this.#watched;
    this.#watch.disabled = true;
    try {
      if (wanted) await this.#mcp.subscribeResource(this.uri);
      else await this.#mcp.unsubscribeResource(this.uri);
      this.#show(wanted);
      if (wanted) void readInto(this.#shown, this.#mcp, this.uri);
    } catch (error) {
      this.#refused(error);
    } finally {
      this.#watch.disabled = false;
    }
  }

  #refused(error: unknown): void {
    this.#show(false);
    this.#shown.replaceChildren(
      showThrown(error, "resource-error", "The server does not take the subscription."),
    );
  }

  #show(watched: boolean): void {
    this.#watched = watched;
    setAttributes(this.#watch, { "aria-pressed": String(watched) });
    setText(this.#note, watched ? "waiting for changes" : "");
  }
}

/** The entry of a template: its variables are a form. */
export function templateEntry(mcp: McpClient, template: ResourceTemplate): HTMLElement {
  const { uriTemplate } = template;
  const names = [...uriTemplate.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
  // More than plain variables (RFC 6570, level 1) is for the person to fill in.
  const simple = !/[{}]/.test(uriTemplate.replace(/\{\w+\}/g, ""));
  const fields = textFields(
    (simple ? [...new Set(names)] : ["URI"]).map((name) => ({ name, required: true })),
  );
  const shown = element("div", { class: "shown", "aria-live": "polite" });
  const form = fieldForm(
    fields,
    "template-form",
    (values) => {
      const fill = (_: string, name: string): string => encodeURIComponent(String(values[name] ?? ""));
      void readInto(shown, mcp, simple ? uriTemplate.replace(/\{(\w+)\}/g, fill) : String(values["URI"]));
    },
    submit("Read", "read-template"),
  );
  if (simple) suggest(mcp, { type: "ref/resource", uri: uriTemplate }, fields);
  return entry(
    { ...template, key: uriTemplate },
    { "data-testid": "template", "data-template": uriTemplate, name: "resource" }, form, shown,
  );
}

async function readInto(box: HTMLElement, mcp: McpClient, uri: string): Promise<void> {
  try {
    const { contents } = await mcp.readResource(uri);
    box.replaceChildren(...contents.slice(0, MAX_CONTENTS).map(showContents));
    if (contents.length === 0) box.replaceChildren(element("p", { class: "result-note" }, "It is empty."));
  } catch (error) {
    box.replaceChildren(showThrown(error, "resource-error", "The resource could not be read."));
  }
}

function showContents({ text, blob, mimeType }: ResourceContents): HTMLElement {
  if (typeof text === "string")
    return element("pre", { class: "lines", "data-testid": "resource-text" }, clipped(text, MAX_TEXT));
  if (typeof mimeType === "string" && mimeType.startsWith("image/")) return showImage(String(blob), mimeType);
  return element(
    "p", { class: "result-note" },
    `${mimeType ?? "Binary data"}, about ` +
      `${Math.floor((String(blob ?? "").length * 3) / 4).toLocaleString("en")} bytes`,
  );
}
