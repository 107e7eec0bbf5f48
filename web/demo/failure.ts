import { HoldfastError } from "holdfast";
import { button, element, type Child } from "./element.js";

/** What goes with an error. */
export interface Explanation {
  /** What it means; the error's own hint goes before it. */
  lead: string;
  /** What a person at this page can do, where that is not what the error's hint says to an app. */
  advice?: string;
  /** What follows from it. */
  more?: string;
  /** Buttons for what a person can do. */
  actions?: HTMLElement[];
}

/**
 * Shows an error: first what a person can do about it, then the code and the
 * message, and the cause for those who want it.
 */
export function showFailure(
  error: HoldfastError, testId: string, { lead, advice, more, actions = [] }: Explanation,
): HTMLElement {
  const detail = causes(error);
  return element(
    "div",
    { class: "failure", role: "alert", "data-testid": testId, "data-code": error.code },
    element("p", { class: "failure-lead" }, ...hinted(advice ?? error.hint ?? lead)),
    more === undefined ? undefined : element("p", {}, more),
    element(
      "p", { class: "failure-what" }, element("code", { class: "code" }, error.code), ` ${error.message}`,
    ),
    detail.length === 0
      ? undefined
      : element(
        "details", {}, element("summary", {}, "Cause"),
        ...detail.map((each) => element("p", { class: "cause" }, each))
      ),
    actions.length === 0 ? undefined : element("div", { class: "failure-actions" }, ...actions),
  );
}

/** Shows whatever was thrown. */
export function showThrown(thrown: unknown, testId: string, lead: string): HTMLElement {
  const error =
    thrown instanceof HoldfastError
      ? thrown
      : new HoldfastError({ code: "protocol_error", message: String(thrown), cause: thrown });
  return showFailure(error, testId, { lead });
}

/** A hint may end with two spaces and a line to put into the server's answer. */
function hinted(hint: string): Child[] {
  const [words = "", line] = hint.split(/ {2,}/);
  if (line === undefined) return [hint];
  const copy = button("Copy", { class: "quiet small" }, () => {
    navigator.clipboard?.writeText(line).then(
      () => (copy.textContent = "Copied"),
      () => (copy.textContent = "Select and copy it"),
    );
  });
  return [`${words}:`, element("span", { class: "failure-line" }, element("code", {}, line), copy)];
}

/** The messages of the causes that say something new. */
function causes(error: HoldfastError): string[] {
  const seen = new Set([error.message]);
  const messages: string[] = [];
  let cause: unknown = error.cause;
  for (let depth = 0; cause instanceof Error && depth < 5; depth++) {
    if (!seen.has(cause.message)) messages.push(cause.message);
    seen.add(cause.message);
    cause = cause.cause;
  }
  return messages;
}
