import type { Tool as ModelTool } from "ai";
import type { ContentBlock } from "holdfast";
import { isProgress, type ToolOutput } from "./execution.js";

/** The result of a tool, as a model gets it. */
type ModelOutput = Awaited<ReturnType<NonNullable<ModelTool["toModelOutput"]>>>;
type Part = Extract<ModelOutput, { type: "content" }>["value"][number];

/**
 * Says a tool's result to a model: text and media as such, a failure as one, and where there is no content
 * what is structured.
 */
export function modelOutput(output: ToolOutput): ModelOutput {
  if (isProgress(output))
    return { type: "error-text", value: "The tool has not answered: it was interrupted." };
  const content = Array.isArray(output.content) ? (output.content as ContentBlock[]) : [];
  if (output["isError"] === true)
    return { type: "error-text", value: content.map(textOf).join("\n") || "The tool failed without a word." };
  if (content.length === 0)
    return output["structuredContent"] === undefined
      ? { type: "text", value: "" }
      : { type: "json", value: output["structuredContent"] as never };
  return { type: "content", value: content.map(partOf) };
}

function textOf(block: ContentBlock): string {
  return block.type === "text" ? block.text : `(${block.type})`;
}

function partOf(block: ContentBlock): Part {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "image":
    case "audio":
      return { type: "file", mediaType: block.mimeType, data: { type: "data", data: block.data } };
    default:
      return { type: "text", text: JSON.stringify(block) };
  }
}
