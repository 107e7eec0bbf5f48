// Pages that leave for the authorization server by themselves, and are soon back with nothing that helps:
// what stops them.

import { AuthFailure } from "./failure.js";
import { FLOW_TIME, type FlowRecord, isOlder, readFlow } from "./flow.js";
import type { Hands } from "./hands.js";

/**
 * So many pages, reloads included, leave within so many ms for one server by themselves: no person signs in
 * as often.
 */
const TIMES = 5;
const WITHIN = 60_000;

/** The record of the pages that left for a server. */
interface Rounds {
  /** When the last of them did, in ms since 1970. */
  readonly times: readonly number[];
  /** The flow that the last of them left for, by its state; missing once somebody has signed in. */
  readonly flow?: string;
}

/** The key of what is kept of a sign-in. */
export function roundsKey(signIn: string): string {
  return `round/${signIn}`;
}

/** True if so many pages have left for a server that the next page stays. */
export async function goesRound(hands: Hands, signIn: string): Promise<boolean> {
  return recent(hands, (await hands.store.get<Rounds>(roundsKey(signIn)))?.value).length >= TIMES;
}

/** Notes that a page leaves for a flow, in whatever host: each time counts. */
export function leavesFor(hands: Hands, { signIn, state }: FlowRecord): Promise<void> {
  return noted(
    hands, signIn,
    (rounds) => ({ times: [...recent(hands, rounds), hands.now()].slice(-TIMES), flow: state }),
  );
}

/** Notes that somebody has signed in at a server: no page is away for it any more. */
export function signedInAt(hands: Hands, signIn: string): Promise<void> {
  return noted(hands, signIn, (rounds) => rounds?.flow && { times: rounds.times });
}

/** The flow that a page has left for last, while its answer may still come. */
export async function leftFor(hands: Hands, signIn: string): Promise<FlowRecord | undefined> {
  const { flow } = (await hands.store.get<Rounds>(roundsKey(signIn)))?.value ?? {};
  const record = flow === undefined ? undefined : await readFlow(hands, flow);
  return record && !isOlder(record, FLOW_TIME, hands.now()) ? record : undefined;
}

/** A clock that was put back makes nothing recent. */
function recent(hands: Hands, rounds: Rounds | undefined): number[] {
  return (rounds?.times ?? []).filter((at) => Math.abs(hands.now() - at) < WITHIN);
}

async function noted(
  hands: Hands, signIn: string, change: (rounds: Rounds | undefined) => Rounds | "" | undefined,
): Promise<void> {
  for (;;) {
    const kept = await hands.store.get<Rounds>(roundsKey(signIn));
    const next = change(kept?.value);
    if (!next || (await hands.store.set(roundsKey(signIn), kept?.version ?? 0, next))) return;
  }
}

/** The failure of a page that stays. */
export function wentRound(): AuthFailure {
  return new AuthFailure("auth/authorization", {
    code: "sign_in_required",
    message: `this page has left ${TIMES} times in a minute, and each time the server wanted a sign-in again`,
    hint: "Its server has to take what its authorization server gives, and that has to answer to " +
      "redirectUrl, with the state that it was given: no router may drop that before the page connects. " +
      "The app asks again from a click, by signIn().",
  });
}

/** The failure after a logout: leftovers of a session sign nobody in again. */
export function loggedOut(): AuthFailure {
  return new AuthFailure("auth/authorization", {
    code: "sign_in_required", message: "somebody has logged out",
    hint: "Sign in again: the app asks from a click, by signIn().",
  });
}

/** The failure after a person came Back from the authorization server. */
export function wentBack(): AuthFailure {
  return new AuthFailure("auth/authorization", {
    code: "sign_in_required", message: "somebody came back from the authorization server without an answer",
    hint: "Sign in again.",
  });
}
