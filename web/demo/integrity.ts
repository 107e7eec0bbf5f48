import type { ClientEvents } from "holdfast";
import type { Line } from "./narrative.js";

/** The broken rules of which nothing is dropped: what they are, and what became of it. */
const KEPT: Record<string, { tag: string; text: string }> = {
  invalid_output: {
    tag: "invalid", text: "A result does not fit its tool's output schema, and was delivered",
  },
  unchecked_output: {
    tag: "unchecked", text: "A result was delivered without a look at its tool's output schema",
  },
  progress_went_back: { tag: "progress", text: "Progress went back" },
  header_refused: { tag: "header", text: "Requests go without a header field" },
};

/** Tells which rule a server broke, and what came of that. */
export function tellIntegrity({ what, cause, header }: ClientEvents["integrity"]): Line {
  const kept = KEPT[what];
  const why = cause ?? (header === undefined ? undefined : `the server's CORS rules do not allow ${header}`);
  const text = kept?.text ?? what;
  return { tone: "warning", tag: kept?.tag ?? "dropped", text: why === undefined ? text : `${text}: ${why}` };
}
