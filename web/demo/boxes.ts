import { clipped, element, type Attributes } from "./element.js";
import type { Reading } from "./field.js";
import type { Control, FieldModel } from "./schema.js";

type Choices = Control & { kind: "choices" };

/** Check boxes, of which any number may be ticked: how an array of an enum is filled in. */
export function makeBoxes(
  { options }: Choices, { name, default: preset }: FieldModel, attributes: Attributes,
): HTMLElement {
  const ticked = new Set(Array.isArray(preset) ? preset.map((each) => JSON.stringify(each)) : []);
  return element(
    "div",
    { ...attributes, class: "boxes", role: "group" },
    ...options.map(({ value, label }, i) =>
      element(
        "label",
        {},
        element("input", { type: "checkbox", name, value: i, checked: ticked.has(JSON.stringify(value)) }),
        element("span", {}, clipped(label, 200)),
      ),
    ),
  );
}

/** The values of the boxes that are ticked, in the order of the schema. */
export function readBoxes(
  group: HTMLElement, { options, min = 0, max = Infinity }: Choices, model: FieldModel,
): Reading {
  const boxes = [...group.querySelectorAll<HTMLInputElement>("input")];
  const value = options.filter((_, i) => boxes[i]?.checked).map((option) => option.value);
  // Nothing ticked is nothing said, unless a default would then speak.
  if (value.length === 0 && !model.required && model.default === undefined) return { absent: true };
  if (value.length < min) return { mistake: `Choose at least ${min}.` };
  if (value.length > max) return { mistake: `Choose ${max} at most.` };
  return { value };
}
