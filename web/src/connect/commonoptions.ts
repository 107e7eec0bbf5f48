import { version } from "../runtime/beside.js";
import { bound, milliseconds } from "../base/arguments.js";
import { headerList } from "../base/headers.js";
import type { Implementation } from "../base/mcp.js";
import { checkAuth, type UserOptions } from "./useroptions.js";

/** The options that `connect` and `connectAgent` have in common. */
export interface CommonOptions extends UserOptions {
  client?: Implementation;
  timeouts?: { answer?: number; idle?: number };
  limits?: {
    line?: number;
    event?: number;
    body?: number;
    depth?: number;
    stored?: number;
    backlog?: number;
    backlogBytes?: number;
    backlogTotal?: number;
  };
  signal?: AbortSignal;
}

/** The same as the core takes them (wasm/connect.go, wasm/agent.go). */
interface CommonCore {
  headers: string[];
  token: boolean;
  signIn: boolean;
  lateHeads: boolean;
  answer: number;
  idle: number;
  maxLine: number;
  maxEvent: number;
  maxBody: number;
  maxDepth: number;
  maxStored: number;
}

/**
 * Whether this browser tells of an answer only once the first byte of its body is there, as Firefox
 * does (seen in 153), in fetch and in EventSource. Nothing but its name says so before a stream that says
 * nothing has been waited for. All others write "like Gecko".
 */
const showsHeadsLate = (): boolean => / Gecko\/\d/.test(globalThis.navigator?.userAgent ?? "");

/**
 * Gives the options as the core takes them; throws `bad_argument` for what no kind (commonoptionkinds.ts) can
 * say: header fields, and what excludes each other. `own` are the header fields that the protocol sets
 * itself.
 */
export function commonCore(op: string, options: CommonOptions, own?: ReadonlySet<string>): CommonCore {
  checkAuth(op, options);
  const { limits = {}, timeouts = {} } = options;
  const token = options.token !== undefined || options.auth !== undefined;
  const at = (name: "line" | "event" | "body" | "depth" | "stored"): number =>
    bound(`limits.${name}`, limits[name], op);
  return {
    headers: headerList(options.headers, token, op, own),
    token,
    signIn: options.auth !== undefined,
    lateHeads: showsHeadsLate(),
    answer: milliseconds(op, "timeouts.answer", timeouts.answer),
    idle: milliseconds(op, "timeouts.idle", timeouts.idle),
    maxLine: at("line"),
    maxEvent: at("event"),
    maxBody: at("body"),
    maxDepth: at("depth"),
    maxStored: at("stored"),
  };
}

/** The app's own name and version, as JSON. */
export function clientInfo({ client = { name: "holdfast", version } }: CommonOptions): string {
  return JSON.stringify(client);
}
