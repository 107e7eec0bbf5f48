// Asking who is signed in for more: what has to outlive the page that begins it.

import { scopeList } from "./scopes.js";

/** The record of a step-up: the flow needs it about the sign-in that it widens. */
export interface StepUp {
  /** The user who is signed in. */
  readonly principal: string;
  /** How often these scopes were asked for in turn, with this time. */
  readonly asked: number;
}

/** The part of a grant that a step-up reads. */
interface SignedIn {
  readonly principal: string;
  readonly requested?: string;
  readonly asked?: number;
}

/** A step-up to these scopes, from what is granted. */
export function stepUpFrom({ principal, requested, asked = 0 }: SignedIn, scope: string): StepUp {
  return { principal, asked: isAmong(scope, requested) ? asked + 1 : 1 };
}

/** True if all these scopes are in the list: "read" is in "read write". */
export function isAmong(scope: string | undefined, list: string | undefined): boolean {
  const all = new Set(scopeList(list));
  return scopeList(scope).every((one) => all.has(one));
}

/** The name of a sign-in of which no token says whose it is. */
export function namelessPrincipal(issuer: string, signIn: string): string {
  return JSON.stringify([issuer, { signIn }]);
}

/**
 * The user after a step-up in which no token names one. A user who is asked for more while signed in stays
 * the same, as long as that sign-in is still there. A known user is never taken for granted.
 */
export function stillThere(
  stepUp: StepUp | undefined, now: SignedIn | undefined, issuer: string,
): string | undefined {
  if (!stepUp || now?.principal !== stepUp.principal) return undefined;
  const [of, who] = JSON.parse(stepUp.principal) as [unknown, unknown];
  return of === issuer && typeof who === "object" ? stepUp.principal : undefined;
}
