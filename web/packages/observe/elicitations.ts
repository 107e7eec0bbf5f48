import {
  ElicitationRequest,
  type ElicitationResult,
  type FormElicitation,
  type InputContext,
  type URLElicitation,
} from "holdfast";
import { Observed, type Store } from "./observed.js";

/**
 * Something that a server asks a person for. Answered once, with `accept`, `decline` or `cancel`; `saveDraft`
 * keeps what is typed.
 */
export class ServerElicitation extends ElicitationRequest {
  /** Tells it from the others; for React's `key`. */
  readonly id: number;
  /** URL of the server that asks; the person must be able to see it. */
  readonly server: string;

  /** @internal */
  constructor(
    id: number, request: FormElicitation | URLElicitation, context: InputContext,
    answered: (result: ElicitationResult) => void,
  ) {
    const save = (json: string): void => context.saveDraft(json === "" ? undefined : JSON.parse(json));
    super(
      request, context.draft !== undefined, (_, json) => answered(JSON.parse(json) as ElicitationResult),
      { draft: context.draft, save, check: context.check },
    );
    this.id = id;
    this.server = context.server;
  }

  /**
   * Of a page to visit: the person agrees, and says that they have done there what it is for. A call that
   * cannot run before is made again at once (see {@link ElicitationResult.complete}); after `accept` that
   * waits for the server's word.
   */
  complete(): void {
    this.answer(true, { action: "accept", complete: true });
  }
}

class Elicitations extends Observed<readonly ServerElicitation[]> {
  #open: readonly ServerElicitation[] = [];
  #last = 0;

  ask(request: FormElicitation | URLElicitation, context: InputContext): Promise<ElicitationResult> {
    return new Promise((resolve) => {
      const close = (): void => {
        this.#open = this.#open.filter((other) => other !== asked);
        this.publish();
      };
      const asked = new ServerElicitation(++this.#last, request, context, (result) => {
        close();
        resolve(result);
      });
      const over = (): void => {
        asked.end();
        close();
        resolve({ action: "cancel" }); // which nobody waits for
      };
      if (context.signal.aborted) return over();
      context.signal.addEventListener("abort", over, { once: true });
      this.#open = [...this.#open, asked];
      this.publish();
    });
  }

  protected current(): readonly ServerElicitation[] {
    return this.#open;
  }
}

const open = new Elicitations();

/** Open elicitations: one list for all clients that have {@link elicit} as their handler. */
export const elicitations: Store<readonly ServerElicitation[]> = open;

/** None. */
export const NO_ELICITATIONS: readonly ServerElicitation[] = Object.freeze([]);

/**
 * The handler that puts what a server asks into {@link elicitations}: `connect(url, { handlers: {
 * elicitation: elicit } })`.
 */
export function elicit(
  request: FormElicitation | URLElicitation, context: InputContext,
): Promise<ElicitationResult> {
  return open.ask(request, context);
}
