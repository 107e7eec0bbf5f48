// The time that one validation may take. It is module state because the
// validator calls into it from places that carry no context (a property read, a
// regular expression); a validation is synchronous, so there is one at a time.

/** Why a schema or a value is not checked. */
export class Uncheckable extends Error {}

/** Steps between two looks at the clock, which costs about as much as one of them. */
const STRIDE = 64;

let until = Infinity;
let steps = 0;

/** Runs a validation that may take that many ms; throws {@link Uncheckable} where it takes more. */
export function within<T>(ms: number, run: () => T): T {
  until = performance.now() + ms;
  steps = 0;
  try {
    return run();
  } finally {
    until = Infinity;
  }
}

/** Counts one step of the validation under way. */
export function spend(): void {
  if (++steps % STRIDE === 0 && performance.now() > until)
    throw new Uncheckable("the validation takes too long");
}
