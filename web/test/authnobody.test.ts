// A server that takes requests of nobody: none of a user's is one, once that user has signed out.

import assert from "node:assert/strict";
import { test } from "node:test";
import { NO_TRIALS } from "../src/auth/refusal.js";
import { Authorization } from "../src/auth/authorization.js";
import { failureOf, json, nothing, PRM_PATH, RESOURCE, SERVER } from "./authrig.js";
import { scene } from "./authscene.js";
import { leave, PlayedSignIn, server, URL_ } from "./playedsignin.js";
import { until } from "./ready.js";

test("Fault 746: what a client of a user sends waits once that one has signed out, in each of its pages: it is nobody's meanwhile", async () => {
  const signIn = new PlayedSignIn();
  signIn.signedIn("ada");
  const { sent } = server(new Response("{}"), new Response("{}"));
  const auth = new Authorization(URL_, () => signIn.shared);
  assert.equal((await auth.token(true)).user, "ada");
  [signIn.state, signIn.token, signIn.user] = ["signed-out", undefined, undefined];
  // whose app has named her: nobody asks it who the user is
  const page = new Authorization(URL_, () => signIn.shared);
  page.joins(auth);
  for (const one of [auth, page]) assert.equal((await one.send("POST", URL_, leave)).status, 401);
  signIn.person = async (trials) => {
    signIn.signedIn("ada");
    return trials;
  };
  assert.equal((await page.token(false)).user, "ada");
  assert.equal((await page.send("POST", URL_, leave)).status, 200);
  assert.deepEqual(sent, ["Bearer at-ada"]);
});

test("Fault 746: what leaves for nobody before anybody has signed in, or as a program, still does", async () => {
  for (const attended of [true, false]) {
    const signIn = new PlayedSignIn();
    const { sent } = server(new Response("{}"));
    if (!attended) signIn.signedIn("program");
    const shared = signIn.shared.then((one) => ({ ...one, attended }));
    const auth = new Authorization(URL_, () => shared);
    await auth.token(true);
    signIn.token = signIn.user = undefined;
    assert.equal((await auth.send("POST", URL_, leave)).status, 200);
    assert.deepEqual(sent, [null]);
  }
});

test("Fault 769: what a user's client sends waits once their token is over and nothing refreshes it: it does not leave without one", async () => {
  const signIn = new PlayedSignIn();
  signIn.signedIn("ada");
  const { sent } = server(new Response("{}"));
  const auth = new Authorization(URL_, () => signIn.shared);
  await auth.token(true);
  signIn.token = undefined; // who it was of is known
  assert.equal((await auth.send("POST", URL_, leave)).status, 401);
  signIn.person = async (trials) => {
    signIn.signedIn("ada");
    return trials;
  };
  assert.equal((await auth.token(false)).user, "ada");
  assert.equal((await auth.send("POST", URL_, leave)).status, 200);
  assert.deepEqual(sent, ["Bearer at-ada"]);
});

test("Fault 746: a sign-in begins by the server's last challenge where a request was held without one, until that leads nowhere", async () => {
  const named = `${SERVER}/metadata`;
  let isThere = true;
  const { tab, shown, answer } = scene({}, {
    [PRM_PATH]: () => nothing(), [`GET ${named}`]: () => (isThere ? json(RESOURCE) : nothing()),
  });
  const { signIn } = tab();
  const headers = new Headers({ "www-authenticate": `Bearer resource_metadata="${named}", scope="admin"` });
  const refused = await signIn.repaired({ status: 401, headers }, undefined, undefined);
  if (refused?.kind !== "more") throw new Error("a server that wants a token gets none of itself");
  const first = signIn.refused(refused.refusal, NO_TRIALS);
  await until(() => shown.length === 1);
  await answer(signIn);
  await first;
  const later = tab().signIn; // it has what is stored alone
  await later.reread();
  await signIn.signOut();
  const scopeOf = async (n: number): Promise<string | null> => {
    await until(() => shown.length === n);
    return new URL(await shown[n - 1]!.address).searchParams.get("scope");
  };
  void signIn.refused({ status: 401, token: undefined, challenge: undefined, nonce: false }).catch(() => {});
  assert.equal(await scopeOf(2), "admin offline_access");
  void later.signIn().catch(() => {});
  assert.equal(await scopeOf(3), "files offline_access");
  await signIn.signOut();
  isThere = false;
  const legs = [(await failureOf(signIn.signIn())).leg, (await failureOf(signIn.signIn())).leg];
  assert.deepEqual(legs, ["auth/resource-metadata", "auth/registration"]);
});
