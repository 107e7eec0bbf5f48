import assert from "node:assert/strict";
import { test } from "node:test";
import { oauth } from "../src/auth/oauthoption.js";
import { Authorization } from "../src/auth/authorization.js";
import { clientPart } from "../src/auth/loadauthorization.js";
import { AS_METADATA, ISSUER, json, METADATA, nothing, PRM_PATH, RESOURCE, SERVER } from "./authrig.js";
import { until } from "./ready.js";

// A channel of Node's would keep the test from ending.
delete (globalThis as { BroadcastChannel?: unknown }).BroadcastChannel;

test("Fault 535: what the code of an app throws as it shows a sign-in is reported, and the sign-in goes on", async () => {
  const before = globalThis.reportError;
  const reported: unknown[] = [];
  globalThis.reportError = (error) => void reported.push(error);
  clientPart.here = { Authorization } as NonNullable<typeof clientPart.here>;
  try {
    const routes: Record<string, () => Response> = {
      [`GET ${AS_METADATA.slice(4)}`]: () => json(METADATA),
      [PRM_PATH]: () => json(RESOURCE),
      [`POST ${ISSUER}/register`]: () => json({ client_id: "c" }, 201),
    };
    const auth = oauth({
      redirectUrl: "https://app.example/",
      fetch: async (url, { method = "GET" }) => (routes[`${method} ${url}`] ?? (() => nothing()))(),
    });
    const slip = new TypeError("there is no such element");
    let address: string | undefined;
    auth.onchange = (signIn) => {
      address = signIn.address;
      throw slip;
    };
    const client = auth.authorize(SERVER) as Authorization;
    await client.send("POST", SERVER, async () => new Response(null, { status: 401 }));
    let ended = false;
    void client.token(false).then(() => (ended = true));
    await until(() => address !== undefined || ended);
    assert.deepEqual([ended, address?.startsWith(`${ISSUER}/authorize?`), reported[0]], [false, true, slip]);
    // What a worker says of its sign-in is one message among others.
    auth.heard!({});
    assert.equal(reported.at(-1), slip);
  } finally {
    globalThis.reportError = before;
  }
});

test("Fault 686: options of a sign-in that are an object of a class have their functions called", async () => {
  clientPart.here = { Authorization } as NonNullable<typeof clientPart.here>;
  const asked: string[] = [];
  class Options {
    readonly redirectUrl = "https://app.example/";
    readonly clientId = "c";
    readonly #of: string;
    constructor(of: string) {
      this.#of = of;
    }
    async fetch(url: string): Promise<Response> {
      asked.push(`${this.#of}: ${url}`);
      return nothing();
    }
    metadataProxy(url: string): string {
      return `https://${this.#of}.example/proxy?${url}`;
    }
  }
  for (const newest of ["app", "component"]) {
    const auth = oauth(new Options("app"));
    if (newest !== "app") auth.newest = () => oauth(new Options(newest));
    const client = auth.authorize(SERVER) as Authorization;
    await client.send("POST", SERVER, async () => new Response(null, { status: 401 }));
    let ended = false;
    void client.token(false).then(() => (ended = true));
    const isProxied = (): boolean => asked.some(
      (one) => one.startsWith(`${newest}: https://${newest}.example/proxy?`),
    );
    await until(() => isProxied() || ended);
    assert.ok(isProxied(), String(asked));
    asked.length = 0;
  }
});
