import assert from "node:assert/strict";
import { test } from "node:test";
import { openedClient, type Parts } from "../src/connect/opening.js";
import type { OpenedStore } from "../src/connect/userstores.js";
import type { Runtime } from "../src/runtime/runtime.js";
import { HoldfastError } from "../src/base/errors.js";

type Part = "runtime" | "store" | "streams";

/** A client whose parts come, or fail, when the test says so, and who notes what is closed. */
class Opening {
  readonly closed: string[] = [];
  readonly give = new AbortController();
  readonly addresses: string[] = [];
  readonly end =
    new Map<Part | "start", { resolve: (value: never) => void; reject: (error: Error) => void }>();
  readonly opened: Promise<string>;

  constructor(ended?: (address: string) => Error) {
    const promise = <T>(part: Part | "start"): Promise<T> =>
      new Promise(
        (resolve, reject) => this.end.set(part, { resolve: resolve as (value: never) => void, reject }),
      );
    const parts = (address: string): Parts<{ close(): Promise<void> }> => {
      this.addresses.push(address);
      return {
        runtime: promise<Runtime>("runtime"),
        store: ended ? Promise.reject(ended(address)) : promise<OpenedStore>("store"),
        streams: { ready: () => promise<void>("streams"), end: () => void this.closed.push("streams") },
        make: () => ({
          close: async () => {
            this.closed.push("client");
            this.fail("start", "closed");
          },
        }),
        start: () => promise<void>("start"),
      };
    };
    this.opened = openedClient("connect", "https://example.com/mcp", this.give.signal, parts).then(
      () => "open",
      (error: unknown) => (error instanceof HoldfastError ? error.code : String(error)),
    );
  }

  come(...parts: (Part | "start")[]): void {
    const store = { journal: { close: () => void this.closed.push("store") }, why: "" };
    for (const part of parts) this.end.get(part)!.resolve((part === "store" ? store : undefined) as never);
  }

  fail(part: Part | "start", code: "load_failed" | "network_error" | "closed" = "network_error"): void {
    this.end.get(part)!.reject(new HoldfastError({ code, op: "connect", message: "it failed" }));
  }

  /** Lets everything that is ready run. */
  ready(): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, 0));
  }
}

const PARTS: readonly Part[] = ["runtime", "store", "streams"];

test("Fault 178: whichever part of a client fails, the others are closed, also those that come later", async () => {
  for (const failed of PARTS) {
    const others = PARTS.filter((part) => part !== failed);
    for (const late of [true, false]) {
      const opening = new Opening();
      if (!late) opening.come(...others);
      await opening.ready();
      opening.fail(failed);
      assert.equal(await opening.opened, "network_error", failed);
      if (late) opening.come(...others);
      await opening.ready();
      assert.deepEqual(
        opening.closed.sort(), failed === "store" ? ["streams"] : ["store", "streams"],
        `${failed} fails, late: ${late}`,
      );
    }
  }
});

test("Fault 178: a client that does not start is closed with all its parts", async () => {
  const opening = new Opening();
  opening.come(...PARTS);
  await opening.ready();
  opening.fail("start");
  assert.equal(await opening.opened, "network_error");
  await opening.ready();
  assert.deepEqual(opening.closed.sort(), ["store", "streams"]);
});

test("Fault 178: who gives up hears of it at once, whatever is still on its way, and that is closed when it comes", async () => {
  for (const there of [[], ["store"], ["runtime", "streams"], PARTS] as Part[][]) {
    const opening = new Opening();
    opening.come(...there);
    await opening.ready();
    opening.give.abort();
    assert.equal(await opening.opened, "cancelled");
    opening.come(...PARTS.filter((part) => !there.includes(part)));
    await opening.ready();
    assert.deepEqual(
      opening.closed.sort(), there === PARTS ? ["client", "store", "streams"] : ["store", "streams"],
      `there: ${there.join()}`,
    );
  }
});

test("Fault 178: a client that is open is left alone by what gave it up in vain", async () => {
  const opening = new Opening();
  opening.come(...PARTS);
  await opening.ready();
  opening.come("start");
  assert.equal(await opening.opened, "open");
  opening.give.abort();
  await opening.ready();
  assert.deepEqual(opening.closed, []);
});

test("a redirect is followed by one more try, at the address with a slash at its end; what is said in the end is the redirect, or that it was given up", async () => {
  const redirect = (): Error => new HoldfastError({
    code: "http_error", op: "connect", status: 300, message: "it redirects",
  });
  const twice = new Opening(redirect);
  assert.equal(await twice.opened, "http_error");
  assert.deepEqual(twice.addresses, ["https://example.com/mcp", "https://example.com/mcp/"]);
  const given: Opening = new Opening((address) => {
    if (address.endsWith("/")) given.give.abort();
    return redirect();
  });
  assert.equal(await given.opened, "cancelled");
});
