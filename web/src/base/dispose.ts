/**
 * Has `await using` close what has that prototype. Where a browser has no such symbol yet, it is the one
 * that compilers put in its place.
 */
export function disposedBy<T extends object>(
  prototype: T, dispose: (this: T) => Promise<void>, browser: Partial<SymbolConstructor> = Symbol,
): void {
  const { asyncDispose = Symbol.for("Symbol.asyncDispose") } = browser;
  Object.defineProperty(prototype, asyncDispose, { value: dispose, writable: true, configurable: true });
}
