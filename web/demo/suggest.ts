import type { McpClient, Open } from "holdfast";
import { clipped, element } from "./element.js";
import type { Fields } from "./form.js";

/** Suggestions shown; the protocol allows a hundred. */
const MAX_SUGGESTIONS = 20;

/** Typing faster than this asks once. */
const PAUSE = 200;

/** Lets the server complete what is typed into text fields, if it can. */
export function suggest(mcp: McpClient, ref: Open, fields: Fields): void {
  if (!mcp.capabilities.completions) return;
  for (const { name, input } of fields.all) {
    if (!(input instanceof HTMLInputElement)) continue;
    const list = element("datalist", { id: `${input.id}-suggestions` });
    input.after(list);
    input.setAttribute("list", list.id);
    let timer: ReturnType<typeof setTimeout> | undefined;
    let asked = 0;
    const ask = async (): Promise<void> => {
      const turn = ++asked;
      try {
        const { completion } = await mcp.complete(ref, { name, value: input.value });
        if (turn !== asked) return;
        const values = completion.values.slice(0, MAX_SUGGESTIONS);
        list.replaceChildren(
          ...values.map((value) => element("option", { value: clipped(String(value), 200) }))
        );
      } catch {
        // A suggestion that does not come is none.
      }
    };
    const soon = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => void ask(), PAUSE);
    };
    input.addEventListener("input", soon);
    input.addEventListener("focus", soon);
  }
}
