import type { DiffContent } from "holdfast/agent";
import { clipped, element } from "./element.js";

/** Characters of a diff that are shown. */
const MAX_SHOWN = 20_000;

/** What a line of a patch is. */
function kindOf(line: string): "add" | "del" | "at" | "same" {
  if (/^(\+\+\+|---|@@|diff |index )/.test(line)) return "at";
  if (line.startsWith("+")) return "add";
  return line.startsWith("-") ? "del" : "same";
}

/** Draws a change of files: its patch line by line, or else the names of the files. */
export function drawDiff({ changes = [], patch, path, oldText, newText }: DiffContent): HTMLElement {
  let lines = changes.map(({ operation, path }) => `${operation} ${path}`);
  if (patch) lines = clipped(patch.text, MAX_SHOWN).replace(/\n$/, "").split("\n");
  // Version 1 has the file before and after.
  else if (newText !== undefined) {
    const side = (text: string, sign: string): string[] =>
      clipped(text, MAX_SHOWN / 2).replace(/\n$/, "").split("\n").map((line) => sign + line);
    lines = [`--- ${path ?? ""}`, ...(oldText == null ? [] : side(oldText, "-")), ...side(newText, "+")];
  }
  return element(
    "div", { class: "diff", "data-testid": "diff" },
    ...lines.map(
      (line) => element("div", { "data-line": patch || newText !== undefined ? kindOf(line) : "at" }, line),
    )
  );
}
