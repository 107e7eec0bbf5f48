import assert from "node:assert/strict";
import { test } from "node:test";
import {
  authNews, type AuthChannel, manualInteraction, type OpenedWindow, type Page, popupInteraction,
  redirectInteraction, takeAnswer,
} from "../src/auth/browser.js";
import { AuthFailure } from "../src/auth/failure.js";
import type { FlowRecord } from "../src/auth/flow.js";
import { rig } from "./authrig.js";

function fakePage(href: string, opens = true) {
  const log: string[] = [];
  const opened = {
    opener: "this page" as unknown, closed: false, close: () => {},
    location: {
      replace: (url: string) => void log.push(`${opened.opener === null ? "cut off, " : ""}replace ${url}`),
    },
  };
  const listeners = new Set<(event: { persisted: boolean }) => void>();
  const page: Page = {
    location: { href, origin: new URL(href).origin, assign: (url) => void log.push(`assign ${url}`) },
    history: { replaceState: (_, __, url) => void log.push(`replaceState ${url}`) },
    name: "",
    open(url, target) {
      log.push(`open ${url} ${target}`);
      return opens ? (opened satisfies OpenedWindow) : null;
    },
    close: () => void log.push("close"),
    addEventListener: (_, listener) => void listeners.add(listener),
    removeEventListener: (_, listener) => void listeners.delete(listener),
  };
  return { page, log, opened, listeners };
}

const record = { window: "holdfast-abc" } as FlowRecord;

test("a window is opened empty, cut off, and then led away; its end is seen, some time later", async () => {
  const { page, log, opened } = fakePage("https://app.example/");
  const hands = rig({});
  const shown = popupInteraction(page, hands).show("https://as.example/authorize", record, false);
  assert.deepEqual(log, ["open about:blank holdfast-abc", "cut off, replace https://as.example/authorize"]);
  assert.ok(shown.kind === "waiting");
  let closed = false;
  if (shown.kind === "waiting") void shown.closed.then(() => (closed = true));
  const pass = async (ms: number): Promise<boolean> => {
    hands.pass(ms);
    await Promise.resolve();
    await Promise.resolve();
    return closed;
  };
  assert.ok(!(await pass(500)));
  opened.closed = true;
  assert.ok(!(await pass(500)));
  assert.ok(!(await pass(2_999)));
  assert.ok(await pass(1));
});

test("a window that COOP hides is not taken for closed before its page has the focus again", async () => {
  const { page, opened } = fakePage("https://app.example/");
  const hands = rig({});
  let focus = false;
  const shown = popupInteraction(
    { ...page, document: { hasFocus: () => focus } }, hands,
  ).show("https://as.example/authorize", record, false);
  let closed = false;
  if (shown.kind === "waiting") void shown.closed.then(() => (closed = true));
  opened.closed = true;
  for (let n = 0; n < 100; n++) hands.pass(500);
  await Promise.resolve();
  assert.ok(!closed);
  focus = true;
  hands.pass(500);
  hands.pass(3_000);
  await Promise.resolve();
  assert.ok(closed);
});

test("a window that the browser does not open is blocked", () => {
  const { page } = fakePage("https://app.example/", false);
  assert.equal(popupInteraction(page, rig({})).show("https://as.example/", record, true).kind, "blocked");
});

test("where the app says when, nothing opens before it does", () => {
  const { page, log } = fakePage("https://app.example/");
  const manual = manualInteraction(page, rig({}));
  assert.equal(manual.show("https://as.example/authorize", record, false).kind, "blocked");
  assert.deepEqual(log, []);
  assert.equal(manual.show("https://as.example/authorize", record, true).kind, "waiting");
  assert.deepEqual(log, ["open about:blank holdfast-abc", "cut off, replace https://as.example/authorize"]);
});

test("a page that leaves and is the old one when it is back gives up; a new one is no concern of this", async () => {
  const { page, log, listeners } = fakePage("https://app.example/");
  const shown = redirectInteraction(page).show("https://as.example/authorize", record, false);
  assert.deepEqual(log, ["assign https://as.example/authorize"]);
  for (const listener of [...listeners]) listener({ persisted: false });
  assert.equal(listeners.size, 1);
  for (const listener of [...listeners]) listener({ persisted: true });
  assert.equal(listeners.size, 0);
  if (shown.kind === "waiting") await shown.closed;
});

test("an answer is taken at its own address only, and out of the address bar", () => {
  const redirectUrl = "https://app.example/callback";
  for (const [href, want, log] of [
    [
      `${redirectUrl}?code=x&state=s&tab=2#part`, { state: "s", code: "x" },
      [`replaceState ${redirectUrl}?tab=2#part`],
    ],
    [`${redirectUrl}?tab=2`, undefined, []],
    ["https://app.example/other?code=x&state=s", undefined, []],
    ["https://app.example/callback/?code=x&state=s", undefined, []],
    ["https://app.example:8443/callback?code=x&state=s", undefined, []],
  ] as const) {
    const fake = fakePage(href);
    assert.deepEqual(takeAnswer(fake.page, redirectUrl), want, href);
    assert.deepEqual(fake.log, log, href);
  }
});

test("news is of this origin, and holds nothing but whose it is", () => {
  const sent: unknown[] = [];
  const channel: AuthChannel = {
    postMessage: (message) => void sent.push(message), onmessage: null, close: () => {},
  };
  const heard: string[] = [];
  const news = authNews(channel, "https://app.example", {
    stored: (signIn) => void heard.push(`stored ${signIn}`),
    failed: (window, failure) => void heard.push(
      `failed ${window} ${failure.message} ${failure.fields.code}`,
    ),
    answered: (window) => void heard.push(`answered ${window}`),
  });
  news.stored("abc");
  news.failed("holdfast-1", new AuthFailure("auth/token", { code: "cors_blocked", message: "kept out" }));
  news.answered("holdfast-2");
  assert.deepEqual(sent, [
    { kind: "stored", signIn: "abc" },
    {
      kind: "failed", window: "holdfast-1", leg: "auth/token",
      fields: { code: "cors_blocked", message: "kept out" },
    },
    { kind: "answered", window: "holdfast-2" },
  ]);
  for (const [data, origin] of [
    [sent[0], "https://app.example"],
    [sent[1], "https://app.example"],
    [sent[2], "https://app.example"],
    [sent[2], "https://evil.example"],
    [{ kind: "answered", window: 7 }, "https://app.example"],
    [sent[0], "https://evil.example"],
    [{ kind: "stored" }, "https://app.example"],
    [{ kind: "failed", window: "x" }, "https://app.example"],
    [{ kind: "other", url: "c" }, "https://app.example"],
    [null, "https://app.example"],
    ["stored", "https://app.example"],
  ] as const) {
    channel.onmessage!({ data, origin });
  }
  assert.deepEqual(
    heard, ["stored abc", "failed holdfast-1 auth/token: kept out cors_blocked", "answered holdfast-2"],
  );
});
