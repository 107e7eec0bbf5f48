import type { Counters, McpClient } from "holdfast";
import { element, part, setAttributes, setText } from "./element.js";

/** The counters in words, in the order in which they are shown. */
const WORDS: Record<keyof Counters, string> = {
  duplicateEvents: "replayed events dropped",
  duplicateSegments: "repeated parts dropped",
  duplicateResponses: "second responses dropped",
  unknownResponses: "responses to nothing",
  unreadableMessages: "unreadable messages",
  ignoredEvents: "events of other types ignored",
  lateProgress: "late progress",
  lateNotifications: "late notifications",
  refusedRequests: "requests refused",
  sessionsLost: "sessions lost",
  repeatedRequests: "repeated requests",
  foreignMessages: "messages of another stream",
  ignoredPolicies: "resume policies ignored",
  gapsRefetched: "gaps fetched again",
  expiredCalls: "calls expired",
  evictedCalls: "calls evicted",
  quarantinedRecords: "stored records that cannot be read",
  missingEvents: "events that a slow reader did not get",
  progressWentBack: "times that progress went back",
  unsafeVisits: "visits to what is no page, not shown",
};

const REFRESH = 1_000;

/** What the runtime noticed: its counters. */
export class Noticed {
  readonly #numbers = new Map<keyof Counters, HTMLElement>();
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor() {
    const list = part("counters");
    for (const [name, words] of Object.entries(WORDS) as [keyof Counters, string][]) {
      const number = element("dd", {}, "0");
      this.#numbers.set(name, number);
      list.append(
        element("div", { "data-counter": name, "data-zero": true }, number, element("dt", {}, words)),
      );
    }
  }

  /** Follows a client until the next one, or until {@link Noticed.stop}. */
  follow(mcp: McpClient): void {
    this.stop();
    this.#count(mcp.counters);
    this.#timer = setInterval(() => {
      if (mcp.state === "open" || mcp.state === "reconnecting") this.#count(mcp.counters);
    }, REFRESH);
  }

  /** The numbers stay; they are the last of their client. */
  stop(): void {
    clearInterval(this.#timer);
  }

  #count(counters: Counters): void {
    for (const [name, number] of this.#numbers) {
      const count = counters[name] ?? 0;
      setText(number, count.toLocaleString("en"));
      setAttributes(number.parentElement!, { "data-zero": count === 0 });
    }
  }
}
