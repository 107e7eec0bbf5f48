// Marks of logouts: random words in localStorage, which name no user. A sign-in begins by itself only if its
// row has the marks of now. After a logout the app's signIn() alone begins one, so that no leftover signs the
// user in again.

import { random } from "./random.js";

/** The mark of the last wipe, which a page that was away looks at as well (tabs/loggedout.ts). */
const WIPED = "holdfast.wiped";

/** The value under which the names of the other marks are made: each wipe deletes it. */
const SECRET = "holdfast.out";

/** Prefix of the names of the other marks. */
const OUT = "holdfast.out.";

/** So many of them are kept: beyond that the wipe's mark changes instead. */
const MOST = 64;

/**
 * The marks of now: that of the last wipe, and those of the logouts of these; empty where there is none. A
 * worker cannot read them.
 */
export async function marksOf(...names: readonly (readonly string[])[]): Promise<string> {
  const all = kept();
  const secret = all?.getItem(SECRET);
  const values = secret
    ? await Promise.all(names.map(async (name) => all!.getItem(await nameOf(secret, name)) ?? ""))
    : [];
  const marks = [all?.getItem(WIPED) ?? "", ...values];
  return marks.every((one) => one === "")
    ? ""
    : JSON.stringify(marks.concat(names.map(() => "")).slice(0, names.length + 1));
}

/** The marks of a sign-in: those of its user's logouts at that server, and those of its own logouts. */
export function signInMarks(of: LogoutOf): Promise<string> {
  return marksOf(userName(of), ownName(of));
}

/** Marks the logout of a sign-in; `every`: of its user at that server, whatever the client. */
export function markSignOut(of: LogoutOf, every: boolean): Promise<void> {
  return markLogout(every ? userName(of) : ownName(of));
}

/** The sign-in that a logout ends. */
export interface LogoutOf {
  readonly url: string;
  readonly principal?: string | undefined;
  readonly client: string;
}

function userName({ url, principal = "" }: LogoutOf): string[] {
  return ["user", url, principal];
}

function ownName({ url, principal = "", client }: LogoutOf): string[] {
  return ["sign-in", url, principal, client];
}

/** Marks a logout of everybody: the marks of others go. */
export function markWipe(): void {
  const all = kept();
  if (!all) return;
  all.setItem(WIPED, random());
  for (const name of Object.keys(all)) if (name === SECRET || name.startsWith(OUT)) all.removeItem(name);
}

/** Marks the logout of that. */
export async function markLogout(name: readonly string[]): Promise<void> {
  for (;;) {
    const all = kept();
    if (!all) return;
    if (!all.getItem(SECRET)) all.setItem(SECRET, random());
    const secret = all.getItem(SECRET)!;
    const mark = await nameOf(secret, name);
    const isNew = all.getItem(mark) === null;
    if (isNew && Object.keys(all).filter((one) => one.startsWith(OUT)).length >= MOST) return markWipe();
    all.setItem(mark, random());
    if (all.getItem(SECRET) === secret) return; // else another tab has made one at the same time, or wiped
  }
}

/** Whoever has the profile, and guesses what it stands for, can test a name. */
async function nameOf(secret: string, name: readonly string[]): Promise<string> {
  const text = new TextEncoder();
  const key = await crypto.subtle.importKey(
    "raw", text.encode(secret), { name: "HMAC", hash: "SHA-256" }, false, ["sign"],
  );
  const signed = new Uint8Array(await crypto.subtle.sign("HMAC", key, text.encode(JSON.stringify(name))));
  return OUT + Array.from(signed, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * Undefined in a worker, on plain http, where nobody signs in, and where the browser lets the page store
 * nothing.
 */
function kept(): Storage | undefined {
  try {
    return (globalThis.crypto?.subtle as SubtleCrypto | undefined) && globalThis.localStorage;
  } catch {
    return undefined;
  }
}
