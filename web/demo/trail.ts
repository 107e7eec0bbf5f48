// What left for a call, and what befell its page in between: a line that says which
// request took the call up again.

import { element } from "./element.js";
import type { Mark, Trace } from "./trace.js";

/** Requests of one method that left for a call, one after the other. */
export interface Sent {
  method: string;
  /** When the first of them left, in ms since the call was made. */
  at: number;
  times: number;
}

/** A stop of the line: a request, something that befell the page, or the end. */
export interface Stop {
  kind: "sent" | "mark" | "end";
  words: string;
  times: number;
}

const MARKS: Partial<Record<Mark["kind"], string>> = {
  reload: "page reloaded", page: "page closed", killed: "runtime died", disconnected: "disconnected",
  taken: "other tab gone",
};

/** The requests and what befell the page, in order. */
export function stops({ sent, marks, end }: Pick<Trace, "sent" | "marks" | "end">): Stop[] {
  const marked = marks.flatMap(({ kind, at }) => {
    const words = MARKS[kind];
    return words === undefined ? [] : [{ at, stop: { kind: "mark", words, times: 1 } as Stop }];
  });
  const requests = sent.map(
    ({ method, at, times }) => ({ at, stop: { kind: "sent", words: method, times } as Stop }),
  );
  const all = [...marked, ...requests].sort((a, b) => a.at - b.at).map(({ stop }) => stop);
  if (end) all.push({ kind: "end", words: end.how === "done" ? "result" : end.how, times: 1 });
  return all;
}

/** The line, for people. */
export function drawTrail(list: HTMLElement, all: readonly Stop[]): void {
  const text = all.map(({ kind, words, times }) => `${kind} ${words} ${times}`).join();
  if (list.dataset["stops"] === text) return;
  list.dataset["stops"] = text;
  list.hidden = all.length === 0;
  list.replaceChildren(
    ...all.map(({ kind, words, times }) => {
      const shown = kind === "sent" ? element("code", {}, words) : words;
      return element("li", { "data-kind": kind }, shown, times > 1 ? ` ×${times}` : undefined);
    }),
  );
}
