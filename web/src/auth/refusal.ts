// Verdicts on a 401 or 403 of the server: a pure table.

import type { OAuthChallenge } from "./challenge.js";
import { cameBy, type Grant } from "./grants.js";
import { union } from "./scopes.js";
import { isAmong } from "./stepup.js";
import { lifeOf } from "./tokens.js";

/** For how long, in ms, a server that refuses what somebody has signed in for gets nobody asked again. */
const IN_VAIN = 10 * 60_000;

/** Counts of the trials for a request since one last passed. */
export interface Trials {
  readonly retries: number;
  readonly nonces: number;
  readonly refreshes: number;
  readonly signIns: number;
  readonly stepUps: number;
}

/** Trials of a request that was tried in no way yet. */
export const NO_TRIALS: Trials = { retries: 0, nonces: 0, refreshes: 0, signIns: 0, stepUps: 0 };

/** A request that the server has refused: it did not run. */
export interface Refusal {
  readonly status: number;
  /** Undefined where there is none, or CORS hides it. */
  readonly challenge: OAuthChallenge | undefined;
  /** The token that it had; undefined for none. */
  readonly token: string | undefined;
  /** The sign-in that this came by; undefined where the token alone is known. */
  readonly cameBy?: string | undefined;
  /** The answer brought a new nonce for the next proof. */
  readonly nonce: boolean;
}

/** The part of a grant that a verdict reads. */
export interface HeldToken {
  /** The token to use now; undefined where it is over. */
  readonly token: string | undefined;
  readonly cameBy?: string | undefined;
  readonly canRefresh: boolean;
  readonly requested: string | undefined;
  readonly granted: string | undefined;
  /** How often these scopes were asked for in turn, by step-ups, whichever pages there were. */
  readonly asked?: number | undefined;
  /** Somebody has just signed in for it, and no request has passed with it, whichever pages there were. */
  readonly unproven?: boolean;
}

/** The held token of a grant. `proven` is the last token that a request has passed with. */
export function heldOf(grant: Grant, now: number, proven: string | undefined): HeldToken {
  const { access, unproven, refreshToken, requested, granted, asked } = grant;
  return {
    ...{ requested, granted, asked, cameBy: cameBy(grant), canRefresh: refreshToken !== undefined },
    token: access && lifeOf(access, now) !== "over" ? access.token : undefined,
    unproven: unproven !== undefined && access?.token !== proven && Math.abs(now - unproven) < IN_VAIN,
  };
}

/** The verdict on a refused request. */
export type Verdict =
  /** Send it again, with the token that is there now, or with the nonce. */
  | { readonly kind: "retry"; readonly trials: Trials }
  | { readonly kind: "refresh"; readonly trials: Trials }
  /** A person has to sign in; `scope` is missing where it is chosen as usual. */
  | { readonly kind: "sign-in"; readonly scope?: string; readonly trials: Trials }
  /** The server refuses whatever it is given. */
  | { readonly kind: "give-up" }
  /** No token mends the refusal: the caller gets the answer. */
  | { readonly kind: "pass" };

/** The repair after an answer, before a person is asked. */
export type Repair =
  /** The request can be sent again now. */
  | { readonly kind: "retry"; readonly trials: Trials }
  /**
   * It takes more: a person, or, with `away`, an authorization server that could not be asked.
   * `SignIn.refused` sees to it.
   */
  | { readonly kind: "more"; readonly refusal: Refusal; readonly away?: boolean };

/** Judges a refusal. Each way is tried a bounded number of times, so that no server can make it go round. */
export function judge(refusal: Refusal, held: HeldToken | undefined, trials: Trials): Verdict {
  const { status, challenge, token, nonce } = refusal;
  const isNews = held?.token !== undefined && !isOf(refusal, held);
  if (status === 403) {
    if (challenge?.error !== "insufficient_scope") return { kind: "pass" };
    if (isNews) return retry(trials);
    if (trials.stepUps >= MAX_STEP_UPS) return { kind: "give-up" };
    // A page that goes away to sign in knows nothing of trials when it is back.
    if ((held?.asked ?? 0) >= MAX_STEP_UPS && isAmong(challenge.scope, held?.requested))
      return { kind: "give-up" };
    const scope = union(held?.requested, held?.granted, challenge.scope);
    return {
      kind: "sign-in", ...(scope === undefined ? {} : { scope }),
      trials: { ...trials, stepUps: trials.stepUps + 1 },
    };
  }
  if (status !== 401) return { kind: "pass" };
  if (challenge?.error === "use_dpop_nonce" || (nonce && trials.nonces === 0 && token !== undefined)) {
    return nonce && trials.nonces < MAX_NONCES
      ? { kind: "retry", trials: { ...trials, nonces: trials.nonces + 1 } }
      : { kind: "give-up" };
  }
  // Somebody has refreshed or signed in since it was sent.
  if (isNews) return retry(trials);
  if (held?.canRefresh && trials.refreshes === 0)
    return { kind: "refresh", trials: { ...trials, refreshes: 1 } };
  // The server refuses a token that was just refreshed: a person is asked, once. After a page left to sign
  // in, the grant says so.
  return trials.signIns === 0 && !(held?.unproven && token !== undefined)
    ? { kind: "sign-in", trials: { ...trials, signIns: 1 } }
    : { kind: "give-up" };
}

/** True if the held token is the refused one. An equal token that a later sign-in has brought is another. */
export function isOf(
  { token, cameBy }: Pick<Refusal, "token" | "cameBy">, held: Pick<Refusal, "token" | "cameBy">,
): boolean {
  return token === held.token && (cameBy === undefined || cameBy === held.cameBy);
}

/** How often a server may ask for more scopes before a call is given up. */
const MAX_STEP_UPS = 2;

/**
 * A server may hand out its nonces fast, or take each once, and another request has it first; more than this
 * it only says no.
 */
const MAX_NONCES = 5;

/** How often another token may be there than the one that was refused. */
const MAX_RETRIES = 5;

function retry(trials: Trials): Verdict {
  return trials.retries < MAX_RETRIES
    ? { kind: "retry", trials: { ...trials, retries: trials.retries + 1 } }
    : { kind: "give-up" };
}
