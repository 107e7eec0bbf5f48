import type { McpClient, Prompt } from "holdfast";
import { clipped, element } from "./element.js";
import { showThrown } from "./failure.js";
import { fieldForm, submit, textFields } from "./form.js";
import { entry } from "./entry.js";
import { showBlock } from "./result.js";
import { suggest } from "./suggest.js";

const MAX_MESSAGES = 50;

/** The entry of a prompt: a form from its arguments, and the messages it becomes. */
export function promptEntry(mcp: McpClient, prompt: Prompt): HTMLElement {
  const args = Array.isArray(prompt.arguments) ? prompt.arguments : [];
  const fields = textFields(args);
  const shown = element("div", { class: "shown", "aria-live": "polite" });
  const form = fieldForm(
    fields,
    "prompt-form",
    async (values) => {
      try {
        const { messages } = await mcp.getPrompt(prompt.name, values as Record<string, string>);
        shown.replaceChildren(
          ...messages.slice(0, MAX_MESSAGES).map(({ role, content }) =>
            element(
              "div",
              { class: "message", "data-testid": "prompt-message", "data-role": role },
              element("p", { class: "result-label" }, clipped(String(role), 40)),
              showBlock(content),
            ),
          ),
        );
      } catch (error) {
        shown.replaceChildren(showThrown(error, "prompt-error", "The server did not fill in this prompt."));
      }
    },
    submit("Fill in", "get-prompt"),
  );
  suggest(mcp, { type: "ref/prompt", name: prompt.name }, fields);
  return entry(
    { ...prompt, key: prompt.name }, { "data-testid": "prompt", "data-prompt": prompt.name, name: "prompt" },
    form, shown,
  );
}
