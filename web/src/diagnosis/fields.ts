import { probe } from "./network.js";

/** The fields of every request that need an MCP server's permission, with harmless values. */
export const REQUEST_FIELDS: [string, string][] = [
  ["content-type", "application/json"],
  ["mcp-protocol-version", "2025-11-25"],
];

/** The revision whose transport is HTTP+SSE: no other begins with a GET. */
export const HTTP_SSE = "2024-11-05";

/**
 * Which of these header fields the CORS rules of a server keep a page from
 * sending; none where nobody can know. A request whose preflight such a field
 * fails never left the browser, which fetch does not say: the same field in a GET,
 * and a GET without it, show it. It is asked twice, so that a network that comes and goes
 * is not taken for a rule.
 */
export async function refusedFields(
  url: string, names: readonly string[], signal?: AbortSignal,
): Promise<string[]> {
  const passes = (...fields: string[]): Promise<boolean | undefined> => {
    const headers = new Headers([...REQUEST_FIELDS, ["mcp-method", "probe"]]);
    for (const name of fields) headers.set(name, "probe");
    return probe(url, signal, { headers, redirect: "manual" });
  };
  if (!(await passes())) return [];
  const refused: string[] = [];
  for (const name of names) if ((await passes(name)) === false) refused.push(name);
  if (refused.length === 0 || !(await passes()) || (await passes(...refused)) !== false) return [];
  return refused;
}
