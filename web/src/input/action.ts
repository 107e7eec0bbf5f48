import { badArgument } from "../base/arguments.js";
import type { ElicitationResult } from "./elicitation.js";

const ACTIONS: unknown[] = ["accept", "decline", "cancel"];

/**
 * What a handler says was done about an elicitation. Throws where it says nothing of that: what was typed
 * into a form, and no more, is a common slip, and is no person's yes (fault 630).
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
