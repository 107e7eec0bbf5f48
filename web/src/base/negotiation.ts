/** One step on the way to a revision. */
export interface NegotiationStep {
  /** The method of the request. */
  method: string;
  /** HTTP status of the answer; 0 where fetch failed. */
  status: number;
  /** JSON-RPC error code in the answer, if there was one. */
  code?: number;
  /** The step that the client took next. */
  then: "initialize" | "modern" | "retry" | "unsupported" | "failed";
}
