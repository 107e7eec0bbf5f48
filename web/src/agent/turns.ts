import type { HoldfastError } from "../base/errors.js";
import type { SessionTurn } from "./sessionevents.js";
import type { BackgroundWork, SessionState, TurnEnd } from "./acp.js";

/** A caller that waits for the end of a turn. */
interface Waiting {
  resolve: (end: TurnEnd) => void;
  reject: (error: HoldfastError) => void;
}

/**
 * The turns of a session. The answer to a prompt says only that the agent accepted the prompt; a turn ends
 * when the agent reports its state (RFD prompt, version 2).
 */
export class Turns {
  /** The state of the session, e.g. "running". */
  state: SessionState = "idle";
  /** Work that continues beside the turns; undefined where the agent does not say. */
  background: readonly BackgroundWork[] | undefined;
  /** How the last turn ended. */
  end: TurnEnd = {};
  #latest = 0;
  #ended = 0;
  /** A prompt was accepted, and its turn has not ended. */
  #underWay = false;
  #waiting: Waiting[] = [];
  #beginning: (() => void)[] = [];

  /** The number of the latest turn. */
  get latest(): number {
    return this.#latest;
  }

  /**
   * The core's turn event. `expected`: no news but for {@link Turns}, a prompt that is accepted next left
   * when what has ended was over (fault 595).
   */
  heard(text: string): SessionTurn & { expected?: boolean } {
    const turn = JSON.parse(text) as ReturnType<Turns["heard"]>;
    this.state = turn.state;
    this.background = turn.background ?? undefined;
    this.#latest = Math.max(this.#latest, turn.turn);
    for (const begun of this.#beginning.splice(0)) begun();
    // The agent may report the end of a turn whose beginning this page has not heard.
    if (turn.ended || (turn.state === "idle" && typeof turn.stopReason === "string")) this.end = endOf(turn);
    if (turn.ended) {
      this.#ended = Math.max(this.#ended, turn.turn);
      this.#underWay = false;
      for (const { resolve } of this.#waiting.splice(0)) resolve(this.end);
    }
    if (turn.expected) this.#underWay = true;
    return turn;
  }

  /** Resolves with the next word on who is at work: of version 1, that a prompt has been sent. */
  begins(): Promise<void> {
    return new Promise((resolve) => this.#beginning.push(resolve));
  }

  /**
   * A prompt is accepted that was sent when `latest` was the latest turn. A short turn may be over by now.
   */
  accepted(latest: number): void {
    if (this.#ended <= latest) this.#underWay = true;
  }

  /** The turn of a prompt has failed, which version 1 says in the answer to the prompt. */
  failed({ rpc }: HoldfastError): void {
    if (rpc) this.end = { ...this.end, error: rpc };
  }

  /** Resolves when the turn under way has ended; at once where there is none. */
  settled(): Promise<TurnEnd> {
    if (this.state === "idle" && !this.#underWay) return Promise.resolve(this.end);
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  /** The session has ended: no more turns will be heard. */
  over(error: HoldfastError): void {
    this.#underWay = false;
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }
}

function endOf({ stopReason, error, usage }: SessionTurn): TurnEnd {
  return {
    ...(typeof stopReason === "string" ? { stopReason } : {}),
    ...(error ? { error } : {}),
    ...(usage ? { usage } : {}),
  };
}
