import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { mock, test } from "node:test";
import { askForToken, askPage, GONE, pageArrived } from "../src/host/worker/askpage.js";
import type { PortView } from "../src/host/worker/portview.js";

/** A view whose page's answers the test gives. */
class View {
  readonly questions: {
    resolve(token: unknown): void;
    reject(error: unknown): void;
    signal: AbortSignal
  }[] = [];
  readonly over = new AbortController().signal;
  readonly number = 2;
  readonly page: {
    presence: string;
    question(...all: [number, string, object, { signal: AbortSignal }]): Promise<unknown>
  };

  readonly stores: { user: string | undefined; token(): Promise<unknown>; changed(): boolean };

  constructor(readonly peers: View[], { user }: { user: string | undefined }, readonly hasToken = true) {
    this.stores = { user, token: async () => undefined, changed: () => false };
    peers.push(this);
    this.page = {
      presence: "here",
      question: (_, __, ___, { signal }) => new Promise(
        (resolve, reject) => this.questions.push({ resolve, reject, signal }),
      ),
    };
  }

  leaves(): void {}

  /** Asks for a token, as the core does. */
  token(): Promise<string> {
    return askForToken(this as unknown as PortView, "http://x/");
  }
}

const tokenOf = (sub: string): string => `h.${btoa(JSON.stringify({ sub }))}.s`;
const ada = JSON.stringify(["", "ada"]);

async function turns(): Promise<void> {
  for (let n = 0; n < 20; n++) await Promise.resolve();
}

test("Fault 200: a page of another user gives no token to a view whose page is away", async () => {
  const peers: View[] = [];
  const view = new View(peers, { user: ada });
  new View(peers, { user: ada }, false); // gives none: it is not asked
  const bob = new View(peers, { user: ada });
  view.page.presence = "away";
  let got = "";
  const token = view.token().then((given) => (got = given));
  await turns();
  bob.questions[0]!.resolve(tokenOf("bob"));
  await turns();
  assert.equal(got, "");
  const other = new View(peers, { user: ada });
  pageArrived();
  await turns();
  other.questions[0]!.resolve(tokenOf("ada"));
  assert.equal(await token, tokenOf("ada"));
  assert.deepEqual([peers[1]!.questions.length, bob.questions.length], [0, 1]);
});

test("Fault 205: a page that hangs holds up no token: another one is asked as well, and the first answer counts", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    const peers: View[] = [];
    const other = new View(peers, { user: undefined });
    const view = new View(peers, { user: undefined });
    const token = view.token();
    await turns();
    assert.deepEqual([view.questions.length, other.questions.length], [1, 0]);
    mock.timers.tick(1_000);
    assert.deepEqual([view.questions.length, other.questions.length], [1, 1]);
    other.questions[0]!.resolve("opaque");
    await turns();
    mock.timers.tick(1_000);
    assert.equal(await token, "opaque");
    assert.equal(view.questions[0]!.signal.aborted, true, "nobody waits for that any more");
    // One whose page goes is asked no more; what it throws is the answer.
    const next = view.token();
    await turns();
    view.page.presence = "gone";
    view.questions[1]!.reject(GONE);
    await turns();
    other.questions[1]!.reject(new RangeError("mine"));
    await assert.rejects(next, (error) => error instanceof RangeError);
  } finally {
    mock.timers.reset();
  }
});

test("Fault 254: a page that gives a token of another user waits for no other page: it gets nothing more of the last user", async () => {
  const peers: View[] = [];
  const other = new View(peers, { user: ada });
  Object.assign(other.stores, { token: () => new Promise(() => {}) }); // it hangs
  const view = new View(peers, { user: ada });
  let got = "";
  void view.token().then((given) => (got = given));
  await turns();
  view.questions[0]!.resolve(tokenOf("bob"));
  await turns();
  assert.equal(got, tokenOf("bob"));
});

test("Fault 210: a call that waits for a page, while others come and go, listens once for its end", async () => {
  const view = new View([], { user: ada });
  view.page.presence = "away";
  const over = new AbortController();
  const asked = askPage(view as unknown as PortView, "roots", {}, { server: "s", signal: over.signal });
  for (let n = 0; n < 100; n++) {
    pageArrived();
    await turns();
  }
  assert.equal(getEventListeners(over.signal, "abort").length, 1);
  over.abort();
  await assert.rejects(asked, () => true);
  assert.equal(getEventListeners(over.signal, "abort").length, 0);
});
