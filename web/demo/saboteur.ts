import type { Host } from "holdfast";
import { button, element, part, setText } from "./element.js";
import { embeddedURL, plainURL, resumeURL, sabotage } from "./embedded.js";
import { endWorkers } from "./ear.js";
import { panic } from "./killer.js";
import { onTick } from "./ticker.js";

interface Harm {
  testId: string;
  label: string;
  /** Does it; resolves to what was done, in words. */
  act(): Promise<string>;
  /** What it proves. */
  proves: string;
  /** The same where the runtime is in a worker that outlives the page. */
  shared?: Pick<Harm, "label" | "act" | "proves">;
  /** Only the embedded server lets itself be broken. */
  server: boolean;
  /** How long it goes on, in ms, and what the button says meanwhile. */
  lasts?: number;
  meanwhile?: string;
}

/** The real thing: nothing of this page is left after it. */
async function reload(): Promise<string> {
  location.reload();
  return "Reloading.";
}

const HARMS: Harm[] = [
  {
    testId: "reload",
    label: "Reload this page",
    act: reload,
    proves: "Everything in memory is gone. The calls come back from the journal.",
    shared: {
      label: "Reload this page",
      act: reload,
      proves: "The page is gone, the worker is not. The streams are not even cut.",
    },
    server: false,
  },
  {
    testId: "kill",
    label: "Kill the runtime",
    act: async () => {
      panic();
      return "The Go program in this page has panicked. Another one starts, and has the calls from the " +
        "journal.";
    },
    proves: "A real panic ends the WebAssembly. Another one starts by itself and goes on.",
    shared: {
      label: "Kill the worker",
      act: async () => {
        endWorkers();
        return "The worker has ended, and the runtime and its streams with it. Another one starts, and has " +
          "the calls from the journal.";
      },
      proves: "The worker ends in mid-sentence. Another one starts by itself, and goes on from the journal.",
    },
    server: false,
  },
  {
    testId: "cut",
    label: "Cut the wire",
    act: () => sabotage("cut"),
    proves: "Every open connection breaks at once. Calls resume where they stopped.",
    server: true,
  },
  {
    testId: "cut-every",
    label: "Cut the wire every 2\u00a0s",
    act: () => sabotage("cut-every?ms=2000&for=60000"),
    proves: "For a minute. Long calls still finish, with nothing missing.",
    server: true,
    lasts: 60_000,
    meanwhile: "Cutting",
  },
  {
    testId: "down",
    label: "Server down for 5 s",
    act: () => sabotage("down?ms=5000"),
    proves: "Reconnects are refused for a while; the runtime waits and tries again.",
    server: true,
    lasts: 5_000,
    meanwhile: "Down",
  },
  {
    testId: "restart",
    label: "Restart the server",
    act: () => sabotage("restart"),
    proves: "It forgets its sessions, calls and tasks. A harmless call runs again; any other ends as lost, " +
      "which is the truth.",
    server: true,
  },
];

/** What a restart proves where calls belong to no session. */
const KEEPS_CALLS =
  "It forgets its sessions and keeps its calls: a token and a task belong to no session. Both go on in the " +
    "next one.";

/** The buttons that break what the page stands on. */
export class Saboteur {
  readonly #box = part("saboteur");
  readonly #word = part("saboteur-word");
  readonly #rows = HARMS.map((harm) => ({ harm, row: this.#row(harm) }));
  readonly #did: () => void;
  #host: Host = "page";

  /** `did` hears of each harm that was done. */
  constructor(did: () => void) {
    this.#did = did;
    part("harms").append(...this.#rows.map(({ row }) => row));
  }

  /** Says what came of something. */
  say(words: string): void {
    setText(this.#word, words);
  }

  /** What can be broken: nothing without a server, the page itself, or the embedded server as well. */
  set available(what: "nothing" | "page" | "all") {
    this.#box.hidden = what === "nothing";
    for (const { harm, row } of this.#rows) row.hidden = harm.server && what !== "all";
  }

  /** Leads from one embedded server to the other: what cannot be resumed is a story as well. */
  set server(url: string) {
    for (const { testId, proves } of HARMS)
      if (testId === "restart") setText(part("restart-proves"), url === resumeURL ? KEEPS_CALLS : proves);
    const there = url === embeddedURL ? plainURL : embeddedURL;
    const page = new URL(location.href);
    page.search = there === embeddedURL ? "" : "?server=/plain";
    const link = element(
      "a", { href: page.href, "data-testid": "other-server" },
      there === plainURL ? "Try a server that cannot resume" : "Back to the server that can resume",
    );
    const words = there === plainURL
      ? ": its calls may have run, and the page says so."
      : ". This one answers in one piece, so a call that is cut off may have run, or may not.";
    part("other-server").replaceChildren(...(url === embeddedURL || url === plainURL ? [link, words] : []));
  }

  /** Where the runtime is, which is what can be killed. */
  set host(host: Host) {
    this.#host = host;
    for (const harm of HARMS) {
      if (!harm.shared) continue;
      const { label, proves } = this.#here(harm);
      setText(part(`${harm.testId}-harm`), label);
      setText(part(`${harm.testId}-proves`), proves);
    }
  }

  #here(harm: Harm): Pick<Harm, "label" | "act" | "proves"> {
    return this.#host === "shared" && harm.shared ? harm.shared : harm;
  }

  #row(harm: Harm): HTMLElement {
    const press = button(harm.label, {
      id: `${harm.testId}-harm`, "data-testid": harm.testId, "aria-describedby": `${harm.testId}-proves`,
    }, () => {
      void this.#do(harm).then((worked) => {
        if (worked && harm.lasts) countDown(press, harm, harm.lasts);
      });
    });
    return element("li", {}, press, element("p", { id: `${harm.testId}-proves` }, harm.proves));
  }

  async #do(harm: Harm): Promise<boolean> {
    try {
      setText(this.#word, (await this.#here(harm).act()) || "Done.");
      this.#did();
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
