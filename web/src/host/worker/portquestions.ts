import { GONE } from "./askpage.js";
import { thrownInPage } from "../wire/errordata.js";
import type { QuestionContext } from "./portview.js";
import type { Asked, AskedToSignIn, HostMessage, PageMessage } from "../wire/protocol.js";

/** A question that the page has not answered. */
interface OpenQuestion {
  /** The page's number for the client that is asked. */
  readonly of: number;
  readonly asked: Asked | AskedToSignIn;
  /** The page has it. */
  heard(): void;
  resolve(value: unknown): void;
  reject(error: unknown): void;
  typed(draft: string): void;
}

/** A page that has not so much as heard a question after so many ms hangs. */
const HANGS = 5_000;

let questions = 0;

/** Questions that one page has been asked and has not answered. */
export class PortQuestions {
  readonly #send: (message: HostMessage) => void;
  readonly #hangs: () => void;
  readonly #open = new Map<number, OpenQuestion>();
  /**
   * Clients whose page has been asked for a token and has not given it. The token says who the user is, also
   * where no caller waits for it any more.
   */
  readonly #tokens = new Map<number, number>();

  /** `hangs` is called where the page takes no question: then what it was asked is to be withdrawn. */
  constructor(send: (message: HostMessage) => void, hangs: () => void) {
    this.#send = send;
    this.#hangs = hangs;
  }

  /** Asks the page; rejects with what the app threw, and with `GONE` where the page goes before. */
  ask(client: number, asked: Asked | AskedToSignIn, request: object, { server, signal, draft, saveDraft }: QuestionContext): Promise<unknown> {
    const question = ++questions;
    if (asked === "token") this.#tokens.set(question, client);
    const over = new AbortController();
    const silence = setTimeout(this.#hangs, HANGS);
    const heard = (): void => clearTimeout(silence);
    const answer = new Promise((resolve, reject) => {
      this.#open.set(question, { of: client, asked, heard, resolve, reject, typed: (text) => saveDraft?.(text === "" ? undefined : JSON.parse(text)) });
      this.#send({ t: "question", client, question, asked, request, server, draft: draft === undefined ? "" : JSON.stringify(draft) });
      signal?.addEventListener("abort", () => {
        if (this.#open.delete(question)) this.#send({ t: "withdrawn", question });
        reject(signal.reason as Error);
      }, { signal: over.signal });
    });
    return answer.finally(() => (heard(), over.abort())); // the question may be that of a call that runs for days
  }

  /** The page has it, and asks the app. */
  heard({ question }: Extract<PageMessage, { t: "heard" }>): void {
    this.#open.get(question)?.heard();
  }

  /** The page answers. Returns the client whose token that is, where nobody waits for it any more. */
  reply({ question, value, error }: Extract<PageMessage, { t: "reply" }>): number | undefined {
    const open = this.#open.get(question);
    this.#open.delete(question);
    if (error) open?.reject(thrownInPage(error, question));
    else open?.resolve(value);
    const client = this.#tokens.get(question);
    for (const [asked, of] of this.#tokens) if (of === client && asked <= question) this.#tokens.delete(asked); // an older answer says nothing after that
    return open || error ? undefined : client;
  }

  /** A person has begun to answer there. */
  typed({ question, draft }: Extract<PageMessage, { t: "typed" }>): void {
    this.#open.get(question)?.typed(draft);
  }

  /** The page takes nothing for now: what it was asked is withdrawn there, and asked elsewhere. */
  withdraw(): void {
    for (const question of this.#open.keys()) this.#send({ t: "withdrawn", question });
    this.end();
  }

  /**
   * Withdraws the questions to the client's last user, which are asked elsewhere. A question for a token
   * stays: the page says by its token who the user is now.
   */
  takeBack(client: number): void {
    for (const [question, { of, asked, reject }] of this.#open) {
      if (of !== client || asked === "token" || !this.#open.delete(question)) continue;
      this.#send({ t: "withdrawn", question });
      reject(GONE);
    }
  }

  /** The page has gone. */
  end(): void {
    for (const { reject } of this.#open.values()) reject(GONE);
    this.#open.clear();
  }
}
