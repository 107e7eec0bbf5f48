import { control } from "./embedded.js";

/** Outlives the page as the hour does. */
const KEPT = "holdfast-demo.hour";

/**
 * An hour without network: of which call, from when to when (Date.now), and how many parts of its result were
 * here.
 */
export interface Hour {
  key: string;
  from: number;
  to: number;
  had: number;
}

/** Takes the network away for a simulated hour. */
export async function passHour(key: string, had: number): Promise<Hour> {
  const { ms = 0 } = await control("hour");
  const from = Date.now();
  const hour = { key, from, to: from + ms, had };
  try {
    sessionStorage.setItem(KEPT, JSON.stringify(hour));
  } catch {
    // A later page then says nothing of the hour; the server says it by itself.
  }
  return hour;
}

/** The hour that a call has lived through, or lives in. */
export function hourOf(key: string): Hour | undefined {
  try {
    const hour = JSON.parse(sessionStorage.getItem(KEPT) ?? "null") as Hour | null;
    return hour?.key === key ? hour : undefined;
  } catch {
    return undefined;
  }
}

/** Minutes of it that have passed: 60 once it is over. */
export function minutes({ from, to }: Hour): number {
  return Math.min(60, Math.floor((60 * (Date.now() - from)) / (to - from)));
}
