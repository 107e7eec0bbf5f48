import assert from "node:assert/strict";
import { test } from "node:test";
import { grantKey } from "../src/auth/grants.js";
import { oauthChallenge } from "../src/auth/challenge.js";
import { NO_TRIALS, type Trials } from "../src/auth/refusal.js";
import { AS_METADATA, failureOf, hidden, ISSUER, json, KEY, METADATA, nothing, PRM_PATH, RESOURCE, SERVER } from "./authrig.js";
import { refusal, scene } from "./authscene.js";
import { until } from "./ready.js";

test("a call that is refused waits for its user, is sent again with a token, and later with a refreshed one", async () => {
  const { tab, shown, answer, forms, check } = scene();
  const { signIn, states } = tab();
  assert.equal(await signIn.headers("POST", SERVER), undefined);
  const waits = signIn.refused(refusal(401, undefined, 'Bearer scope="files admin"'), NO_TRIALS);
  await until(() => shown.length === 1);
  assert.equal(new URL(await shown[0]!.address).searchParams.get("scope"), "files admin offline_access");
  assert.equal(signIn.state, "authorizing");
  await answer(signIn);
  const trials = (await waits) as Trials;
  assert.equal(trials.signIns, 1);
  const { token, fields } = (await signIn.headers("POST", SERVER))!;
  assert.deepEqual({ token, fields }, { token: "at1", fields: [["authorization", "Bearer at1"]] });
  // To another origin it is not shown.
  assert.equal(await signIn.headers("POST", "https://other.example/mcp"), undefined);
  assert.ok((await signIn.refused(refusal(401, "at1"), NO_TRIALS))!.refreshes === 1);
  assert.equal((await signIn.headers("POST", SERVER))!.token, "at2");
  assert.deepEqual(forms.map((form) => [form.get("grant_type"), form.get("resource")]), [["authorization_code", SERVER], ["refresh_token", SERVER]]);
  assert.deepEqual(states, ["authorizing", "signed-in", "refreshing", "signed-in"]);
  assert.ok(await signIn.signOut());
  assert.equal(signIn.state, "signed-out");
  check();
});

test("all calls of a tab wait for one window, and those of other tabs go on with it too", async () => {
  const { tab, shown, answer, check } = scene();
  const [a, b] = [tab(), tab()];
  const waits = [a, a, b].map(({ signIn }) => signIn.refused(refusal(401, undefined), NO_TRIALS));
  await until(() => shown.length === 2);
  await answer(b.signIn);
  await Promise.all(waits);
  assert.deepEqual([a.signIn.state, b.signIn.state], ["signed-in", "signed-in"]);
  check();
});

test("a step-up asks for the union, by a person; the old token stays where the person says no", async () => {
  const { tab, shown, answer, forms, check } = scene();
  const { signIn, states } = tab();
  const first = signIn.signIn(oauthChallenge('Bearer scope="files"'));
  await until(() => shown.length === 1);
  await answer(signIn);
  await first;
  const more = 'Bearer error="insufficient_scope", scope="admin"';
  let waits = signIn.refused(refusal(403, "at1", more), NO_TRIALS);
  await until(() => shown.length === 2);
  assert.equal(signIn.state, "step-up");
  assert.equal(new URL(await shown[1]!.address).searchParams.get("scope"), "files offline_access admin");
  // Another tab that only refreshes has no more scopes than before.
  await signIn.reread();
  assert.equal(signIn.state, "step-up");
  const said = failureOf(waits);
  await signIn.finish({ state: shown[1]!.record.state, error: "access_denied", iss: ISSUER }).catch(() => {});
  assert.deepEqual([(await said).fields.code, signIn.state], ["oauth_denied", "signed-in"]);
  assert.equal((await signIn.headers("POST", SERVER))!.token, "at1");
  // Nobody is asked again by themselves; a click asks for the same.
  assert.equal((await failureOf(signIn.refused(refusal(403, "at1", more), NO_TRIALS))).fields.code, "oauth_denied");
  assert.equal(signIn.failure?.code, "oauth_denied");
  const clicked = signIn.signIn();
  waits = signIn.refused(refusal(403, "at1", more), NO_TRIALS);
  await until(() => shown.length === 3);
  assert.equal(new URL(await shown[2]!.address).searchParams.get("scope"), "files offline_access admin");
  await answer(signIn);
  await clicked;
  assert.equal(signIn.failure, undefined);
  const trials = (await waits)!;
  assert.ok(forms.every((form) => form.get("grant_type") === "authorization_code"));
  const next = signIn.refused(refusal(403, "at2", more), trials);
  await until(() => shown.length === 4);
  await answer(signIn);
  assert.equal((await failureOf(signIn.refused(refusal(403, "at3", more), (await next)!))).fields.code, "unauthorized");
  assert.equal(shown.length, 4);
  assert.ok(states.includes("step-up"));
  check();
});

test("a refreshed token that is refused as well brings a person, once", async () => {
  const { tab, shown, answer, check } = scene();
  const { signIn } = tab();
  const first = signIn.signIn();
  await until(() => shown.length === 1);
  await answer(signIn);
  await first;
  await signIn.passed("at1");
  let trials = (await signIn.refused(refusal(401, "at1"), NO_TRIALS))!;
  const waits = signIn.refused(refusal(401, "at2"), trials);
  await until(() => shown.length === 2);
  await answer(signIn);
  trials = (await waits)!;
  assert.equal((await failureOf(signIn.refused(refusal(401, "at3"), trials))).fields.code, "unauthorized");
  check();
});

test("Fault 262: a window that was blocked opens when the app asks for it from a click; nobody begins anew", async () => {
  const { tab, shown, answer, check } = scene();
  const { signIn } = tab("until asked");
  const waits = signIn.refused(refusal(401, undefined), NO_TRIALS);
  await until(() => signIn.address !== undefined);
  // Browsers open a window within the click, and not later.
  const again = signIn.signIn();
  assert.deepEqual(shown.map(({ record }) => record.state), [shown[0]!.record.state, shown[0]!.record.state]);
  assert.equal(signIn.address, undefined);
  await answer(signIn);
  await Promise.all([waits, again]);
  // Who closes it is asked again by the next click, at once.
  await signIn.signOut();
  const closed = failureOf(signIn.signIn());
  await until(() => shown.length === 3);
  shown.at(-1)!.close();
  assert.equal((await closed).fields.code, "sign_in_required");
  const at = signIn.signIn();
  await until(() => shown.length === 4);
  assert.equal(signIn.address, undefined);
  await answer(signIn);
  await at;
  check();
});

test("Fault 318: two windows show one flow, and both answer: the first answer counts, and the second ends nothing", async () => {
  const { tab, shown, answer, forms, check } = scene();
  const { signIn, states } = tab();
  const waits = signIn.signIn();
  await until(() => shown.length === 1);
  await Promise.all([answer(signIn), answer(signIn), waits]);
  assert.deepEqual(states, ["authorizing", "signed-in"]);
  assert.equal(signIn.failure, undefined);
  assert.deepEqual(forms.map((form) => form.get("grant_type")), ["authorization_code"]);
  check();
});

test("a window that is blocked gives the app its address; one that is closed ends the wait, and its answer still counts", async () => {
  const { tab, shown, answer, check } = scene();
  const blocked = tab(true);
  const waits = blocked.signIn.signIn();
  await until(() => blocked.signIn.address !== undefined);
  assert.equal(blocked.signIn.address, shown[0]!.address);
  await answer(blocked.signIn);
  await waits;
  assert.equal(blocked.signIn.address, undefined);
  await blocked.signIn.signOut();

  const { signIn } = tab();
  const closing = failureOf(signIn.signIn());
  await until(() => shown.length === 2);
  shown[1]!.close();
  assert.deepEqual([(await closing).fields.code, signIn.state], ["sign_in_required", "signed-out"]);
  await answer(signIn);
  assert.equal(signIn.state, "signed-in");
  check();
});

test("after a reload another page finishes the flow, with what waits for it", async () => {
  const { tab, shown, check } = scene();
  const before = tab();
  void before.signIn.signIn(undefined, { waiting: ["call-1"] });
  await until(() => shown.length === 1);
  assert.deepEqual(shown[0]!.record.waiting, ["call-1"]);
  const after = tab();
  const grant = await after.signIn.finish({ state: shown[0]!.record.state, code: "code", iss: ISSUER });
  assert.equal(grant.url, SERVER);
  assert.equal(after.signIn.state, "signed-in");
  check();
});

test("a page that comes back from a person who said no does not send him off again", async () => {
  const { tab, shown, answer, check } = scene();
  void tab().signIn.signIn();
  await until(() => shown.length === 1);
  const { signIn, states } = tab();
  await failureOf(signIn.finish({ state: shown[0]!.record.state, error: "access_denied", iss: ISSUER }));
  assert.equal(states.length, 1, "the app hears of it, though the state is the same");
  assert.equal(signIn.failure?.code, "oauth_denied");
  assert.equal((await failureOf(signIn.refused(refusal(401, undefined), NO_TRIALS))).fields.denial, "access_denied");
  assert.equal(shown.length, 1);
  const clicked = signIn.signIn();
  await until(() => shown.length === 2);
  await answer(signIn);
  await clicked;
  check();
});

test("an answer that nobody waits for ends no flow; one that is wrong ends its own", async () => {
  const { tab, shown, answer, check } = scene();
  const { signIn } = tab();
  const waits = signIn.signIn();
  await until(() => shown.length === 1);
  assert.equal((await failureOf(signIn.finish({ state: "forged", code: "evil", iss: ISSUER }))).fields.code, "sign_in_expired");
  assert.equal(signIn.state, "authorizing");
  const failed = failureOf(waits);
  await failureOf(signIn.finish({ state: shown[0]!.record.state, code: "evil", iss: "https://evil.example" }));
  assert.deepEqual([(await failed).leg, signIn.state], ["auth/callback", "signed-out"]);
  const again = signIn.signIn();
  await until(() => shown.length === 2);
  await answer(signIn);
  await again;
  check();
});

test("what cannot be discovered, or refreshed in passing, is an error of its own, and asks nobody", async () => {
  let down = true;
  const { tab, shown, answer, check } = scene({}, { [AS_METADATA]: () => (down ? hidden() : json(METADATA)) });
  const { signIn, hands } = tab();
  assert.deepEqual([(await failureOf(signIn.refused(refusal(401, undefined), NO_TRIALS))).leg, signIn.state], ["auth/server-metadata", "signed-out"]);
  down = false;
  const waits = signIn.signIn();
  await until(() => shown.length === 1);
  await answer(signIn);
  await waits;
  const fetched = hands.fetch;
  hands.fetch = (url, init) => (init.method === "POST" ? Promise.resolve(nothing(503)) : fetched(url, init));
  assert.deepEqual([(await failureOf(signIn.refused(refusal(401, "at1"), NO_TRIALS))).fields.retryable, signIn.state, shown.length], [true, "signed-in", 1]);
  check();
});

test("a token that is over, and cannot be refreshed, brings a person and no endless retry", async () => {
  let n = 0;
  const { tab, shown, answer, check } = scene({}, { [`POST ${ISSUER}/token`]: () => json({ access_token: `short${++n}`, token_type: "Bearer", expires_in: 60 }) });
  const { signIn, hands } = tab();
  const first = signIn.signIn();
  await until(() => shown.length === 1);
  await answer(signIn);
  await first;
  hands.pass(60_000);
  assert.equal(await signIn.headers("POST", SERVER), undefined);
  const waits = signIn.refused(refusal(401, undefined), NO_TRIALS);
  await until(() => shown.length === 2);
  await answer(signIn);
  await waits;
  assert.equal((await signIn.headers("POST", SERVER))!.token, "short2");
  check();
});

test("after a sign-out no flow that was begun before signs anybody in, wherever its answer is", async () => {
  for (const when of ["before its answer", "while the code is exchanged"]) {
    const revoked: (string | null)[] = [];
    let out = (): Promise<unknown> => Promise.resolve();
    const { tab, shown, answer } = scene({}, {
      [`POST ${ISSUER}/token`]: async () => {
        if (when === "while the code is exchanged" && shown.length === 1) await out();
        return json({ access_token: `at${shown.length}`, token_type: "Bearer", refresh_token: "rt" });
      },
      [`POST ${ISSUER}/revoke`]: ({ form }) => {
        revoked.push(form.get("token"));
        return nothing(200);
      },
    });
    const { signIn } = tab();
    const other = tab();
    out = () => other.signIn.signOut();
    const failed = failureOf(signIn.signIn());
    await until(() => shown.length === 1);
    if (when === "before its answer") await out();
    assert.equal((await failureOf(answer(signIn))).fields.code, "sign_in_expired", when);
    assert.equal((await failed).fields.code, "sign_in_expired", when);
    assert.equal(await signIn.headers("POST", SERVER), undefined, when);
    assert.deepEqual(revoked, when === "before its answer" ? [] : ["rt", "at1"], when);
    const again = signIn.signIn();
    await until(() => shown.length === 2);
    await answer(signIn);
    await again;
    assert.equal((await signIn.headers("POST", SERVER))!.token, "at2", when);
  }
});

test("Fault 263: who is asked for more stays who it is, where no token says who; where one does, it is that one", async () => {
  let subject: string | undefined;
  const claims = (): object => (subject === undefined ? {} : { id_token: `x.${btoa(JSON.stringify({ iss: ISSUER, aud: "c", sub: subject }))}.x` });
  let issued = 0;
  const { tab, shown, answer } = scene({}, {
    [`POST ${ISSUER}/token`]: () => json({ access_token: `at${++issued}`, token_type: "Bearer", expires_in: 3600, ...claims() }),
  });
  const { signIn } = tab();
  const more = 'Bearer error="insufficient_scope", scope="admin"';
  const seen: (string | undefined)[] = [];
  const then = async (waits: Promise<unknown>): Promise<void> => {
    await until(() => shown.length === seen.length + 1);
    await answer(signIn);
    await waits;
    seen.push(await signIn.principal());
  };
  await then(signIn.signIn());
  await then(signIn.refused(refusal(403, "at1", more), NO_TRIALS));
  assert.equal(seen[1], seen[0]);
  // A sign-in that is no step-up may be another user's.
  await signIn.passed("at2");
  await then(signIn.refused(refusal(401, "at2"), NO_TRIALS));
  assert.ok(seen[2] !== seen[1]);
  subject = "bob";
  await then(signIn.refused(refusal(403, "at3", more), NO_TRIALS));
  assert.equal(seen[3], JSON.stringify([ISSUER, "bob"]));
  // Who was known and is not any more is somebody else.
  subject = undefined;
  await then(signIn.refused(refusal(403, "at4", 'Bearer error="insufficient_scope", scope="root"'), NO_TRIALS));
  assert.ok(seen[4] !== seen[3]);
});

test("Fault 264: a server that asks for the same scopes for ever has them asked for twice, over all pages", async () => {
  const { tab, shown, answer } = scene();
  const more = 'Bearer error="insufficient_scope", scope="admin"';
  const first = tab().signIn;
  const begun = first.signIn();
  await until(() => shown.length === 1);
  await answer(first);
  await begun;
  // Each time it is a page that has just come back, and knows of nothing but what is stored.
  for (const n of [1, 2]) {
    const { signIn } = tab();
    const waits = signIn.refused(refusal(403, `at${n}`, more), NO_TRIALS);
    await until(() => shown.length === n + 1);
    await answer(signIn);
    await waits;
  }
  const last = tab().signIn;
  assert.equal((await failureOf(last.refused(refusal(403, "at3", more), NO_TRIALS))).fields.code, "unauthorized");
  // What was not asked for so far is another matter, and so is a person who wants to.
  const other = last.refused(refusal(403, "at3", 'Bearer error="insufficient_scope", scope="root"'), NO_TRIALS);
  await until(() => shown.length === 4);
  await answer(last);
  await other;
  const click = last.signIn();
  await until(() => shown.length === 5);
  await answer(last);
  await click;
  const again = last.refused(refusal(403, "at5", more), NO_TRIALS);
  await until(() => shown.length === 6);
  await answer(last);
  await again;
});

test("Fault 274: a server that refuses what somebody has just signed in for has nobody sent there again, by no page", async () => {
  const { tab, shown, answer } = scene();
  const first = tab().signIn;
  const begun = first.signIn();
  await until(() => shown.length === 1);
  await answer(first);
  await begun;
  // A page that has just come back knows of nothing but what is stored.
  const { signIn, hands } = tab();
  const trials = (await signIn.refused(refusal(401, "at1"), NO_TRIALS))!; // a refresh, which needs nobody
  assert.equal((await failureOf(signIn.refused(refusal(401, "at2"), trials))).fields.code, "unauthorized");
  assert.equal(shown.length, 1);
  // A while later the server may be well again.
  hands.pass(11 * 60_000);
  const later = signIn.refused(refusal(401, "at2"), trials);
  await until(() => shown.length === 2);
  await answer(signIn);
  await later;
  // Once a request has passed with it, a refusal is the end of that token alone.
  assert.equal((await signIn.headers("POST", SERVER))!.unproven, true);
  await signIn.passed("at3");
  assert.equal((await signIn.headers("POST", SERVER))!.unproven, false);
  const ended = tab().signIn.refused(refusal(401, "at3"), trials);
  await until(() => shown.length === 3);
  ended.catch(() => {});
});

test("two users in turn are two principals, also where no token says who", async () => {
  const { tab, shown, answer } = scene();
  const { signIn } = tab();
  const seen: (string | undefined)[] = [];
  for (let user = 1; user <= 2; user++) {
    const waits = signIn.signIn();
    await until(() => shown.length === user);
    await answer(signIn);
    await waits;
    seen.push(await signIn.principal());
    await signIn.signOut();
    assert.equal(await signIn.principal(), undefined);
  }
  assert.ok(seen[0] !== undefined && seen[1] !== undefined && seen[0] !== seen[1]);
});

test("Fault 375: a server that has taken a token once, and refuses it a moment later, has somebody asked, however slow the store is", async () => {
  const { tab, shown, answer } = scene();
  const { signIn, hands } = tab();
  const asked = signIn.refused(refusal(401, undefined));
  await until(() => shown.length === 1);
  await answer(signIn);
  await asked;
  const token = (await signIn.headers("POST", SERVER))!.token;
  const set = hands.store.set.bind(hands.store);
  let stored = (): void => {};
  hands.store.set = async (key, version, value) => {
    if (key === grantKey(KEY)) await new Promise<void>((resolve) => (stored = resolve));
    return set(key, version, value);
  };
  const passed = signIn.passed(token);
  void signIn.refused(refusal(401, token), { ...NO_TRIALS, refreshes: 1 }).catch(() => {});
  await until(() => shown.length === 2);
  stored();
  await passed;
});

test("Fault 538: where the endpoint that refreshes is gone, or the server has another authorization server by now, a person is asked", async () => {
  const other = "https://other.example";
  for (const [name, moved, reply] of [
    ["no such endpoint", `${ISSUER}/oauth2/token`, () => nothing(404)],
    ["another authorization server, and the former is gone", `${other}/token`, hidden],
    ["another authorization server, and the former does not answer", `${other}/token`, () => new Promise<never>(() => {})],
    ["it is away, and is the same", `${ISSUER}/token`, hidden],
  ] as const) {
    let isGone = false;
    const issuer = new URL(moved).origin;
    const metadata = () => json(isGone ? { ...METADATA, issuer, token_endpoint: moved } : METADATA);
    const { tab, shown, answer, forms } = scene({}, {
      [PRM_PATH]: () => json({ ...RESOURCE, authorization_servers: [isGone ? issuer : ISSUER] }),
      [AS_METADATA]: metadata,
      [`GET ${other}/.well-known/oauth-authorization-server`]: metadata,
      [`POST ${moved}`]: () => json({ access_token: "new", token_type: "Bearer" }),
      [`POST ${ISSUER}/token`]: ({ form }) => {
        if (isGone) return reply();
        forms.push(form);
        return json({ access_token: "at1", token_type: "Bearer", expires_in: 3600, refresh_token: "rt1" });
      },
    });
    const { signIn, hands } = tab();
    const first = signIn.signIn();
    await until(() => shown.length === 1);
    await answer(signIn);
    await first;
    await signIn.passed("at1");
    isGone = true;
    hands.pass(3_600_000);
    if (moved === `${ISSUER}/token`) {
      assert.equal((await failureOf(signIn.headers("POST", SERVER))).fields.retryable, true, name);
      continue;
    }
    let shows: unknown = "not yet";
    void signIn.headers("POST", SERVER).then((is) => (shows = is));
    await until(() => (hands.pass(1_000), shows !== "not yet"));
    assert.equal(shows, undefined, name);
    const waits = signIn.refused(refusal(401, undefined), NO_TRIALS);
    await until(() => (hands.pass(1_000), shown.length === 2));
    await answer(signIn, { iss: issuer });
    await waits;
    assert.equal((await signIn.headers("POST", SERVER))!.token, "new", name);
  }
});

test("Fault 539: an authorization server that gives the token that it gave before, with more scopes, has signed somebody in", async () => {
  const more = 'Bearer error="insufficient_scope", scope="admin"';
  for (const when of ["while it waits", "and a request has passed before this tab hears of it", "after the window was closed here"]) {
    const { tab, shown, answer } = scene({}, { [`POST ${ISSUER}/token`]: () => json({ access_token: "same", token_type: "Bearer" }) });
    const [{ signIn }, { signIn: other }] = [tab(), tab()];
    const first = signIn.signIn();
    await until(() => shown.length === 1);
    await answer(signIn);
    await first;
    await signIn.passed("same");
    const refused = { ...refusal(403, "same", more), cameBy: (await signIn.headers("POST", SERVER))!.cameBy };
    const waits = signIn.refused(refused, NO_TRIALS);
    await until(() => shown.length === 2);
    // News of no sign-in is none.
    await signIn.reread();
    assert.equal(signIn.state, "step-up");
    if (when.endsWith("closed here")) {
      shown[1]!.close();
      await failureOf(waits);
      const again = other.refused(refused, NO_TRIALS);
      await until(() => shown.length === 3);
      await answer(other);
      await again;
    } else {
      // In the page in the window.
      await other.finish({ state: shown[1]!.record.state, code: "code", iss: ISSUER });
      if (when.startsWith("and")) await other.passed("same");
      await signIn.reread();
      shown[1]!.close();
      assert.equal((await waits)!.stepUps, 1, when);
    }
    assert.deepEqual([signIn.state, signIn.failure], ["signed-in", undefined], when);
  }
});
