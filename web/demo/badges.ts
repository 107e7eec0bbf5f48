import type { Guarantee } from "holdfast";
import { element, setAttributes, setText } from "./element.js";

/** What a reload would do to a running call, in words. */
const GUARANTEES: Record<Guarantee, { words: string; why: string }> = {
  "lost-on-reload": {
    words: "a reload would lose this call",
    why: "Nothing that could continue the call is stored: its server has sent no event id so far, or never " +
      "does.",
  },
  "survives-reload": {
    words: "a reload loses nothing",
    why: "The call runs in a worker that all pages share, which goes on while this one is loaded again.",
  },
  resumable: {
    words: "a reload loses nothing",
    why: "Every message, and where the stream stands, is stored in this browser before the page counts on " +
      "it.",
  },
  durable: {
    words: "a reload loses nothing",
    why: "The server has made a task of the call, and the task's id is stored in this browser.",
  },
};

/** What holds for a call now: its guarantee, who carries it, that its result is stored. */
export class Badges {
  readonly element = element("p", { class: "holds" });
  readonly #guarantee = element("span", { class: "badge", "data-testid": "guarantee" });
  readonly #followed = element(
    "span",
    {
      class: "badge", "data-tone": "other", "data-testid": "followed",
      title: "That tab has the connection. Close it, and this one takes over.",
    },
    "carried by another tab",
  );

  constructor() {
    this.element.append(this.#guarantee, this.#followed);
  }

  /** Shows a call that runs. */
  running(guarantee: Guarantee, followed: boolean): void {
    const { words, why } = GUARANTEES[guarantee];
    this.#say(guarantee, words, why, guarantee === "lost-on-reload" ? "warn" : "good");
    this.#followed.hidden = !followed;
  }

  /** Shows a call that has ended. */
  ended(stored: boolean, certain: boolean): void {
    this.#followed.hidden = true;
    if (stored)
      this.#say(
        "stored", certain ? "kept until you press Done" : "kept until you decide",
        "The outcome is stored in this browser: a reload shows it again.", "good",
      );
    else this.#say("none", "not stored", "The outcome is in this page only.", "warn");
  }

  #say(guarantee: string, words: string, why: string, tone: string): void {
    setAttributes(this.#guarantee, { "data-guarantee": guarantee, "data-tone": tone, title: why });
    setText(this.#guarantee, words);
  }
}
