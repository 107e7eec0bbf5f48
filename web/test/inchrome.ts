// Stands in for node:test and node:assert where a suite runs in a page: see
// TestStoryStoreContractInChrome. One test after the other, in a page of its own.

const tests: { name: string; run: () => void | Promise<void> }[] = [];

export function test(name: string, run: () => void | Promise<void>): void {
  tests.push({ name, run });
}

/** Runs what was registered, and returns what failed. */
export async function runTests(): Promise<{ ran: number; failures: string[] }> {
  const failures: string[] = [];
  for (const { name, run } of tests) {
    try {
      await run();
    } catch (error) {
      failures.push(`${name}: ${error instanceof Error ? error.stack : String(error)}`);
    }
  }
  return { ran: tests.length, failures };
}

const assert = {
  ok(value: unknown, message = "it is not so"): void {
    if (!value) throw new Error(message);
  },
  equal(actual: unknown, expected: unknown, message = ""): void {
    if (!Object.is(actual, expected))
      throw new Error(`${message} got ${String(actual)}, want ${String(expected)}`);
  },
  deepEqual(actual: unknown, expected: unknown, message = ""): void {
    if (!same(actual, expected))
      throw new Error(`${message} got ${JSON.stringify(actual)}, want ${JSON.stringify(expected)}`);
  },
  async rejects(promise: Promise<unknown>, check: (error: unknown) => boolean): Promise<void> {
    const error = await promise.then(
      () => {
        throw new Error("it did not reject");
      },
      (reason: unknown) => reason,
    );
    if (!check(error)) throw error;
  },
};
export default assert;

function same(a: unknown, b: unknown): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return Object.is(a, b);
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every(
      (key) => Object.hasOwn(b, key) &&
        same((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]),
    )
  );
}
