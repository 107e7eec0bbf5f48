import { importAt } from "./importat.js";

/** A module that is loaded when it is needed, and what has become of that so far. */
export interface LateModule<T> {
  /** The module, once it is loaded. */
  here?: T;
  /** The number of loads that failed. */
  failures?: number;
}

/**
 * How Chromium says that a module did not come, with its address. One that a server has answered with an
 * error does not come for the life of the document, whatever the server says by then.
 */
const GIVEN_UP = /^Failed to fetch dynamically imported module: (.+)/;

/**
 * The module, which `load` imports until it has come; under another address where the browser has given up
 * its own.
 */
export async function loadLate<T>(module: LateModule<T>, load: () => Promise<T>): Promise<T> {
  const { failures = 0 } = module;
  try {
    return (module.here ??= await load().catch((error: unknown) => underAnotherName<T>(failures, error)));
  } catch (error) {
    module.failures = failures + 1;
    throw error;
  }
}

/**
 * Imports what did not come, where it is not the first time. What it has in common with the script is
 * there once all the same, since that has the addresses that it had; and nobody else gets the module itself
 * under its own name any more.
 */
async function underAnotherName<T>(failures: number, error: unknown): Promise<T> {
  const [, address] = GIVEN_UP.exec((error as Error | undefined)?.message ?? "") ?? [];
  if (failures === 0 || !address) throw error;
  const url = new URL(address);
  url.searchParams.set("again", String(failures));
  return importAt(url.href);
}
