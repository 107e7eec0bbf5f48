/**
 * `holdfast/transport`: a transport for the official SDK's `Client`, of `@modelcontextprotocol/client` (2.x)
 * and of `@modelcontextprotocol/sdk` (1.x). Neither is imported.
 *
 * @module
 */
export { HoldfastTransport, type HoldfastTransportOptions } from "./transport.js";
export { CALL_KEY, type TransportCallOptions } from "./requests.js";
export { holdfastError } from "./refusals.js";
export type { JSONRPCMessage, RequestId, SendOptions } from "./messages.js";
