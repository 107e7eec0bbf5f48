// What an app sees of a sign-in that somebody ends while something of it is under way.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ISSUER, json } from "./authrig.js";
import { scene } from "./authscene.js";
import { until } from "./ready.js";

test("Fault 770: an answer that is being taken as its user logs out fails for that reason, and not as one that is too late", async () => {
  let out = (): Promise<unknown> => Promise.resolve();
  const { tab, shown, answer } = scene({}, {
    [`POST ${ISSUER}/token`]: async () => {
      await out();
      return json({ access_token: "at", token_type: "Bearer" });
    },
  });
  const { signIn } = tab();
  const asked = signIn.signIn().catch((error: unknown) => error);
  await until(() => shown.length === 1);
  const { signIn: page } = tab(); // that has come back with the answer, and waits for nothing
  out = () => signIn.signOut();
  await answer(page).catch(() => {});
  await asked;
  assert.deepEqual([page.failure?.code, page.state], ["sign_in_required", "signed-out"]);
});

test("Fault 770: who logs out while a token is refreshed is signed out at once, in each tab, and by no answer signed in again", async () => {
  let answered = (): void => {};
  const held = new Promise<void>((resolve) => (answered = resolve));
  let tokens = 0;
  const { tab, shown, answer, check } = scene({}, {
    [`POST ${ISSUER}/token`]: async () => {
      if (tokens++ > 0) await held;
      return json({ access_token: `at${tokens}`, token_type: "Bearer", expires_in: 1, refresh_token: "rt" });
    },
  });
  const [one, other] = [tab(), tab()];
  void one.signIn.signIn();
  await until(() => shown.length === 1);
  await answer(one.signIn);
  one.hands.pass(5_000);
  const refreshed = one.signIn.headers("POST", one.signIn.url).catch((error: unknown) => error);
  await until(() => tokens === 2 && one.signIn.state === "refreshing");
  await other.signIn.signOut();
  await one.signIn.reread(); // as it hears of it
  assert.equal(one.signIn.state, "signed-out");
  answered();
  await refreshed;
  assert.equal(one.signIn.state, "signed-out");
  check();
});
