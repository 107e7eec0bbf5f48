// Sign-ins that nobody comes back from, or late.

import assert from "node:assert/strict";
import { test } from "node:test";
import { manualInteraction, type Page } from "../src/auth/browser.js";
import { type Callback, FLOW_TIME, flowKey, type FlowRecord, sweepFlows } from "../src/auth/flow.js";
import { MemoryAuthStore } from "../src/auth/memorystore.js";
import { type AuthPlace, openSignIn, type TokenStorage } from "../src/auth/opensignin.js";
import { NO_TRIALS } from "../src/auth/refusal.js";
import type { SignIn } from "../src/auth/signin.js";
import {
  AS_METADATA, CLIENT, failureOf, hidden, ISSUER, json, KEY, METADATA, nothing, type Rig, SERVER,
} from "./authrig.js";
import { redirectUrl, refusal, scene } from "./authscene.js";
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
    assert.equal(new URL(await shown[2]!.address).searchParams.get("client_id"), "c2", how);
    await answer(signIn);
    await again;
    assert.equal(registered, 2, how);
  }
});

test("Fault 291: the client that there is stays until there is another one; where that fails, it is said, and what there is gets another try", async () => {
  const REGISTER = `POST ${ISSUER}/register`;
  for (const how of ["closed", "left"]) {
    for (const fails of ["in passing", "for good", "there is none any more"]) {
      let registered = 0;
      let failing = false;
      const { tab, shown, forms, answer } = scene({}, {
        [REGISTER]: () => {
          if (!failing) return json({ client_id: `c${++registered}` }, 201);
          return fails === "in passing" ? json({}, 503) : json({ error: "invalid_client_metadata" }, 400);
        },
        [AS_METADATA]: () => json(
          failing && fails.startsWith("there") ? { ...METADATA, registration_endpoint: undefined } : METADATA,
        ),
      });
      const open = () => tab(how === "left" ? "leaves" : false);
      let { signIn } = open();
      /** Somebody is sent there, with that client, and does not come back. */
      const inVain = async (clientId: string): Promise<void> => {
        const before = shown.length;
        const failed = failureOf(signIn.signIn());
        failed.catch(() => {});
        await until(() => shown.length > before);
        assert.equal(new URL(await shown.at(-1)!.address).searchParams.get("client_id"), clientId);
        if (how === "left") ({ signIn } = open());
        else shown.at(-1)!.close();
        if (how === "closed") await failed;
      };
      await inVain("c1");
      failing = true;
      const told = await failureOf(signIn.signIn());
      assert.equal(told.leg, "auth/registration", `${how}, ${fails}`);
      if (fails === "in passing") failing = false;
      const [last] = [shown.length];
      const again = signIn.signIn();
      await until(() => shown.length > last);
      const goesWith = fails === "in passing" ? "c2" : "c1";
      assert.equal(
        new URL(await shown.at(-1)!.address).searchParams.get("client_id"), goesWith, `${how}, ${fails}`,
      );
      await answer(signIn);
      await again;
      assert.equal(forms.at(-1)!.get("client_id"), goesWith);
    }
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
    assert.equal(await shown.at(-1)!.address, shown[0]!.address);
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
  await sweepFlows(hands, KEY);
  later();
  await until(() => shown.length === 2);
  assert.equal(signIn.address, shown[1]!.address);
  await answer(signIn);
  await waits;
});

/** A page of the app. `there` tells it that somebody has come back to it, by an event of that name. */
function pageOf({ href = "https://app.example/work", name = "", opens = true } = {}) {
  const log: string[] = [];
  const listeners = new Map<string, Set<(event: { persisted: boolean }) => void>>();
  const of = (type: string) => listeners.get(type) ?? listeners.set(type, new Set()).get(type)!;
  const location = {
    href, origin: "https://app.example", assign: (url: string) => void log.push(`assign ${url}`),
  };
  const page: Page = {
    location,
    history: { replaceState: (_, __, url) => void (location.href = url) },
    name,
    open(_, target) {
      log.push(`open ${target}`);
      return opens
        ? {
          opener: null, closed: false, close: () => void log.push("close it"),
          location: { replace: (url) => void log.push(`replace ${url}`) },
        }
        : null;
    },
    close: () => void log.push("close"),
    addEventListener: (type, listener) => void of(type).add(listener),
    removeEventListener: (type, listener) => void of(type).delete(listener),
  };
  return {
    page,
    log,
    there: (type: string) => [...of(type)].forEach((listener) => listener({ persisted: true })),
    /** Where it was led last. */
    went: () => new URL(log.filter((line) => / https:/.test(line)).at(-1)!.split(" ")[1]!),
  };
}

/** An evening: somebody has to sign in, and does not. Its pages come with the same store, hours later. */
async function evening(storage: TokenStorage = "persistent") {
  const { tab, shown, forms } = scene();
  const { signIn, hands } = tab("until asked");
  signIn.refused(refusal(401, undefined), NO_TRIALS).catch(() => {});
  await until(() => shown.length === 1);
  const store = hands.store;
  const memory = new Map();
  /** The page that an answer comes to. */
  const comes = (answer: Callback, name: string) => {
    const query = new URLSearchParams({ ...answer });
    const made = pageOf({ href: `${redirectUrl}?${query}`, name });
    const place: AuthPlace = { store, memory, locks: hands.locks, digest: hands.digest, page: made.page };
    const opened: { signIn?: SignIn } = {};
    void openSignIn(
      SERVER, { redirectUrl }, { how: "redirect", storage, client: CLIENT, place, own: hands },
    ).then((one) => (opened.signIn = one));
    return { ...made, opened };
  };
  return { record: shown[0]!.record, hands, comes, forms };
}

test("Fault 292: who answers the next morning, by whatever window, is sent back with a flow that is good, and is signed in", async () => {
  for (const [hours, swept] of [[2, false], [30, true], [-2, false]] as const) {
    for (const name of ["", "the window's"]) {
      const { record, hands, comes, forms } = await evening();
      hands.pass(hours * FLOW_TIME);
      if (swept) await sweepFlows(hands); // as another tab does that begins a flow
      const answer = { state: record.state, code: "late", iss: ISSUER };
      const late = comes(answer, name && record.window);
      await until(() => late.log.length > 0);
      const there = late.went();
      const state = there.searchParams.get("state")!;
      assert.equal(there.origin + there.pathname, `${ISSUER}/authorize`);
      assert.ok(state !== record.state && there.searchParams.get("scope") === record.scope, String(there));
      assert.ok(!late.page.location.href.includes("code"));
      const next = comes({ state, code: "good", iss: ISSUER }, name && record.window);
      await until(() => next.opened.signIn !== undefined);
      assert.equal(next.opened.signIn!.state, "signed-in");
      assert.deepEqual(forms.map((form) => form.get("code")), ["good"]);
      assert.equal(next.log.includes("close"), name !== "");
      // Once: neither answer is taken again, and the page of the first stays where somebody comes Back to it.
      const again = comes(answer, "");
      await until(() => again.opened.signIn !== undefined);
      late.there("pageshow");
      await until(() => late.opened.signIn !== undefined);
      assert.deepEqual([again.log, late.log.length], [[], 1]);
    }
  }
});

test("Fault 292: a late answer is judged before anybody is sent back: one of another issuer, a no, one that nobody has asked for", async () => {
  for (const [change, code] of [
    [{ iss: "https://evil.example" }, "oauth_invalid"],
    [{ code: undefined, error: "access_denied" }, "oauth_denied"],
    [{ state: "unknown" }, undefined],
    [{ later: 8 * 24 * FLOW_TIME }, "sign_in_expired"],
  ] as const) {
    const { later = 2 * FLOW_TIME, ...changed } = { ...change } as { later?: number };
    const { record, hands, comes, forms } = await evening();
    hands.pass(later);
    if (code === "sign_in_expired") await sweepFlows(hands);
    const page = comes(
      JSON.parse(JSON.stringify({ state: record.state, code: "x", iss: ISSUER, ...changed })) as Callback, "",
    );
    await until(() => page.opened.signIn !== undefined);
    assert.deepEqual([page.log, forms], [[], []], JSON.stringify(change));
    assert.equal(page.opened.signIn!.failure?.code, code === "sign_in_expired" ? undefined : code);
    assert.equal(page.opened.signIn!.state, "signed-out");
  }
});

test("Fault 292: a window opens in the click, and is led to a flow that is there, whatever has become of the one that it was for", async () => {
  for (const gone of [false, true]) {
    const { tab, shown } = scene();
    const { page, log, went } = pageOf();
    const { signIn, hands } = tab((hands: Rig) => manualInteraction(page, hands));
    signIn.refused(refusal(401, undefined), NO_TRIALS).catch(() => {});
    await until(() => signIn.address !== undefined);
    const first = shown[0]!.record;
    if (gone) await sweepFlows(hands, KEY);
    hands.pass(FLOW_TIME * 12);
    signIn.signIn().catch(() => {});
    assert.deepEqual(log.splice(0), [`open ${first.window}`], "in the click, and not led anywhere yet");
    await until(() => log.length > 0);
    const kept = await hands.store.get<FlowRecord>(await flowKey(hands, went().searchParams.get("state")!));
    assert.deepEqual([kept!.value.begun, kept!.value.window], [hands.now(), first.window], "its hour begins");
    assert.equal(kept!.value.state === first.state, !gone);
    await signIn.finish({ state: kept!.value.state, code: "x", iss: ISSUER });
    assert.equal(signIn.state, "signed-in");
  }
});

test("Fault 292: a window that was opened for a flow that is there no more closes where there is no other one", async () => {
  let away = false;
  const { tab, shown } = scene({}, { [AS_METADATA]: () => (away ? hidden() : json(METADATA)) });
  const { page, log } = pageOf();
  const { signIn, hands } = tab((hands: Rig) => manualInteraction(page, hands));
  signIn.refused(refusal(401, undefined), NO_TRIALS).catch(() => {});
  await until(() => shown.length === 1);
  await sweepFlows(hands, KEY);
  away = true;
  const failed = failureOf(signIn.signIn());
  await until(() => log.length === 2);
  assert.deepEqual(log, [`open ${shown[0]!.record.window}`, "close it"]);
  assert.equal((await failed).leg, "auth/server-metadata");
});

test("Fault 292: whoever comes back to the page has it look at the flow at once, and the address is a good one", async () => {
  for (const event of ["visibilitychange", "pageshow", "focus", "a minute"]) {
    const { tab } = scene();
    const { page, there } = pageOf({ opens: false });
    const { signIn, hands } = tab((hands: Rig) => manualInteraction(page, hands));
    signIn.refused(refusal(401, undefined), NO_TRIALS).catch(() => {});
    await until(() => signIn.address !== undefined);
    const first = signIn.address;
    const come = async (): Promise<void> => {
      await tasks(5);
      if (event === "a minute") hands.pass(60_000);
      else there(event);
      await tasks(5);
    };
    hands.pass(FLOW_TIME * 12); // its timers have not run: it has slept
    await come();
    assert.equal(signIn.address, first);
    const { value } = (
      await hands.store.get<FlowRecord>(await flowKey(hands, new URL(first!).searchParams.get("state")!))
    )!;
    assert.ok(hands.now() - value.begun <= 60_000, event);
    await sweepFlows(hands, KEY);
    await come();
    await until(() => signIn.address !== first);
    assert.ok(
      await hands.store.get(await flowKey(hands, new URL(signIn.address!).searchParams.get("state")!)), event,
    );
  }
});

test("Fault 598: why a token cannot be refreshed is said while calls wait for it, and no more once there is one", async () => {
  for (const mends of ["this tab", "another tab", "a person"]) {
    let isHidden = false;
    const token = () => json({
      access_token: isHidden ? "no" : "new", token_type: "Bearer", expires_in: 3600, refresh_token: "rt1",
    });
    const { tab, shown, answer } = scene({}, {
      [`POST ${ISSUER}/token`]: () => (isHidden ? hidden() : token()),
      [`GET ${ISSUER}/token`]: () => nothing(405),
    });
    const [{ signIn, hands }, { signIn: other }] = [tab(), tab()];
    const first = signIn.signIn();
    await until(() => shown.length === 1);
    await answer(signIn);
    await first;
    const told: string[] = [];
    signIn.onchange = () => told.push(`${signIn.state} ${signIn.refreshFailure?.code ?? "well"}`);
    isHidden = true;
    hands.pass(3_600_000);
    for (let n = 0; n < 2; n++)
      assert.equal((await failureOf(signIn.headers("POST", SERVER))).fields.code, "cors_blocked");
    assert.deepEqual(
      told,
      ["refreshing well", "signed-in cors_blocked", "refreshing cors_blocked", "signed-in cors_blocked"],
    );
    assert.ok(
      /as\.example has to answer with {2}Access-Control-Allow-Origin/.test(signIn.refreshFailure!.hint!),
    );
    assert.deepEqual(
      [signIn.failure, signIn.refreshFailure!.op, signIn.refreshFailure!.retryable],
      [undefined, "auth/refresh", true],
    );
    isHidden = false;
    if (mends === "a person") {
      await signIn.signOut();
      const again = signIn.signIn();
      await until(() => shown.length === 2);
      await answer(signIn);
      await again;
    } else {
      await (mends === "this tab" ? signIn : other).headers("POST", SERVER);
      await signIn.reread();
    }
    assert.deepEqual([signIn.refreshFailure, told.at(-1)], [undefined, "signed-in well"], mends);
  }
});

test("Fault 638: who hears that another tab has signed out hears of no token that cannot be refreshed", async () => {
  let isHidden = false;
  const token = () => json({
    access_token: "at", token_type: "Bearer", expires_in: 3600, refresh_token: "rt",
  });
  const { tab, shown, answer } = scene({}, {
    [`POST ${ISSUER}/token`]: () => (isHidden ? hidden() : token()),
    [`GET ${ISSUER}/token`]: () => nothing(405),
  });
  const [{ signIn, hands }, { signIn: other }] = [tab(), tab()];
  const first = signIn.signIn();
  await until(() => shown.length === 1);
  await answer(signIn);
  await first;
  isHidden = true;
  hands.pass(3_600_000);
  await failureOf(signIn.headers("POST", SERVER));
  const told: string[] = [];
  signIn.onchange = () => told.push(`${signIn.state} ${signIn.refreshFailure?.code ?? "well"}`);
  await other.signOut();
  await signIn.reread();
  assert.deepEqual(told, ["signed-out well"]);
});
