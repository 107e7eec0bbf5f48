import type { CallToolResult, ContentBlock } from "holdfast";
import { clipped, element } from "./element.js";

/** Characters of one text that are shown. */
export const MAX_TEXT = 20_000;
const MAX_BLOCKS = 50;

/** Images that are pixels and nothing else; SVG is a document. */
const IMAGES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** Shows the result of a tool: text, structured content, images. */
export function showResult(result: CallToolResult): HTMLElement {
  const box = element("div", {
    class: "result", "data-testid": "call-result",
    "data-is-error": result.isError === true ? "true" : undefined,
  });
  if (result.isError) {
    box.append(
      element(
        "p", { class: "result-note" },
        "The tool reports a failure. The call itself arrived and was answered.",
      ),
    );
  }
  const blocks = Array.isArray(result.content) ? result.content : [];
  const structured = result.structuredContent;
  for (const block of blocks.slice(0, MAX_BLOCKS)) {
    if (structured !== undefined && sameJSON(block, structured)) continue;
    box.append(showBlock(block));
  }
  if (blocks.length > MAX_BLOCKS)
    box.append(element("p", { class: "result-note" }, `${blocks.length - MAX_BLOCKS} more blocks`));
  if (structured !== undefined) {
    box.append(
      element("p", { class: "result-label" }, "Structured content"),
      element("pre", { class: "json" }, clipped(JSON.stringify(structured, null, 2), MAX_TEXT)),
    );
  }
  if (!box.hasChildNodes()) box.append(element("p", { class: "result-note" }, "An empty result."));
  return box;
}

/** Shows one piece of content. */
export function showBlock(block: ContentBlock): HTMLElement {
  switch (block?.type) {
    case "text":
      return element("pre", { class: "text" }, clipped(String(block.text), MAX_TEXT));
    case "image":
      return showImage(String(block.data), String(block.mimeType));
    case "audio":
      return element("p", { class: "result-note" }, `Audio, ${String(block.mimeType)}`);
    default:
      // Links too: a server's link is a text to read, not a place to go.
      return element("pre", { class: "json" }, clipped(JSON.stringify(block, null, 2) ?? "", MAX_TEXT));
  }
}

/** Shows an image of a format that is pixels. */
export function showImage(data: string, type: string): HTMLElement {
  if (!IMAGES.has(type) || !/^[A-Za-z0-9+/=\s]+$/.test(data)) {
    return element("p", { class: "result-note" }, `An image that is not shown: ${clipped(type, 100)}`);
  }
  return element("img", { src: `data:${type};base64,${data}`, alt: "The image that the server returned" });
}

/** Servers repeat structured content as text for older clients; once is enough here. */
function sameJSON(block: ContentBlock, structured: unknown): boolean {
  if (block?.type !== "text" || typeof block.text !== "string") return false;
  try {
    return JSON.stringify(JSON.parse(block.text)) === JSON.stringify(structured);
  } catch {
    return false;
  }
}
