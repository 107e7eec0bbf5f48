import assert from "node:assert/strict";
import { test } from "node:test";
import { clientWays } from "../src/host/choose/hosts.js";
import { BUILD } from "../src/base/build.js";
import type { PageMessage } from "../src/host/wire/protocol.js";
import { settled } from "./ready.js";

const tokenOf = (sub: string): string => `h.${btoa(JSON.stringify({ sub }))}.s`;

/** What a page's worker does: it opens each client, and asks for tokens. */
class Worker {
  readonly said: PageMessage[] = [];
  onmessage: ((event: { data: unknown }) => void) | undefined;

  constructor(readonly name: string) {}

  postMessage(message: PageMessage): void {
    this.said.push(message);
    if (message.t === "hello") this.tell({ t: "welcome", build: BUILD, lock: "port", keys: true });
    if (message.t === "hello") this.tell({ t: "holds" });
    if (message.t === "connect") this.tell({ t: "opened", client: message.client });
  }

  close(): void {}

  tell(message: object): void {
    queueMicrotask(() => this.onmessage?.({ data: message }));
  }

  /** Asks the page for a token. */
  async token(client: number): Promise<unknown> {
    this.tell({ t: "question", client, question: 1, asked: "token", request: {}, server: "s", draft: "" });
    await settled();
    return this.said.flatMap((message) => (message.t === "reply" ? [message.value] : [])).at(-1);
  }
}

/** A page, and its workers as they were started. */
function page(): { workers: Worker[]; ends(): void } {
  let ends = (): void => {};
  const workers: Worker[] = [];
  class SharedWorker {
    readonly port: Worker;
    constructor(_: string, { name }: { name: string }) {
      this.port = new Worker(name);
      workers.push(this.port);
    }
  }
  const locks = {
    request: (name: string, options: object, held?: (lock: object) => unknown): Promise<unknown> =>
      name === "port"
        ? new Promise<void>((resolve) => (ends = resolve)).then(() => held!({}))
        : Promise.resolve((held ?? (options as () => unknown))({})),
  };
  const globals = {
    SharedWorker, location: new URL("https://app.test/app"), origin: "https://app.test", navigator: { locks },
    addEventListener: () => {},
  };
  for (const [name, value] of Object.entries(globals))
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  return { workers, ends: () => ends() };
}

test("Fault 209: a page says that it has heard a question, also where the client is closed that was asked", async () => {
  const { workers } = page();
  await clientWays.there(
    "/mcp", { worker: "/heard.mjs", wasm: "/x.wasm", handlers: { roots: () => new Promise(() => {}) } },
    "shared", () => {},
  );
  for (const client of [2, 98])
    workers[0]!.tell({
      t: "question", client, question: client, asked: "roots", request: {}, server: "s", draft: "",
    });
  await settled();
  const heard = workers[0]!.said.flatMap((message) => (message.t === "heard" ? [message.question] : []));
  assert.deepEqual(heard, [2, 98]);
});

test("Fault 254: a page whose user has changed goes on in the worker of that user, where its own ends", async () => {
  const { workers, ends } = page();
  const connect = (options: object) => clientWays.there(
    "/mcp", { worker: "/worker.mjs", wasm: "/x.wasm", ...options }, "shared", () => {},
  );
  let user = "ada";
  const client = await connect({ token: () => tokenOf(user) });
  assert.deepEqual(
    [await workers[0]!.token(2), await workers[0]!.token(2)], [tokenOf("ada"), tokenOf("ada")],
  );
  user = "bob";
  assert.equal(await workers[0]!.token(2), tokenOf("bob"));
  assert.equal(workers.length, 1, "the worker goes on with a client of that user's");
  ends();
  await settled();
  assert.deepEqual([workers.length, client.state], [2, "open"]);
  const [ada, bob] = workers.map(({ name }) => name);
  assert.equal(bob === ada, false);
  // Another client of that user's is in the same worker, and one of the first user's is not.
  await connect({ token: () => tokenOf("bob") });
  assert.equal(workers.length, 2);
  await connect({ token: () => tokenOf("ada") });
  assert.equal(workers.at(-1)!.name, ada);
  // A token that says nothing of its user counts as it does at the start.
  await connect({});
  assert.equal([ada, bob].includes(workers.at(-1)!.name), false);
});
