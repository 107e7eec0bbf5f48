// The option `record` in both hosts: what is recorded, by whom it can be read, and what becomes of it when it
// is forgotten.

import assert from "node:assert/strict";
import { register } from "node:module";
import { test } from "node:test";
import type { McpClient } from "../src/client/client.js";
import type { ConnectOptions } from "../src/client/options.js";
import { type RecorderFile } from "../src/connect/recording.js";
import { connect } from "../src/host/choose/hosts.js";
import { RemoteBackend } from "../src/host/page/remotebackend.js";
import { readFrames } from "../src/recorder/framering.js";
import { clearTrace, exportTrace } from "../src/recorder/recorderentry.js";
import { record, version } from "../src/recorder/hostrecorder.js";
import { HoldfastError } from "../src/base/errors.js";
import { serverKey, wipeAll } from "../src/storage/storage.js";
import { storesKeys } from "../src/storage/storeskeys.js";
import { FRAMES, forgetTraces, TRACES } from "../src/storage/traces.js";
import { forgetStored } from "../src/tabs/forget.js";
import { Origin } from "./bothhosts.js";
import { FakeLink } from "./hostrig.js";
import { ready, until } from "./ready.js";
import { Shim, withGlobal } from "./storeshim.js";

await storesKeys(); // tried once, and here without a database: the trial would keep Node from its end

const URL_ = "https://mcp.example/mcp?token=secret";
const HOSTS = ["page", "loop", "shared"] as const;

// holdfast-record.mjs as a page or a worker imports it: by an address. It counts how often it was asked.
let loads = 0;
Object.assign(globalThis, {
  recorderFile: {
    version, record: (...all: Parameters<RecorderFile["record"]>) => (loads++, record(...all)),
  } satisfies RecorderFile,
});
/** What is at addresses of the origin: a worker imports only what lies beside its own script. */
const FILES = {
  "holdfast-record.mjs": "data:text/javascript,export const { version, record } = globalThis.recorderFile;",
  "throws.mjs": "data:text/javascript,throw 0",
  "other.mjs": 'data:text/javascript,export const version = "0.0.1"',
};
register(`data:text/javascript,${encodeURIComponent(`
  const files = ${JSON.stringify(FILES)};
  export const resolve = (at, context, next) => (at.startsWith("https://app.test/") ? { url: files[at.split("/").at(-1)] ?? "file:///nowhere.mjs", shortCircuit: true } : next(at, context));
`)}`);

globalThis.fetch = async (_, init) => {
  const { id } = JSON.parse(String(init?.body)) as { id: number };
  return new Response(
    JSON.stringify({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text: "s3cret" }] } }),
    { headers: { "content-type": "application/json", "mcp-session-id": "s3cret-session" } },
  );
};

/** A page's client. */
const opened = (origin: Origin, more: ConnectOptions = {}): Promise<McpClient> => connect(URL_, {
  ...origin.options, principal: "ada", record: true, recorder: beside(origin, "holdfast-record.mjs"), ...more
});
const beside = (origin: Origin, file: string): URL => new URL(file, origin.options.worker);
/** The methods of the requests that a trace has, by the recording that wrote them. */
const requests = (trace: string): string[] =>
  trace
    .split("\n")
    .filter((line) => line.includes('"what":"request"'))
    .map((line) => (JSON.parse(line) as { body: { method: string } }).body.method);
/** The recordings that wrote a trace. */
const writers = (trace: string): number => new Set(
  trace.split("\n").filter(Boolean).map((line) => (JSON.parse(line) as { page: string }).page),
).size;
const bad = (word: string) => (error: unknown): boolean => (error as HoldfastError).code === "bad_argument" &&
  (error as HoldfastError).message.includes(word);

test("what a client asks for is recorded where its runtime is, from its first request on, and nothing of what was said", async () => {
  for (const host of HOSTS) {
    new Shim();
    const origin = new Origin(host);
    const mcp = await opened(origin);
    void mcp.callTool("pay", { card: "s3cret-card" });
    await until(() => origin.core.calls.length === 1);
    await ready();
    const trace = await exportTrace(mcp);
    assert.deepEqual(requests(trace), ["initialize", "tools/call"], host);
    assert.ok(!trace.includes("s3cret") && !trace.includes("pay"), trace);
    assert.equal(trace.split("\n").filter((line) => line.includes('"what":"end"')).length, 2);
    await clearTrace(mcp);
    assert.equal(await exportTrace(mcp), "");
    void mcp.callTool("pay", {});
    await until(async () => requests(await exportTrace(mcp)).length === 1); // it goes on
    await mcp.close();
  }
});

test("no file is loaded for an app that does not ask; one page that does has it recorded for all that share the connection, from then on", async () => {
  for (const host of HOSTS) {
    new Shim();
    loads = 0;
    const origin = new Origin(host);
    const first = await opened(origin, { record: false });
    void first.callTool("before", {});
    await until(() => origin.core.calls.length === 1);
    assert.deepEqual([loads, await exportTrace(first)], [0, ""]);
    const second = await opened(origin, { record: { most: 50 } });
    assert.equal(origin.clients.length, 1, "they share a connection");
    await until(async () => {
      void first.callTool("from then on", {});
      return requests(await exportTrace(second)).length > 1;
    });
    const trace = await exportTrace(first);
    assert.deepEqual(
      [requests(trace).every((method) => method === "tools/call"), writers(trace), loads], [true, 1, 1],
    );
    assert.equal(trace.split("\n")[0], (await exportTrace(second)).split("\n")[0]);
    assert.ok(trace.split("\n").length <= 51);
    await Promise.all([first.close(), second.close()]);
  }
});

test("Fault 456: what was forgotten of a user, by forget or by wipe, comes back by no recording that is under way, in both hosts", async () => {
  for (const host of HOSTS) {
    for (const forgets of [forgetStored, () => wipeAll(), forgetTraces]) {
      new Shim();
      const origin = new Origin(host);
      const server = await serverKey(URL_, "ada");
      const mcp = await opened(origin);
      void mcp.callTool("a", {});
      await until(() => origin.core.calls.length === 1);
      assert.ok((await exportTrace(mcp)) !== "");
      void mcp.callTool("under way", {});
      const gone = forgets(server);
      void mcp.callTool("under way as well", {});
      await gone;
      void mcp.callTool("after it", {});
      await until(() => origin.core.calls.length === 4);
      assert.equal(await exportTrace(mcp), "", host);
      assert.deepEqual(await readFrames(server), []);
      await mcp.close();
      const next = await opened(origin); // whoever logs in next records anew
      await until(async () => requests(await exportTrace(next)).length === 1);
      await next.close();
    }
  }
});

test("Fault 457: what was recorded of one user no page of another exports, with or without a client, in both hosts", async () => {
  for (const host of HOSTS) {
    new Shim();
    const origin = new Origin(host);
    const ada = await opened(origin);
    void ada.callTool("of ada", {});
    await until(async () => requests(await exportTrace(ada)).length === 2);
    const bob = await opened(origin, { principal: "bob", record: false });
    assert.equal(await exportTrace(bob), "");
    assert.equal(await exportTrace({ url: URL_, principal: "bob" }), "");
    assert.equal(await exportTrace({ url: URL_ }), "");
    assert.equal(await exportTrace({ url: "https://mcp.example/other", principal: "ada" }), "");
    assert.equal(await exportTrace({ url: URL_, token: "opaque" }), "");
    assert.equal(await exportTrace({ url: URL_, principal: "ada" }), await exportTrace(ada));
    await clearTrace({ url: URL_, principal: "bob" });
    assert.equal(requests(await exportTrace(ada)).length, 2);
    await Promise.all([ada.close(), bob.close()]);
  }
});

test("a worker that is killed, or a page that goes, leaves its ring to the next one", async () => {
  for (const host of HOSTS) {
    new Shim();
    const origin = new Origin(host);
    const mcp = await opened(origin);
    void mcp.callTool("a", {});
    await until(async () => requests(await exportTrace(mcp)).length === 2);
    const before = await exportTrace(mcp);
    if (host === "shared") {
      origin.kill();
      await until(() => origin.clients.length === 2);
    } else origin.reload();
    const next = await opened(origin);
    await until(async () => requests(await exportTrace(next)).length === 3);
    const trace = await exportTrace(next);
    assert.ok(trace.startsWith(before), host);
    assert.equal(writers(trace), 2);
    await Promise.all([mcp.close(), next.close()]);
  }
});

test("a recorder that is not served takes nothing from the client; who wants to read it hears which file, and which option", async () => {
  for (const host of HOSTS) {
    new Shim();
    const origin = new Origin(host);
    for (const wrong of ["throws.mjs", "other.mjs", "nowhere.mjs"]) {
      const mcp = await opened(origin, { principal: `user ${wrong}`, recorder: beside(origin, wrong) });
      assert.equal(mcp.state, "open");
      await assert.rejects(exportTrace(mcp), (error) => {
        const { code, hint = "" } = error as HoldfastError;
        return code === "load_failed" && hint.includes("holdfast-record.mjs") &&
          hint.includes("option recorder");
      });
      await mcp.close();
    }
  }
});

test("the message: a page asks its worker, which stores what waits first; one whose worker has ended reads what that had stored", async () => {
  const link = new FakeLink(true);
  const links = [link.link];
  const backend = new RemoteBackend(
    {
      kind: "shared", url: URL_, options: {}, token: undefined,
      link: async () => links.shift() ??
        Promise.reject(new HoldfastError({ code: "host_unavailable", message: "no more" })),
    },
    {},
  );
  await backend.open(undefined);
  const asked = backend.recorded();
  await ready();
  assert.ok(link.kinds.includes("recorded"));
  link.answer("key of ada");
  assert.equal(await asked, "key of ada");
  const [number] = link.clients.keys();
  link.tell({ t: "facts", client: number!, facts: { stored: { url: URL_, stores: ["key of ada"] } } });
  link.die();
  await until(() => backend.state === "failed");
  assert.equal(await backend.recorded(), "key of ada");
});

test("of a ring the newest frames are kept; where there is no database nothing is recorded, and nothing fails", async () => {
  new Shim();
  const recorded = record("server", async () => new Response(null, { status: 202 }), 5);
  await recorded.begun;
  for (let n = 0; n < 7; n++)
    await recorded.fetch("https://x.test/", {
      method: "POST", body: JSON.stringify({ jsonrpc: "2.0", method: "x", params: { n } }),
    });
  await recorded.written();
  const frames = await readFrames("server");
  assert.deepEqual(
    frames.map(({ x, what }) => `${x} ${what}`), ["6 head", "6 end", "7 request", "7 head", "7 end"],
  );
  const { indexedDB: there } = globalThis;
  (globalThis as { indexedDB?: unknown }).indexedDB = undefined;
  const without = record("server", async () => new Response(null, { status: 202 }), 5);
  await without.begun;
  assert.equal((await without.fetch("https://x.test/", {})).status, 202);
  await without.written();
  globalThis.indexedDB = there;
});

/** What is stored of frames, as it lies. */
function lying(): Promise<{ at: number; page: string; x: number; sealed?: Uint8Array }[]> {
  return new Promise((resolve) => {
    const opening = indexedDB.open(TRACES);
    opening.onsuccess = () => {
      const all = opening.result.transaction(FRAMES).objectStore(FRAMES).getAll();
      all.onsuccess = () => (opening.result.close(), resolve(all.result as never));
    };
  });
}

test("Fault 731: of a sealed ring what does not open says so; what lay there in plain goes; without a cipher nothing is recorded", async () => {
  new Shim();
  const one = async (seals: boolean): Promise<string[]> => {
    const recorded = record("server", async () => new Response(null, { status: 202 }), 50, seals);
    await recorded.begun;
    await recorded.fetch("https://x.test/", { method: "POST", body: "{}" });
    await recorded.written();
    return (await readFrames("server")).map(({ what }) => what);
  };
  assert.deepEqual(await one(false), ["request", "head", "end"]);
  assert.deepEqual(await one(true), ["request", "head", "end"]);
  assert.equal((await lying()).every(({ sealed }) => sealed), true);
  assert.deepEqual(await one(true), ["request", "head", "end", "request", "head", "end"]);
  const opening = indexedDB.open(TRACES);
  await new Promise<void>((resolve) => {
    opening.onsuccess = () => {
      const frames = opening.result.transaction(FRAMES, "readwrite").objectStore(FRAMES);
      const first = frames.openCursor();
      first.onsuccess = () => {
        const { value, key } = first.result as unknown as { value: { sealed: Uint8Array }; key: IDBValidKey };
        frames.put(
          { ...value, sealed: value.sealed.slice(5) }, key,
        ).onsuccess = () => (opening.result.close(), resolve());
      };
    };
  });
  assert.deepEqual(
    (await readFrames("server")).map(({ what }) => what),
    ["unreadable", "head", "end", "request", "head", "end"],
  );
  new Shim();
  await withGlobal(
    "crypto", { value: { getRandomValues: (bytes: Uint8Array<ArrayBuffer>) => bytes.fill(7) } },
    async () => assert.deepEqual(await one(true), []),
  );
});

test("options of a recording are named", async () => {
  const origin = new Origin("shared");
  for (const most of [0, 1.5, "many"])
    await assert.rejects(opened(origin, { record: { most } as never }), bad("record.most"));
  await assert.rejects(opened(origin, { record: "yes" as never }), bad("record"));
  await assert.rejects(opened(origin, { record: { size: 1 } as never }), bad("size"));
  await assert.rejects(exportTrace(undefined as never), bad("of has to be"));
  await assert.rejects(exportTrace({ url: URL_, user: "ada" } as never), bad("user is no option"));
  await assert.rejects(clearTrace({ url: URL_, principal: "" }), bad("principal"));
});
