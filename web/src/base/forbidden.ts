/** What a Content-Security-Policy has kept in the browser last. */
let forbidden = "";

const note = ({ blockedURI, disposition, effectiveDirective }: SecurityPolicyViolationEvent): void => {
  if (disposition !== "report" && effectiveDirective === "connect-src") forbidden = blockedURI;
};

/**
 * Hears of what a policy keeps in the browser, which says so of the request itself: asking once more would be
 * one more error in the console (fault 464).
 */
export function watchPolicy(): void {
  globalThis.addEventListener?.("securitypolicyviolation", note);
}

/** Whether a policy of the page's, or the worker's, has kept a request to that origin in the browser. */
export function isForbidden(origin: string): boolean {
  return forbidden === origin || forbidden.startsWith(`${origin}/`);
}
