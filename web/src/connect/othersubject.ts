import type { TokenSubject } from "../shared/clientstate.js";

/** The subject of a token's user where that is known, and is not whom the app has named. */
export function otherSubject(user: string | undefined, named: string | undefined): TokenSubject | undefined {
  if (user === undefined || named === undefined || user === named) return undefined;
  const [issuer, subject] = JSON.parse(user) as [unknown, unknown];
  return typeof issuer === "string" && typeof subject === "string" && subject !== named ? { issuer, subject } : undefined;
}
