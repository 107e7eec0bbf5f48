// Why a server cannot be reached. Browsers hide the reason from a page ("Failed
// to fetch"), so the server is asked in several ways, and the answers compared:
// without CORS, with CORS, and with one header field after the other. All of it
// is GET, which changes nothing.

import { shownAddress, shownPath } from "../base/plainpath.js";
import { isMixedContent } from "../base/origins.js";
import type { Failed, Finding, Sent } from "./finding.js";

/**
 * Finds out why fetch failed, which browsers hide from a page. `sent` names all the fields that need the
 * server's permission; `otherwise` is said of a server that answers, and keeps nobody out.
 */
export async function networkCause(
  { url, foreign, reach, isForbidden }: Failed, { fields, credentials, signal }: Sent, otherwise?: string,
): Promise<Finding> {
  const { origin } = new URL(url);
  if (isMixedContent(url)) {
    return {
      hint: "The page is https and the server http: browsers block that (mixed content). Serve it over " +
        "https.",
    };
  }
  const answers = (init: RequestInit = {}): Promise<boolean | undefined> => probe(url, signal, {
    ...PLAIN, ...init
  });
  // An opaque answer is still an answer: somebody listens there.
  const opaque = (): Promise<boolean | undefined> => probe(url, signal, {
    mode: "no-cors", referrerPolicy: "no-referrer",
  });
  const cors = reach !== "nothing" && (await answers());
  if (!cors && reach !== "answers" && (reach === "nothing" || !(await opaque()))) {
    await new Promise((resolve) => setTimeout(resolve, POLICY_TIME));
    if (isForbidden(origin))
      return {
        hint: `The Content-Security-Policy of the page, or of its worker, lacks  connect-src ${origin}`,
      };
    if (!foreign) return { hint: `Nothing answers at ${place(url)}. Is the server running?` };
    // A page hears the same of a server that speaks http alone, and of one that has made its certificate
    // itself (fault 627).
    const secure = /^https|^wss/.test(origin)
      ? " Is it https, with a certificate that this browser trusts? A tab with that address says so."
      : "";
    return {
      hint: `Nothing answers at ${origin}. Is the server running, and are host and port right?${secure}`,
    };
  }
  if (!foreign)
    return {
      hint: otherwise ??
        `${origin} answers, but the request was cut off. A proxy or an extension may be in the way.`,
    };
  if (!cors && (await isRule(() => answers(), opaque)))
    return blocked(
      origin,
      `Access-Control-Allow-Origin: ${globalThis.origin ?? "*"}.  If its endpoint does, is the path right?`,
    );
  // A server that allows any origin allows none that sends its cookies (Fetch 3.3.5), and one that allows any
  // field then allows none.
  const refused = credentials === "include" && (await isRule(() => answers({ credentials }), answers));
  const own: RequestInit = refused ? {} : { credentials };
  const missing: string[] = [];
  for (const [name, value] of fields) {
    const probed = (): Promise<boolean | undefined> => answers({ ...own, headers: { [name]: value } });
    if ((await probed()) === false && (await isRule(probed, () => answers(own)))) missing.push(name);
  }
  const lacks: string[] = [];
  if (missing.length > 0) lacks.push(`Access-Control-Allow-Headers: ${missing.join(", ").toLowerCase()}`);
  if (refused)
    lacks.push(
      `Access-Control-Allow-Credentials: true  and  Access-Control-Allow-Origin: ${globalThis.origin ?? "*"}`,
    );
  if (lacks.length > 0) return blocked(origin, lacks.join("  and  "));
  return {
    hint: otherwise ??
      `${origin} answers a GET with the right CORS headers, but not the POST. Does ` +
        "Access-Control-Allow-Methods list POST, and do error answers carry the CORS headers too?",
  };
}

/**
 * How much later than of the request a worker may hear of the policy that has kept it in the browser, in ms.
 */
const POLICY_TIME = 100;

/** A redirect is an answer, and is not followed: it may lead anywhere. */
const PLAIN: RequestInit = { redirect: "manual" };

/** How often the same has to be seen before it counts as a rule of the server's. */
const TIMES = 4;

/**
 * True if a request fails because a rule forbids it: it fails again and again, while another one to the same
 * server is answered each time. A connection that is cut now and then, or too slow, does not count as a rule
 * (fault 147).
 */
async function isRule(
  forbidden: () => Promise<boolean | undefined>, allowed: () => Promise<boolean | undefined>,
): Promise<boolean> {
  for (let i = 0; i < TIMES; i++) {
    if ((await forbidden()) !== false || (await allowed()) !== true) return false;
  }
  return true;
}

/** How long one probe may take, in ms. */
const PROBE_TIME = 5_000;

/** True if a GET is answered, and false if it fails; undefined if the time ran out first. */
export async function probe(
  url: string, outer: AbortSignal | undefined, init: RequestInit,
): Promise<boolean | undefined> {
  if (outer?.aborted) return undefined;
  const controller = new AbortController();
  const stop = (): void => controller.abort();
  const timer = setTimeout(stop, PROBE_TIME);
  outer?.addEventListener("abort", stop);
  try {
    const response = await fetch(url, {
      credentials: "omit", ...init, cache: "no-store", signal: controller.signal,
    });
    await response.body?.cancel();
    return true;
  } catch {
    return controller.signal.aborted ? undefined : false;
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener("abort", stop);
  }
}

/** True if a GET is answered with a stream of events. */
export async function givesEvents(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, {
      ...PLAIN, credentials: "omit", cache: "no-store", headers: { accept: "text/event-stream" },
      signal: AbortSignal.timeout(PROBE_TIME),
    });
    void response.body?.cancel();
    return response.ok && /^text\/event-stream/i.test(response.headers.get("content-type") ?? "");
  } catch {
    return false;
  }
}

/** The server's CORS rules keep the page out. */
function blocked(origin: string, header: string): Finding {
  return { cors: true, hint: `${origin} has to answer with  ${header}` };
}

/** An address to show. */
export const place: (url: string) => string = shownAddress;

/**
 * A hint about cookies, which were not sent, where a server of the page's own origin may know its users by
 * them; else an empty text.
 */
export function cookieHint({ foreign, status }: Failed, sent: Sent | undefined): string {
  const may = !foreign && (status === 401 || status === 403) && sent?.credentials === "omit";
  return may
    ? ` Cookies did not go along: if the server knows its users by them, pass credentials: "same-origin" ` +
      "in the options, and a principal."
    : "";
}

/** The hint for a request that had no token which `who` accepts. */
export function tokenHint(who: "server" | "agent", failed: Failed, sent: Sent | undefined): string {
  if (!failed.token)
    return `The ${who} wants a bearer token: pass a token provider in the options.` + cookieHint(
      failed, sent,
    );
  if (failed.op === "token") return "The token provider gave no token. The error's cause says why.";
  return `The ${who} refused the token that the provider gave. Has it expired, or is it meant for another ` +
    "server?";
}

/**
 * The meaning of a status that is no answer; `kind` names what the client looked for, and `usual` the path of
 * that at many servers.
 */
export function httpHint(url: string, status: number, kind: string, usual: string): string {
  switch (status) {
    case 300:
      return `The server redirects ${place(url)}. Connect to the address that it redirects to.`;
    case 403:
      return `${new URL(url).origin} forbids the request. Servers may refuse pages of another origin: ` +
        "allow this one there, or go through a proxy.";
    case 404:
    case 405:
      return `There is no ${kind} endpoint at ${shownPath(new URL(url).pathname)} (status ${status}). Is ` +
        `the path right? Many servers use ${usual}.`;
    case 502:
    case 503:
    case 504:
      return `The server cannot answer now (status ${status}). Try again later.`;
    default:
      return `The server answered ${status}.`;
  }
}
