import { badArgument } from "../base/arguments.js";
import type { ElicitationResult } from "./elicitation.js";

const ACTIONS: unknown[] = ["accept", "decline", "cancel"];

/**
 * The person's action on an elicitation, as a handler reports it. Throws without an action: the content of a
 * form alone is a common slip, and is no person's yes (fault 630).
 */
export function withAction(answer: unknown): ElicitationResult {
  const given = answer as ElicitationResult | null | undefined;
  if (ACTIONS.includes(given?.action)) return given!;
  throw badArgument(
    "elicitation/create",
    "action",
    'has to be "accept", "decline" or "cancel": what a form holds goes into content',
  );
}
