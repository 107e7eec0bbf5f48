import assert from "node:assert/strict";
import { test } from "node:test";
import { Journal } from "../src/tabs/journal.js";
import { until } from "./ready.js";

test("Fault 757: what was asked for while a store opened is given back where that fails", async () => {
  const open = new Set<object>();
  const { BroadcastChannel: Real } = globalThis;
  class Counted extends Real {
    constructor(name: string) {
      super(name);
      open.add(this);
    }
    override close(): void {
      open.delete(this);
      super.close();
    }
  }
  const held = new Set<string>();
  const locks = {
    query: () => Promise.reject(new Error("the browser has lost them")),
    request: async (
      name: string, ...[options, work]: [() => unknown] | [object, (lock: object) => unknown]
    ) => {
      held.add(name);
      await ((work ?? options) as (lock: object) => unknown)({ name });
      held.delete(name);
    },
  };
  const globals = { BroadcastChannel: Counted, navigator: { locks }, addEventListener: () => {} };
  for (const [name, value] of Object.entries(globals))
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  await assert.rejects(Journal.open("https://a.example/#1", false), /the browser has lost them/);
  await until(() => held.size === 0);
  assert.equal(open.size, 0, "channels are open");
});
