import { button, part } from "./element.js";

/** What the agent knows by heart, and how to ask for it. */
const SUGGESTIONS = ["How do the tides work?", "Write the harbour log", "Check the lights"];

/** Where the user says something: three suggestions, and a line to type into. */
export class Box {
  readonly #text = part<HTMLInputElement>("say-text");
  readonly #send = part<HTMLButtonElement>("say-send");
  readonly #stop = part<HTMLButtonElement>("say-stop");
  readonly #suggestions = SUGGESTIONS.map(
    (prompt) => button(
      prompt, { class: "small", "data-testid": "suggestion", "data-prompt": prompt, disabled: true },
      () => this.#say(prompt),
    ),
  );
  readonly #prompt: (text: string) => void;

  /** `prompt` hears what is said, `stop` that it is enough. */
  constructor(prompt: (text: string) => void, stop: () => void) {
    this.#prompt = prompt;
    part("suggestions").append(...this.#suggestions);
    part("say").addEventListener("submit", (event) => {
      event.preventDefault();
      const text = this.#text.value.trim();
      if (text === "" || this.#send.disabled) return;
      this.#text.value = "";
      this.#say(text);
    });
    this.#stop.addEventListener("click", stop);
  }

  /** Whether something can be said, or the agent be stopped. What is typed meanwhile stays. */
  show(what: "say" | "stop" | "neither"): void {
    this.#stop.hidden = what !== "stop";
    this.#send.hidden = what === "stop";
    this.#send.disabled = what !== "say";
    for (const each of this.#suggestions) each.disabled = what !== "say";
  }

  #say(text: string): void {
    this.show("neither");
    this.#prompt(text);
  }
}
