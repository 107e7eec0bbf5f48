// JSON-RPC messages and transports as the official client's packages have them. They are described here by
// their members, so that these types need neither package: each class of theirs fits them, and ours fits
// theirs.

import type { RPCError } from "../base/errors.js";
import type { Open } from "../base/mcp.js";

/** The id of a request (JSON-RPC 2.0 section 4). */
export type RequestId = string | number;

/** A request, a notification or a response (JSON-RPC 2.0 sections 4 and 5): its members say which. */
export interface JSONRPCMessage {
  jsonrpc: "2.0";
  id?: RequestId | undefined;
  method?: string | undefined;
  params?: object | undefined;
  result?: object | undefined;
  error?: RPCError | undefined;
}

/** Options that the official `Client` sends with a message (`TransportSendOptions` of both packages). */
export interface SendOptions {
  /**
   * A token that an earlier page got by `onresumptiontoken`. The request is answered as that call is, and
   * nothing is sent.
   */
  resumptionToken?: string | undefined;
  /** Gets the name of the call, once: a later page finds the call by it. */
  onresumptiontoken?: ((token: string) => void) | undefined;
  /** Cancels the request. */
  requestSignal?: AbortSignal | undefined;
  /** Header fields for this message alone: refused. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** The request of the server's that this belongs to; it goes its way without that. */
  relatedRequestId?: RequestId | undefined;
}

/** A request of the Client's, taken apart. */
export interface ClientRequest {
  id: RequestId;
  method: string;
  params: Open;
}

/** Gives the Client a message. */
export type Tell = (message: JSONRPCMessage) => void;
