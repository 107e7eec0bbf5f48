import type { Durability } from "../tabs/journalclient.js";
import type { Guarantee } from "./events.js";
import type { ServerCapabilities } from "../shared/mcp.js";

/** What a call of a tool can count on: what it starts with, and the best that it may come to. */
export interface Guarantees {
  floor: Guarantee;
  ceiling: Guarantee;
}

/**
 * What calls can count on with a server. From 2026-07-28 on a stream that ends
 * with the page cancels its call, so only a task outlives it.
 */
export function guaranteesOf(durability: Durability, revision: string, capabilities: ServerCapabilities): Guarantees {
  const floor = "lost-on-reload";
  if (durability === "memory") return { floor, ceiling: floor };
  const { tasks, extensions } = capabilities as { tasks?: unknown; extensions?: Record<string, unknown> };
  const modern = revision >= "2026-07-28";
  if (modern ? extensions?.["io.modelcontextprotocol/tasks"] : tasks) return { floor, ceiling: "durable" };
  return { floor, ceiling: modern ? floor : "resumable" };
}
