import type { ElicitationResult, FormElicitation, InputContext, URLElicitation } from "holdfast";
import { button, clipped, element, type Child } from "./element.js";
import { fieldForm, requestedFields, submit } from "./form.js";

let dialogs = 0;

/**
 * Asks the person what a server wants to know. The dialog is not modal: the
 * wire can be cut while it is open. `place` is where it goes.
 */
export function ask(
  request: FormElicitation | URLElicitation,
  { server, signal, draft, saveDraft }: InputContext,
  place: HTMLElement,
): Promise<ElicitationResult> {
  return new Promise((resolve) => {
    const id = `asks${++dialogs}`;
    const before = document.activeElement;
    const dialog = element("dialog", {
      class: "asks", id, "data-testid": "elicitation", "aria-labelledby": `${id}-title`,
      "aria-describedby": `${id}-message`,
    });
    const end = (result: ElicitationResult): void => {
      signal.removeEventListener("abort", cancel);
      const focused = dialog.contains(document.activeElement);
      dialog.remove();
      if (focused && before instanceof HTMLElement && before.isConnected)
        before.focus({ preventScroll: true });
      resolve(result);
    };
    const cancel = (): void => end({ action: "cancel" });
    signal.addEventListener("abort", cancel);
    dialog.addEventListener("keydown", (event) => {
      if (event.key === "Escape") cancel();
    });
    const others = [
      button("Decline", { "data-testid": "elicitation-decline" }, () => end({ action: "decline" })),
      button("Cancel", { class: "quiet", "data-testid": "elicitation-cancel" }, cancel),
    ];
    dialog.append(
      element("h4", { id: `${id}-title` }, element("strong", {}, new URL(server).host), " asks you"),
      element("p", { id: `${id}-message`, class: "asks-message" }, clipped(String(request.message), 2000)),
      request.mode === "url"
        ? visit(request.url, end, others)
        : formOf(request, end, others, { draft, saveDraft }),
    );
    place.append(dialog);
    dialog.show();
    dialog.scrollIntoView({ block: "nearest" });
    // The question first, then its answer: a screen reader reads the title when a field in it has the focus.
    dialog.querySelector<HTMLElement>("input, select, textarea, button")?.focus({ preventScroll: true });
  });
}

type End = (result: ElicitationResult) => void;

/** What is typed is kept with the call: a reload in the middle of the form loses nothing of it. */
function formOf(
  request: FormElicitation, end: End, others: HTMLElement[],
  { draft, saveDraft }: Pick<InputContext, "draft" | "saveDraft">,
): HTMLElement {
  const send = submit("Send", "elicitation-accept");
  const fields = requestedFields(request.requestedSchema ?? {});
  // It is this page's own: nobody else has written it.
  if (draft !== undefined) fields.typed = draft as typeof fields.typed;
  const form = fieldForm(
    fields,
    "elicitation-form",
    (content) => end({ action: "accept", content: content as NonNullable<ElicitationResult["content"]> }),
    draft === undefined
      ? undefined
      : element(
        "p", { class: "kept", "data-testid": "elicitation-draft" },
        "This is what you had typed. It was stored with the call.",
      ),
    element("p", { class: "hint" }, "Only what is in these fields is sent."),
    element("div", { class: "actions" }, send, ...others),
  );
  form.addEventListener("input", () => {
    try {
      saveDraft(fields.typed);
    } catch {
      // It is longer than what is kept of a form; what was kept before stands.
    }
  });
  return form;
}

/** A page to visit: the whole address is there to be read, its domain first of all. */
function visit(address: string, end: End, others: HTMLElement[]): HTMLElement {
  const url = webAddress(address);
  const open = button("Open the page", {
    class: "primary", "data-testid": "elicitation-accept", disabled: url === undefined,
  }, () => {
    window.open(url, "_blank", "noopener");
    end({ action: "accept" });
  });
  return element(
    "div",
    { class: "tool-form" },
    element("p", { class: "asks-url", "data-testid": "elicitation-url" }, ...highlighted(url)),
    element(
      "p", { class: "hint" },
      url
        ? "It opens in a new tab. Go there only if you know the domain."
        : "This is no web address, so it is not opened.",
    ),
    element("div", { class: "actions" }, open, ...others),
  );
}

/** Only web pages are ever opened: javascript: and the like are addresses, too. */
function webAddress(address: string): URL | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  return url && (url.protocol === "https:" || url.protocol === "http:") ? url : undefined;
}

function highlighted(url: URL | undefined): Child[] {
  if (!url) return ["(an address that cannot be shown)"];
  // The host begins after the user name, which may look like a host itself.
  const at = url.href.indexOf(
    url.host, url.username || url.password ? url.href.indexOf("@") : url.protocol.length,
  );
  return [url.href.slice(0, at), element("mark", {}, url.host), url.href.slice(at + url.host.length)];
}
