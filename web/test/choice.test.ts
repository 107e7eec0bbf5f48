import assert from "node:assert/strict";
import { test } from "node:test";
import type { Agent } from "../src/agent/agent.js";
import { agentHost } from "../src/agent/loadagent.js";
import type { McpClient } from "../src/client/client.js";
import type { ConnectOptions } from "../src/client/options.js";
import { connectAgent } from "../src/host/choose/agenthosts.js";
import { checkHost, RULES, type Surroundings } from "../src/host/choose/choice.js";
import { named, type NoWorker, reasonOf } from "../src/host/page/noworker.js";
import { HostLink } from "../src/host/page/hostlink.js";
import { noteWorker, wasSilent } from "../src/host/page/silentworkers.js";
import { startWorker, workerURL } from "../src/host/page/startworker.js";
import { connect, pageHost } from "../src/host/choose/hosts.js";
import type { PageMessage } from "../src/host/wire/protocol.js";
import type { HoldfastError } from "../src/base/errors.js";
import { oauth } from "../src/auth/oauthoption.js";
import type { HostEvent, HostReason } from "../src/base/host.js";
import { settled, until } from "./ready.js";

const PAGE = "https://app.test";
const SCRIPT = `${PAGE}/holdfast-worker.mjs`;

function never(): never {
  throw new Error("it is not asked");
}

/** A page that can have a worker. */
const able: Surroundings = {
  kind: "shared", options: {}, script: SCRIPT, origin: PAGE, hasWindow: true, hasLocks: true, hasKind: true,
};

test("Fault 222: what keeps a page from having a worker is said in the order of the table", () => {
  const rows: [why: HostReason | "", page: Partial<Surroundings>, words: string][] = [
    ["", {}, ""],
    [
      "",
      {
        options: {
          wasm: "/holdfast.wasm", token: () => "t", handlers: { roots: () => [] },
          signal: new AbortController().signal,
        } as ConnectOptions
      },
      "",
    ],
    ["", { options: { wasm: new URL("https://cdn.test/holdfast.wasm") } }, ""],
    ["page_wasm", { options: { wasm: new Uint8Array(8) } }, "wasm is no URL: a worker loads it by itself"],
    [
      "page_wasm", { options: { wasm: new Response() }, hasKind: false },
      "wasm is no URL: a worker loads it by itself",
    ],
    [
      "page_wasm", { options: { wasm: "data:application/wasm,a" } },
      "a worker fetches the wasm over http, and wasm is data:application/wasm,a",
    ],
    [
      "page_wasm", { options: { wasm: new URL("blob:https://app.test/1") } },
      "a worker fetches the wasm over http, and wasm is blob:https://app.test/1",
    ],
    ["", { options: { validator: `${PAGE}/validate-3f2a.mjs`, recorder: new URL(`${PAGE}/r.js`) } }, ""],
    [
      "other_folder", { options: { validator: `${PAGE}/assets/validate.mjs` } },
      `a worker imports only what lies beside its own script, and validator is ${PAGE}/…/validate.mjs`,
    ],
    [
      "other_folder", { options: { recorder: "https://cdn.test/record.mjs" }, hasKind: false },
      "a worker imports only what lies beside its own script, and recorder is https://cdn.test/record.mjs",
    ],
    ["", { options: { auth: oauth() } }, ""],
    ["unsupported", { options: { auth: oauth() }, hasKind: false }, "this browser has no SharedWorker"],
    [
      "page_code", { options: { auth: oauth({ credentials: () => undefined }) } },
      "auth has a function of its own (fetch, metadataProxy, credentials), which has to run in the page, " +
        "or is a program's",
    ],
    [
      "page_code", { options: { auth: oauth({ credentials: () => undefined }) }, hasKind: false },
      "auth has a function of its own (fetch, metadataProxy, credentials), which has to run in the page, " +
        "or is a program's",
    ],
    [
      "page_code", { options: { auth: oauth() }, hasWindow: false },
      "auth needs a window, which only a page has",
    ],
    [
      "page_code", { options: { auth: { authorize: never } }, hasKind: false },
      "auth has a function of its own (fetch, metadataProxy, credentials), which has to run in the page, " +
        "or is a program's",
    ],
    [
      "page_code", { options: { fetch } as ConnectOptions },
      "fetch is a function, which has to run in the page",
    ],
    [
      "mixed_content", { url: "http://lan.test/mcp", hasKind: false },
      "the page is https and the server is not, for which browsers keep pages back, and not each worker",
    ],
    ["", { url: "http://127.0.0.1:3000/mcp" }, ""],
    [
      "opaque_origin", { origin: "null", hasKind: false, hasLocks: false },
      "the page has an opaque origin, as a sandboxed frame has or a file: it can have no worker",
    ],
    ["unsupported", { hasKind: false, hasLocks: false }, "this browser has no SharedWorker"],
    ["unsupported", { kind: "worker", hasKind: false }, "this browser has no Worker"],
    [
      "no_locks", { hasLocks: false },
      "this page has no Web Locks (plain http), by which a worker knows which pages live",
    ],
    [
      "other_origin",
      { script: "https://cdn.test/w.mjs" },
      "https://cdn.test/w.mjs is of another origin than the page: serve holdfast-worker.mjs from the " +
        "page's own, and say where with the option worker",
    ],
    // A frame of another site: its storage and workers are those of its partition, and good ones.
    ["", { origin: "https://embedded.test", script: "https://embedded.test/w.mjs" }, ""],
  ];
  for (const [why, page, words] of rows) {
    let error: unknown;
    try {
      checkHost({ ...able, ...page });
    } catch (thrown) {
      error = named("connect", thrown);
    }
    assert.equal(reasonOf(error) ?? "", why);
    if (why === "") continue;
    assert.equal((error as HoldfastError).code, "host_unavailable");
    assert.equal((error as HoldfastError).message, `connect: ${words}`);
  }
  for (const { why } of RULES) assert.ok(rows.some((row) => row[0] === why), why);
  assert.equal(reasonOf(new Error("of the app's")), undefined);
});

/** What a shared worker of the test does: it throws, or gets the messages of a page and answers. */
type FakeWorker = (
  tell: (message: object) => void, fail: (message?: string) => void,
) => ((message: PageMessage) => void) | undefined;

/** A page whose shared workers are the test's. */
class Page {
  started = 0;
  worker: FakeWorker = () => undefined;
  /** What went to the page's own host. */
  readonly here: { options: ConnectOptions; notice: HostEvent | undefined }[] = [];

  constructor() {
    const own = this;
    class FakeSharedWorker {
      onerror: ((event: object) => void) | undefined;
      readonly port: object;

      constructor() {
        own.started++;
        const port: {
          onmessage?: (event: object) => void;
          postMessage(message: PageMessage): void;
          close(): void
        } = {
          postMessage: (message) => hear?.(message),
          close: () => {},
        };
        this.port = port;
        const hear = own.worker(
          (message) => queueMicrotask(() => port.onmessage?.({ data: message })),
          (message) => queueMicrotask(() => this.onerror?.({ message })),
        );
      }
    }
    const locks = {
      request: (_: string, __: object, held: (lock: object) => unknown) => Promise.resolve(held({})),
    };
    const globals = {
      SharedWorker: FakeSharedWorker, location: new URL(`${PAGE}/app`), origin: PAGE, navigator: { locks },
      addEventListener: () => {},
    };
    for (const [name, value] of Object.entries(globals))
      Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
    const connectsHere = (options: object, notice: HostEvent | undefined): { host: "page" } => {
      own.here.push({ options, notice });
      return { host: "page" };
    };
    pageHost.here = {
      connectHere: async (_, options, notice) => connectsHere(options, notice) as McpClient,
      loadHere: async () => {},
    };
    agentHost.here = {
      connectAgentHere: async (_, options, notice) => connectsHere(options, notice) as Agent,
      loadHere: async () => {},
    };
  }
}

const welcome = { t: "welcome", build: "", lock: "", keys: true };
/** What an app calls, with the shared worker wanted and with a pin; and what errors of it name. */
const kinds = {
  connect: {
    auto: (options: object) => connect("/mcp", options),
    pinned: (options: object) => connect("/mcp", { ...options, host: "shared" }),
  },
  connectAgent: {
    auto: (options: object) => connectAgent("/acp", options),
    pinned: (options: object) => connectAgent("/acp", { ...options, host: "shared" }),
  },
};
const anywhere = kinds.connect.auto;

let scripts = 0;
/** A script that no other test has tried. */
const another = (): string => `/worker-${++scripts}.mjs`;

const failures: Record<string, { why: HostReason; worker: FakeWorker; options?: ConnectOptions }> = {
  "the option worker is not a URL": {
    why: "bad_url", worker: () => undefined, options: { worker: "https://" },
  },
  "the browser throws, as in frames and private windows whose storage is blocked": {
    why: "refused",
    worker: () => {
      throw new DOMException("Access is denied", "SecurityError");
    },
  },
  "worker-src of the policy forbids it": { why: "not_started", worker: (_, fail) => void fail() },
  "the script throws": { why: "not_started", worker: (_, fail) => void fail("Uncaught Error: at its start") },
  "another build": {
    why: "other_build",
    worker: (tell) => () => tell({ t: "refused", why: "the worker is build 1, the page is build 2" }),
  },
  "the worker cannot load the wasm": {
    why: "load_failed",
    worker: (tell) => (message) => {
      if (message.t === "hello") tell(welcome);
      if (message.t === "connect" || message.t === "agent") {
        tell({
          t: "failed", client: message.client,
          error: { code: "load_failed", name: "HoldfastError", op: "load", message: "forbidden" },
        });
      }
    },
  },
  "a function among the options": {
    why: "page_code", worker: () => undefined, options: { fetch } as ConnectOptions,
  },
};

test("Fault 222: where no shared worker can be had the page takes its place, and its app hears why", async () => {
  for (const { auto, pinned } of Object.values(kinds)) {
    for (const [name, { why, worker, options }] of Object.entries(failures)) {
      const page = new Page();
      page.worker = worker;
      const given = { worker: another(), ...options };
      const rejected = (await pinned(given).catch((error: unknown) => error)) as HoldfastError;
      const client = await auto(given);
      assert.equal(client.host, "page", name);
      assert.equal(page.here.length, 1, name);
      const [{ notice } = { notice: undefined }] = page.here;
      assert.equal(notice?.host, "page", name);
      assert.equal(notice?.why, why, name);
      assert.equal(notice?.error.message, rejected.message, "what a pin is rejected with");
      assert.equal(notice?.error.code, rejected.code, name);
    }
  }
});

test("Fault 244: the error of a host that cannot be had names the operation that wanted it", async () => {
  for (const [name, { why, worker, options }] of Object.entries(failures)) {
    if (why === "load_failed") continue; // which is no error of the host's
    const page = new Page();
    page.worker = worker;
    const given = { worker: another(), ...options };
    // At once, so that both wait for the same worker; and once more, when it is known to have failed.
    for (let round = 0; round < 2; round++) {
      for (const how of ["pinned", "auto"] as const) {
        await Promise.all(
          Object.entries(kinds).map(async ([op, kind]) => {
            const here = page.here.length;
            const error = (await kind[how](given).then(
              () => page.here.slice(here).find(({ notice }) => notice?.error.op === op)?.notice?.error,
              (rejected: unknown) => rejected,
            )) as HoldfastError;
            assert.deepEqual(
              [error.code, error.op, error.message.startsWith(`${op}: `), reasonOf(error)],
              ["host_unavailable", op, true, why], name,
            );
          }),
        );
      }
    }
  }
});

test("Fault 222: a script that no worker came of is not waited for again; one that may come is", async () => {
  const both = new Page();
  both.worker = failures["another build"]!.worker;
  const same = { worker: another() };
  for (const { auto } of Object.values(kinds)) await auto(same);
  assert.equal(both.started, 1, "a client and an agent are in the same worker");
  for (const [name, starts] of [
    ["another build", 1],
    ["the worker cannot load the wasm", 2],
  ] as const) {
    const page = new Page();
    page.worker = failures[name]!.worker;
    const given = { worker: another() };
    for (let i = 0; i < 2; i++) await anywhere({ ...given });
    assert.equal(page.started, starts, name);
    assert.equal(page.here.length, 2);
    assert.equal(page.here[0]?.notice?.error.message, page.here[1]?.notice?.error.message);
  }
});

test("Fault 222: a token that was asked for to choose the worker is used where the page takes its place", async () => {
  const page = new Page();
  page.worker = failures["another build"]!.worker;
  let asked = 0;
  await anywhere({ worker: another(), token: () => `token ${++asked}` });
  const token = page.here[0]?.options.token;
  assert.deepEqual([asked, await token?.(), await token?.(), asked], [1, "token 1", "token 2", 2]);
});

test("Fault 222: what is no matter of the host is not tried once more in the page", async () => {
  const page = new Page();
  await assert.rejects(
    connect("ftp://files.test"), (error: unknown) => (error as HoldfastError).code === "bad_argument",
  );
  page.worker = (tell) => (message) => {
    if (message.t === "hello") tell(welcome);
    if (message.t === "connect")
      tell({
        t: "failed", client: message.client,
        error: { code: "unauthorized", name: "HoldfastError", op: "connect", message: "no" },
      });
  };
  await assert.rejects(
    anywhere({ worker: another() }), (error: unknown) => (error as HoldfastError).code === "unauthorized",
  );
  assert.equal(page.here.length, 0);
});

test("Fault 222: a worker that never answers is given up after some seconds", async () => {
  const page = new Page();
  const { setTimeout } = globalThis;
  // a fast clock
  globalThis.setTimeout = ((run: () => void, ms = 0) => setTimeout(run, ms / 1_000)) as typeof setTimeout;
  try {
    assert.equal((await anywhere({ worker: another() })).host, "page");
  } finally {
    globalThis.setTimeout = setTimeout;
  }
  assert.equal(page.here[0]?.notice?.why, "no_answer");
  assert.equal(page.started, 3, "one whose process was just ending would have answered by then");
});

test("Fault 635: a page that is rendered ahead waits for its worker until it is activated, and as long as any page from then on", async () => {
  const page = new Page();
  const { setTimeout } = globalThis;
  const document = Object.assign(new EventTarget(), { prerendering: true });
  let patience = 0;
  // a fast clock
  globalThis.setTimeout = (
    (run: () => void, ms = 0) => ((patience += Number(ms >= 1_000)), setTimeout(run, ms / 1_000))
  ) as typeof setTimeout;
  Object.defineProperty(globalThis, "document", { value: document, configurable: true });
  try {
    const connecting = anywhere({ worker: another() });
    await until(() => page.started === 1);
    await settled();
    assert.deepEqual([page.started, patience], [1, 0], "its time does not run");
    document.prerendering = false;
    document.dispatchEvent(new Event("prerenderingchange"));
    assert.equal((await connecting).host, "page");
    assert.deepEqual([page.started, patience], [3, 3]);
  } finally {
    globalThis.setTimeout = setTimeout;
    Reflect.deleteProperty(globalThis, "document");
  }
});

test("Fault 348: a worker that did not answer is waited for less by the next page, until it answers or an hour has gone", async () => {
  const { setTimeout } = globalThis;
  const items = new Map<string, string>();
  const local = {
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, text: string) => void items.set(name, text),
  };
  Object.defineProperty(globalThis, "localStorage", { value: local, configurable: true });
  // a fast clock
  globalThis.setTimeout = ((run: () => void, ms = 0) => setTimeout(run, ms / 1_000)) as typeof setTimeout;
  const link = (script: string, isOptional: boolean): Promise<HostLink> => HostLink.open(
    "shared", script, () => startWorker("shared", script, "u"), () => {}, isOptional,
  );
  const silent: FakeWorker = () => () => {};
  const answers: FakeWorker = (tell) => () => tell(welcome);
  try {
    for (const [script, other] of [[`${PAGE}${another()}`, `${PAGE}${another()}`]] as const) {
      const starts = async (worker: FakeWorker, isOptional = true): Promise<number> => {
        const page = new Page();
        page.worker = worker;
        await link(script, isOptional).then(
          (open) => open.remove(0), (error: NoWorker) => assert.equal(error.why, "no_answer"),
        );
        return page.started;
      };
      assert.equal(await starts(silent), 3);
      assert.deepEqual([wasSilent(script), wasSilent(other)], [true, false]);
      assert.equal(await starts(silent), 1);
      assert.equal(await starts(silent, false), 3, "one that the app names is waited for");
      const stored = [...items][0]!;
      items.set(stored[0], stored[1].replace(/\d{13}/, (at) => String(Number(at) - 3_600_000)));
      assert.equal(await starts(silent), 3, "an hour later");
      assert.equal(await starts(answers), 1);
      await until(() => !wasSilent(script)); // it has answered
      noteWorker(script);
      noteWorker(script, Date.now() - 60_000);
      assert.equal(wasSilent(script), true, "it was silent since then");
    }
    for (const broken of ["null", "{", "[]", '{"x":"y"}']) {
      items.set([...items][0]![0], broken);
      assert.equal(wasSilent("x"), false, broken);
    }
  } finally {
    globalThis.setTimeout = setTimeout;
    Reflect.deleteProperty(globalThis, "localStorage");
  }
});

test("Fault 348: with auto the page that finds it noted takes its place after one try, and a pin does not", async () => {
  const { setTimeout } = globalThis;
  const script = another();
  const noted = JSON.stringify({ [workerURL(script)]: Date.now() });
  Object.defineProperty(globalThis, "localStorage", {
    value: { getItem: () => noted, setItem: () => {} }, configurable: true,
  });
  // a fast clock
  globalThis.setTimeout = ((run: () => void, ms = 0) => setTimeout(run, ms / 1_000)) as typeof setTimeout;
  try {
    for (const [how, starts] of [["pinned", 3], ["auto", 1]] as const) {
      const page = new Page();
      const client = (
        await kinds.connect[how]({ worker: script }).catch((error: unknown) => error)
      ) as McpClient | HoldfastError;
      assert.equal(page.started, starts, how);
      assert.equal(
        how === "auto" ? (client as McpClient).host : (client as HoldfastError).code,
        how === "auto" ? "page" : "host_unavailable",
      );
    }
  } finally {
    globalThis.setTimeout = setTimeout;
    Reflect.deleteProperty(globalThis, "localStorage");
  }
});

test("Fault 451: where a shared worker can store no key the page takes its place, in every tab, and a pin has the worker", async () => {
  for (const [name, { auto, pinned }] of Object.entries(kinds)) {
    const given = { worker: another() };
    let opened = 0;
    for (let tab = 0; tab < 2; tab++) {
      const page = new Page();
      page.worker = (tell) => (message) => {
        if (message.t === "hello") tell({ ...welcome, keys: false });
        if ((message.t !== "connect" && message.t !== "agent") || message.ifKeys) return;
        opened++;
        tell({ t: "opened", client: message.client });
      };
      assert.equal((await auto(given)).host, "page", name);
      assert.deepEqual(
        page.here.map(({ notice }) => [notice?.host, notice?.why, notice?.error.code, notice?.error.op]),
        [["page", "no_keys", "host_unavailable", name]],
      );
      assert.equal(opened, tab, "nothing was opened in the worker before the choice was made");
      assert.equal((await pinned(given)).host, "shared", name);
      assert.equal((await auto(given)).host, "page", "also where the page has the worker for another client");
    }
  }
});

test("Fault 222: a browser that refuses the page Web Locks has no worker that would know it lives", async () => {
  const page = new Page();
  page.worker = (tell) => () => tell(welcome);
  navigator.locks.request = () => Promise.reject(new DOMException("denied", "SecurityError"));
  await anywhere({ worker: another() });
  assert.equal(page.here[0]?.notice?.why, "no_locks");
});
