import type { Host } from "holdfast";
import { part, setAttributes, setText } from "./element.js";
import { resumeURL, tasksURL } from "./embedded.js";

/** The hosts that a visitor may choose. */
export type Choice = Extract<Host, "shared" | "page">;

const CHOICES: readonly Choice[] = ["shared", "page"];

/** The member of the page's address that holds the choice; without it the host is `shared`. */
const MEMBER = "host";

/** What the guide says of its second step. */
const STEP: Record<Choice, string> = {
  shared: "The runtime stays: it is in a worker. The stream is not even cut.",
  page: "The runtime goes with the page. The next one resumes the stream.",
};

/** What the page is told about where its runtime is. */
const WORDS: Record<Host, string> = {
  shared: "in a shared worker", worker: "in a worker of this page's", page: "in this page",
};

/** The switch that says where the runtime runs, and what follows from that. */
export class HostSwitch {
  readonly #inputs = CHOICES.map((value) => part<HTMLInputElement>(`host-${value}`));
  readonly #note = part("host-note");
  readonly #step = part("host-step");
  readonly #fact = part("host");

  /** `changed` hears that the visitor has chosen another one. */
  constructor(changed: () => void) {
    this.#mark(this.chosen);
    for (const input of this.#inputs) {
      input.addEventListener("change", () => {
        choose(input.value as Choice);
        this.#mark(this.chosen);
        changed();
      });
    }
  }

  /** What the visitor has chosen. */
  get chosen(): Choice {
    return new URLSearchParams(location.search).get(MEMBER) === "page" ? "page" : "shared";
  }

  /**
   * Where the runtime is to run for a server: what a later page does for a call is seen in the page alone.
   */
  of(url: string): Choice {
    return url === tasksURL || url === resumeURL ? "page" : this.chosen;
  }

  /** Shows what is to be for a server, before it is. */
  expect(url: string): void {
    this.#mark(this.of(url));
    const isFixed = this.of(url) !== this.chosen;
    for (const input of this.#inputs) input.disabled = isFixed;
    setText(
      this.#note,
      isFixed
        ? "Here the page has the runtime: these demonstrations show how the next page takes up a call."
        : "",
    );
  }

  /** Shows where the runtime is; `why` is what keeps it from the worker. */
  had(host: Host, why: string | undefined): void {
    this.#mark(host === "shared" ? "shared" : "page");
    setAttributes(this.#fact, { "data-host": host });
    setText(this.#fact, WORDS[host]);
    if (why !== undefined)
      setText(this.#note, `No shared worker can be had, so the runtime is in this page: ${why}.`);
  }

  #mark(choice: Choice): void {
    for (const input of this.#inputs) input.checked = input.value === choice;
    setText(this.#step, STEP[choice]);
  }
}

/** Keeps the choice in the page's address, so that a reload and a second tab have it too. */
function choose(choice: Choice): void {
  const page = new URL(location.href);
  if (choice === "shared") page.searchParams.delete(MEMBER);
  else page.searchParams.set(MEMBER, choice);
  history.replaceState(history.state, "", page);
}
