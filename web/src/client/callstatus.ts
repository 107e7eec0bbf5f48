import { OUTCOME } from "../base/border.js";
import { errorFromGo, HoldfastError, rpcError, type RPCError } from "../base/errors.js";
import type { TaskStatus } from "../base/mcp.js";

/**
 * How a call stands ({@link Call.status}). Times are in ms, points of time in ISO 8601, as the server wrote
 * them.
 */
export interface CallStatus {
  /** In the words of MCP's tasks; a server may have others. */
  status: TaskStatus;
  /**
   * The author of the status: the server, for the task or the resume policy that carries the call, or the
   * client, from its own knowledge.
   */
  source: "server" | "client";
  /** The server's own words for a person. */
  statusMessage?: string;
  createdAt?: string;
  lastUpdatedAt?: string;
  /** Time for which the server keeps the task after `createdAt`; null for no limit. */
  ttl?: number | null;
  /** Interval at which the server wants to be asked. */
  pollInterval?: number;
  /** The server has messages of the call that have not arrived here (SEP-975). */
  pending?: true;
}

/**
 * Reads what a peek came to (core/mcp/task_peek.go), with its OUTCOME, 0 where nobody was asked: a status, or
 * the error.
 */
export function decodeStatus(outcome: number, text: string): CallStatus | HoldfastError {
  const json = JSON.parse(text) as Record<string, unknown>;
  if (outcome === OUTCOME.rpcError) return rpcError("tasks/get", json as unknown as RPCError);
  if (outcome === OUTCOME.failure) return errorFromGo(json as unknown as Parameters<typeof errorFromGo>[0]);
  const { status, statusMessage, createdAt, lastUpdatedAt, ttl, pollInterval, pending } = json;
  return {
    status: status as TaskStatus,
    source: outcome === OUTCOME.result ? "server" : "client",
    // A member of another type than the specification's is left out.
    ...(typeof statusMessage === "string" ? { statusMessage } : {}),
    ...(typeof createdAt === "string" ? { createdAt } : {}),
    ...(typeof lastUpdatedAt === "string" ? { lastUpdatedAt } : {}),
    ...(typeof ttl === "number" || ttl === null ? { ttl } : {}),
    ...(typeof pollInterval === "number" ? { pollInterval } : {}),
    ...(pending === true ? { pending } : {}),
  };
}

/** How a call stands that has ended: what its outcome says, or the error that leaves it open. */
export function endedStatus(error: HoldfastError | undefined): CallStatus | HoldfastError {
  if (!error) return { status: "completed", source: "client" };
  if (error.code === "rpc_error") return { status: "failed", source: "client" };
  if (error.code === "cancelled") return { status: "cancelled", source: "client" };
  return error;
}
