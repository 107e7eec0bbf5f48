// Three-state patches (ACP v2 schema): a member left out keeps its value, null
// clears it, a value replaces it. `_meta` is patched the same way by key.

import type { Open } from "../base/mcp.js";

/**
 * Patches an object in place. What is cleared gets the value of `defaults`, where
 * that has one. An agent chooses the names: `__proto__` is one like any other.
 */
export function patchObject(target: Open, patch: Open, defaults: Readonly<Open> = {}): void {
  for (const name of Object.keys(patch)) {
    const value = patch[name];
    if (value === null || value === undefined) {
      if (Object.hasOwn(defaults, name)) set(target, name, defaults[name]);
      else delete target[name];
    } else if (name === "_meta" && isObject(value)) {
      const meta: Open = isObject(target["_meta"]) ? { ...target["_meta"] } : {};
      patchObject(meta, value);
      set(target, name, meta);
    } else {
      set(target, name, value);
    }
  }
}

/** True if a value is a JSON object. */
export function isObject(value: unknown): value is Open {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

// An assignment to __proto__ would change what the object is.
function set(target: Open, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
}
