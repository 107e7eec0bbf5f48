// Who of the pages of one server and user makes a session, where one of them hangs.

import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { Handshakes } from "../src/tabs/handshakes.js";
import { withGlobal } from "./storeshim.js";

/** Web Locks of which another page has each, and hangs. */
const locks = {
  request: (_: string, { signal }: LockOptions): Promise<never> =>
    new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason))),
};

test("Fault 749: a page whose session is forgotten waits 3 s at most for another one that makes the next", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    await withGlobal("navigator", { value: { locks } }, async () => {
      let made = 0;
      const over = new Handshakes("server").alone(async () => void made++);
      mock.timers.tick(2_999);
      for (let n = 0; n < 30; n++) await undefined;
      assert.equal(made, 0);
      mock.timers.tick(1);
      await over;
      assert.equal(made, 1);
    });
  } finally {
    mock.timers.reset();
  }
});
