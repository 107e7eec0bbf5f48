import { HoldfastError } from "holdfast";
import { PermissionRequest, type AgentQuestion, type AgentSession } from "holdfast/agent";
import { button, clipped, element, part } from "./element.js";

/** The permissions that the agent asks for, below what it said. */
export class Permissions {
  readonly #box = part("permissions");
  readonly #shown = new Map<AgentQuestion, HTMLElement>();
  readonly #failed: (why: string) => void;

  /** `failed` hears why an answer could not be given. */
  constructor(failed: (why: string) => void) {
    this.#failed = failed;
  }

  /** Shows what is asked now. Who answers is told by the session. */
  show(session: AgentSession): void {
    const asked = new Set(session.requests);
    for (const [request, shown] of this.#shown) {
      if (asked.has(request)) continue;
      shown.remove();
      this.#shown.delete(request);
    }
    for (const request of asked) {
      if (this.#shown.has(request) || !(request instanceof PermissionRequest)) continue;
      const shown = this.#draw(request, session);
      this.#shown.set(request, shown);
      this.#box.append(shown);
    }
  }

  #draw(request: PermissionRequest, session: AgentSession): HTMLElement {
    const answers = request.options.map(({ optionId, name, kind }) =>
      button(clipped(name, 80), {
        class: kind.startsWith("allow") ? "primary" : "", "data-testid": "permission-option",
        "data-option": optionId,
      }, () => {
        try {
          request.select(optionId);
        } catch (error) {
          this.#failed(error instanceof HoldfastError ? (error.hint ?? error.message) : String(error));
        }
        this.show(session);
      }),
    );
    return element("div", {
      class: "asks", role: "group", "aria-label": "The agent asks", "data-testid": "permission",
    },
      element(
        "p", { class: "asks-message" }, clipped(request.title || "The agent asks for permission.", 400),
      ),
      request.description === undefined
        ? undefined
        : element("p", { class: "note" }, clipped(request.description, 1000)),
      element("div", { class: "actions" }, ...answers),
    );
  }
}
