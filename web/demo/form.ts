import type { Open, Tool } from "holdfast";
import { element } from "./element.js";
import { Field } from "./field.js";
import { readSchema, type FieldModel } from "./schema.js";

/** Where a schema is too rich for fields, its arguments are one JSON object. */
const WHOLE: FieldModel = { name: "", label: "Arguments", required: true, default: {}, control: { kind: "json", expects: "object" } };

let forms = 0;

/** Makes the form of a tool from its input schema. `run` gets the arguments. */
export function toolForm(tool: Tool, run: (args: Open) => void): HTMLFormElement {
  const id = `form${++forms}`;
  const models = readSchema(tool.inputSchema ?? {});
  const fields = (models ?? [WHOLE]).map((model, i) => new Field(model, `${id}-${i}`));
  const form = element(
    "form",
    // The fields say themselves what is wrong, in the page's own style.
    { class: "tool-form", novalidate: true, "data-testid": "tool-form" },
    ...fields.map((field) => field.element),
    fields.length === 0 ? element("p", { class: "hint" }, "This tool takes no arguments.") : undefined,
    element("button", { type: "submit", class: "primary", "data-testid": "run" }, "Run"),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const args = readArguments(fields);
    if (args) run(models ? args : (args[""] as Open));
  });
  return form;
}

/** The arguments, or undefined and a message at each field that is wrong. */
function readArguments(fields: Field[]): Open | undefined {
  // No prototype: a schema may well name a property __proto__.
  const args = Object.create(null) as Open;
  let wrong: Field | undefined;
  for (const field of fields) {
    const reading = field.read();
    field.complain("mistake" in reading ? reading.mistake : "");
    if ("mistake" in reading) wrong ??= field;
    else if ("value" in reading) args[field.name] = reading.value;
  }
  wrong?.focus();
  return wrong ? undefined : args;
}
