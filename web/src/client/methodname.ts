/** The name that an error gives to a request with this method. */
export function nameOf(method: unknown): string {
  return typeof method === "string" ? method : "request";
}
