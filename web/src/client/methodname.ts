/** What an error calls a request of that method. */
export function nameOf(method: unknown): string {
  return typeof method === "string" ? method : "request";
}
