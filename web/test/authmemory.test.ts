// Tokens in the memory of one page: what rests is what a flow needs, and never a token.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { AuthChannel, Page } from "../src/auth/browser.js";
import { type ClientAuth, openClientAuth } from "../src/auth/clientauth.js";
import { FLOW_TIME, flowKey, type FlowRecord } from "../src/auth/flow.js";
import { MemoryAuthStore } from "../src/auth/memorystore.js";
import { oauth, type OAuthOptions } from "../src/auth/oauth.js";
import { type AuthPlace, handOver, signOutEverywhere } from "../src/auth/opensignin.js";
import { HoldfastError } from "../src/base/errors.js";
import {
  AS_METADATA, ISSUER, json, Locks, METADATA, nothing, PRM_PATH, RESOURCE, SERVER,
} from "./authrig.js";
import { until } from "./ready.js";
import { withGlobal } from "./storeshim.js";
import { digest } from "../src/storage/digest.js";

const OTHER = "https://other.example/mcp";
const redirectUrl = "https://app.example/callback";

/** A browser with any number of pages of the app, and an authorization server. */
function browser(options: OAuthOptions = {}, stores = true) {
  const rest = new MemoryAuthStore();
  const locks = new Locks();
  const revoked: string[] = [];
  let issued = 0;
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const form = new URLSearchParams(String(init.body));
    switch (`${init.method} ${url}`) {
      case "GET https://other.example/.well-known/oauth-protected-resource/mcp":
        return json({ ...RESOURCE, resource: OTHER });
      case PRM_PATH:
        return json(RESOURCE);
      case AS_METADATA:
        return json(METADATA);
      case `POST ${ISSUER}/register`:
        return json({ client_id: "c" }, 201);
      case `POST ${ISSUER}/token`:
        issued++;
        return json({
          access_token: `access-${issued}`, token_type: "Bearer", expires_in: 3600,
          refresh_token: `refresh-${issued}`,
        });
      case `POST ${ISSUER}/revoke`:
        revoked.push(form.get("token")!);
        return nothing(200);
    }
    return nothing();
  };
  const ports: AuthChannel[] = [];
  const heard: unknown[] = [];
  const channel = () => {
    const port: AuthChannel = {
      onmessage: null,
      close: () => void ports.splice(ports.indexOf(port), 1),
      postMessage(message) {
        heard.push(message);
        for (const other of [...ports])
          if (other !== port)
            other.onmessage?.({ data: structuredClone(message), origin: "https://app.example" });
      },
    };
    ports.push(port);
    return { port, origin: "https://app.example" };
  };
  /** The names of windows that are closed, or that nobody looks at any more: a page looks until then. */
  const over = new Set<string>();
  /** Where pages have gone themselves. */
  const gone: string[] = [];
  /** A page of the app, that does not connect. */
  const window = (href: string, name: string) => {
    let closed = false;
    const location = { href, origin: new URL(href).origin, assign: () => {} };
    const page: Page = {
      location, history: { replaceState: (_, __, url) => void (location.href = url) }, name, open: () => null,
      close: () => void (closed = true, over.add(name)), addEventListener: () => {},
      removeEventListener: () => {},
    };
    const place: AuthPlace = { store: rest, memory: new Map(), locks, digest, page, channel };
    return { place, isClosed: () => closed, href: () => location.href };
  };
  /** Opens a page of the app. */
  const open = async (
    href = "https://app.example/work", name = "", more: OAuthOptions = {}, server = SERVER,
  ) => {
    const went: string[] = [];
    let windowName = "";
    let closed = false;
    const location = {
      href, origin: new URL(href).origin,
      assign: (url: string) => void [went, gone].forEach((all) => all.push(url)),
    };
    const page: Page = {
      location,
      history: { replaceState: (_, __, url) => void (location.href = url) },
      name,
      open(_, target) {
        windowName = target;
        return {
          opener: null, get closed() { return over.has(target); }, close: () => void over.add(target),
          location: { replace: (url: string) => void went.push(url) },
        };
      },
      close() {
        closed = true;
        over.add(name);
      },
      addEventListener: () => {},
      removeEventListener: () => {},
    };
    const place: AuthPlace = {
      store: stores ? rest : undefined, memory: new Map(), locks, digest, page, channel,
    };
    const auth = await openClientAuth(
      oauth({ redirectUrl, fetch, storage: "memory", ...options, ...more }), server, place,
    );
    return {
      auth,
      place,
      went,
      /** The same page connects to another server. */
      also: (url: string, others: OAuthOptions = {}) => openClientAuth(
        oauth({ redirectUrl, fetch, storage: "memory", ...options, ...others }), url, place,
      ),
      /** Where it has been led, and in which window. */
      async led(): Promise<{ state: string; window: string }> {
        await until(() => went.length > 0);
        return { state: new URL(went.pop()!).searchParams.get("state")!, window: windowName };
      },
      isClosed: () => closed,
      /** It goes, and hears nothing any more. */
      leave() {
        ports.splice(0);
        over.add(windowName);
      },
    };
  };
  /** Has a person sign in, in a window that this page opens. */
  const signedIn = async (page: Awaited<ReturnType<typeof open>>): Promise<void> => {
    const signing = page.auth.signIn();
    const { state, window } = await page.led();
    assert.ok((await open(`${redirectUrl}?code=x&state=${state}&iss=${ISSUER}`, window)).isClosed());
    await signing;
  };
  const at = (auth: ClientAuth) => auth.headers("POST", SERVER).then((shown) => shown?.token);
  const kept = async (): Promise<string> => JSON.stringify(
    await Promise.all((await rest.keys("")).map((key) => rest.get<unknown>(key))),
  );
  return { open, window, signedIn, at, rest, kept, revoked, heard, gone, fetch };
}

test("by a window: the page that began it takes the answer, its tokens are in its memory alone, and no message holds a secret", async () => {
  const { open, signedIn, at, rest, kept, heard } = browser();
  const page = await open();
  await signedIn(page);
  assert.equal(await at(page.auth), "access-1");
  assert.deepEqual((await rest.keys("")).filter((key) => !/^(epoch|client|registration)\//.test(key)), []);
  assert.ok(!/access-|refresh-/.test(await kept()));
  assert.deepEqual(
    heard.map((message) => Object.keys(message as object).sort().join()), ["kind,window", "kind,signIn"],
  );
  // Neither another tab nor the page after a reload has them.
  const next = await open();
  assert.deepEqual([next.auth.state, await at(next.auth)], ["signed-out", undefined]);
});

test("Fault 373: a window whose page does not connect leaves its answer to the page that opened it, and closes", async () => {
  for (const storage of ["memory", "persistent"] as const) {
    const { open, at, window } = browser({ storage });
    const page = await open();
    const signing = page.auth.signIn();
    const { state, window: name } = await page.led();
    const back = window(`${redirectUrl}?code=x&state=${state}&iss=${ISSUER}&tab=2`, name);
    await handOver(back.place);
    await signing;
    assert.equal(await at(page.auth), "access-1");
    assert.deepEqual([back.isClosed(), back.href()], [true, `${redirectUrl}?tab=2`], storage);
  }
});

test("Fault 373: where nobody takes it the answer is in the address again, for a client that comes yet; what is no answer of that window stays", async () => {
  const { open, at, window } = browser();
  const page = await open();
  void page.auth.signIn().catch(() => {});
  const { state, window: name } = await page.led();
  page.leave();
  const address = `${redirectUrl}?code=x&state=${state}&iss=${ISSUER}`;
  for (
    const [href, named] of [
      [`${redirectUrl}?code=x&state=unknown`, name], [address, "holdfast-other"],
      [`https://app.example/work?code=x&state=${state}`, name], [`${address}&state=2`, name],
    ] as const
  ) {
    const back = window(href, named);
    await handOver(back.place);
    assert.deepEqual([back.isClosed(), back.href()], [false, href]);
  }
  const back = window(address, name);
  await handOver(back.place);
  assert.deepEqual([back.isClosed(), back.href()], [false, address]);
  const late = await open(address, name);
  assert.equal(await at(late.auth), "access-1");
});

test("Fault 373: the window tells of a failure while the answer is being taken elsewhere: that one counts", async () => {
  const { open } = browser();
  const page = await open();
  const signing = page.auth.signIn();
  const { state, window } = await page.led();
  const taking = page.auth.finish({ state, code: "x", iss: ISSUER });
  // Another client in the window was a moment later.
  await open(`${redirectUrl}?code=x&state=${state}&iss=${ISSUER}`, window);
  await taking;
  await signing;
  assert.equal(page.auth.failure, undefined);
});

test("by a window whose page is gone: the window keeps the tokens itself, and stays open", async () => {
  const { open, at, kept } = browser();
  const page = await open();
  void page.auth.signIn().catch(() => {});
  const { state, window } = await page.led();
  page.leave();
  const left = await open(`${redirectUrl}?code=x&state=${state}&iss=${ISSUER}`, window);
  assert.deepEqual([left.isClosed(), left.auth.state, await at(left.auth)], [false, "signed-in", "access-1"]);
  assert.ok(!/access-|refresh-/.test(await kept()));
});

test("by a window in which a person says no: the page that began it hears why, and the window closes", async () => {
  const { open } = browser();
  const page = await open();
  const signing = page.auth.signIn();
  const { state, window } = await page.led();
  const refused = assert.rejects(
    signing, (error) => error instanceof HoldfastError && error.code === "oauth_denied",
  );
  const answered = await open(`${redirectUrl}?error=access_denied&state=${state}&iss=${ISSUER}`, window);
  await refused;
  assert.deepEqual([answered.isClosed(), page.auth.failure?.code], [true, "oauth_denied"]);
});

test("Fault 292: by a window, the next morning: it goes back with another flow, and the page that began it has the tokens, or the no", async () => {
  for (const answer of ["code=x", "error=access_denied"]) {
    const { open, at, rest, gone } = browser();
    const page = await open();
    const signing = page.auth.signIn().catch((error: HoldfastError) => error.code);
    const { state, window } = await page.led();
    const kept = (await rest.get<FlowRecord>(await flowKey({ digest }, state!)))!;
    await rest.set(await flowKey({ digest }, state!), kept.version, {
      ...kept.value, begun: kept.value.begun - FLOW_TIME - 1,
    });
    void open(`${redirectUrl}?code=late&state=${state}&iss=${ISSUER}`, window);
    await until(() => gone.length > 0);
    const next = await open(
      `${redirectUrl}?${answer}&state=${new URL(gone[0]!).searchParams.get("state")}&iss=${ISSUER}`, window,
    );
    assert.equal(next.isClosed(), true);
    assert.deepEqual(
      [await signing, await at(page.auth)],
      answer === "code=x" ? [undefined, "access-1"] : ["oauth_denied", undefined],
    );
  }
});

test("by redirect: the page that comes back has the tokens", async () => {
  const { open, at, kept } = browser({ interaction: "redirect" });
  const page = await open();
  void page.auth.signIn().catch(() => {});
  const { state } = await page.led();
  const back = await open(`${redirectUrl}?code=x&state=${state}&iss=${ISSUER}`);
  assert.equal(await at(back.auth), "access-1");
  assert.ok(!/access-|refresh-/.test(await kept()));
});

test("each tab is signed in by itself; who signs out in one signs out in all, and all tokens are revoked", async () => {
  for (const everywhere of [false, true]) {
    const { open, signedIn, at, revoked, fetch } = browser();
    const [a, b] = [await open(), await open()];
    await signedIn(a);
    assert.equal(b.auth.state, "signed-out");
    await signedIn(b);
    assert.deepEqual([await at(a.auth), await at(b.auth)], ["access-1", "access-2"]);
    const signOut = (): Promise<boolean> => (everywhere ? signOutEverywhere(a.place) : a.auth.signOut());
    // A wipe is no client's, and has no hands of the app's.
    await withGlobal("fetch", { value: fetch }, async () => assert.ok(await signOut()));
    assert.equal(await at(b.auth), undefined); // whether it has heard of it or not
    await until(() => revoked.length >= 4);
    assert.deepEqual(revoked.sort(), ["access-1", "access-2", "refresh-1", "refresh-2"]);
    assert.deepEqual([a.place.memory.size, b.place.memory.size], [0, 0]);
    assert.equal(b.auth.state, "signed-out");
  }
});

test("a wipe by a page that was never signed in ends what other tabs have in their memory", async () => {
  const { open, signedIn, at, revoked } = browser();
  const [a, b] = [await open(), await open()];
  await signedIn(a);
  await signOutEverywhere(b.place);
  assert.equal(await at(a.auth), undefined);
  await until(() => revoked.length >= 2);
  assert.deepEqual(revoked, ["refresh-1", "access-1"]);
});

test("an app that kept its tokens persistent before leaves none of them on the disk", async () => {
  const { open, signedIn, rest, kept, revoked } = browser({ storage: "persistent" });
  const before = await open();
  await signedIn(before);
  assert.ok(/refresh-1/.test(await kept()));
  const { auth } = await open("https://app.example/work", "", { storage: "memory" });
  assert.deepEqual([auth.state, (await rest.keys("grant/")).length], ["signed-out", 0]);
  await until(() => revoked.length >= 2);
  assert.deepEqual(revoked, ["refresh-1", "access-1"]);
});

test("Fault 276: an answer is taken by the sign-in at the server that it is for, whichever opens first", async () => {
  for (const answer of ["code=x", "error=access_denied"]) {
    const { open, at, kept, revoked } = browser({ interaction: "redirect" });
    const before = await open();
    before.auth.signIn().catch(() => {});
    const { state } = await before.led();
    before.leave();
    // Another server's sign-in opens first, and keeps its tokens on the disk.
    const page = await open(
      `${redirectUrl}?${answer}&state=${state}&iss=${ISSUER}`, "", { storage: "persistent" }, OTHER,
    );
    assert.equal(page.place.page!.location.href, redirectUrl);
    const auth = await page.also(SERVER);
    const denied = answer !== "code=x";
    assert.deepEqual(
      [auth.state, auth.failure?.code], denied ? ["signed-out", "oauth_denied"] : ["signed-in", undefined],
    );
    assert.deepEqual([page.auth.state, page.auth.failure, revoked], ["signed-out", undefined, []]);
    assert.equal(await at(auth), denied ? undefined : "access-1");
    assert.ok(!/access-1/.test(await kept()));
  }
});

test("Fault 276: in a window, an answer for another server goes to the page that opened it", async () => {
  const { open } = browser();
  const page = await open();
  const signing = page.auth.signIn();
  const { state, window } = await page.led();
  const answers = await open(
    `${redirectUrl}?code=x&state=${state}&iss=${ISSUER}`, window, { storage: "persistent" }, OTHER,
  );
  await signing;
  await until(() => answers.isClosed());
  assert.deepEqual([page.auth.state, answers.auth.state], ["signed-in", "signed-out"]);
});

test("Fault 290: a page that can store nothing sends nobody away to sign in, since the answer would find no flow", async () => {
  for (const interaction of ["redirect", "popup"] as const) {
    const page = await browser({ interaction, storage: "persistent" }, false).open();
    let error: HoldfastError | undefined;
    page.auth.signIn().catch((why: HoldfastError) => (error = why));
    await until(() => error !== undefined || page.went.length > 0);
    assert.deepEqual(page.went, [], interaction);
    assert.ok(error?.code === "bad_argument" && /IndexedDB/.test(error.hint!), String(error));
    await assert.rejects(
      page.auth.refused({ status: 401, challenge: undefined, token: undefined, nonce: false }),
      (again) => (again as HoldfastError).code === "bad_argument",
    );
  }
});
