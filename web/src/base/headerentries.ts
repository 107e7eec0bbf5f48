/** The names and values of header fields, in whatever form fetch takes them. */
export function headerEntries(headers: HeadersInit = {}): [string, string][] {
  if (headers instanceof Headers) return [...headers];
  return (Array.isArray(headers) ? headers : Object.entries(headers)) as [string, string][];
}
