/**
 * The options of connect for a scenario of auth/*. The API takes bearer tokens
 * from the app and has no OAuth of its own yet, so there are none: a 401 ends the
 * scenario. What a flow will need is in the task: the revision, and a context
 * with the credentials that some scenarios hand out.
 */
export function authorization(_task) {
  return {};
}
