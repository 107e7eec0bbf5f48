import { draftText } from "../input/drafts.js";
import { type FormElicitation, withDefaults } from "../input/elicitation.js";
import type { Handlers, InputContext } from "../input/handlers.js";
import type { TokenProvider } from "../connect/useroptions.js";
import { HoldfastError } from "../shared/errors.js";
import type { Open } from "../shared/mcp.js";
import { errorData } from "./errordata.js";
import { asData } from "./remotecalls.js";
import type { HostMessage, PageMessage } from "./protocol.js";

/** Errors of the app's, kept for those who get them later. */
const THROWN = 16;

type Question = Extract<HostMessage, { t: "question" }>;

/** The app's code, as the host asks it: its token provider and its handlers. */
export class PageQuestions {
  readonly #handlers: Handlers;
  readonly #token: TokenProvider | undefined;
  readonly #send: (message: PageMessage) => void;
  readonly #open = new Map<number, AbortController>();
  readonly #thrown = new Map<number, unknown>();

  constructor(handlers: Handlers, token: TokenProvider | undefined, send: (message: PageMessage) => void) {
    this.#handlers = handlers;
    this.#token = token;
    this.#send = send;
  }

  /** What the app threw in answer to a question, while that is known. */
  thrown(question: number): unknown {
    return this.#thrown.get(question);
  }

  /** Nobody waits for that answer any more. */
  withdrawn(question: number): void {
    this.#open.get(question)?.abort();
  }

  /** The client is over. */
  end(): void {
    for (const open of this.#open.values()) open.abort();
  }

  /** Asks the app, and sends what it says. */
  async answer(asked: Question): Promise<void> {
    const { question } = asked;
    const over = new AbortController();
    this.#open.set(question, over);
    try {
      const value = await this.#ask(asked, over.signal);
      if (!over.signal.aborted) this.#send({ t: "reply", question, value: asData(asked.asked, value) });
    } catch (error) {
      if (over.signal.aborted) return;
      this.#thrown.set(question, error);
      if (this.#thrown.size > THROWN) this.#thrown.delete(this.#thrown.keys().next().value!);
      this.#send({ t: "reply", question, error: errorData(error) });
    } finally {
      this.#open.delete(question);
    }
  }

  async #ask({ asked, request, server, draft, question }: Question, signal: AbortSignal): Promise<unknown> {
    const handlers = this.#handlers; // called as its methods
    const saveDraft = (value: unknown): void => {
      const text = draftText(value);
      if (!signal.aborted) this.#send({ t: "typed", question, draft: text });
    };
    const context: InputContext = { server, signal, ...(draft === "" ? {} : { draft: JSON.parse(draft) as unknown }), saveDraft };
    switch (asked) {
      case "token":
        return this.#token?.();
      case "sampling":
        return handlers.sampling?.(request as Open, context);
      case "roots":
        return handlers.roots?.(context);
      case "elicitation": {
        const answer = await handlers.elicitation!(request as FormElicitation, context);
        try {
          return (request as Open)["mode"] === "url" ? answer : withDefaults(request as FormElicitation, answer);
        } catch (error) {
          if (error instanceof HoldfastError) reportError(error); // what the app's own handler got wrong belongs in its console
          throw error;
        }
      }
    }
  }
}
