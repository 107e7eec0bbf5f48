import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClientAuth } from "../src/auth/clientauth.js";
import { Authorization } from "../src/auth/authorization.js";
import { ready, until } from "./ready.js";

const URL_ = "https://mcp.example/mcp";

test("Fault 401: a page that is left while a token is on its way has the core hear at once that the request did not run", async () => {
  const listeners = new Set<() => void>();
  const page = globalThis as unknown as { window?: object };
  page.window = {
    addEventListener: (name: string, listener: () => void, capture: unknown) => void (
      name === "pagehide" && capture === true && listeners.add(listener)
    ),
    removeEventListener: (_: string, listener: () => void) => void listeners.delete(listener),
  };
  try {
    for (const never of ["refreshed for the next request", "refreshed for the one that was refused"]) {
      let asks = false;
      const forever = (): Promise<never> => {
        asks = true;
        return new Promise(() => {});
      };
      const shown = { token: "old", fields: [], principal: "ada", unproven: false };
      const auth = {
        headers: async () => shown, noted: () => undefined, repaired: forever,
        ...(never.endsWith("next request") && { headers: forever })
      } as unknown as ClientAuth;
      const authorization = new Authorization(
        URL_, async () => ({ auth, attended: true, listeners: new Set() }), { quick: 60_000 },
      );
      const heard: number[] = [];
      void authorization.send(
        "POST", URL_, async () => new Response(null, { status: 401 }),
      ).then(({ status }) => heard.push(status));
      await until(() => asks);
      await ready();
      assert.deepEqual([heard, listeners.size], [[], 1], never);
      for (const listener of [...listeners]) listener();
      // microtasks alone: a page that is left has no more than those
      for (let hop = 0; hop < 10; hop++) await undefined;
      assert.deepEqual([heard, listeners.size], [[401], 0], never);
    }
  } finally {
    delete page.window;
  }
});
