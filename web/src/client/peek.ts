import { decodeStatus, type CallStatus } from "./callstatus.js";
import { HoldfastError } from "../base/errors.js";

/** The question how a call stands, asked once for all who ask at the same time. */
export class Peek {
  #asked: { promise: Promise<CallStatus>; settle: (answer: CallStatus | HoldfastError) => void } | undefined;

  /** The answer; `send` asks, where nobody has yet. */
  ask(send: () => void): Promise<CallStatus> {
    if (this.#asked) return this.#asked.promise;
    let settle: (answer: CallStatus | HoldfastError) => void = () => {};
    const promise = new Promise<CallStatus>((resolve, reject) => {
      settle = (answer) => (answer instanceof HoldfastError ? reject(answer) : resolve(answer));
    });
    this.#asked = { promise, settle };
    send();
    return promise;
  }

  /** Takes the core's answer. */
  heard(outcome: number, text: string): void {
    this.answer(decodeStatus(outcome, text));
  }

  /** Answers every caller that has asked. */
  answer(answer: CallStatus | HoldfastError): void {
    const asked = this.#asked;
    this.#asked = undefined;
    asked?.settle(answer);
  }
}

/** An answer that nobody has to be asked for. */
export function answered(answer: CallStatus | HoldfastError): Promise<CallStatus> {
  return answer instanceof HoldfastError ? Promise.reject(answer) : Promise.resolve(answer);
}
