// A client that the worker opens while the page's side of it is loaded: it is told with the page's hello.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { McpClient } from "../src/client/client.js";
import type { ConnectOptions } from "../src/client/options.js";
import { BUILD } from "../src/base/build.js";
import { agentWorker, connectAgent } from "../src/host/choose/agenthosts.js";
import { connect, workerClient } from "../src/host/choose/hosts.js";
import type { PageMessage } from "../src/host/wire/protocol.js";
import type { HoldfastError } from "../src/base/errors.js";
import { settled, until } from "./ready.js";

/** A page and its workers, which open each client at once; the page's side comes when the test says so. */
class Page {
  readonly said: PageMessage[] = [];
  ends = 0;
  /** The page's lock is its own. */
  holds!: () => void;
  /** The page's side comes. */
  comes!: () => void;
  /** It does not. */
  loses!: () => void;
  /** The worker knows of its keys, and welcomes the page. */
  welcomes = (): void => {};
  /** The names of its workers. */
  readonly names: string[] = [];
  /** What it has asked for, of its locks and workers. */
  readonly asked: ("lock" | "no lock" | "worker")[] = [];
  /** The browser refuses it workers. */
  refuses = false;

  constructor(isLate = false) {
    const own = this;
    class SharedWorker {
      readonly port: {
        onmessage?: (event: object) => void;
        postMessage(message: PageMessage): void;
        close(): void
      };
      constructor(_: string, { name }: { name: string }) {
        if (own.refuses) throw new DOMException("not here", "SecurityError");
        own.names.push(name);
        own.asked.push("worker");
        const tell = (message: object): void => queueMicrotask(
          () => this.port.onmessage?.({ data: message }),
        );
        let isClosed = false;
        const postMessage = (message: PageMessage): void => {
          if (isClosed) return;
          own.said.push(structuredClone(message));
          const welcome = (): void => tell({ t: "welcome", build: BUILD, lock: "port", keys: true });
          if (message.t === "hello" && isLate) own.welcomes = welcome;
          else if (message.t === "hello") welcome();
          if (message.t !== "connect" && message.t !== "agent") return;
          tell({
            t: "facts", client: message.client, facts: { state: "open", revision: `of ${message.client}` },
          });
          tell({ t: "opened", client: message.client });
        };
        this.port = { postMessage, close: () => void (own.ends++, (isClosed = true)) };
      }
    }
    const held = new Promise<void>((resolve) => (this.holds = resolve));
    const request = (
      name: string, { signal }: { signal?: AbortSignal }, take: () => unknown
    ): Promise<unknown> => {
      if (!name.startsWith("holdfast.page")) return new Promise(() => {});
      this.asked.push("lock");
      signal?.addEventListener("abort", () => this.asked.push("no lock"));
      return held.then(take);
    };
    const locks = { request };
    const globals = {
      SharedWorker, location: new URL("https://app.test/app"), origin: "https://app.test",
      navigator: { locks }, addEventListener: () => {},
    };
    for (const [name, value] of Object.entries(globals))
      Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
    const { load } = workerClient;
    delete (workerClient as { here?: unknown }).here;
    const coming = new Promise<void>((resolve, reject) => {
      this.comes = resolve;
      this.loses = () => reject(new TypeError("404"));
    });
    workerClient.load = async () => {
      workerClient.load = load;
      await coming;
      return load();
    };
  }

  get kinds(): string[] {
    return this.said.map((message) => (message.t === "ask" ? message.method : message.t));
  }
}

let workers = 0;
const connects = (options: object = {}, script = `/ahead-${++workers}.mjs`): Promise<McpClient> => connect(
  "/mcp", { host: "shared", worker: script, wasm: "/x.wasm", ...options } as ConnectOptions,
);
const coded = (code: string) => (error: unknown): boolean => (error as HoldfastError).code === code;

test("Fault 465: the worker opens the client while the chunk of the page is on its way, once; connect resolves with the lock of the page, and not before", async () => {
  const page = new Page();
  let client: McpClient | undefined;
  const connecting = connects(
    { handlers: { roots: () => [] }, token: () => "t" },
  ).then((made) => (client = made));
  await until(() => page.said.length === 2);
  const [, said] = page.said as [PageMessage, Extract<PageMessage, { t: "connect" }>];
  assert.deepEqual(
    [said.t, said.url, said.handlers, said.token, said.again, said.ifKeys],
    ["connect", "https://app.test/mcp", ["roots"], true, false, false],
  );
  page.comes();
  await settled();
  assert.deepEqual(
    [client, page.kinds], [undefined, ["hello", "connect"]],
    "the worker would not notice the end of a page without its lock",
  );
  page.holds();
  await connecting;
  assert.deepEqual([client!.revision, client!.state], [`of ${said.client}`, "open"]);
  await settled();
  assert.deepEqual(page.kinds, ["hello", "connect", "holds", "listening"]);
});

test("Fault 465: the page asks for its lock before it starts the worker, and nobody reads in the name of that whose it is", async () => {
  const page = new Page();
  const connecting = connects();
  for (let turn = 0; turn < 20; turn++) await Promise.resolve(); // a digest takes a task
  assert.deepEqual(page.asked, ["lock", "worker"]);
  page.comes();
  page.holds();
  await connecting;
  for (const principal of ["ada@example.com", "bob@example.com"]) {
    const other = new Page();
    other.comes();
    other.holds();
    await connects({ principal });
    page.names.push(...other.names);
  }
  assert.equal(new Set(page.names).size, 3);
  for (const name of page.names.slice(1)) assert.equal(/^holdfast \S+ [0-9a-f]{64}$/.test(name), true);
  assert.equal(
    page.names[0], `holdfast ${BUILD} `,
    "it names no file: a worker has the wasm of its build, wherever that lies",
  );
});

test("Fault 465: where there is no worker the page asks for its lock no more", async () => {
  const page = new Page();
  page.comes();
  page.refuses = true;
  await assert.rejects(connects(), coded("host_unavailable"));
  assert.deepEqual(page.asked, ["lock", "no lock"]);
});

test("Fault 465: a client that is open before the worker knows of its keys is not missed", async () => {
  for (const early of [true, false]) {
    const page = new Page(true);
    page.holds();
    const connecting = connects({ token: () => "t" });
    await until(() => page.said.length === 2);
    if (early) page.comes();
    await settled();
    page.welcomes();
    page.comes();
    const client = await connecting;
    assert.deepEqual([client.state, page.kinds.filter((kind) => kind === "connect").length], ["open", 1]);
  }
});

test("Fault 465: what a page does not want after all is closed in the worker: bad options, an app that gives up, a side that does not come", async () => {
  const cases: [string, object, (page: Page, giveUp: AbortController) => void, string][] = [
    ["an option that there is not", { nosuch: 1 }, (page) => page.comes(), "bad_argument"],
    ["a signal", {}, (_, giveUp) => giveUp.abort(), "cancelled"],
    ["a chunk that does not come", {}, (page) => page.loses(), "load_failed"],
  ];
  for (const [name, options, then, code] of cases) {
    const page = new Page();
    page.holds();
    const giveUp = new AbortController();
    const connecting = connects({ ...options, signal: giveUp.signal });
    await until(() => page.said.length === 2);
    then(page, giveUp);
    await assert.rejects(connecting, coded(code));
    if (code === "cancelled")
      assert.deepEqual(page.kinds, ["hello", "connect", "abandon"], "at once: the chunk may hang for long");
    page.comes();
    await until(() => page.ends > 0);
    assert.equal(page.kinds.at(-1), "bye", name);
    for (const kind of ["connect", "abandon"] as const)
      assert.ok(page.kinds.filter((said) => said === kind).length <= 1, `${name}: ${kind}`);
  }
});

test("Fault 465: what cannot cross as it is is opened by that chunk, and so is what another client is quicker than", async () => {
  const page = new Page();
  page.holds();
  page.comes();
  const client = await connects({ client: { name: "a", version: "1", toString: () => "a" } });
  assert.deepEqual(page.kinds.slice(0, 3), ["hello", "holds", "connect"]);
  assert.deepEqual((page.said[2] as { options: { client: object } }).options.client, {
    name: "a", version: "1",
  });
  assert.equal(client.state, "open");

  const two = new Page();
  two.holds();
  const script = `/ahead-${++workers}.mjs`;
  const both = [connects({}, script), connects({ listen: false }, script)];
  await until(() => two.said.length === 2);
  two.comes();
  const [first, second] = await Promise.all(both);
  const opened = two.said.flatMap((message) => (message.t === "connect" ? [message] : []));
  assert.equal(opened.length, 2, "one for each");
  assert.deepEqual([first!.revision, second!.revision], opened.map(({ client: number }) => `of ${number}`));
  assert.equal(two.kinds.includes("abandon"), false);
});

test("Fault 465: a page that has given up before it has said hello does not open the client", async () => {
  const page = new Page();
  page.holds();
  const giveUp = new AbortController();
  const connecting = connects({ principal: "ada", signal: giveUp.signal });
  await Promise.resolve(); // the name of that user's worker, a digest, takes longer
  giveUp.abort();
  await assert.rejects(connecting, coded("cancelled"));
  await until(() => page.said.length > 0);
  page.comes();
  await until(() => page.ends > 0);
  assert.deepEqual(page.kinds.filter((kind) => kind !== "holds"), ["hello", "bye"]);
});

test("Fault 465: an option that says of itself what it is as JSON is opened as that", async () => {
  class App {
    readonly secret = "mine";
    get name(): string {
      return "a";
    }
    get version(): string {
      return "1";
    }
    toJSON(): object {
      return { name: this.name, version: this.version };
    }
  }
  const page = new Page();
  page.holds();
  page.comes();
  await connects({ client: new App() });
  const opened = page.said.flatMap((message) => (message.t === "connect" ? [message] : []));
  assert.deepEqual(
    opened.map(({ options }) => (options as { client: object }).client), [{ name: "a", version: "1" }],
  );
});

test("Fault 465: a chunk that does not come fails its own kind of client, and not the other, which waits for the same worker", async () => {
  const page = new Page();
  page.holds();
  delete (agentWorker as { here?: unknown }).here;
  const script = `/ahead-${++workers}.mjs`;
  const plain = connects({ wasm: undefined }, script);
  const agent = connectAgent("/acp", { host: "shared", worker: script });
  const failed = assert.rejects(
    plain, (error) => coded("load_failed")(error) && (error as HoldfastError).op === "connect",
  );
  await until(() => page.said.length === 2);
  page.loses();
  await failed;
  assert.equal((await agent).state, "open");
  assert.deepEqual(page.kinds, ["hello", "connect", "bye", "hello", "agent", "holds"]);
});

test("Fault 465: of two that wait for one worker the one that is given up takes nothing from the other", async () => {
  for (const first of [true, false]) {
    const page = new Page();
    page.holds();
    const script = `/ahead-${++workers}.mjs`;
    const giveUp = new AbortController();
    const signal = giveUp.signal;
    const both = [connects(first ? { signal } : {}, script), connects(first ? {} : { signal }, script)];
    await until(() => page.said.length === 2);
    giveUp.abort();
    const [given, other] = first ? both : both.reverse();
    await assert.rejects(given!, coded("cancelled"));
    page.comes();
    assert.equal((await other!).state, "open");
    assert.equal(page.kinds.filter((kind) => kind === "hello").length, 1, "over the same link");
    assert.equal(page.kinds.includes("bye"), false);
  }
});

test("Fault 465: a page whose chunk is there, and that gives up a worker which does not answer, says so at once, and to no other worker", async () => {
  const page = new Page(true);
  page.holds();
  page.comes();
  const giveUp = new AbortController();
  const connecting = connects({ signal: giveUp.signal });
  await until(() => page.said.length === 2);
  await settled();
  giveUp.abort();
  await assert.rejects(connecting, coded("cancelled"));
  assert.deepEqual(page.kinds, ["hello", "connect", "abandon"]);
  await until(() => page.ends > 0);
  assert.equal(page.kinds.filter((kind) => kind === "connect").length, 1);
});
