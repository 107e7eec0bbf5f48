import assert from "node:assert/strict";
import { test } from "node:test";
import { SessionUse } from "../src/tabs/sessionuse.js";
import { settled } from "./ready.js";
import { withGlobal } from "./storeshim.js";

/** Shared locks, each given when the test says so. */
class SharedLocks {
  held = 0;
  readonly #asked: (() => void)[] = [];

  readonly request = (_name: string, _options: LockOptions, work: () => Promise<void>): Promise<void> =>
    new Promise<void>((resolve) => {
      this.#asked.push(() => {
        this.held++;
        void work().finally(() => {
          this.held--;
          resolve();
        });
      });
    });

  /** Gives all that was asked for, and resolves once nothing follows from that any more. */
  async give(): Promise<void> {
    for (const give of this.#asked.splice(0)) give();
    await settled();
  }
}

test("Fault 613: a page that leaves and comes back while it begins uses the session once, and not after its end", async () => {
  const locks = new SharedLocks();
  await withGlobal("navigator", { value: { locks } }, async () => {
    const use = new SessionUse("s");
    void use.begin();
    await use.end(); // it is left again before it has the lock
    await locks.give();
    assert.equal(locks.held, 0, "after its end");
    void use.begin();
    await use.end();
    void use.begin();
    await locks.give();
    assert.equal(locks.held, 1, "once it is back");
    await use.end();
    assert.equal(locks.held, 0, "at the end");
    void use.begin();
    void use.begin();
    await locks.give();
    await use.end();
    await locks.give();
    assert.equal(locks.held, 0, "begun twice");
  });
});
