import assert from "node:assert/strict";
import { test } from "node:test";
import { NO_TRIALS, type Trials } from "../src/auth/refusal.js";
import { signInNotLoaded } from "../src/auth/loadsignin.js";
import { Authorization, type WatchedSignIn } from "../src/auth/authorization.js";
import { clientPart } from "../src/auth/loadauthorization.js";
import { oauth } from "../src/auth/oauthoption.js";
import type { Auth } from "../src/connect/useroptions.js";
import { UserStores } from "../src/connect/userstores.js";
import { NewestTokens, type View, Views } from "../src/connect/views.js";
import { HoldfastError } from "../src/base/errors.js";
import { leave, PlayedSignIn, refusal, server, URL_ } from "./playedsignin.js";
import { ready, tasks, until } from "./ready.js";

function person(
  code: "sign_in_required" | "oauth_denied" | "unauthorized" | "network_error", retryable = false,
): HoldfastError {
  return new HoldfastError({ code, message: "no", retryable });
}

test("a request that a refresh helps is sent again at once, and the core hears of no refusal", async () => {
  const signIn = new PlayedSignIn();
  signIn.token = "old";
  const { sent } = server(refusal(401, "refresh"), new Response("{}"));
  const { status } = await new Authorization(URL_, () => signIn.shared).send("POST", URL_, leave);
  assert.deepEqual([status, sent, signIn.asked], [200, ["Bearer old", "Bearer refreshed"], []]);
});

test("one that needs a person is refused once, and asks nobody before the core wants a token", async () => {
  for (const status of [401, 403]) {
    const signIn = new PlayedSignIn();
    const { sent } = server(refusal(status), new Response("{}"));
    const auth = new Authorization(URL_, () => signIn.shared);
    assert.equal((await auth.send("POST", URL_, leave)).status, 401);
    assert.deepEqual(signIn.asked, []);
    signIn.person = async (trials) => {
      signIn.signedIn("ada");
      return trials;
    };
    assert.deepEqual(await auth.token(false), { ok: true, text: "signed-in", user: "ada" });
    assert.equal(signIn.asked[0]!.status, status);
    assert.equal((await auth.send("POST", URL_, leave)).status, 200);
    assert.deepEqual(sent, [null, "Bearer at-ada"]);
    // What was refused before is no matter any more.
    assert.equal((await auth.token(false)).ok, true);
    assert.equal(signIn.asked.length, 1);
  }
});

test("where nobody signs in, calls wait until somebody does; a client that is not open yet fails", async () => {
  for (const code of ["sign_in_required", "oauth_denied"] as const) {
    const signIn = new PlayedSignIn();
    signIn.person = () => Promise.reject(person(code));
    server(refusal(), refusal());
    const auth = new Authorization(URL_, () => signIn.shared);
    await auth.send("POST", URL_, leave);
    const opening = await auth.token(true);
    assert.deepEqual(
      [opening.ok, opening.away, (opening.thrown as HoldfastError).code], [false, false, code],
    );
    await auth.send("POST", URL_, leave);
    let answered = false;
    const waiting = auth.token(false).finally(() => (answered = true));
    await ready();
    assert.equal(answered, false);
    assert.equal(signIn.asked.length, 2, "and nobody is asked again");
    signIn.person = async (trials) => trials;
    signIn.signedIn("ada"); // from a click, or in another tab
    assert.equal((await waiting).ok, true);
  }
});

test("Fault 371: a client that its app has waits for somebody while it is opening as well", async () => {
  const signIn = new PlayedSignIn();
  signIn.person = () => Promise.reject(person("oauth_denied"));
  server(refusal());
  const auth = new Authorization(URL_, () => signIn.shared, { waits: true });
  await auth.send("POST", URL_, leave);
  let answered = false;
  const waiting = auth.token(true).finally(() => (answered = true));
  await ready();
  assert.equal(answered, false);
  signIn.person = async (trials) => trials;
  signIn.signedIn("ada");
  assert.deepEqual(await waiting, { ok: true, text: "signed-in", user: "ada" });
});

test("Fault 376: what was tried for a client is over once another one of the same sign-in has passed with what came of it", async () => {
  const signIn = new PlayedSignIn();
  const shared = signIn.shared;
  const seen: number[] = [];
  signIn.person = async (trials) => {
    seen.push(trials.signIns);
    signIn.signedIn(`ada${seen.length}`);
    return trials;
  };
  server(refusal(), new Response("{}"), refusal(), refusal());
  // that of the page, and that of its window
  const [one, two] = [new Authorization(URL_, () => shared), new Authorization(URL_, () => shared)];
  await one.send("POST", URL_, leave);
  await one.token(false);
  assert.equal((await two.send("POST", URL_, leave)).status, 200);
  await one.send("POST", URL_, leave);
  await one.token(false);
  assert.deepEqual(seen, [1, 1]);
  // Nobody has passed with that one.
  await one.send("POST", URL_, leave);
  await one.token(false);
  assert.deepEqual(seen, [1, 1, 2]);
});

test("a page that nobody sees opens no window, and goes on with what another tab has signed in for", async () => {
  for (const how of ["seen", "another tab"]) {
    const [signIn, page] = [
      new PlayedSignIn(), Object.assign(new EventTarget(), { visibilityState: "hidden" }),
    ];
    Object.assign(globalThis, { document: page });
    try {
      signIn.person = async (trials) => trials;
      server(refusal());
      const auth = new Authorization(URL_, () => signIn.shared);
      await auth.send("POST", URL_, leave);
      const waiting = auth.token(false);
      await ready();
      assert.deepEqual(signIn.asked, []);
      if (how === "seen") {
        page.visibilityState = "visible";
        page.dispatchEvent(new Event("visibilitychange"));
      } else signIn.signedIn("ada");
      assert.equal((await waiting).ok, true);
      assert.equal(signIn.asked.length, 1); // in another tab's case it is answered by what is stored
    } finally {
      delete (globalThis as { document?: unknown }).document;
    }
  }
});

test("a server that refuses whatever it is given ends the call, and nothing waits", async () => {
  const signIn = new PlayedSignIn();
  signIn.person = () => Promise.reject(person("unauthorized"));
  server(refusal());
  const auth = new Authorization(URL_, () => signIn.shared);
  await auth.send("POST", URL_, leave);
  const answer = await auth.token(false);
  assert.deepEqual(
    [answer.ok, answer.away, (answer.thrown as HoldfastError).code], [false, false, "unauthorized"],
  );
});

test("a token that cannot be refreshed for want of the network: nothing leaves, and the core asks again", async () => {
  const signIn = new PlayedSignIn();
  const { sent } = server(new Response("{}"));
  signIn.missing = person("network_error", true);
  const auth = new Authorization(URL_, () => signIn.shared);
  assert.equal((await auth.send("POST", URL_, leave)).status, 401);
  assert.deepEqual(sent, []);
  for (let n = 0; n < 3; n++) assert.equal((await auth.token(false)).away, true);
  signIn.missing = undefined;
  signIn.token = "fresh";
  assert.equal((await auth.token(false)).ok, true);
  assert.equal((await auth.send("POST", URL_, leave)).status, 200);
});

test("a refused token that cannot be refreshed, since the authorization server is away: the request waits until it is back", async () => {
  const signIn = new PlayedSignIn();
  signIn.token = "refused";
  const { sent } = server(refusal(), new Response("{}"));
  const auth = new Authorization(URL_, () => signIn.shared);
  await auth.send("POST", URL_, leave);
  signIn.person = () => Promise.reject(person("network_error", true));
  for (let n = 0; n < 5; n++) assert.equal((await auth.token(false)).away, true);
  signIn.person = async (trials) => {
    signIn.signedIn("ada");
    return trials;
  };
  assert.equal((await auth.token(false)).ok, true);
  await auth.send("POST", URL_, leave);
  assert.deepEqual([sent, signIn.asked.length], [["Bearer refused", "Bearer at-ada"], 6]);
});

test("a sign-in that does not open says why, and keeps nobody's calls", async () => {
  const why = person("network_error");
  const shared = Promise.reject<WatchedSignIn>(why);
  shared.catch(() => {});
  const auth = new Authorization(URL_, () => shared);
  assert.equal(await auth.principal(), undefined);
  assert.deepEqual([(await auth.token(true)).ok, (await auth.token(true)).thrown], [false, why]);
});

test("Fault 320: where what signs in does not come, what is sent waits, and leaves once it has come", async () => {
  const signIn = new PlayedSignIn();
  signIn.signedIn("ada");
  const { sent } = server(new Response("{}"));
  let asked = 0;
  let comes = false;
  const why = signInNotLoaded(
    new TypeError("Failed to fetch dynamically imported module: https://app.example/a.mjs"), false,
  );
  const auth = new Authorization(URL_, () => (asked++, comes ? signIn.shared : Promise.reject(why)));
  assert.equal(await auth.principal(), undefined);
  const held = await auth.send("POST", URL_, leave);
  assert.deepEqual([held.status, sent, asked], [401, [], 2]);
  for (let n = 0; n < 2; n++) {
    const answer = await auth.token(false);
    assert.deepEqual(
      [answer.ok, answer.away, answer.thrown], [false, true, why], "the core asks again, later",
    );
  }
  comes = true;
  assert.equal((await auth.token(false)).user, "ada");
  assert.equal((await auth.send("POST", URL_, leave)).status, 200);
  assert.deepEqual(sent, ["Bearer at-ada"]);
});

test("Fault 320: where what signs in is long on its way, the core knows that the request did not run", async () => {
  const signIn = new PlayedSignIn();
  signIn.signedIn("ada");
  const { sent } = server(new Response("{}"));
  let opens = (_: WatchedSignIn): void => {};
  const opening = new Promise<WatchedSignIn>((resolve) => (opens = resolve));
  const auth = new Authorization(URL_, () => opening, { quick: 0 });
  assert.equal((await auth.send("POST", URL_, leave)).status, 401);
  const token = auth.token(false);
  opens(await signIn.shared);
  assert.equal((await token).ok, true);
  await auth.send("POST", URL_, leave);
  assert.deepEqual(sent, ["Bearer at-ada"]);
});

test("Fault 320: a sign-in that did not open is opened again by what needs it next, and once", async () => {
  let opens = 0;
  const shared = await new PlayedSignIn().shared;
  class Opened extends Authorization {
    static override open(): Promise<WatchedSignIn> {
      return ++opens === 1 ? Promise.reject(new TypeError("not yet")) : Promise.resolve(shared);
    }
  }
  const before = clientPart.here;
  try {
    clientPart.here = { Authorization: Opened, handOver: async () => {}, signOutEverywhere: async () => {} };
    const [one, two] = [oauth(), oauth()].map((auth) => [auth.authorize(URL_), auth.authorize(URL_)][1]!);
    await tasks(1);
    assert.equal((await one!.token(true)).ok, true);
    assert.equal((await two!.token(true)).ok, true);
    assert.equal(opens, 3, "one each, and one again");
  } finally {
    if (before) clientPart.here = before;
    else delete clientPart.here;
  }
});

test("Fault 320: what signs in and does not come is an error that names the file, and says what helps", () => {
  for (const [words, beside, file, hint] of [
    [
      "Failed to fetch dynamically imported module: https://app.example/assets/opensignin-1.js", false,
      "https://app.example/…/opensignin-1.js", /another build.*optimizeDeps.*script-src/,
    ],
    ["Importing a module script failed.", false, "a file of the package", /another build/],
    [
      "Failed to fetch dynamically imported module: https://app.example/holdfast-oauth.mjs", true,
      "https://app.example/holdfast-oauth.mjs",
      /Serve the package's holdfast-oauth.mjs beside the script.*script-src/,
    ],
    ["error loading dynamically imported module", true, "holdfast-oauth.mjs", /beside the script/],
  ] as const) {
    const { code, op, retryable, message, hint: said } = signInNotLoaded(new TypeError(words), beside);
    assert.deepEqual(
      [code, op, retryable, message],
      ["load_failed", "auth/load", true, `auth/load: what signs in could not be loaded: ${file}`],
    );
    assert.ok(hint.test(said!), said);
  }
});

test("a refusal that the core took for an answer asks nobody later", async () => {
  const signIn = new PlayedSignIn();
  signIn.token = "at";
  server(refusal(), new Response("{}"));
  const auth = new Authorization(URL_, () => signIn.shared);
  await auth.send("DELETE", URL_, leave);
  await auth.send("POST", URL_, leave);
  assert.equal((await auth.token(false)).ok, true);
  assert.deepEqual(signIn.asked, []);
});

test("Fault 272: what the client of a user sends never has the token of somebody else who has signed in since", async () => {
  const signIn = new PlayedSignIn();
  signIn.signedIn("ada");
  const { sent } = server(new Response("{}"), new Response("{}"));
  const auth = new Authorization(URL_, () => signIn.shared);
  assert.equal((await auth.token(true)).user, "ada");
  assert.equal((await auth.send("POST", URL_, leave)).status, 200);
  signIn.signedIn("eve"); // in another tab
  for (let n = 0; n < 2; n++) assert.equal((await auth.send("POST", URL_, leave)).status, 401);
  assert.deepEqual(sent, ["Bearer at-ada"]);
  // the core's client becomes another one
  assert.deepEqual(await auth.token(false), { ok: true, text: "signed-in", user: "eve" });
  assert.equal((await auth.send("POST", URL_, leave)).status, 200);
  assert.deepEqual([sent, signIn.asked], [["Bearer at-ada", "Bearer at-eve"], []]);
  // A client that has joined another one has asked who the user is, and for no token.
  const joined = new Authorization(URL_, () => signIn.shared);
  assert.equal(await joined.principal(), "eve");
  signIn.signedIn("ada");
  assert.equal((await joined.send("POST", URL_, leave)).status, 401);
});

test("Fault 273: after a no to more scopes the call waits for somebody who signs in, and asks nobody meanwhile", async () => {
  const signIn = new PlayedSignIn();
  signIn.signedIn("ada");
  const declined = person("oauth_denied");
  signIn.person = () => {
    assert.ok(signIn.asked.length < 10, "it goes round");
    signIn.failure = declined;
    return Promise.reject(declined);
  };
  server(refusal(403));
  const auth = new Authorization(URL_, () => signIn.shared);
  await auth.send("POST", URL_, leave);
  const waiting = auth.token(false);
  await until(() => signIn.asked.length > 0);
  assert.equal(signIn.asked.length, 1);
  signIn.person = async (trials) => trials;
  signIn.failure = undefined;
  signIn.signedIn("ada");
  assert.equal((await waiting).ok, true);
  // What fails before anybody is asked ends the call: it would fail again.
  signIn.person = () => Promise.reject(declined);
  server(refusal(403));
  await auth.send("POST", URL_, leave);
  assert.equal((await auth.token(false)).thrown, declined);
});

test("Fault 273: a page that nobody sees asks nobody for more scopes, though somebody is signed in", async () => {
  const [signIn, page] = [
    new PlayedSignIn(), Object.assign(new EventTarget(), { visibilityState: "hidden" }),
  ];
  Object.assign(globalThis, { document: page });
  try {
    signIn.signedIn("ada");
    signIn.person = async (trials) => trials;
    server(refusal(403));
    const auth = new Authorization(URL_, () => signIn.shared);
    await auth.send("POST", URL_, leave);
    const waiting = auth.token(false);
    signIn.signedIn("ada"); // the same token: no news for it
    await tasks(20);
    assert.deepEqual(signIn.asked, []);
    page.visibilityState = "visible";
    page.dispatchEvent(new Event("visibilitychange"));
    assert.equal((await waiting).ok, true);
  } finally {
    delete (globalThis as { document?: unknown }).document;
  }
});

test("Fault 288: a client that is closed while it waits for somebody asks nobody any more, and hears of no sign-in", async () => {
  for (const [
    why, waits,
  ] of Object.entries<(signIn: PlayedSignIn, page: { visibilityState: string }) => void>({
    "nobody sees the page": (_, page) => (page.visibilityState = "hidden"),
    "a person has said no": (signIn) => (signIn.person = () => Promise.reject(person("oauth_denied"))),
    "a person is asked": (signIn) => {
      signIn.person = () => new Promise(
        (_, reject) => signIn.listeners.add(() => reject(person("sign_in_required"))),
      );
    },
  })) {
    const [signIn, page] = [
      new PlayedSignIn(), Object.assign(new EventTarget(), { visibilityState: "visible" }),
    ];
    Object.assign(globalThis, { document: page });
    try {
      signIn.person = async (trials) => trials;
      waits(signIn, page);
      const asks = signIn.listeners.size;
      server(refusal());
      const [views, over] = [new Views(), new AbortController()];
      const auth: Auth = { authorize: () => new Authorization(URL_, () => signIn.shared) };
      const stores = new UserStores({ auth }, false, { of: async () => "" }, URL_);
      const view: View = { handlers: {}, stores, over: over.signal, leaves() {} };
      views.add(view);
      const tokens = new NewestTokens(views, () => {});
      await tokens.sender!.send("POST", URL_, leave);
      const answer = tokens.token();
      await tasks(5);
      const before = signIn.asked.length;
      views.remove(view);
      over.abort();
      assert.equal((await answer).ok, false, why);
      page.visibilityState = "visible";
      page.dispatchEvent(new Event("visibilitychange"));
      signIn.signedIn("ada"); // from which on it would ask for what it was refused
      await tasks(5);
      assert.equal(signIn.asked.length, before, why);
      assert.equal(signIn.listeners.size - asks, why === "a person is asked" ? 1 : 0, why); // the test's own
    } finally {
      delete (globalThis as { document?: unknown }).document;
    }
  }
});

test("what was tried for a request is known when a person is asked for it", async () => {
  const signIn = new PlayedSignIn();
  signIn.token = "old";
  server(refusal(401, "refresh"), refusal());
  const auth = new Authorization(URL_, () => signIn.shared);
  await auth.send("POST", URL_, leave);
  let known: Trials | undefined;
  signIn.person = async (trials) => (known = trials);
  await auth.token(false);
  assert.equal(known?.refreshes, 1);
});

test("Fault 289: while a token is long on its way, the core knows that the request did not run", async () => {
  for (const how of ["refused", "never left"]) {
    const signIn = new PlayedSignIn();
    signIn.token = "old";
    let come = (): void => {};
    const slowly = new Promise<void>((resolve) => (come = resolve)).then(() => void (signIn.token = "fresh"));
    const [headers, repaired] = [signIn.headers.bind(signIn), signIn.repaired.bind(signIn)];
    if (how === "refused")
      signIn.repaired = (...answer) => (
        answer[0].ok ? repaired(...answer) : slowly.then(() => ({ kind: "retry", trials: NO_TRIALS }))
      );
    else signIn.headers = () => slowly.then(headers); // before its time is over
    signIn.person = async (trials) => {
      await slowly; // which refreshes as well, once for all
      return trials;
    };
    const { sent } = server(...(how === "refused" ? [refusal()] : []), new Response("{}"));
    const auth = new Authorization(URL_, () => signIn.shared, { quick: 0 });
    assert.equal((await auth.send("POST", URL_, leave)).status, 401, how); // and so it is stored
    const answer = auth.token(false);
    come();
    assert.equal((await answer).ok, true, how);
    assert.equal((await auth.send("POST", URL_, leave)).status, 200, how);
    assert.deepEqual(sent, [...(how === "refused" ? ["Bearer old"] : []), "Bearer fresh"], how); // once
  }
});

test("Fault 289: a token that comes soon has the request sent, and the core hears of nothing", async () => {
  const signIn = new PlayedSignIn();
  signIn.token = "old";
  const headers = signIn.headers.bind(signIn);
  signIn.headers = () => ready().then(headers);
  const { sent } = server(refusal(401, "refresh"), new Response("{}"));
  assert.equal((await new Authorization(URL_, () => signIn.shared).send("POST", URL_, leave)).status, 200);
  assert.deepEqual(sent, ["Bearer old", "Bearer refreshed"]);
});

test("Fault 273: a page that nobody sees asks nobody, also where the authorization server was away before it refused", async () => {
  const [signIn, page] = [
    new PlayedSignIn(), Object.assign(new EventTarget(), { visibilityState: "hidden" }),
  ];
  Object.assign(globalThis, { document: page });
  try {
    signIn.token = "old";
    let isAway = true;
    signIn.repaired = async ({ status }, shown, nonce) => ({
      kind: "more", refusal: { status, challenge: undefined, token: shown?.token, nonce }, away: isAway,
    });
    signIn.person = async (trials) => trials;
    server(refusal());
    const auth = new Authorization(URL_, () => signIn.shared);
    await auth.send("POST", URL_, leave);
    for (let n = 0; n < 2; n++) assert.equal((await auth.token(false)).away, true); // the core asks again
    isAway = false; // it is back, and takes the refresh token no more
    const waiting = auth.token(false);
    await tasks(5);
    assert.deepEqual(signIn.asked, []);
    page.visibilityState = "visible";
    page.dispatchEvent(new Event("visibilitychange"));
    assert.equal((await waiting).ok, true);
    assert.equal(signIn.asked.length, 1);
  } finally {
    delete (globalThis as { document?: unknown }).document;
  }
});
