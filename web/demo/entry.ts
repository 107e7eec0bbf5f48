import { clipped, element, type Attributes } from "./element.js";

/** What an entry of a list says in its head. */
export interface Heading {
  title?: string;
  name: string;
  description?: string;
  /** What the protocol calls it by: a name or a URI. */
  key: string;
}

/** An entry of a list that opens, as the tools do. */
export function entry(
  { title, name, description, key }: Heading, attributes: Attributes, ...body: HTMLElement[]
): HTMLDetailsElement {
  const label = title ?? name;
  return element(
    "details",
    { class: "tool", ...attributes },
    element(
      "summary",
      {},
      element(
        "span",
        { class: "tool-head" },
        element("span", { class: "tool-title" }, clipped(label, 100)),
        label === key ? undefined : element("code", { class: "tool-name" }, clipped(key, 200)),
      ),
    ),
    description === undefined
      ? undefined
      : element("p", { class: "tool-description" }, clipped(description, 4000)),
    ...body,
  );
}
