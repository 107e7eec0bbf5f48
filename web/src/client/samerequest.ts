import type { Open } from "../base/mcp.js";

/**
 * Whether an app asks the same with both, which are the params of requests as JSON. Whether the server may
 * make a task of it is left out: that follows from what the page knows of the tool, as core/mcp/call_key.go
 * has it.
 */
export function sameRequest(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => {
    const { _meta, task, ...params } = JSON.parse(text) as Open;
    return JSON.stringify(params);
  });
  return a === b;
}
