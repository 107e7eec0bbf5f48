import { HoldfastError } from "holdfast";
import type { ClientBackend } from "../client/backend.js";
import type { McpClient } from "../client/client.js";
import { principalOf } from "../connect/principal.js";
import { serverKey } from "../storage/serverkey.js";
import { clearFrames, readFrames } from "./framering.js";

/** Whose recording, where there is no client: what `connect` was given. */
export interface TraceOf {
  /** The server's endpoint, absolute or relative to the page. */
  url: string | URL;
  /** The user, as `connect` was told. */
  principal?: string;
  /** A bearer token of theirs, where that says who they are (a JWT), and there is no `principal`. */
  token?: string;
}

/**
 * What was recorded of a server and user (the option `record` of `connect`), by this page or worker and by
 * earlier ones, as lines of JSON: for a file that goes to whoever looks for the fault, who plays it again
 * with `go run ./core/coretest/replay FILE`. Empty where nothing was.
 *
 * @param of the client; or, where it could not connect, what says whose it is
 * @throws HoldfastError `bad_argument`; `load_failed` where the client had no recorder to load;
 *   `storage_failed` where it cannot be read
 */
export async function exportTrace(of: McpClient | TraceOf): Promise<string> {
  const server = await storedAs("exportTrace", of);
  if (server === null) return "";
  const frames = await readFrames(server).catch((error: unknown) => storageFailed("exportTrace", error));
  return frames.map((frame) => `${JSON.stringify(frame)}\n`).join("");
}

/**
 * Deletes what was recorded of a server and user so far; what records goes on. For a logout there are
 * `mcp.forget()` and `wipe()`, after which nothing is recorded any more.
 *
 * @throws HoldfastError `bad_argument`; `storage_failed` where it could not be deleted
 */
export async function clearTrace(of: McpClient | TraceOf): Promise<void> {
  const server = await storedAs("clearTrace", of);
  if (server !== null)
    await clearFrames(server).catch((error: unknown) => storageFailed("clearTrace", error));
}

/** The key under which the recording is stored; null where nothing is kept. */
async function storedAs(op: string, of: McpClient | TraceOf): Promise<string | null> {
  const { backend } = (of ?? {}) as { backend?: ClientBackend };
  if (typeof backend?.recorded === "function") return backend.recorded();
  const { url, principal, token, ...others } = (of ?? {}) as Partial<TraceOf>;
  const [wrong] = Object.keys(others);
  if (wrong !== undefined) refused(op, wrong, "is no option: there are url, principal, token");
  for (const [name, value] of Object.entries({ principal, token })) {
    if (value !== undefined && (typeof value !== "string" || value === ""))
      refused(op, name, "has to be a string");
  }
  const address = (typeof url === "string" || url instanceof URL) && absolute(url);
  if (!address) return refused(op, "of", "has to be an McpClient, or { url } with a URL");
  if (principal !== undefined) return serverKey(address, principal === "shared" ? "" : principal);
  if (token === undefined) return serverKey(address, "");
  const user = principalOf(token);
  return user === undefined ? null : serverKey(address, user);
}

function absolute(url: string | URL): string | undefined {
  try {
    return new URL(url, globalThis.document?.baseURI ?? globalThis.location?.href).href;
  } catch {
    return undefined;
  }
}

function refused(op: string, argument: string, problem: string): never {
  throw new HoldfastError({ code: "bad_argument", op, message: `${argument} ${problem}` });
}

function storageFailed(op: string, cause: unknown): never {
  throw new HoldfastError({
    code: "storage_failed", op, message: "what was recorded could not be reached", retryable: true, cause,
  });
}
