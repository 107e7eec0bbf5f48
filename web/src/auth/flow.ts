// One sign-in, from the authorization request to the answer that comes back in the URL.

import { checkedURL, isLoopback } from "./addresses.js";
import type { AuthorizationServer } from "./authorizationserver.js";
import type { DPoPKey } from "./dpop.js";
import { openWish, type Wish } from "./epochs.js";
import { AuthFailure, denied, invalid } from "./failure.js";
import type { Hands } from "./hands.js";
import { makePkce, unguessable } from "./pkce.js";
import type { Registration } from "./registration.js";
import type { StepUp } from "./stepup.js";

/** How long a person may take to sign in, in ms. */
export const FLOW_TIME: number = 60 * 60 * 1000;

/**
 * For how long, in ms, a flow that is over is kept: whoever still comes to its address is sent there with
 * another one.
 */
const KEPT_TIME = 7 * 24 * FLOW_TIME;

/**
 * A sign-in that is under way: all that another tab, or this page after a reload, needs
 * to finish it. It is used once.
 */
export interface FlowRecord {
  readonly state: string;
  /** The sign-in of this flow ({@link signInKey}): no other sign-in takes the answer. */
  readonly signIn: string;
  /** The MCP server that it is for. */
  readonly url: string;
  readonly resource: string;
  readonly server: AuthorizationServer;
  readonly client: Registration;
  readonly verifier: string;
  /** Scopes of the request; missing where the server's own default was asked for. */
  readonly scope?: string;
  /** The key that code and tokens are bound to (RFC 9449 section 10). */
  readonly dpop?: DPoPKey;
  /** The name of the window that it runs in: each has its own, so that no other flow's page is taken over. */
  readonly window: string;
  /** Data of the app that waits for the answer. */
  readonly waiting?: unknown;
  /** The answer, where a page without the tokens has taken it. */
  readonly answer?: Callback;
  /** The step-up of a flow that asks a signed-in user for more scopes. */
  readonly stepUp?: StepUp;
  /** Where the server's challenge said that its metadata is. */
  readonly resourceMetadata?: string;
  /** Epoch of the sign-in. A sign-out ends it. */
  readonly epoch: string;
  /** The marks of logouts as it was wished for: behind another logout it is over. */
  readonly marks: string;
  /** In ms since 1970. */
  readonly begun: number;
}

/** Inputs of a new flow. */
export interface Beginning {
  /** The wish that the flow was begun by. A wish is made before its flow, and never in the middle of one. */
  wish?: Wish | undefined;
  signIn: string;
  url: string;
  resource: string;
  server: AuthorizationServer;
  client: Registration;
  scope?: string | undefined;
  dpop?: DPoPKey | undefined;
  waiting?: unknown;
  stepUp?: StepUp | undefined;
  resourceMetadata?: string | undefined;
  /** The window that is open for it already. */
  window?: string | undefined;
}

/** A flow, and the address to go to. */
export interface BegunFlow {
  readonly record: FlowRecord;
  readonly address: string;
}

/** Checks an address that the answer may come to; throws `bad_argument`. */
export function checkRedirectURL(text: string): void {
  try {
    checkedURL("auth/authorization", "redirectUrl", text, true);
  } catch (error) {
    throw new AuthFailure("auth/authorization", {
      code: "bad_argument",
      message: error instanceof AuthFailure ? error.fields.message : "redirectUrl is no URL",
    });
  }
}

/** Begins a flow: stores its record, and gives the address to go to. */
export async function beginFlow(hands: Hands, beginning: Beginning): Promise<BegunFlow> {
  const { verifier, challenge } = await makePkce(hands);
  const {
    scope, dpop, waiting, stepUp, resourceMetadata, wish, window = WINDOW + unguessable(hands).slice(0, 12),
    ...rest
  } = beginning;
  const state = unguessable(hands);
  const record: FlowRecord = {
    ...rest,
    state,
    verifier,
    window,
    ...(wish ?? (await openWish(hands, beginning.signIn, () => true))!),
    begun: hands.now(),
    ...(scope === undefined ? {} : { scope }),
    ...(dpop === undefined ? {} : { dpop }),
    ...(waiting === undefined ? {} : { waiting }),
    ...(stepUp === undefined ? {} : { stepUp }),
    ...(resourceMetadata === undefined ? {} : { resourceMetadata }),
  };
  const address = authorizationRequest(record, challenge);
  await sweepFlows(hands);
  await storeNew(hands, record);
  return { record, address };
}

async function storeNew(hands: Hands, record: FlowRecord): Promise<void> {
  if (!(await hands.store.set(await flowKey(hands, record.state), 0, record)))
    throw invalid("auth/authorization", "two flows have the same state: the random numbers are none");
}

/**
 * Begins a flow anew whose answer comes too late: the same sign-in, with another state and another verifier.
 * Undefined where {@link takeFlow} says what the answer is: in time, of another issuer, a no, or nobody's.
 */
export async function renewFlow(
  hands: Hands, answer: Callback, marks: string,
): Promise<BegunFlow | undefined> {
  const key = await flowKey(hands, answer.state);
  const kept = await hands.store.get<FlowRecord>(key);
  if (
    !kept || answer.code === undefined || kept.value.marks !== marks ||
      !isOlder(kept.value, FLOW_TIME, hands.now()) || otherIssuer(kept.value.server, answer.iss)
  )
    return undefined;
  const { verifier, challenge } = await makePkce(hands);
  const { answer: _, ...rest } = kept.value;
  const record: FlowRecord = { ...rest, state: unguessable(hands), verifier, begun: hands.now() };
  const address = authorizationRequest(record, challenge);
  if (!(await hands.store.set(key, kept.version, undefined))) return undefined;
  await storeNew(hands, record);
  return { record, address };
}

/** The authorization request (RFC 6749 section 4.1.1, with RFC 7636, 8707 and 9449). */
export function authorizationRequest(record: FlowRecord, challenge: string): string {
  const { server, client, resource, scope, state, dpop } = record;
  // Checked again: it comes out of a store, and a person goes there.
  const url = checkedURL(
    "auth/authorization", "authorization_endpoint", server.authorizationEndpoint,
    isLoopback(new URL(server.issuer)),
  );
  const params: Record<string, string | undefined> = {
    response_type: "code",
    client_id: client.clientId,
    redirect_uri: client.redirectUrl,
    code_challenge: challenge,
    code_challenge_method: "S256",
    state,
    resource,
    scope,
    // OpenID Connect section 11: without it no refresh token comes with offline_access.
    prompt: scope?.split(" ").includes("offline_access") ? "consent" : undefined,
    dpop_jkt: dpop?.thumbprint,
  };
  for (const [name, value] of Object.entries(params))
    if (value !== undefined) url.searchParams.set(name, value);
  if (url.href.length > MAX_REQUEST) {
    throw new AuthFailure("auth/authorization", {
      code: "limit_exceeded", message: `the authorization request has over ${MAX_REQUEST} characters`,
      hint: "Ask for fewer scopes, with the option scopes.",
    });
  }
  return url.href;
}

/** The answer in the URL, unchecked. */
export interface Callback {
  readonly state: string;
  readonly code?: string;
  readonly error?: string;
  readonly iss?: string;
}

/**
 * Characters of an authorization request: what is longer, servers refuse with a page of their own (431, 414).
 */
const MAX_REQUEST = 16 * 1024;

/** Characters of one parameter of an answer. */
const MAX_PARAMETER = 8192;

/**
 * Reads an answer out of a URL; undefined where there is none. A parameter that is there
 * twice makes it none at all (RFC 6749 section 3.1): two readers would see two answers.
 */
export function readCallback(address: string): Callback | undefined {
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    return undefined;
  }
  const found: Record<string, string> = {};
  for (const name of ["state", "code", "error", "iss"]) {
    const values = url.searchParams.getAll(name);
    if (values.length > 1 || (values[0] ?? "").length > MAX_PARAMETER) return undefined;
    if (values[0] !== undefined) found[name] = values[0];
  }
  const { state, code, error, iss } = found;
  if (state === undefined || state === "" || (code === undefined) === (error === undefined)) return undefined;
  return {
    state, ...(code === undefined ? {} : { code }), ...(error === undefined ? {} : { error }),
    ...(iss === undefined ? {} : { iss })
  };
}

/** True if a URL holds an answer, even one that {@link readCallback} does not take. */
export function hasCallback(url: URL): boolean {
  return url.searchParams.has("state") && (url.searchParams.has("code") || url.searchParams.has("error"));
}

/** The same address without the answer: what the page shows, and what its history keeps. */
export function withoutCallback(address: string): string {
  const url = new URL(address);
  for (const name of ["state", "code", "error", "error_description", "error_uri", "iss", "session_state"])
    url.searchParams.delete(name);
  return url.href;
}

/**
 * Takes the record of an answer, so that nobody takes it twice, and checks the answer.
 * Throws `sign_in_expired` where there is no such flow (any more), `oauth_invalid` where the
 * answer is another server's, `oauth_denied` where it is an error.
 */
export async function takeFlow(
  hands: Hands, callback: Callback,
): Promise<{ record: FlowRecord; code: string }> {
  const key = await flowKey(hands, callback.state);
  let record: FlowRecord;
  for (;;) {
    const kept = await hands.store.get<FlowRecord>(key);
    if (!kept)
      throw new AuthFailure("auth/callback", {
        code: "sign_in_expired",
        message: "no sign-in waits for this answer: it was used, or is not of this browser",
        hint: "Sign in again.",
      });
    record = kept.value;
    // else its hour was begun again meanwhile, or somebody has taken it
    if (await hands.store.set(key, kept.version, undefined)) break;
  }
  // First of all, also for an error: on a mismatch nothing that the answer says is shown (RFC 9207 section
  // 2.4).
  const mismatch = otherIssuer(record.server, callback.iss);
  if (mismatch) throw mismatch;
  if (callback.code === undefined) throw denied("auth/callback", callback.error); // late as well: a no is no
  if (isOlder(record, FLOW_TIME, hands.now())) {
    throw new AuthFailure("auth/callback", {
      code: "sign_in_expired", message: "the answer came too late", hint: "Sign in again.",
    });
  }
  return { record, code: callback.code };
}

/** Deletes the record of a flow that nobody goes to: it would rest until it is swept. */
export async function dropFlow(hands: Hands, state: string): Promise<void> {
  const key = await flowKey(hands, state);
  for (;;) {
    const kept = await hands.store.get(key);
    if (!kept || (await hands.store.set(key, kept.version, undefined))) return;
  }
}

/** The record of a flow, which stays; undefined where there is none. */
export async function readFlow(hands: Hands, state: string): Promise<FlowRecord | undefined> {
  return (await hands.store.get<FlowRecord>(await flowKey(hands, state)))?.value;
}

/**
 * Leaves an answer with its flow, for the page that began it: its tokens are to be in the memory of that
 * page, and not of this one. False where no flow waits for it.
 */
export async function leaveAnswer(hands: Hands, answer: Callback): Promise<boolean> {
  const key = await flowKey(hands, answer.state);
  const kept = await hands.store.get<FlowRecord>(key);
  return kept !== undefined && hands.store.set(key, kept.version, { ...kept.value, answer });
}

/** Compares `iss` as it stands, character by character: what is normalized can be made to match. */
function otherIssuer(
  { issuer, namesItself }: AuthorizationServer, iss: string | undefined,
): AuthFailure | undefined {
  if (iss === undefined && namesItself)
    return invalid(
      "auth/callback", "the answer does not name its issuer, and the authorization server always does",
    );
  return iss === undefined || iss === issuer
    ? undefined
    : invalid("auth/callback", "the answer is of another issuer");
}

/** The flow that runs in a window; undefined where there is none. */
export async function flowIn(hands: Hands, window: string): Promise<FlowRecord | undefined> {
  for (const key of await hands.store.keys(FLOW)) {
    const kept = await hands.store.get<FlowRecord>(key);
    if (kept?.value.window === window) return kept.value;
  }
  return undefined;
}

/**
 * Begins the hour of a flow again that is older than `age`, whose address nobody could be shown so far. False
 * where it is there no more: it is never made again, since its answer may have been taken.
 */
export async function keepFlow(hands: Hands, state: string, age = 0): Promise<boolean> {
  const key = await flowKey(hands, state);
  for (;;) {
    const kept = await hands.store.get<FlowRecord>(key);
    if (!kept) return false;
    if (!isOlder(kept.value, age, hands.now())) return true;
    if (await hands.store.set(key, kept.version, { ...kept.value, begun: hands.now() })) return true;
  }
}

/** True if a flow of the sign-in waits for an answer, by that client. */
export async function hasFlow(hands: Hands, signIn: string, clientId: string): Promise<boolean> {
  for (const key of await hands.store.keys(FLOW)) {
    const kept = await hands.store.get<FlowRecord>(key);
    if (kept?.value.signIn === signIn && kept.value.client.clientId === clientId) return true;
  }
  return false;
}

/** Deletes what nobody comes back to any more, and all flows of what is signed out of. */
export async function sweepFlows(hands: Hands, signIn?: string): Promise<void> {
  for (const key of await hands.store.keys(FLOW)) {
    const kept = await hands.store.get<FlowRecord>(key);
    if (kept && (kept.value.signIn === signIn || isOlder(kept.value, KEPT_TIME, hands.now())))
      await hands.store.set(key, kept.version, undefined);
  }
}

/** A clock that was put back makes a flow no younger: it is older as well where it seems to begin later. */
export function isOlder({ begun }: FlowRecord, ms: number, now: number): boolean {
  return Math.abs(now - begun) > ms;
}

/** How the names of windows begin that sign-ins run in. */
export const WINDOW = "holdfast-";

const FLOW = "flow/";

/** The key in the store of a flow: its state is a secret. */
export async function flowKey({ digest }: Pick<Hands, "digest">, state: string): Promise<string> {
  return FLOW + (await digest([state]));
}
