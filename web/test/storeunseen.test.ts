// What changes while no component is mounted that shows it.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { McpClient } from "../src/client/client.js";
import type { ClientEvents } from "../src/client/clientevents.js";
import type { ClientState } from "../src/base/clientstate.js";
import { HoldfastError } from "../src/base/errors.js";
import { Listeners } from "../src/base/listeners.js";
import { observeClient, observeTools } from "../packages/observe/stores.js";
import { settled } from "./ready.js";

/** A client that the app has connected by itself. */
class Client {
  readonly listeners: Listeners<ClientEvents> = new Listeners();
  state: ClientState = "open";
  /** Lists that were asked for, until they are answered. */
  readonly asked: ((...names: string[]) => void)[] = [];
  on<E extends keyof ClientEvents>(event: E, listener: (event: ClientEvents[E]) => void): () => void {
    return this.listeners.add(event, listener);
  }
  says(state: ClientState, error?: HoldfastError): Promise<void> {
    this.state = state;
    this.listeners.emit("state", { state, ...(error && { error }) });
    return settled();
  }
  calls(): void {}
  listTools(): Promise<object> {
    return new Promise(
      (resolve) => this.asked.push((...names) => resolve({ tools: names.map((name) => ({ name })) })),
    );
  }
  get as(): McpClient {
    return this as unknown as McpClient;
  }
}

test("Fault 554: a client that ended while no component was mounted is not shown as open to the next one", async () => {
  const client = new Client();
  const store = observeClient(client.as);
  assert.equal(store.snapshot().state, "open");
  store.onChange(() => {})(); // mounted, and unmounted
  await client.says("closed");
  const states: ClientState[] = [];
  const stop = store.subscribe(({ state }) => void states.push(state));
  await settled();
  assert.equal(states.at(-1), "closed");
  stop();
});

test("Fault 554: a client that changes between the first draw of a component and its mounting is drawn again", async () => {
  const client = new Client();
  const store = observeClient(client.as);
  const drawn = store.snapshot();
  const why = new HoldfastError({ code: "network_error", message: "gone" });
  await client.says("reconnecting", why);
  const stop = store.onChange(() => {});
  assert.ok(store.snapshot() !== drawn, "useSyncExternalStore compares them once it has subscribed");
  assert.deepEqual(
    [store.snapshot().state, store.snapshot().error],
    ["reconnecting", undefined],
    "an error says why it has failed, and it has not",
  );
  await client.says("failed", why);
  assert.deepEqual([store.snapshot().state, store.snapshot().error], ["failed", why]);
  stop();
});

test("Fault 554: a list that the server has changed while it was on its way, and nobody was there, is asked for by the next component", async () => {
  const client = new Client();
  const store = observeTools(client.as);
  const stop = store.onChange(() => {});
  stop(); // the component is gone before the list is there
  client.listeners.emit("changed", { what: "tools" });
  await settled();
  client.asked[0]!("old");
  await settled();
  const back = store.onChange(() => {});
  assert.equal(client.asked.length, 2);
  client.asked[1]!("new");
  await settled();
  await settled();
  assert.deepEqual(store.snapshot().tools.map(({ name }) => name), ["new"]);
  back();
  store.onChange(() => {})();
  assert.equal(client.asked.length, 2, "and by none after that");
});

test("Fault 739: a server that says without end that its tools have changed is asked for them once at a time, and once more behind that", async () => {
  const client = new Client();
  const store = observeTools(client.as);
  const stop = store.onChange(() => {});
  for (let n = 0; n < 1_000; n++) client.listeners.emit("changed", { what: "tools" });
  store.snapshot().refresh();
  await settled();
  assert.equal(client.asked.length, 1);
  client.asked[0]!("old");
  await settled();
  await settled();
  assert.equal(client.asked.length, 2, "once more, for all that was said");
  client.asked[1]!("new");
  await settled();
  await settled();
  assert.deepEqual(store.snapshot().tools.map(({ name }) => name), ["new"]);
  assert.equal(client.asked.length, 2);
  stop();
});
