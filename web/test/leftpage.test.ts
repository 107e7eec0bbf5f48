import assert from "node:assert/strict";
import { test } from "node:test";
import { Effects } from "../src/runtime/effects.js";
import type { ClientPort } from "../src/runtime/port.js";
import type { Reports } from "../src/runtime/reports.js";
import type { TableRecord } from "../src/runtime/table.js";
import { Kind } from "../src/base/border.js";
import { HoldfastError } from "../src/base/errors.js";

/** An EventSource of a page's. */
class FakeSource {
  isClosed = false;
  close(): void {
    this.isClosed = true;
  }
  addEventListener(): void {}
}

/** A page with its listeners of pagehide, and the signals of what was fetched, by method. */
function page(): {
  leave(persisted: boolean): void;
  effects: Effects;
  listens(): boolean;
  sources: FakeSource[];
  signals: Map<string, AbortSignal>;
  ended: number[];
  restore(): void
} {
  const scope = globalThis as Record<string, unknown>;
  const before = {
    document: scope.document, addEventListener: scope.addEventListener, fetch: scope.fetch,
    EventSource: scope.EventSource,
  };
  const listeners = new Set<(event: { persisted: boolean }) => void>();
  const sources: FakeSource[] = [];
  scope.EventSource = function (): FakeSource {
    const source = new FakeSource();
    sources.push(source);
    return source;
  };
  const signals = new Map<string, AbortSignal>();
  scope.document = {};
  scope.addEventListener = (type: string, listener: (event: { persisted: boolean }) => void, options?: {
    signal?: AbortSignal,
  }) => {
    if (type !== "pagehide") return;
    listeners.add(listener);
    options?.signal?.addEventListener("abort", () => listeners.delete(listener));
  };
  scope.fetch = (_url: string, { method, signal }: { method: string; signal: AbortSignal }) => {
    signals.set(method, signal);
    return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  };
  const ended: number[] = [];
  const effects = new Effects(
    { end: (_client: number, exchange: number) => ended.push(exchange) } as unknown as Reports,
  );
  effects.add(1, { credentials: "same-origin" } as unknown as ClientPort);
  const asked = (id: number, method: string): TableRecord =>
    (
      { kind: Kind.Fetch, client: 1, id, parts: [method, "https://mcp.example/"], body: null }
    ) as unknown as TableRecord;
  const source = {
    kind: Kind.Source, client: 1, id: 4, text: "https://mcp.example/sse",
  } as unknown as TableRecord;
  effects.carryOut([asked(1, "GET"), asked(2, "POST"), asked(3, "DELETE"), source]);
  return {
    effects, sources, listens: () => listeners.size > 0,
    leave: (persisted) => listeners.forEach((listener) => listener({ persisted })), signals, ended,
    restore: () => void Object.assign(scope, before),
  };
}

test("Fault 450: a page that is left for good gives up the streams that it reads, and nothing that it sends", async () => {
  const here = page();
  try {
    here.leave(true);
    assert.deepEqual(
      [...here.signals.values()].map(({ aborted }) => aborted), [false, false, false],
      "in the back/forward cache",
    );
    assert.equal(here.sources[0]!.isClosed, false, "in the back/forward cache");
    here.leave(false);
    assert.deepEqual(
      [...here.signals].filter(([, { aborted }]) => aborted).map(([method]) => method), ["GET"],
    );
    assert.equal(here.sources[0]!.isClosed, true, "the EventSource of a server of 2024-11-05");
    await new Promise((resolve) => setTimeout(resolve));
    assert.deepEqual(here.ended, [], "the core is told of an end that was no end of the stream");
  } finally {
    here.restore();
  }
});

test("Fault 450: a runtime that has died listens to its page no more", () => {
  const here = page();
  try {
    assert.equal(here.listens(), true);
    here.effects.release(1);
    here.effects.exited(
      new HoldfastError({ code: "runtime_exited", op: "runtime", message: "it has ended" }),
    );
    assert.equal(here.listens(), false);
  } finally {
    here.restore();
  }
});
