import { HoldfastError } from "../base/errors.js";
import { badArgument } from "../base/arguments.js";
import type { AgentCapabilities } from "./acp.js";
import type { AgentContentBlock } from "./content.js";
import { isObject } from "./patch.js";

const OP = "session/prompt";

/** The capability that an agent has to declare before a prompt may have such a block. */
const NEEDS = { image: "image", audio: "audio", resource: "embeddedContext" } as const;

/** The blocks of a prompt; throws where the agent does not take one (client MUST 8). */
export function promptBlocks(
  content: string | readonly AgentContentBlock[], { session }: AgentCapabilities,
): readonly AgentContentBlock[] {
  if (typeof content === "string") {
    if (content === "") throw badArgument(OP, "content", "is empty");
    return [{ type: "text", text: content }];
  }
  if (!Array.isArray(content) || content.length === 0)
    throw badArgument(OP, "content", "has to be a text, or a list of blocks that is not empty");
  const taken = session?.prompt;
  for (const [i, block] of (content as readonly AgentContentBlock[]).entries()) {
    if (!isObject(block) || typeof block.type !== "string")
      throw badArgument(OP, `content[${i}]`, "is no block");
    const needed = Object.hasOwn(NEEDS, block.type) ? NEEDS[block.type as keyof typeof NEEDS] : undefined;
    if (needed && !taken?.[needed]) {
      throw unsupported(
        OP,
        `content[${i}] is of type ${block.type}, which the agent does not take (capability ` +
          `session.prompt.${needed})`,
      );
    }
  }
  return content as readonly AgentContentBlock[];
}

/** The error for a request that needs a capability which the agent has not declared: nothing is sent. */
export function unsupported(op: string, message: string): HoldfastError {
  return new HoldfastError({ code: "unsupported", op, message });
}
