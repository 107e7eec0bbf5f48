import assert from "node:assert/strict";
import { test } from "node:test";
import type { AuthChannel, Page } from "../src/auth/browser.js";
import { openClientAuth } from "../src/auth/clientauth.js";
import { MemoryAuthStore } from "../src/auth/memorystore.js";
import { oauth, type OAuthOptions } from "../src/auth/oauth.js";
import { NO_TRIALS } from "../src/auth/refusal.js";
import { HoldfastError } from "../src/base/errors.js";
import {
  AS_METADATA, ISSUER, json, Locks, METADATA, nothing, PRM_PATH, RESOURCE, SERVER,
} from "./authrig.js";
import { until } from "./ready.js";
import { digest } from "../src/storage/digest.js";

const redirectUrl = "https://app.example/callback";

function failed(work: Promise<unknown>): Promise<HoldfastError> {
  return work.then(
    () => {
      throw new Error("it did not fail");
    },
    (error: unknown) => {
      assert.ok(error instanceof HoldfastError, String(error));
      return error as HoldfastError;
    },
  );
}

/** A page whose address can be led elsewhere. */
function fakePage(href: string): Page & { went: string[] } {
  const went: string[] = [];
  const location = { href, origin: new URL(href).origin, assign: (url: string) => void went.push(url) };
  return {
    went,
    location,
    history: { replaceState: (_, __, url) => void (location.href = url) },
    name: "",
    open: () => null,
    close: () => {},
    addEventListener: () => {},
    removeEventListener: () => {},
  };
}

test("options are checked when they are given, and an error names the one", () => {
  for (const [options, name] of [
    [{ redirectUrl: "http://[" }, "redirectUrl"],
    [{ clientMetadataUrl: "http://[" }, "clientMetadataUrl"],
    [{ scopes: "files" }, "scopes"],
    [{ scopes: [7] }, "scopes"],
    [{ interaction: "window" }, "interaction"],
    [{ storage: "disk" }, "storage"],
    [{ clientId: "" }, "clientId"],
    [{ clientId: 7 }, "clientId"],
    [{ clientSecret: "s" }, "clientSecret"],
    [{ dpop: "yes" }, "dpop"],
    [{ fetch: {} }, "fetch"],
    [{ metadataProxy: "https://app.example/proxy" }, "metadataProxy"],
    [{ credentials: {} }, "credentials"],
  ] as [unknown, string][]) {
    assert.throws(
      () => oauth(options as OAuthOptions),
      (error) => error instanceof HoldfastError && error.code === "bad_argument" &&
        error.message.includes(name),
      name,
    );
  }
  oauth();
  oauth({
    redirectUrl: new URL(redirectUrl), clientId: "c", clientSecret: "s", scopes: [], dpop: true,
    interaction: "redirect",
  });
  oauth({ interaction: "manual" });
});

test("what it rejects with is a HoldfastError that names the leg", async () => {
  const place = { store: new MemoryAuthStore(), memory: new Map(), digest, locks: new Locks() };
  const auth = await openClientAuth(
    oauth({ redirectUrl, fetch: () => Promise.resolve(nothing(503)) }), SERVER, place,
  );
  const error = await failed(
    auth.refused({ status: 401, challenge: undefined, token: undefined, nonce: false }, NO_TRIALS),
  );
  assert.deepEqual(
    [error.code, error.op, error.retryable, error.status, auth.state, auth.failure],
    ["http_error", "auth/resource-metadata", true, 503, "signed-out", undefined],
  );
  assert.equal((await failed(openClientAuth(oauth(), SERVER, place))).code, "bad_argument");
  assert.equal(
    (await failed(openClientAuth(oauth({ redirectUrl: "javascript:alert(1)" }), SERVER, place))).code,
    "bad_argument",
  );
});

/** A server and its authorization server, that give a token to whoever signs in. */
const answers: Record<string, () => Response> = {
  [PRM_PATH]: () => json(RESOURCE),
  [AS_METADATA]: () => json(METADATA),
  [`POST ${ISSUER}/register`]: () => json({ client_id: "c" }, 201),
  [`POST ${ISSUER}/token`]: () => json({ access_token: "at", token_type: "Bearer" }),
};
const fetch = (url: string, init: RequestInit) => Promise.resolve(
  (answers[`${init.method} ${url}`] ?? (() => nothing()))(),
);

test("by redirect: the page goes away, and the one that comes back has the token", async () => {
  const place = { store: new MemoryAuthStore(), memory: new Map(), digest, locks: new Locks() };
  const option = oauth({ redirectUrl, interaction: "redirect", fetch });
  const leaving = fakePage("https://app.example/work");
  const before = await openClientAuth(option, SERVER, { ...place, page: leaving });
  void before.signIn();
  await until(() => leaving.went.length > 0);
  const state = new URL(leaving.went[0]!).searchParams.get("state")!;

  const no = await openClientAuth(option, SERVER, {
    ...place, page: fakePage(`${redirectUrl}?code=x&state=forged&iss=${ISSUER}`),
  });
  assert.deepEqual([no.state, no.failure], ["signed-out", undefined]);

  const back = fakePage(`${redirectUrl}?code=x&state=${state}&iss=${ISSUER}`);
  const after = await openClientAuth(option, SERVER, { ...place, page: back });
  assert.deepEqual([after.state, back.location.href], ["signed-in", redirectUrl]);
  assert.equal((await after.headers("POST", SERVER))!.token, "at");
});

test("by a window: it takes the answer, tells the tab that opened it, and closes, whether it was good or not", async () => {
  for (const answer of ["code=x", "error=access_denied"]) {
    const place = { store: new MemoryAuthStore(), memory: new Map(), digest, locks: new Locks() };
    const option = oauth({ redirectUrl, fetch });
    const ports: AuthChannel[] = [];
    const channel = () => {
      const port: AuthChannel = {
        onmessage: null,
        close: () => {},
        postMessage: (message) => ports.forEach(
          (other) => other !== port && other.onmessage?.({
            data: structuredClone(message), origin: "https://app.example",
          }),
        ),
      };
      ports.push(port);
      return { port, origin: "https://app.example" };
    };
    const [opener, popup] = [fakePage("https://app.example/work"), fakePage(redirectUrl)];
    let closed = false;
    opener.open = (_, name) => {
      Object.assign(popup, { name, close: () => void (closed = true) });
      return {
        opener, get closed() { return closed; }, close: () => {},
        location: { replace: (url: string) => void popup.went.push(url) },
      };
    };
    const auth = await openClientAuth(option, SERVER, { ...place, page: opener, channel });
    const signing = auth.signIn();
    await until(() => popup.went.length > 0);
    const state = new URL(popup.went[0]!).searchParams.get("state")!;
    Object.assign(popup.location, { href: `${redirectUrl}?${answer}&state=${state}&iss=${ISSUER}` });
    await openClientAuth(option, SERVER, { ...place, page: popup, channel });
    assert.ok(closed);
    if (answer === "code=x") {
      await signing;
      assert.equal((await auth.headers("POST", SERVER))!.token, "at");
    } else {
      const error = await failed(signing);
      assert.deepEqual(
        [error.code, error.op, auth.failure?.code], ["oauth_denied", "auth/callback", "oauth_denied"],
      );
    }
  }
});

test("a worker opens no window: the app gets the address", async () => {
  const fetch = (url: string) => Promise.resolve(
    url.includes("oauth-protected")
      ? json(RESOURCE)
      : url.endsWith("server") ? json(METADATA) : json({ client_id: "c" }, 201),
  );
  const auth = await openClientAuth(oauth({ redirectUrl, fetch }), SERVER, {
    store: new MemoryAuthStore(), memory: new Map(), digest, locks: new Locks(),
  });
  const shown = new Promise<void>(
    (resolve) => (auth.onchange = () => auth.address !== undefined && resolve()),
  );
  void auth.signIn();
  await shown;
  assert.ok(auth.address!.startsWith(`${ISSUER}/authorize?`));
});
