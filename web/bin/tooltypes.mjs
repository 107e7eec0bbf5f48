// The command holdfast-tool-types: from a server's list of tools to an interface of TypeScript's.

import { listTools } from "./listtools.mjs";
import { isIdentifier, memberName, documented, Types } from "./schematypes.mjs";

const USAGE = `usage: holdfast-tool-types ADDRESS|FILE [--name NAME] [--header "NAME: VALUE"]...`;

/** An interface of the tools of a list, by the name of the interface. The same list gives the same text, in whatever order it came. */
export function toolTypes(tools, name) {
  const types = new Types(name);
  const members = [...new Map(tools.map((tool) => [tool.name, tool])).values()]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name: tool, title, description, inputSchema = {}, outputSchema, annotations }) => {
      const input = types.of(inputSchema, inputSchema, `${tool}Input`, { object: true });
      const output = outputSchema ? types.of(outputSchema, outputSchema, `${tool}Output`) : "unknown";
      const said = [title ?? annotations?.title, description].filter((text) => typeof text === "string" && text !== "").join("\n\n");
      return `${documented(said, "  ")}  ${memberName(tool)}: { input: ${types.indented(input)}; output: ${types.indented(output)} };\n`;
    });
  return `// Written by holdfast-tool-types: run it again where the server's tools change.\n\n${types.declarations()}export interface ${name} {\n${members.join("")}}`;
}

/** Runs the command; resolves with its exit code. */
export async function main(args, { out, err, fetch, readFile }) {
  const rest = [];
  const headers = [];
  let name = "ServerTools";
  for (let i = 0; i < args.length; i++) {
    if (args[i] === "--name" && i + 1 < args.length) name = args[++i];
    else if (args[i] === "--header" && i + 1 < args.length) headers.push(args[++i]);
    else rest.push(args[i]);
  }
  const [from = ""] = rest;
  if (rest.length !== 1 || from.startsWith("-")) return err(USAGE), 2;
  if (!isIdentifier(name)) return err(`--name: ${name} is no name of a type`), 2;
  const wrong = headers.find((header) => !/^[!#$%&'*+.^_`|~0-9A-Za-z-]+:/.test(header));
  if (wrong !== undefined) return err('--header: has to be "NAME: VALUE"'), 2; // it may hold a token
  try {
    const tools = /^https?:/i.test(from) ? await listTools(from, headersOf(headers), fetch) : toolsIn(await readFile(from, "utf8"));
    out(toolTypes(tools, name));
    return 0;
  } catch (error) {
    err(`${from}: ${error.message}`);
    return 1;
  }
}

function headersOf(headers) {
  return headers.map((header) => [header.slice(0, header.indexOf(":")), header.slice(header.indexOf(":") + 1).trim()]);
}

/** The tools in a file: the result of tools/list, the whole response, or the list alone. */
function toolsIn(text) {
  let json;
  try {
    json = JSON.parse(text);
  } catch {
    throw new Error("it is no JSON");
  }
  const tools = Array.isArray(json) ? json : (json?.tools ?? json?.result?.tools);
  if (!Array.isArray(tools) || tools.some((tool) => typeof tool?.name !== "string")) throw new Error("it has no list of tools: what tools/list answers has");
  return tools;
}
