import { clipped, element, setText, type Attributes } from "./element.js";
import { makeBoxes, readBoxes } from "./boxes.js";
import { isObject, type Control, type FieldModel } from "./schema.js";

/** What a field holds: a value, nothing (an optional argument that is left out), or a mistake. */
export type Reading = { value: unknown } | { absent: true } | { mistake: string };

type Input = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** The control for one argument, with its label, hint and message. */
export class Field {
  readonly element: HTMLElement;
  readonly name: string;
  readonly #model: FieldModel;
  /** The control itself; for several choices the group of them. */
  readonly input: HTMLElement;
  readonly #mistake: HTMLElement;

  /** `id` is unique in the page: labels and hints refer to it. */
  constructor(model: FieldModel, id: string) {
    this.#model = model;
    this.name = model.name;
    const hint = hintOf(model);
    const several = model.control.kind === "choices";
    const common = { id, "aria-describedby": `${hint ? `${id}-hint ` : ""}${id}-mistake` };
    const input =
      model.control.kind === "choices"
        ? makeBoxes(model.control, model, { ...common, "aria-labelledby": `${id}-label` })
        : makeInput(model, model.control, {
          ...common, name: model.name, "aria-required": model.required ? "true" : undefined,
          autocomplete: "off", spellcheck: "false",
        });
    this.input = input;
    this.#mistake = element("p", { class: "mistake", id: `${id}-mistake`, "aria-live": "polite" });
    const label = several
      ? element("p", { class: "label", id: `${id}-label` })
      : element("label", { for: id });
    label.append(clipped(model.label, 200));
    if (model.required && model.control.kind !== "boolean") {
      label.append(element("span", { class: "required", title: "required", "aria-hidden": "true" }, " *"));
    }
    const box = model.control.kind === "boolean";
    this.element = element(
      "div",
      { class: box ? "field check" : "field", "data-kind": model.control.kind },
      box ? input : label,
      box ? label : input,
      hint ? element("p", { class: "hint", id: `${id}-hint` }, clipped(hint, 1000)) : undefined,
      this.#mistake,
    );
    input.addEventListener("input", () => this.complain(""));
  }

  /** Reads the control. */
  read(): Reading {
    const { control, required } = this.#model;
    if (control.kind === "choices") return readBoxes(this.input, control, this.#model);
    const input = this.input as Input;
    if (control.kind === "boolean") return { value: (input as HTMLInputElement).checked };
    // A number that cannot be read has an empty value, too.
    if (input.value === "" && !input.validity.badInput) {
      // An empty string is a string, where the argument has to be there and may be empty.
      if (required && control.kind === "text" && !control.minLength) return { value: "" };
      return required ? { mistake: "This is required." } : { absent: true };
    }
    if (!input.validity.valid) return { mistake: input.validationMessage };
    switch (control.kind) {
      case "number":
        return { value: Number(input.value) };
      case "choice":
        return { value: control.options[Number(input.value)]?.value };
      case "json":
        return readJSON(input.value, control.expects);
      default:
        return { value: input.value };
    }
  }

  /** What is in the control, right or wrong: for a later page. */
  get typed(): string | string[] {
    if (this.#model.control.kind === "choices")
      return this.#boxes().filter(({ checked }) => checked).map(({ value }) => value);
    const input = this.input as Input;
    return this.#model.control.kind === "boolean" ? String((input as HTMLInputElement).checked) : input.value;
  }
  set typed(typed: string | string[]) {
    if (this.#model.control.kind === "choices") {
      for (const box of this.#boxes()) box.checked = typed.includes(box.value);
    } else if (this.#model.control.kind === "boolean")
      (this.input as HTMLInputElement).checked = typed === "true";
    else (this.input as Input).value = String(typed);
  }

  #boxes(): HTMLInputElement[] {
    return [...this.input.querySelectorAll<HTMLInputElement>("input[type=checkbox]")];
  }

  /** Shows a mistake, or takes it away. */
  complain(mistake: string): void {
    setText(this.#mistake, mistake);
    if (mistake) this.input.setAttribute("aria-invalid", "true");
    else this.input.removeAttribute("aria-invalid");
  }

  focus(): void {
    // A group takes no focus itself; what is in it does.
    const box = this.input.querySelector<HTMLElement>("input[type=checkbox]");
    (box ?? this.input).focus();
  }
}

/** Reads JSON that a person has typed. */
export function readJSON(text: string, expects?: "array" | "object"): Reading {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { mistake: `This is not JSON: ${error instanceof Error ? error.message : "it cannot be read"}` };
  }
  if (expects === "array" && !Array.isArray(value))
    return { mistake: "This has to be a JSON array, such as [1, 2]." };
  if (expects === "object" && !isObject(value))
    return { mistake: 'This has to be a JSON object, such as {"a": 1}.' };
  return { value };
}

function makeInput(
  model: FieldModel, control: Exclude<Control, { kind: "choices" }>, common: Attributes,
): Input {
  const { default: preset } = model;
  switch (control.kind) {
    case "boolean":
      return element("input", { ...common, type: "checkbox", checked: preset === true });
    case "choice":
      return makeSelect(control, model, common);
    case "number":
      return element("input", {
        ...common, type: "number", step: control.integer ? 1 : "any", min: control.min, max: control.max,
        value: typeof preset === "number" ? preset : undefined,
      });
    case "text":
      return element("input", {
        ...common, type: control.inputType, minlength: control.minLength, maxlength: control.maxLength,
        value: typeof preset === "string" ? preset : undefined,
      });
    case "json":
      return element(
        "textarea",
        {
          ...common, rows: 4,
          placeholder: control.expects === "array" ? "[]" : control.expects === "object" ? "{}" : "any JSON",
        },
        preset === undefined ? undefined : JSON.stringify(preset, null, 2),
      );
  }
}

function makeSelect(
  control: Control & { kind: "choice" }, model: FieldModel, common: Attributes,
): HTMLSelectElement {
  const chosen = control.options.findIndex(
    ({ value }) => JSON.stringify(value) === JSON.stringify(model.default),
  );
  const select = element("select", common);
  if (chosen < 0) select.append(element("option", { value: "" }, model.required ? "choose…" : "left out"));
  control.options.forEach((option, i) => {
    select.append(element("option", { value: i, selected: i === chosen }, clipped(option.label, 200)));
  });
  return select;
}

function hintOf({ control, description }: FieldModel): string {
  const parts = description ? [description] : [];
  if (control.kind === "number") {
    const { min, max } = control;
    if (min !== undefined && max !== undefined) parts.push(`${min} to ${max}.`);
    else if (min !== undefined) parts.push(`${min} or more.`);
    else if (max !== undefined) parts.push(`${max} at most.`);
  }
  if (control.kind === "choices") {
    if (control.min) parts.push(`${control.min} or more.`);
    if (control.max !== undefined && control.max < control.options.length)
      parts.push(`${control.max} at most.`);
  }
  if (control.kind === "json") parts.push(control.expects ? `A JSON ${control.expects}.` : "JSON.");
  return parts.join(" ");
}
