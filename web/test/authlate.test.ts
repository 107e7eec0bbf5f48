// Sign-ins that nobody comes back from, or late.

import assert from "node:assert/strict";
import { test } from "node:test";
import { FLOW_TIME, sweepFlows } from "../src/auth/flow.js";
import { NO_TRIALS } from "../src/auth/refusal.js";
import { failureOf, ISSUER, json, SERVER } from "./authrig.js";
import { refusal, scene } from "./authscene.js";
import { tasks, until } from "./ready.js";

test("Fault 291: an authorization server that has forgotten the client gets it registered anew, however that shows", async () => {
  for (const how of ["closed", "refused", "left"]) {
    let registered = 0;
    let knows = 1;
    const { tab, shown, answer, forms } = scene({}, {
      [`POST ${ISSUER}/register`]: () => json({ client_id: `c${++registered}` }, 201),
      ...(how === "refused" && {
        [`POST ${ISSUER}/token`]: ({ form }) => {
          if (form.get("client_id") !== `c${knows}`) return json({ error: "invalid_client" }, 401);
          return json({ access_token: `at${forms.push(form)}`, token_type: "Bearer", expires_in: 3600 });
        },
      }),
    });
    let { signIn } = tab(how === "left" ? "leaves" : false);
    const first = signIn.signIn();
    await until(() => shown.length === 1);
    await answer(signIn);
    await first;
    await signIn.signOut();
    knows = 2; // its pages say that they know no such client, and send nobody back
    const inVain = signIn.signIn();
    inVain.catch(() => {});
    await until(() => shown.length === 2);
    if (how === "left") ({ signIn } = tab("leaves")); // Back: it is another page
    else {
      if (how === "closed") shown[1]!.close();
      else await signIn.finish({ state: shown[1]!.record.state, code: "code", iss: ISSUER }).catch(() => {});
      await failureOf(inVain);
    }
    const again = signIn.signIn();
    await until(() => shown.length === 3);
    assert.equal(new URL(shown[2]!.address).searchParams.get("client_id"), "c2", how);
    await answer(signIn);
    await again;
    assert.equal(registered, 2, how);
  }
});

test("Fault 292: who opens the address of a sign-in the next morning is in time", async () => {
  for (const how of ["by the address", "by a click"]) {
    const { tab, shown, answer, later } = scene();
    const { signIn, hands } = tab("until asked");
    const waits = signIn.refused(refusal(401, undefined), NO_TRIALS);
    await until(() => signIn.address !== undefined);
    for (let n = 0; n < 5; n++) {
      hands.pass(FLOW_TIME / 2);
      later();
      await tasks(5);
    }
    if (how === "by a click") {
      hands.pass(FLOW_TIME - 1); // the machine has slept
      signIn.signIn().catch(() => {});
      await tasks(5);
      hands.pass(FLOW_TIME - 1);
    }
    assert.equal(shown.at(-1)!.address, shown[0]!.address);
    await answer(signIn);
    await waits;
    assert.equal(signIn.failure, undefined, how);
  }
});

test("Fault 292: a flow that another tab has swept meanwhile is begun anew, and the app has its address", async () => {
  const { tab, shown, answer, later } = scene();
  const { signIn, hands } = tab(true);
  const waits = signIn.refused(refusal(401, undefined), NO_TRIALS);
  await until(() => signIn.address !== undefined);
  await sweepFlows(hands, SERVER);
  later();
  await until(() => shown.length === 2);
  assert.equal(signIn.address, shown[1]!.address);
  await answer(signIn);
  await waits;
});
