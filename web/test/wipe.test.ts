// What a wipe deletes, and what it waits for.

import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { ClientView } from "../src/client/clientview.js";
import { signOutEverywhere } from "../src/auth/authorization.js";
import { authPlace } from "../src/auth/authplace.js";
import { clientPart } from "../src/auth/loadauthorization.js";
import { wipe } from "../src/auth/wipe.js";
import type { StoreError } from "../src/storage/store.js";
import { wipeAll } from "../src/storage/wipeall.js";
import { ISSUER, nothing, SERVER } from "./authrig.js";
import { ready } from "./ready.js";
import { Shim, withGlobal } from "./storeshim.js";

declare function setImmediate(work: () => void): void;

const grant = (n: number): object => ({
  url: `${SERVER}${n}`,
  server: { issuer: ISSUER, revocationEndpoint: `${ISSUER}/revoke` },
  client: { clientId: "c", redirectUrl: "https://app.example/", authMethod: "none" },
  refreshToken: `refresh-${n}`,
  access: { token: `access-${n}`, type: "Bearer" },
  epoch: "e",
});

/** Stores a sign-in at two servers, and gives what looks whether anything is stored. */
async function signedIn(): Promise<() => Promise<boolean>> {
  const shim = new Shim();
  const { store, memory } = await authPlace();
  for (const n of [1, 2]) assert.ok(await store!.set(`grant/${SERVER}${n}`, 0, grant(n)));
  memory.set("grant/https://memory.example/mcp", { value: grant(3), version: 1 });
  return async () => (await shim.factory.databases()).some(({ name }) => name === "holdfast");
}

const location = { value: { origin: "https://app.example" } };

/**
 * Has `fetch` revoke, as soon as `answer` says, and gives what was revoked while nothing was stored any more.
 */
function revoking(
  isStored: () => Promise<boolean>, answer: Promise<unknown>,
): { revoked: string[]; fetch: { value: typeof fetch } } {
  const revoked: string[] = [];
  const value = async (_: unknown, init?: RequestInit): Promise<Response> => {
    revoked.push(
      `${new URLSearchParams(String(init!.body)).get("token")}${(await isStored()) ? ", stored" : ""}`,
    );
    await answer;
    return nothing(200);
  };
  return { revoked, fetch: { value } };
}

test("Fault 275: a wipe deletes all at once, and then has all tokens revoked at the same time", async () => {
  const isStored = await signedIn();
  let release: (value?: unknown) => void = () => {};
  const { revoked, fetch } = revoking(isStored, new Promise((resolve) => (release = resolve)));
  clientPart.here = { signOutEverywhere } as typeof clientPart.here & object;
  const begun = Date.now();
  await withGlobal("location", location, () => withGlobal("fetch", fetch, wipe));
  delete clientPart.here;
  release();
  assert.ok(Date.now() - begun < 6_000, "it waits for the authorization server");
  assert.deepEqual(revoked.sort(), [1, 2, 3].flatMap((n) => [`access-${n}`, `refresh-${n}`]).sort());
  assert.ok(!(await isStored()));
});

test("Fault 275: a wipe waits for no chunk, and loads none where nobody has signed in", async () => {
  const isStored = await signedIn();
  const load = clientPart.load;
  let loads = 0;
  clientPart.load = () => new Promise(() => void loads++);
  try {
    const wiping = wipe();
    for (const end = Date.now() + 1_500; (await isStored()) && Date.now() < end; ) await ready();
    assert.ok(!(await isStored()), "what is stored waits for the chunk");
    await wiping;
    assert.equal(loads, 1);
    const begun = Date.now();
    await wipe();
    assert.ok(Date.now() - begun < 1_000);
    assert.equal(loads, 1);
  } finally {
    clientPart.load = load;
  }
});

test("Fault 275: a forget deletes what other clients have stored while the authorization server is asked", async () => {
  let deleted = 0;
  const stores = { signOut: () => new Promise(() => {}), forgetOthers: async () => void deleted++ };
  const view = new ClientView("", {} as never, {} as never, stores as never);
  view.comesTo({ views: { all: [] }, retire() {}, leave: () => true } as never);
  const done = (): Promise<void> => Promise.resolve();
  view.uses({ url: SERVER, all: () => [], logout: done, close: done, forget: done } as never);
  void view.logout();
  await ready();
  assert.equal(deleted, 1);
});

test("Fault 63: a wipe deletes whole what does not open, and says so where that may not be either", async () => {
  const refused = (): never => {
    throw new DOMException("no", "SecurityError");
  };
  const hangs = (): object => ({});
  const deletes = (): object => {
    const request: { onsuccess?: () => void } = {};
    queueMicrotask(() => request.onsuccess?.());
    return request;
  };
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    for (const [open, deleteDatabase, reason] of [
      [refused, deletes, ""],
      [refused, refused, "missing"],
      [hangs, deletes, ""],
      [hangs, refused, "timeout"],
    ] as const) {
      await withGlobal("indexedDB", { value: { open, deleteDatabase } }, async () => {
        const ends = wipeAll().then(() => "", (error: StoreError) => error.reason);
        for (let n = 0; n < 20; n++) {
          await new Promise<void>((resolve) => setImmediate(resolve));
          mock.timers.tick(1_000);
        }
        assert.equal(await ends, reason);
      });
    }
  } finally {
    mock.timers.reset();
  }
});
