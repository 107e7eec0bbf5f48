import { button, element, part, setText } from "./element.js";
import { sabotage } from "./embedded.js";
import { onTick } from "./ticker.js";

interface Harm {
  testId: string;
  label: string;
  /** The control endpoint. */
  action: string;
  /** What it proves. */
  proves: string;
  /** How long it goes on, in ms, and what the button says meanwhile. */
  lasts?: number;
  meanwhile?: string;
}

const HARMS: Harm[] = [
  {
    testId: "cut",
    label: "Cut the wire",
    action: "cut",
    proves: "Every open connection breaks at once. Calls resume where they stopped.",
  },
  {
    testId: "cut-every",
    label: "Cut every 2 s",
    action: "cut-every?ms=2000&for=60000",
    proves: "For a minute. Long calls still finish, with nothing missing.",
    lasts: 60_000,
    meanwhile: "Cutting",
  },
  {
    testId: "down",
    label: "Server down for 5 s",
    action: "down?ms=5000",
    proves: "Reconnects are refused for a while; the runtime waits and tries again.",
    lasts: 5_000,
    meanwhile: "Down",
  },
  {
    testId: "restart",
    label: "Restart the server",
    action: "restart",
    proves: "It forgets its sessions and calls. Running calls end as lost, which is the truth; new ones work.",
  },
];

/** The buttons that break what the embedded server serves. */
export class Saboteur {
  readonly #box = part("saboteur");
  readonly #word = part("saboteur-word");

  constructor() {
    part("harms").append(...HARMS.map((harm) => this.#row(harm)));
  }

  /** Only the embedded server lets itself be broken. */
  set available(available: boolean) {
    this.#box.hidden = !available;
  }

  /** Cuts every connection. */
  async cut(): Promise<void> {
    await this.#do(HARMS[0]!);
  }

  #row(harm: Harm): HTMLElement {
    const press = button(harm.label, { "data-testid": harm.testId, "aria-describedby": `${harm.testId}-proves` }, () => {
      void this.#do(harm).then((worked) => {
        if (worked && harm.lasts) countDown(press, harm, harm.lasts);
      });
    });
    return element("li", {}, press, element("p", { id: `${harm.testId}-proves` }, harm.proves));
  }

  async #do(harm: Harm): Promise<boolean> {
    try {
      setText(this.#word, (await sabotage(harm.action)) || "Done.");
      return true;
    } catch (error) {
      setText(this.#word, `That did not work: ${error instanceof Error ? error.message : String(error)}`);
      return false;
    }
  }
}

/** Shows on the button how long the harm goes on. */
function countDown(press: HTMLButtonElement, { label, meanwhile = label }: Harm, lasts: number): void {
  const end = performance.now() + lasts;
  press.disabled = true;
  const stop = onTick((now) => {
    if (now < end) setText(press, `${meanwhile}, ${Math.ceil((end - now) / 1000)} s left`);
    else {
      stop();
      press.disabled = false;
      setText(press, label);
    }
  });
}
