/** The address of the last request that a Content-Security-Policy blocked. */
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

/** True if a policy of the page, or of the worker, has blocked a request to that origin. */
export function isForbidden(origin: string): boolean {
  return forbidden === origin || forbidden.startsWith(`${origin}/`);
}
