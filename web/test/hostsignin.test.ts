// Which page a worker asks for a sign-in: pages are played, and say what the test has them say.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { AddressToShow } from "../src/auth/askedpages.js";
import { GONE } from "../src/host/worker/askpage.js";
import { HostSignIn, type SignInPage } from "../src/host/worker/hostsignin.js";
import { PortSignIn } from "../src/host/worker/portsignins.js";
import { checked, FROM_HOST, type HostMessage, type PageMessage } from "../src/host/wire/protocol.js";
import { RemoteSignIn } from "../src/host/page/remotesignin.js";
import { HoldfastError } from "../src/base/errors.js";
import { tasks } from "./ready.js";
import { withGlobal } from "./storeshim.js";

// A channel of Node's would keep the test from ending.
delete (globalThis as { BroadcastChannel?: unknown }).BroadcastChannel;

const ADDRESS = "https://as.example/authorize";
let servers = 0;

/** A page of the worker's. */
class PlayedPage implements SignInPage {
  isHere = true;
  isReturning = false;
  told = 0;
  readonly asked: string[] = [];
  #leave: (() => void)[] = [];
  #closed = (): void => {};

  /** `blocks`: its browser opens no window. */
  constructor(readonly isSeen: boolean, readonly isInFlow = false, readonly blocks = false) {}

  ask(asked: string): Promise<unknown> {
    this.asked.push(asked);
    if (asked === "signIn") return Promise.resolve(!this.blocks);
    return new Promise((resolve, reject) => {
      this.#closed = () => resolve(true);
      this.#leave.push(() => reject(GONE));
    });
  }

  tell(): void {
    this.told++;
  }

  /** Nobody is in its window any more. */
  close(): void {
    this.#closed();
  }

  /** It goes: for good, or to the back/forward cache. */
  goes(): void {
    this.isHere = false;
    for (const leave of this.#leave.splice(0)) leave();
  }
}

const nothing = {
  itself: {}, name: "", isAlone: false, isBack: false, take: () => undefined, close() {},
  leave: () => Promise.resolve(),
};

async function rig(...pages: PlayedPage[]): Promise<HostSignIn> {
  const signIn = HostSignIn.of(
    { options: { redirectUrl: "https://app.example/" }, how: "popup", storage: "memory", client: "" },
    `https://mcp${++servers}.example/mcp`, "", ""
  );
  for (const page of pages) await signIn.join(page, nothing);
  return signIn;
}

function wanted(leaves = false): AddressToShow {
  return { address: ADDRESS, window: "holdfast-1", leaves, marks: "" };
}

/** Has a page show it. */
async function shownIn(signIn: HostSignIn, leaves: boolean): Promise<{ closed: Promise<void | "lost"> }> {
  const shown = await signIn.show(wanted(leaves));
  if (shown === false || shown === "logged out") throw new Error("no page shows it");
  return shown;
}

test("Fault 312: the page is asked that somebody looks at; a hidden one, and the window of a flow, are not", async () => {
  const [first, hidden, flow] = [new PlayedPage(true), new PlayedPage(false), new PlayedPage(true, true)];
  const signIn = await rig(first, hidden, flow);
  await signIn.show(wanted());
  assert.deepEqual([first.asked, hidden.asked, flow.asked], [["signIn", "signInWindow"], [], []]);
});

test("Fault 312: while nobody looks at any page the address waits, and no page is asked", async () => {
  const hidden = new PlayedPage(false);
  const signIn = await rig(hidden);
  const shown = signIn.show(wanted());
  await tasks(5);
  assert.deepEqual(hidden.asked, []);
  const seen = new PlayedPage(true, false, true);
  await signIn.join(seen, nothing);
  signIn.arrived();
  assert.equal(await shown, false, "its browser opens no window: the app shows the address");
  assert.deepEqual([hidden.asked, seen.asked], [[], ["signIn"]]);
});

test("Fault 312: a page whose answer is still being taken is asked for nothing", async () => {
  const page = new PlayedPage(true);
  page.isReturning = true;
  const signIn = await rig(page);
  const shown = signIn.show(wanted());
  await tasks(5);
  assert.deepEqual(page.asked, []);
  page.isReturning = false;
  signIn.arrived();
  await shown;
  assert.deepEqual(page.asked, ["signIn", "signInWindow"]);
});

test("Fault 312: the window of a page that has gone is for another page to show; a page that has left for the authorization server is not followed", async () => {
  for (const leaves of [false, true]) {
    const [other, newest] = [new PlayedPage(true), new PlayedPage(true)];
    const signIn = await rig(other, newest);
    const { closed } = await shownIn(signIn, leaves);
    let ended: unknown = "no";
    void closed.then((how) => (ended = how));
    newest.goes();
    signIn.leave(newest);
    await tasks(5);
    assert.equal(ended, leaves ? "no" : "lost", `leaves: ${leaves}`);
    if (!leaves) continue;
    signIn.arrived(); // somebody looks at a page again
    await tasks(5);
    assert.equal(ended, "lost");
  }
});

test("Fault 312: a page that comes back from the cache still watches its window; where it had left itself, nothing was decided", async () => {
  for (const leaves of [false, true]) {
    const page = new PlayedPage(true);
    const signIn = await rig(page);
    const { closed } = await shownIn(signIn, leaves);
    let ended: unknown = "no";
    void closed.then((how) => (ended = how));
    page.goes();
    await tasks(5);
    page.isHere = true;
    signIn.arrived();
    await tasks(5);
    assert.equal(ended, leaves ? undefined : "no", `leaves: ${leaves}`);
    page.close();
    await tasks(5);
    assert.equal(ended, undefined);
    assert.deepEqual(
      page.asked, leaves ? ["signIn", "signInWindow"] : ["signIn", "signInWindow", "signInWindow"],
    );
  }
});

test("Fault 312: where somebody has clicked, that page is asked, though a newer one is there", async () => {
  const [clicked, newest] = [new PlayedPage(true), new PlayedPage(true)];
  const signIn = await rig(clicked, newest);
  void signIn.signIn(clicked).catch(() => {});
  await signIn.show(wanted());
  assert.ok(clicked.asked.includes("signIn"));
  assert.deepEqual(newest.asked, []);
});

test("Fault 598: a page hears of its worker why the token cannot be refreshed, once, and that it can be again", async () => {
  const page = { location: { href: "https://app.example/" }, history: {}, name: "" };
  Object.defineProperty(globalThis, "document", {
    value: { addEventListener: () => {} }, configurable: true,
  });
  Object.defineProperty(globalThis, "window", { value: page, configurable: true });
  const crossing = {
    options: { redirectUrl: "https://app.example/" }, how: "popup", storage: "memory", client: "",
  } as const;
  const told: (string | undefined)[] = [];
  let remote!: RemoteSignIn;
  const auth = {
    crossing: () => crossing, heard: () => told.push(remote.refreshFailure?.code),
    authorize: () => undefined as never,
  };
  remote = RemoteSignIn.of(auth, `https://mcp${++servers}.example/mcp`, "", "", () => new Promise(() => {}));
  const said: HostMessage[] = [];
  const opening: Extract<PageMessage, { t: "auth" }> = {
    t: "auth", client: 2, url: remote.url, principal: "", how: crossing, file: "", window: "", seen: true,
    back: false,
  };
  const port = new PortSignIn(
    {
      isHere: true, question: () => new Promise(() => {}),
      send: (message) => void said.push(structuredClone(message)),
    },
    opening, new Set(),
  );
  await port.ready;
  const hears = async (refreshFailure: HoldfastError | undefined): Promise<void> => {
    Object.defineProperty((await port.signIn.shared).auth, "refreshFailure", {
      value: refreshFailure, configurable: true,
    });
    port.tell();
    await tasks(1);
    remote.receive(checked<HostMessage>(FROM_HOST, said.at(-1))!);
  };
  const failure = new HoldfastError({
    code: "cors_blocked", op: "auth/refresh", message: "it is there", hint: "allow this page",
    retryable: true,
  });
  for (const each of [undefined, failure, failure, undefined]) await hears(each);
  assert.deepEqual(told, ["cors_blocked", undefined]);
  await hears(failure);
  const { code, op, hint, retryable } = remote.refreshFailure!;
  assert.deepEqual({ code, op, hint, retryable }, {
    code: "cors_blocked", op: "auth/refresh", hint: "allow this page", retryable: true,
  });
});

test("Fault 719: a page that goes as it is asked to leave counts as one that has left", async () => {
  for (const leaves of [true, false]) {
    const [other, newest] = [new PlayedPage(true), new PlayedPage(true)];
    const signIn = await rig(other, newest);
    newest.ask = () => {
      newest.isHere = false;
      return Promise.reject(GONE);
    };
    const shown = await shownIn(signIn, leaves);
    // The sign-in counts it, and asks anew.
    if (leaves) assert.equal(await shown.closed, "lost");
    assert.deepEqual(other.asked, leaves ? [] : ["signIn", "signInWindow"]);
  }
});

test("Fault 748: the page that a worker asks reads the marks right before it opens a window or leaves, and does neither where somebody has logged out", async () => {
  const went: string[] = [];
  const opened = { closed: true, opener: null, location: { replace: (to: string) => void went.push(to) } };
  const location = {
    href: "https://app.example/", origin: "https://app.example", assign: (to: string) => void went.push(to),
  };
  const page = {
    location, name: "", history: {}, open: () => opened, addEventListener() {}, removeEventListener() {},
  };
  const local = { getItem: (name: string) => (name === "holdfast.wiped" ? mark : null) };
  let mark: string | null = null;
  const crossing = {
    options: { redirectUrl: "https://app.example/" }, how: "popup", storage: "memory", client: "",
  } as const;
  const auth = { crossing: () => crossing, heard() {}, authorize: () => undefined as never };
  const replies: PageMessage[] = [];
  const link = {
    isOver: false, number: () => 1, add() {}, send: (message: PageMessage) => void replies.push(message),
  };
  await withGlobal("document", {
    value: { addEventListener() {} },
  }, () => withGlobal("window", { value: page }, () =>
    withGlobal("localStorage", { value: local }, async () => {
    const remote = RemoteSignIn.of(
      auth, `https://mcp${++servers}.example/mcp`, "", "", () => new Promise(() => {})
    );
    remote.at(link as never);
    replies.length = 0;
    for (const leaves of [false, true]) {
      for (mark of [null, "of a wipe"]) {
        remote.receive({
          t: "question", client: 1, question: 1, asked: "signIn", request: wanted(leaves), server: "",
          draft: "",
        });
        await tasks(5);
      }
    }
  })));
  assert.deepEqual(
    replies.map((one) => "value" in one && one.value), [true, "logged out", true, "logged out"],
  );
  assert.deepEqual(went, [ADDRESS, ADDRESS]);
});
