import type { McpClient } from "../client/client.js";
import { HoldfastError } from "../base/errors.js";
import type { Tell } from "./messages.js";

/** The receiver of the connection's news. */
interface Hearer {
  tell: Tell;
  /** The server broke a rule, or the connection failed. */
  report: (error: HoldfastError) => void;
  /** The connection has ended for good. */
  ended: () => void;
}

/**
 * These come as `changed`, which is also said when a list may have changed unheard; and these are the
 * client's own.
 */
const SAID_ELSEWHERE =
  /^notifications\/((tools|prompts|resources)\/list_changed|cancelled|progress|message)$/;

/**
 * News of the server that may come on a call's stream as well: the client hears them on whatever stream they
 * come.
 */
export const OF_THE_SERVER: RegExp =
  /^notifications\/((tools|prompts|resources)\/list_changed|resources\/updated|elicitation\/complete)$/;

/** Passes on what the server says beside the calls. */
export function listenTo(mcp: McpClient, { tell, report, ended }: Hearer): void {
  const notify = (method: string, params?: unknown): void => tell({
    jsonrpc: "2.0", method, ...(params !== undefined && { params: params as object })
  });
  mcp.on("notification", ({ method, params }) => {
    if (!SAID_ELSEWHERE.test(method)) notify(method, params);
  });
  mcp.on("changed", ({ what }) => notify(`notifications/${what}/list_changed`));
  mcp.on(
    "log",
    ({ level, logger, data }) => notify("notifications/message", {
      level, ...(logger !== undefined && { logger }), data,
    }),
  );
  mcp.on(
    "integrity",
    ({ what, cause }) => report(
      new HoldfastError({
        code: "protocol_error", op: "receive", message: cause === undefined ? what : `${what}: ${cause}`,
      }),
    ),
  );
  mcp.on("state", ({ state, error }) => {
    if (state === "failed" && error) report(error);
    if (state === "failed" || state === "closed") ended();
  });
}
