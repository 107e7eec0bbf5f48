import type { TokenProvider } from "../../connect/useroptions.js";
import type { OpeningMessage, PageMessage } from "./protocol.js";

/** The number of a client that a page opens with its hello. */
export const FIRST_CLIENT = 2;

/** The handlers that an app may have of a server's questions, as members of an object or methods of a class. */
export const CLIENT_HANDLERS: readonly string[] = ["elicitation", "sampling", "roots"];

/** The handlers that an app may have of an agent's questions. */
export const AGENT_HANDLERS: readonly string[] = ["elicitation", "permission"];

/** Opening of a client: the type of its message, its URL and its handlers. */
export interface Opening extends Pick<OpeningMessage, "t" | "url"> {
  /** The handlers that an app may have. */
  readonly handlers: readonly string[];
}

/** A client that a page opens with its hello, before its own side of it is loaded. */
export interface Ahead {
  readonly message: OpeningMessage;
  /**
   * Sends the worker further messages, after the opening one. `null`: no caller wants the client any more,
   * and the worker knows or need not know.
   */
  say?: ((message: PageMessage) => void) | null;
}

/**
 * Gives up a client that no caller wants any more. The worker hears so at once: the link to the worker, or
 * the page's side, may take long to load.
 */
export function giveUp(ahead: Ahead | undefined): void {
  if (!ahead) return;
  ahead.say?.({ t: "abandon", client: FIRST_CLIENT });
  ahead.say = null;
}

/** Message that opens a client at a host, under the number `client`. */
export function openingMessage({ t, url, handlers }: Opening, client: number, { crossing, token }: { crossing: object; token: TokenProvider | undefined }, options: { handlers?: object; host?: string }): OpeningMessage {
  const has = (options.handlers ?? {}) as Readonly<Record<string, unknown>>;
  return { t, client, url, options: crossing, handlers: handlers.filter((name) => has[name]), token: !!token, again: false, ifKeys: (options.host ?? "auto") === "auto" };
}
