import { explained, ownFields } from "../diagnosis/loaddiagnosis.js";
import type { HoldfastError } from "../base/errors.js";
import type { AgentAddress } from "./agentaddress.js";
import type { AgentOptions } from "./agentoptions.js";
import { OP } from "./op.js";

/** Finds out why connecting to an agent failed, and says what a person can do about it. */
export function diagnoseAgent(
  { url, transport }: AgentAddress, error: HoldfastError, options: AgentOptions,
): Promise<HoldfastError> {
  if (options.fetch) return Promise.resolve(error); // as client/diagnose.ts has it
  return explained(OP, url, error, options, (chunk, failed) => {
    const sent = {
      fields: ownFields(options), credentials: options.credentials ?? "omit", signal: options.signal,
    };
    return chunk.findAgentCause(failed, transport === "websocket" ? undefined : sent);
  });
}
