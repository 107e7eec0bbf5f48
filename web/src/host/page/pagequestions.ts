import { draftText } from "../../input/drafts.js";
import { handlerFailed, readable } from "../../input/handlerfailed.js";
import { checkedAnswer, run, saysNo } from "../../input/answering.js";
import { type Handlers, type InputContext, METHODS } from "../../input/handlers.js";
import type { TokenProvider } from "../../connect/useroptions.js";
import { RPCFailure } from "../../base/errors.js";
import type { Open } from "../../base/mcp.js";
import { type ErrorData, errorData } from "../wire/errordata.js";
import { asData } from "./remotecalls.js";
import type { Asked, HostMessage, PageMessage } from "../wire/protocol.js";

/** Errors of the app's, kept for those who get them later. */
const THROWN = 16;

/** Question for the app. Questions to the page itself, for a sign-in, have numbers of their own. */
type Question = Extract<HostMessage, { t: "question" }> & { asked: Asked };

/** The app's code, as the host asks it: its token provider and its handlers. */
export class PageQuestions {
  readonly #handlers: Handlers;
  readonly #token: TokenProvider | undefined;
  readonly #send: (message: PageMessage) => void;
  readonly #open = new Map<number, { over: AbortController; asked: Question["asked"] }>();
  readonly #thrown = new Map<number, unknown>();

  constructor(handlers: Handlers, token: TokenProvider | undefined, send: (message: PageMessage) => void) {
    this.#handlers = handlers;
    this.#token = token;
    this.#send = send;
  }

  /** Error that the app threw in answer to a question, while the page knows it. */
  thrown(question: number): unknown {
    return this.#thrown.get(question);
  }

  /**
   * Withdraws a question: no caller waits for its answer. A question for a token stays, since the token says
   * who the user is.
   */
  withdrawn(question: number): void {
    const open = this.#open.get(question);
    if (open && open.asked !== "token") open.over.abort();
  }

  /** The client is over. */
  end(): void {
    for (const { over } of this.#open.values()) over.abort();
  }

  /** Asks the app, and sends what it says. */
  async answer(message: Extract<HostMessage, { t: "question" }>): Promise<void> {
    const asked = message as Question;
    const { question } = asked;
    const over = new AbortController();
    this.#open.set(question, { over, asked: asked.asked });
    try {
      const value = await this.#ask(asked, over.signal);
      if (!over.signal.aborted) this.#send({ t: "reply", question, value: asData(asked.asked, value) });
    } catch (thrown) {
      if (over.signal.aborted) return;
      const error = readable(thrown);
      if (asked.asked !== "token" && !saysNo(asked.asked, error) && !(error instanceof RPCFailure)) reportError(handlerFailed(asked.asked, METHODS[asked.asked], error));
      this.#thrown.set(question, error);
      if (this.#thrown.size > THROWN) this.#thrown.delete(this.#thrown.keys().next().value!);
      this.#send({ t: "reply", question, error: crossing(asked.asked, error) });
    } finally {
      this.#open.delete(question);
    }
  }

  async #ask({ asked, request, server, draft, question }: Question, signal: AbortSignal): Promise<unknown> {
    const saveDraft = (value: unknown): void => {
      const text = draftText(value);
      if (!signal.aborted) this.#send({ t: "typed", question, draft: text });
    };
    const context: InputContext = { server, signal, ...(draft === "" ? {} : { draft: JSON.parse(draft) as unknown }), saveDraft };
    if (asked === "token") return this.#token?.();
    return checkedAnswer(asked, request as Open, await run(this.#handlers, asked, request as Open, context));
  }
}

/** Error of the app in a form that can cross: a caller could wait for ever for an answer that cannot. */
function crossing(asked: string, error: unknown): ErrorData {
  try {
    return asData(asked, errorData(error));
  } catch {
    return errorData(new TypeError("what was thrown cannot be sent"));
  }
}
