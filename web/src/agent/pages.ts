import { OUTCOME } from "../base/border.js";
import type { GoError } from "../base/errors.js";
import type { Journal } from "../tabs/journal.js";
import type { SessionPages } from "../tabs/journalclient.js";
import type { Wire } from "../runtime/wire.js";
import type { Exchanges } from "./exchanges.js";

/**
 * Requests between the pages of one agent's client. One page carries a session and speaks with the agent. The
 * other pages pass their requests to that page, in the words of the core, which knows what may be sent again
 * and what may not (core/acp/request_forward.go).
 */
export class Pages implements SessionPages {
  readonly #wire: Wire;
  readonly #exchanges: Exchanges;
  readonly #keeping: { readonly journal: Journal | undefined };

  /** `keeping` has the store, from when it is open. */
  constructor(wire: Wire, exchanges: Exchanges, keeping: { readonly journal: Journal | undefined }) {
    this.#wire = wire;
    this.#exchanges = exchanges;
    this.#keeping = keeping;
  }

  /** True if this page can pass requests to the others. */
  get canForward(): boolean {
    return this.#keeping.journal?.canForward ?? false;
  }

  /** The core's Forward event. */
  forward(text: string): void {
    this.#keeping.journal?.forward(text);
  }

  serve(from: string, text: string): void {
    const { request } = JSON.parse(text) as { request?: number };
    const { journal } = this.#keeping; // whoever asks has the same one
    this.#wire.runtime.agentServe(this.#wire.handle, text, (call) => {
      if (call === 0 || request === undefined) return;
      // First, and before anything leaves: who dies now may have sent it.
      journal?.settleForward(from, request, 0, "");
      this.#exchanges.serve(call, (outcome, answer) => {
        // Whoever carries the session next answers for what this page cannot any more.
        const unanswered = outcome === OUTCOME.failure && (JSON.parse(answer) as GoError).ofPage;
        // Behind the rows that were stored before it, which the core has told last (fault 609).
        if (!unanswered) queueMicrotask(() => journal?.settleForward(from, request, outcome, answer));
      });
    });
  }

  forwardSettled(request: number, outcome: number, text: string): void {
    this.#wire.runtime.agentForwardSettled(this.#wire.handle, request, outcome, text);
  }
}
