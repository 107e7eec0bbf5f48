import type { JSONSchema, Open, Prompt, Tool } from "holdfast";
import { element, type Child } from "./element.js";
import { Field } from "./field.js";
import { readSchema, type FieldModel } from "./schema.js";

/** Where a schema is too rich for fields, its arguments are one JSON object. */
const WHOLE: FieldModel = {
  name: "", label: "Arguments", required: true, default: {}, control: { kind: "json", expects: "object" },
};

let forms = 0;

/** The fields of a schema, and what is in them. */
export class Fields {
  readonly all: Field[];
  readonly #whole: boolean;

  constructor(models: FieldModel[] | undefined) {
    const id = `form${++forms}`;
    this.#whole = models === undefined;
    this.all = (models ?? [WHOLE]).map((model, i) => new Field(model, `${id}-${i}`));
  }

  /** What is in the fields, right or wrong; as `typed` of a later page they are what they were. */
  get typed(): Record<string, string | string[]> {
    return Object.fromEntries(this.all.map((field) => [field.name, field.typed]));
  }
  set typed(typed: Record<string, string | string[]>) {
    for (const field of this.all) {
      const was = Object.hasOwn(typed, field.name) ? typed[field.name] : undefined;
      if (was !== undefined) field.typed = was;
    }
  }

  /** What the fields hold, or undefined and a message at each field that is wrong. */
  read(): Open | undefined {
    // No prototype: a schema may well name a property __proto__.
    const args = Object.create(null) as Open;
    let wrong: Field | undefined;
    for (const field of this.all) {
      const reading = field.read();
      field.complain("mistake" in reading ? reading.mistake : "");
      if ("mistake" in reading) wrong ??= field;
      else if ("value" in reading) args[field.name] = reading.value;
    }
    wrong?.focus();
    if (wrong) return undefined;
    return this.#whole ? (args[""] as Open) : args;
  }
}

/** A form of these fields. `send` gets what they hold; the buttons are below them. */
export function fieldForm(
  fields: Fields, testId: string, send: (args: Open) => void, ...below: Child[]
): HTMLFormElement {
  const form = element(
    "form",
    // The fields say themselves what is wrong, in the page's own style.
    { class: "tool-form", novalidate: true, "data-testid": testId },
    ...fields.all.map((field) => field.element),
    ...below,
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const args = fields.read();
    if (args) send(args);
  });
  return form;
}

/** Makes the form of a tool from its input schema. `run` gets the arguments. */
export function toolForm(tool: Tool, run: (args: Open) => void): HTMLFormElement {
  const fields = new Fields(readSchema(tool.inputSchema ?? {}));
  const none = fields.all.length === 0
    ? [element("p", { class: "hint" }, "This tool takes no arguments.")]
    : [];
  return fieldForm(fields, "tool-form", run, ...none, submit("Run", "run"));
}

/** The fields of an elicitation's form. */
export function requestedFields(schema: JSONSchema): Fields {
  return new Fields(readSchema(schema));
}

/** Fields for arguments that are all text: those of prompts and of URI templates. */
export function textFields(args: NonNullable<Prompt["arguments"]>): Fields {
  return new Fields(
    args.map(({ name, title, description, required }) => ({
      name,
      label: title ?? name,
      ...(description === undefined ? {} : { description }),
      required: required === true,
      // A required argument that is empty is no use to anyone here.
      control: { kind: "text", inputType: "text", ...(required ? { minLength: 1 } : {}) },
    })),
  );
}

/** The button that sends a form. */
export function submit(label: string, testId: string): HTMLButtonElement {
  return element("button", { type: "submit", class: "primary", "data-testid": testId }, label);
}
