/** One step on the way to a revision. */
export interface NegotiationStep {
  /** What was sent. */
  method: string;
  /** HTTP status of the answer; 0 where fetch failed. */
  status: number;
  /** JSON-RPC error code in the answer, if there was one. */
  code?: number;
  /** What followed from it. */
  then: "initialize" | "modern" | "retry" | "unsupported" | "failed";
}
