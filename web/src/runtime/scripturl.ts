/** The policy that makes addresses of scripts, in a page with Trusted Types. */
interface ScriptURLs {
  createScriptURL(url: string): string;
}

interface TrustedTypes {
  readonly defaultPolicy: ScriptURLs | null;
  createPolicy(name: string, rules: ScriptURLs): ScriptURLs;
}

/**
 * A page that asks for Trusted Types names this policy in its `trusted-types`, or has one that is the
 * default.
 */
const POLICY = "holdfast";

let policy: ScriptURLs | undefined;

/**
 * The address of a worker's script as a page takes it that asks for Trusted Types: the app has named the
 * script, or it is the module's own.
 */
export function trusted(url: string): string {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  if (!trustedTypes || trustedTypes.defaultPolicy) return url;
  try {
    return (
      policy ??= trustedTypes.createPolicy(POLICY, { createScriptURL: (each) => each })
    ).createScriptURL(url);
  } catch {
    return url; // the page allows no such policy: the constructor says what that means
  }
}
