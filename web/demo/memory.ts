// What this page remembers of a call beyond its journal, which has every
// message, yet not when it came: that is all the picture of an earlier page
// needs. In localStorage, so that a second tab has it too.

import type { Tool } from "holdfast";
import type { TraceState } from "./trace.js";

/** What is remembered of one call. */
export interface Remembered {
  /** Title and annotations: a call comes back before the tools are listed. */
  tool: Pick<Tool, "name" | "title" | "annotations">;
  trace: TraceState;
}

const PREFIX = "holdfast-demo.call.";
/** The calls that this tab has shown: a reload keeps it, a new tab starts without. */
const SHOWN = "holdfast-demo.shown";
/** Calls that are remembered: of others nothing but the times of their messages is lost. */
const MOST = 60;

/** Where localStorage is not to be had, the calls of this page at least survive its runtime. */
const fallback = new Map<string, Remembered>();

/** What an earlier page, or another tab, has remembered of a call. */
export function recollect(key: string): Remembered | undefined {
  try {
    const text = localStorage.getItem(PREFIX + key);
    if (text !== null) return JSON.parse(text) as Remembered;
  } catch {
    // What cannot be read is not known.
  }
  return fallback.get(key);
}

/** Remembers a call. */
export function remind(key: string, remembered: Remembered): void {
  try {
    localStorage.setItem(PREFIX + key, JSON.stringify(remembered));
  } catch {
    fallback.set(key, structuredClone(remembered));
  }
}

/** Remembers a call no longer. */
export function forgetCall(key: string): void {
  fallback.delete(key);
  try {
    localStorage.removeItem(PREFIX + key);
  } catch {
    // There is nothing in it.
  }
}

/** Hears of the calls that another tab remembers no longer: a person is done with them. */
export function onForgotten(listener: (key: string) => void): void {
  addEventListener("storage", ({ key, newValue }) => {
    if (newValue === null && key?.startsWith(PREFIX)) listener(key.slice(PREFIX.length));
  });
}

/** Lets go of calls that are not among these, once very many are remembered. */
export function prune(living: ReadonlySet<string>): void {
  try {
    const names = Object.keys(localStorage).filter((name) => name.startsWith(PREFIX));
    if (names.length <= MOST) return; // some are other servers', and will be wanted
    for (const name of names) if (!living.has(name.slice(PREFIX.length))) localStorage.removeItem(name);
  } catch {
    // There is nothing in it.
  }
}

/** Notes that this tab shows a call; whether it did before, so that it was reloaded since. */
export function shownBefore(key: string): boolean {
  try {
    const shown = (sessionStorage.getItem(SHOWN) ?? "").split(" ").filter(Boolean);
    if (shown.includes(key)) return true;
    sessionStorage.setItem(SHOWN, [...shown.slice(-MOST), key].join(" "));
  } catch {
    // Then every page is a new one.
  }
  return false;
}
