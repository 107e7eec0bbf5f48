// Tabs of one browser, and the marks of its logouts: behind one, a sign-in begins by signIn() alone.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type AskedPages, pagesInteraction } from "../src/auth/askedpages.js";
import type { AuthChannel, Page } from "../src/auth/browser.js";
import type { AuthFailure } from "../src/auth/failure.js";
import type { Interaction } from "../src/auth/interaction.js";
import { MemoryAuthStore } from "../src/auth/memorystore.js";
import { type AuthPlace, openSignIn, signOutEverywhere, type TokenStorage } from "../src/auth/opensignin.js";
import { NO_TRIALS } from "../src/auth/refusal.js";
import type { SignIn } from "../src/auth/signin.js";
import { markSignOut, markWipe, signInMarks } from "../src/storage/marks.js";
import { digest } from "../src/storage/digest.js";
import {
  AS_METADATA, CLIENT, failureOf, ISSUER, json, Locks, METADATA, nothing, PRM_PATH, RESOURCE, rig,
  type Routes, SERVER,
} from "./authrig.js";
import { refusal, redirectUrl, scene } from "./authscene.js";
import { ready, until } from "./ready.js";
import { withGlobal } from "./storeshim.js";

const OTHER = "https://other.example/mcp";
const OTHER_PRM = "GET https://other.example/.well-known/oauth-protected-resource/mcp";

/**
 * A browser with a localStorage and any number of tabs, which leave to sign in, and the authorization server
 * that two servers trust.
 */
function browser(storage: TokenStorage) {
  const shares = { store: new MemoryAuthStore(), locks: new Locks() };
  const clock = rig({});
  let issued = 0;
  const tokens: string[] = [];
  const routes: Routes = {
    [PRM_PATH]: () => json(RESOURCE),
    [OTHER_PRM]: () => json({ ...RESOURCE, resource: OTHER }),
    [AS_METADATA]: () => json(METADATA),
    [`POST ${ISSUER}/register`]: () => json({ client_id: "c" }, 201),
    [`POST ${ISSUER}/revoke`]: () => nothing(200),
    [`POST ${ISSUER}/token`]: ({ form }) => {
      tokens.push(form.get("grant_type")!);
      const n = ++issued;
      return json({
        access_token: `at${n}`, token_type: "Bearer", expires_in: 3600, refresh_token: `rt${n}`,
      });
    },
  };
  const ports: AuthChannel[] = [];
  const channel = () => {
    const port: AuthChannel = {
      onmessage: null,
      close: () => void ports.splice(ports.indexOf(port), 1),
      postMessage: (message) => ports.forEach(
        (other) => other !== port && other.onmessage?.({
          data: structuredClone(message), origin: "https://app.example",
        }),
      ),
    };
    ports.push(port);
    return { port, origin: "https://app.example" };
  };
  /** Where tabs have gone. */
  const went: string[] = [];
  const tab = async (
    principal: string, { url = SERVER, hears = true, href = "https://app.example/work" } = {},
  ) => {
    const location = { href, origin: "https://app.example", assign: (to: string) => void went.push(to) };
    const page: Page = {
      location, history: { replaceState: (_, __, to) => void (location.href = to) }, name: "",
      open: () => null, close() {}, addEventListener() {}, removeEventListener() {},
    };
    const place: AuthPlace = {
      store: shares.store, memory: new Map(), locks: shares.locks, digest, page,
      logouts: { marks: signInMarks, mark: markSignOut }, ...(hears && { channel })
    };
    const { fetch } = rig(routes);
    const signIn = await openSignIn(url, { redirectUrl }, {
      how: "redirect", storage, principal, client: CLIENT, place, own: { fetch, now: clock.now },
    });
    return { signIn, place };
  };
  /** Has a person click, and sign in where the tab leaves for; gives the tab that comes back. */
  const clicked = async (principal: string, more: object = {}) => {
    const { signIn } = await tab(principal, more);
    void signIn.signIn().catch(() => {});
    return back(principal, more);
  };
  /** Somebody signs in where a tab has left for; gives the tab that comes back. */
  const back = async (principal: string, more: object = {}) => {
    await until(() => went.length > 0);
    return tab(principal, {
      ...more,
      href: `${redirectUrl}?code=x&state=${new URL(went.pop()!).searchParams.get("state")}&iss=${ISSUER}`,
    });
  };
  return {
    tab, clicked, back, went, tokens, store: shares.store, pass: clock.pass, fetch: rig(routes).fetch,
  };
}

/** A localStorage in place of the global one. */
function withLocalStorage(run: () => Promise<void>): Promise<void> {
  const items: Record<string, string> = {};
  const methods = {
    getItem: (name: string) => items[name] ?? null,
    setItem: (name: string, value: string) => void (items[name] = value),
    removeItem: (name: string) => void delete items[name],
  };
  for (const [name, value] of Object.entries(methods)) Object.defineProperty(items, name, { value });
  return withGlobal("localStorage", { value: items }, run);
}

const token = (signIn: SignIn): Promise<string | undefined> =>
  signIn.headers("POST", SERVER).then((shown) => shown?.token);

test("Fault 717: a tab whose user has logged out in another one leaves for nobody, whatever it has in its memory, and whether it has heard of it or not", async () => {
  for (const storage of ["memory", "persistent"] as const) {
    for (const out of ["wipe", "forget", "signOut"]) {
      for (const hears of [true, false]) {
        for (const isOver of [true, false]) {
          const row = `${storage}, ${out}, hears ${hears}, over ${isOver}`;
          await withLocalStorage(async () => {
            const { clicked, tab, back, went, tokens, pass, fetch } = browser(storage);
            const [a, b] = [await clicked("ada", { hears }), await clicked("ada", { hears })];
            const before = await token(b.signIn);
            assert.ok(before, row);
            if (isOver) pass(4_000_000);
            const sent = tokens.length;
            if (out === "wipe") {
              markWipe();
              await withGlobal(
                "fetch", { value: fetch }, async () => void (await signOutEverywhere(a.place)),
              );
            } else await a.signIn.signOut(out === "forget");
            for (const { signIn } of [b, await tab("ada", { hears })]) {
              assert.equal(await token(signIn), undefined, row);
              for (const shown of [undefined, before]) {
                assert.equal(
                  (await failureOf(signIn.refused(refusal(401, shown)))).fields.code, "sign_in_required", row,
                );
              }
              assert.equal(signIn.failure?.code, "sign_in_required", row);
            }
            assert.deepEqual([went, tokens.length], [[], sent], row);
            void b.signIn.signIn().catch(() => {});
            assert.ok(await token((await back("ada", { hears })).signIn), row);
          });
        }
      }
    }
  }
});

test("Fault 717: behind a wipe who signs in at one server is signed in at no other one by that, in no name", async () => {
  await withLocalStorage(async () => {
    const { clicked, tab, went, fetch } = browser("persistent");
    const ada = await clicked("ada");
    await clicked("ada", { url: OTHER });
    markWipe();
    await withGlobal("fetch", { value: fetch }, async () => void (await signOutEverywhere(ada.place)));
    await clicked("bob");
    for (const [principal, url] of [["bob", OTHER], ["ada", OTHER], ["ada", SERVER]] as const) {
      const { signIn } = await tab(principal, { url });
      assert.equal(
        (await failureOf(signIn.refused(refusal(401, undefined)))).fields.code, "sign_in_required",
        `${principal} at ${url}`,
      );
    }
    assert.deepEqual(went, []);
    // Where he has signed in himself, a page leaves by itself as before, once its token is refused for good.
    const { signIn } = await tab("bob");
    const shown = await token(signIn);
    await signIn.passed(shown!);
    void signIn.refused(refusal(401, shown), { ...NO_TRIALS, refreshes: 1 }).catch(() => {});
    await until(() => went.length > 0);
  });
});

test("Fault 717: a tab that is about to leave as its user logs out in another one stays", async () => {
  for (const every of [false, true]) {
    await withLocalStorage(async () => {
      const { clicked, tab, went, store } = browser("memory");
      const a = await clicked("ada");
      const b = await tab("ada");
      // That it leaves is noted first, which may take a while.
      const set = store.set.bind(store);
      let goOn: (() => void) | undefined;
      store.set = async (key, version, value) => {
        if (key.startsWith("round/") && value && !goOn)
          await new Promise<void>((resolve) => (goOn = resolve));
        return set(key, version, value);
      };
      const said = failureOf(b.signIn.refused(refusal(401, undefined)));
      await until(() => goOn !== undefined);
      await a.signIn.signOut(every);
      goOn!();
      await until(() => went.length > 0 || b.signIn.failure !== undefined);
      assert.deepEqual([went, b.signIn.failure?.code], [[], "sign_in_required"]);
      assert.equal((await said).fields.code, "sign_in_required");
    });
  }
});

test("Fault 748: a flow that is dropped rests no longer: its user logs out, or signs in in another tab, while it is prepared; or a worker's page reads other marks", async () => {
  for (const why of ["logged out", "signed in elsewhere", "the page's marks"]) {
    const { tab, shown, answer } = scene();
    const asked: AskedPages = { show: async () => "logged out", marks: async () => "" };
    const { signIn, hands } = tab(
      why === "the page's marks" ? (own) => pagesInteraction(asked, "popup", own) as Interaction : false,
    );
    let goOn = (): void => {};
    const { fetch } = hands;
    const gate = new Promise<void>((resolve) => (goOn = resolve));
    hands.fetch = (...request) => gate.then(() => fetch(...request));
    const said = signIn.refused(refusal(401, undefined)).then(
      () => "", (error: AuthFailure) => error.fields.code,
    );
    await ready();
    if (why === "logged out") hands.marks = async () => "of a logout";
    if (why === "signed in elsewhere") {
      const other = tab();
      void other.signIn.signIn().catch(() => {});
      await until(() => shown.length > 0);
      await answer(other.signIn);
    }
    goOn();
    assert.equal(await said, why === "signed in elsewhere" ? "" : "sign_in_required", why);
    let left = await hands.store.keys("flow/");
    for (let n = 0; n < 100 && left.length > 0; n++)
      left = await ready().then(() => hands.store.keys("flow/"));
    assert.deepEqual(left, [], why);
  }
});
