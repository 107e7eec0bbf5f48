// What waits for a page whose user has changed: nothing of the last user's goes there, and all else does.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { CallControl } from "../src/client/call.js";
import type { RawEvent } from "../src/client/events.js";
import { Addressees } from "../src/host/worker/addressees.js";
import { GONE } from "../src/host/worker/askpage.js";
import { BUILD } from "../src/base/build.js";
import { Credits } from "../src/host/wire/credits.js";
import { type ErrorData, errorData } from "../src/host/wire/errordata.js";
import { EventBatch } from "../src/host/wire/eventbatch.js";
import { PortCall } from "../src/host/worker/portcall.js";
import { PortOutbox } from "../src/host/worker/portoutbox.js";
import { PortSession } from "../src/host/worker/portsession.js";
import type { PortView } from "../src/host/worker/portview.js";
import type { HostMessage, PageMessage } from "../src/host/wire/protocol.js";
import { WaitingMessages } from "../src/host/worker/waitingmessages.js";
import { takenBack } from "../src/host/worker/takenback.js";
import { Backlog } from "../src/base/backlog.js";
import { EVENT, OUTCOME } from "../src/base/border.js";
import { HoldfastError } from "../src/base/errors.js";
import { settled } from "./agentworker.js";
import { ready } from "./ready.js";

const WHY = "the token provider gave a token of another user";
const closed = (op: string): ErrorData => errorData(new HoldfastError({ code: "closed", op, message: WHY }));

/**
 * Two clients of a page's, each with a call of the page's, one of the host's and two asks: all of client 2's
 * numbers are below those of client 102.
 */
function twoClients(): Addressees {
  const of = new Addressees();
  for (const client of [2, 102]) {
    of.heard({
      t: "make", client, call: client + 2, op: "callTool", method: "callTool", args: "[]", options: {},
    });
    of.sends({
      t: "call", client, call: client + 1, method: "tools/call", manual: false, params: "{}", made: {},
      kept: true,
    });
    of.heard({ t: "ask", client, ask: client + 4, op: "listTools", method: "listTools", args: [] });
    of.heard({ t: "reread", ask: client + 6, call: client + 1, read: client + 8, events: 1, from: 0, to: 1 });
  }
  return of;
}

function events(...calls: number[]): HostMessage {
  const batch = new EventBatch();
  for (const call of calls) batch.add(call, 1, 1, `{"of":${call}}`, 0);
  return { t: "events", ...batch.take() };
}

const at = (n: number): HostMessage[] => [
  { t: "settle", call: n + 2, outcome: OUTCOME.result, text: "{}" },
  { t: "answered", ask: n + 4, value: [] },
  { t: "answered", ask: n + 6, value: { heads: new Uint32Array(0), texts: [], done: true } },
  { t: "from", call: n + 1, position: 4 },
  {
    t: "skipped", call: n + 1, events: 1, from: 1, to: 2, position: 2, guarantee: "resumable",
    followed: false,
  },
  { t: "replayed", call: n + 1, position: 4, events: new Uint8Array(1) },
  { t: "peeked", call: n + 1, outcome: 0, text: "{}" },
  {
    t: "call", client: n, call: n + 1, method: "tools/call", manual: false, params: "{}", made: {},
    kept: true,
  },
  { t: "session", client: n, session: n + 11, made: {} },
  { t: "assigned", client: n, session: n + 11, number: 1 },
  { t: "emit", client: n, event: "notification", value: {}, call: 0 },
  { t: "emit", client: n, event: "restored", value: {}, call: n + 1 },
  { t: "question", client: n, question: 1, asked: "elicitation", request: {}, server: "s", draft: "" },
];

test("Fault 467: of what waits for a page whose user has changed nothing is of the last one", () => {
  const of = twoClients();
  const left = at(2).map((message) => takenBack([message, []], 2, of)?.[0]);
  assert.deepEqual(
    left,
    [
      { t: "fail", call: 4, error: closed("callTool") },
      { t: "answered", ask: 6, error: closed("listTools") },
      { t: "answered", ask: 8, error: closed("reread") }, ...Array.from({ length: 10 }, () => undefined)
    ],
  );
  for (const message of at(102))
    assert.equal(takenBack([message, []], 2, of)?.[0], message, "another client's");
});

test("Fault 467: what says how the client stands, and asks who the user is, still goes there", () => {
  const of = twoClients();
  const stay: HostMessage[] = [
    { t: "emit", client: 2, event: "state", value: { state: "reconnecting" }, call: 0 },
    { t: "question", client: 2, question: 1, asked: "token", request: {}, server: "s", draft: "" },
    { t: "opened", client: 2 },
    { t: "ended", client: 2, again: true },
    { t: "forgotten", call: 3 },
    { t: "answered", ask: 6 }, // that a client is closed, or an event acknowledged
    { t: "withdrawn", question: 1 },
  ];
  for (const message of stay) assert.deepEqual(takenBack([message, []], 2, of)?.[0], message);
  const facts: HostMessage = {
    t: "facts", client: 2,
    facts: { state: "open", server: { name: "of ada" }, stored: { url: "u", stores: [] } },
  };
  assert.deepEqual(takenBack([facts, []], 2, of)?.[0], {
    t: "facts", client: 2, facts: { state: "open", stored: { url: "u", stores: [] } },
  });
});

test("Fault 467: of events that wait together, those of other clients stay", () => {
  const of = twoClients();
  // 2: what an agent says outside of all sessions
  assert.deepEqual(takenBack([events(3, 103, 2, 104), []], 2, of)?.[0], events(103, 104));
  assert.equal(takenBack([events(3, 4), []], 2, of), undefined);
});

test("Fault 467: what is being read of calls of the last user does not go there later either, nor events that are on their way", () => {
  const sent: HostMessage[] = [];
  const port = { postMessage: (message: HostMessage) => void sent.push(message) } as unknown as MessagePort;
  const outbox = new PortOutbox(port, { isHere: true, sentEvents: () => {}, full: () => {} }, new Credits());
  const reads = (call: number, ask: number): PageMessage => ({
    t: "reread", ask, call, read: 2, events: 1, from: 0, to: 1,
  });
  outbox.addressees.sends({
    t: "call", client: 2, call: 3, method: "tools/call", manual: false, params: "{}", made: {}, kept: true,
  });
  outbox.addressees.sends({
    t: "call", client: 102, call: 103, method: "tools/call", manual: false, params: "{}", made: {},
    kept: true,
  });
  for (const [call, ask] of [[3, 4], [103, 104]] as const) outbox.addressees.heard(reads(call, ask));
  // it waits for the new user's token
  outbox.addressees.heard({
    t: "ask", client: 2, ask: 6, op: "readResource", method: "readResource", args: [],
  });
  for (const call of [3, 103]) outbox.event(call, 1, 1, `{"of":${call}}`, 0);
  outbox.takeBack(2);
  for (const ask of [4, 6, 104]) outbox.send({ t: "answered", ask, value: "data" });
  const said = sent.map(({ size: _, ...message }) => message);
  assert.deepEqual(
    said,
    [
      events(103), { t: "answered", ask: 4, error: closed("reread") },
      { t: "answered", ask: 6, value: "data" }, { t: "answered", ask: 104, value: "data" },
    ],
  );
  outbox.clear();
});

test("Fault 467: what is being read of the store is of the user who has asked", () => {
  const of = new Addressees();
  for (const [n, method] of (["stored", "recorded", "listTools"] as const).entries())
    for (const client of [2, 102])
      of.heard({ t: "ask", client, ask: client + 10 + n, op: method, method, args: [] });
  of.takeBack(2);
  assert.deepEqual([12, 13, 14, 112, 113, 114].filter((ask) => of.isTakenBack(ask)), [12, 13]);
});

test("of a page's numbers nothing is known any more once it has what they stand for", () => {
  const of = twoClients();
  assert.deepEqual(of.ofCall(4), { client: 2, op: "callTool" });
  for (const message of [{ t: "forgotten", call: 4 }, { t: "answered", ask: 6 }] as HostMessage[])
    of.sent(message);
  assert.deepEqual([of.ofCall(4).client, of.ofAsk(6)], [4, undefined]);
});

/** A page that has said hello, by hand. */
async function page(): Promise<{ session: PortSession; heard: HostMessage[]; say(message: PageMessage): void }> {
  Object.defineProperty(globalThis, "navigator", {
    value: { locks: { request: () => new Promise(() => {}) } }, configurable: true,
  });
  const heard: HostMessage[] = [];
  const port = {
    onmessage: (_: object) => {}, start: () => {}, close: () => {},
    postMessage: (message: HostMessage) => void heard.push(message),
  };
  const session = new PortSession(port as unknown as MessagePort);
  const say = (message: PageMessage): void => port.onmessage({ data: message });
  say({ t: "hello", build: BUILD, lock: "page", outlives: true });
  await settled();
  return { session, heard, say };
}

const VIEW = { number: 2, peers: [], shown: () => [] } as unknown as PortView;

/** A call of its client 2 that the host has. */
function known(session: PortSession, manual = false): PortCall<unknown> {
  let call!: PortCall<unknown>;
  const made = ["tools/call", new Backlog(10), manual, "{}", {}] as never;
  session.known(
    VIEW, (id) => (call = new PortCall<unknown>(id, session, made, { outlives: false, keepsEvents: true })),
    made,
  );
  return call;
}

test("Fault 467: where the user of a page has changed, what the last one is asked is asked elsewhere, and a call that the page has under a number of its own ends", async () => {
  const { session, heard, say } = await page();
  const call = known(session);
  session.making(4, VIEW, () => call); // the page has made it under the same key
  const ends: unknown[] = [];
  for (const client of [2, 6])
    for (const asked of ["token", "elicitation"] as const)
      session.question(client, asked, {}, { server: "s" }).catch(
        (error: unknown) => ends.push([client, asked, error])
      );
  heard.length = 0;
  session.takeBack(2);
  await settled();
  assert.deepEqual(ends, [[2, "elicitation", GONE]]);
  assert.deepEqual(
    heard.map(
      (message) => (message.t === "fail" ? [message.call, message.error.code] : message.t),
    ).slice(0, 3),
    ["withdrawn", [3, "closed"], [4, "closed"]],
  );
  say({ t: "bye" });
});

test("Fault 467: what comes of a call after its user has changed is nothing but its end, whatever its reader has missed, or reads again", async () => {
  const { session, say, heard } = await page();
  const call = known(session, true);
  let goOn!: () => void;
  const gate = new Promise<void>((resolve) => (goOn = resolve));
  const stored = async function* (): AsyncGenerator<RawEvent> {
    await gate;
    for (;;) yield { kind: EVENT.progress, position: 1, text: `"of ada"` };
  };
  call.bind(0, { reread: stored, pause: () => {} } as unknown as CallControl, undefined, true);
  const reread = (ask: number): void => say({
    t: "reread", ask, call: call.number, read: 20, events: 900, from: 0, to: 900,
  });
  heard.length = 0;
  reread(22);
  call.hold(true); // its reader is slow
  call.deliver(EVENT.input, 4, `{"of":"ada"}`);
  session.takeBack(2);
  call.deliver(EVENT.progress, 5, `{"of":"ada"}`);
  call.replayed(5, new Uint8Array(4));
  call.from(6);
  call.peeked(0, `{"of":"ada"}`);
  call.settle(OUTCOME.result, `{"of":"ada"}`);
  reread(24);
  goOn();
  await settled();
  const said = heard.filter(({ t }) => t !== "forgotten").map(
    (message) => (
      message.t === "answered"
        ? [message.ask, message.error?.code ?? message.value]
        : message.t === "fail" ? [message.call, message.error.code] : message
    ),
  );
  assert.deepEqual(said, [[call.number, "closed"], [24, { done: true }], [22, "closed"]]);
  say({ t: "bye" });
});

test("Fault 467: what the page has had of the last user is acknowledged for that one, or not at all", async () => {
  const { session, say, heard } = await page();
  const call = known(session);
  const acked: number[] = [];
  call.bind(
    0,
    {
      ack: async (_: number, position: number) => void acked.push(position), pause: () => {},
    } as unknown as CallControl,
    undefined, true,
  );
  call.settle(OUTCOME.result, "{}");
  session.takeBack(2);
  heard.length = 0;
  say({ t: "ack", ask: 20, call: call.number, position: 4 });
  for (let n = 0; n < 3; n++) await ready(); // the client has it no more
  say({ t: "ack", ask: 22, call: call.number, position: 5 });
  say({ t: "ack", ask: 24, call: 999, position: 5 });
  await settled();
  assert.deepEqual(acked, [4]);
  assert.deepEqual(
    heard.map((message) => (message.t === "answered" ? [message.ask, message.error?.code] : message.t)),
    [[20, undefined], "forgotten", [22, "closed"], [24, undefined]],
  );
  say({ t: "bye" });
});

test("Fault 467: whose an event is that waits is known after its session is over", () => {
  const sent: HostMessage[] = [];
  let isHere = false;
  const use = { get isHere() { return isHere; }, sentEvents: () => {}, full: () => {} };
  const outbox = new PortOutbox(
    { postMessage: (message: HostMessage) => void sent.push(message) } as unknown as MessagePort, use,
    new Credits(),
  );
  outbox.send({ t: "session", client: 2, session: 5, made: {} });
  outbox.event(5, EVENT.item, 1, `{"of":"ada"}`, 0);
  outbox.letGo(5);
  outbox.takeBack(2);
  isHere = true;
  outbox.goOn();
  assert.deepEqual([sent, outbox.addressees.ofCall(5).client], [[], 5]);
  outbox.clear();
});

test("Fault 467: what is left out for a page that takes nothing leaves nothing to remember", () => {
  const outbox = new PortOutbox(
    { postMessage: () => {} } as unknown as MessagePort,
    { isHere: false, sentEvents: () => {}, full: () => outbox.lessen(() => false, () => false) },
    new Credits(),
  );
  outbox.send({
    t: "call", client: 2, call: 3, method: "tools/call", manual: false, params: "{}", made: {}, kept: true,
  });
  outbox.send({ t: "forgotten", call: 3 });
  for (let n = 0; n < 10_000; n++) outbox.send({ t: "forgotten", call: 100_001 });
  assert.equal(outbox.addressees.ofCall(3).client, 3);
});

test("Fault 368: what waits goes on in its order, also where that is too much once more: a call is not forgotten before its outcome", () => {
  const sent: HostMessage[] = [];
  let isHere = false;
  const use = {
    get isHere() { return isHere; }, sentEvents: () => {},
    full: () => outbox.send({ t: "forgotten", call: 3 }),
  };
  const outbox = new PortOutbox(
    { postMessage: (message: HostMessage) => void sent.push(message) } as unknown as MessagePort, use,
    new Credits(500),
  );
  use.full = () => {};
  for (let n = 0; n < 10_500; n++) outbox.send({ t: "withdrawn", question: n });
  outbox.send({ t: "settle", call: 3, outcome: OUTCOME.result, text: "{}" });
  use.full = () => outbox.send({ t: "forgotten", call: 3 });
  isHere = true;
  outbox.goOn();
  for (let n = 0; n < 10_000; n++) if (outbox.taken(10_000)) outbox.goOn();
  const at = sent.findIndex(({ t }) => t === "settle");
  assert.ok(at > 0 && !sent.slice(0, at).some(({ t }) => t === "forgotten"));
});

test("Fault 548: a client that is closed, or a page that goes, in the middle of reading leaves no reader in the worker", async () => {
  for (const end of ["the client is closed", "the page goes"]) {
    const { session, say } = await page();
    const call = known(session);
    let ended = 0;
    const stored = async function* (): AsyncGenerator<RawEvent> {
      try {
        for (let n = 1; ; n++) yield { kind: EVENT.progress, position: n, text: `"x"` };
      } finally {
        ended++;
      }
    };
    call.bind(0, { reread: stored, pause: () => {} } as unknown as CallControl, undefined, true);
    say({ t: "reread", ask: 22, call: call.number, read: 20, events: 9_000, from: 1, to: 9_000 });
    await settled();
    assert.equal(ended, 0);
    if (end === "the page goes") say({ t: "bye" });
    else session.closed(2);
    await settled();
    assert.equal(ended, 1, end);
    if (end !== "the page goes") say({ t: "bye" });
  }
});

test("Fault 601: a page that was frozen while its user changed hears that, however its client stands by then", () => {
  const waiting = new WaitingMessages();
  for (
    const value of [
      { state: "open" }, { state: "reconnecting", anotherUser: true }, { state: "open" },
      { state: "offline" }, { state: "open" },
    ]
  )
    waiting.add({ t: "emit", client: 2, event: "state", value, call: 0 }, []);
  waiting.lessen(() => false, () => false);
  const left = waiting.take().map(([message]) => (message as Extract<HostMessage, { t: "emit" }>).value);
  assert.deepEqual(left, [{ state: "reconnecting", anotherUser: true }, { state: "open" }]);
});
