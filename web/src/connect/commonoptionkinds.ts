// Kinds of the options that connect and connectAgent have in common.

import type { Implementation } from "../base/mcp.js";
import {
  address, any, code, flagOr, group, isPlace, type OptionKind, oneOf, signal, takes,
} from "../base/kinds.js";
import type { Auth } from "./useroptions.js";

/** The app's own name and version; MCP and ACP may add members. */
const CLIENT = takes("an object with a name and a version", (value) => {
  const { name, version } = (value ?? {}) as Partial<Implementation>;
  return typeof name === "string" && typeof version === "string";
});

/** Options of both. */
export const COMMON: Readonly<Record<string, OptionKind>> = {
  client: CLIENT,
  headers: takes("header fields as fetch takes them", (value) => typeof value === "object" && value !== null),
  credentials: oneOf("omit", "same-origin", "include"),
  // A token in its place is a common slip.
  token: takes("a function that gives a token", (value) => typeof value === "function"),
  auth: takes(
    "what oauth() gives", (value) => typeof (value as Partial<Auth> | null)?.authorize === "function",
  ),
  fetch: code,
  principal: takes(
    'a string that names the user, or "shared"', (value) => typeof value === "string" && value !== "",
  ),
  journal: flagOr(group({ seal: oneOf("secrets", "all") })),
  host: any, // looked at before
  worker: address,
  wasm: takes(
    "a URL, or the wasm itself", (value) => isPlace(value) || (typeof value === "object" && value !== null),
  ),
  signal,
};
