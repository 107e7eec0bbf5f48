import { isLoopback } from "./origins.js";

/** The problem of an address that is neither https nor, where that is allowed, on this machine. */
export const NOT_HTTPS = "is not https";

/**
 * The problem of an address that another party wrote, and that is fetched or shown to a person; undefined
 * where there is none. The address has to be https, or http on this machine if `local` allows it, without a
 * user name. That rule also refuses `javascript:`, `data:` and an app's own scheme.
 */
export function unsafeAddress(text: unknown, local: boolean): string | undefined {
  if (typeof text !== "string" || text === "") return "is missing, or is no string";
  // A URL parser drops line breaks and surrounding blanks, so that what is compared is not what is fetched.
  if (/[\u0000-\u0020\u007f\\]/.test(text)) return "has characters that no URL has";
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return "is not an absolute URL";
  }
  if (url.protocol !== "https:" && !(url.protocol === "http:" && local && isLoopback(url))) return NOT_HTTPS;
  return url.username || url.password ? "holds a user name" : undefined;
}

/**
 * The problem of a page that the server at that address wants a person to visit; undefined where there is
 * none.
 */
export function unsafeVisit(page: unknown, server: string): string | undefined {
  const problem = unsafeAddress(page, false);
  return problem === NOT_HTTPS && isLoopback(new URL(server)) ? unsafeAddress(page, true) : problem;
}
