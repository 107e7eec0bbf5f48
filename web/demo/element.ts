// Elements and their text. Everything a server says goes through here or
// through textContent, so it can only ever become text: no markup, no link.

/** Attributes of an element; one that is undefined or false is left out. */
export type Attributes = Record<string, string | number | boolean | undefined>;

/** What an element may hold. Strings become text nodes. */
export type Child = Node | string | undefined;

/** Makes an HTML element. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  setAttributes(made, attributes);
  for (const child of children) if (child !== undefined) made.append(child);
  return made;
}

/** Makes an SVG element. */
export function drawing<K extends keyof SVGElementTagNameMap>(
  tag: K, attributes: Attributes = {},
): SVGElementTagNameMap[K] {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  setAttributes(made, attributes);
  return made;
}

/** Sets attributes, and only those that change: a picture is redrawn often. */
export function setAttributes(target: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) {
      if (target.hasAttribute(name)) target.removeAttribute(name);
      continue;
    }
    const text = value === true ? "" : String(value);
    if (target.getAttribute(name) !== text) target.setAttribute(name, text);
  }
}

/** Sets the text of an element, if it is another one: a live region is read out when it is written to. */
export function setText(target: Element, text: string): void {
  if (target.textContent !== text) target.textContent = text;
}

/** A button that says what it does. */
export function button(label: string, attributes: Attributes, press: () => void): HTMLButtonElement {
  const made = element("button", { type: "button", ...attributes }, label);
  made.addEventListener("click", press);
  return made;
}

/** The element of the page with this id. */
export function part<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found as T;
}

/** Cuts a text that would flood the page. */
export function clipped(text: string, limit: number): string {
  return text.length <= limit
    ? text
    : `${text.slice(0, limit)} … (${(text.length - limit).toLocaleString("en")} more characters)`;
}
