/**
 * Has an object say what it is, as the browser's own do. What an app keeps in its state is put behind proxies by some frameworks
 * (Vue's `ref` and `reactive`), and behind one an object has no private members. They leave alone what says that it is something.
 */
export function tagged(prototype: object, name: string): void {
  Object.defineProperty(prototype, Symbol.toStringTag, { value: name, configurable: true });
}
