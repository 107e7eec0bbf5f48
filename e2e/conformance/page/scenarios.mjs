// What each scenario asks a client to do. Whether it did it right is for the
// suite to say; steps reject only where the client gives up.
import { requestState } from "./requeststate.mjs";
import { listSkills, loadSkill } from "./skills.mjs";

/** Accepts every form, filled in with nothing. */
const elicitation = async () => ({ action: "accept", content: {} });

const steps = {
  // This server answers everything but initialize with {}, which is no list of
  // tools: so the plain request.
  "initialize": async ({ connect }) => {
    const mcp = await connect();
    await mcp.request("tools/list").result;
  },

  "tools_call": async ({ connect }) => {
    const mcp = await connect();
    const tool = await toolNamed(mcp, "add_numbers");
    await mcp.callTool(tool.name, { a: 5, b: 3 }).result;
  },

  // The client has to fill in the defaults of the form's schema.
  "elicitation-sep1034-client-defaults": async ({ connect }) => {
    const mcp = await connect({ handlers: { elicitation } });
    const tool = await toolNamed(mcp, "test_client_elicitation_defaults");
    await mcp.callTool(tool.name).result;
  },

  // The call's stream is cut; the client waits as long as it was told to.
  "sse-retry": async ({ connect }) => {
    const mcp = await connect();
    const tool = await toolNamed(mcp, "test_reconnection");
    await mcp.callTool(tool.name).result;
  },

  // The handlers are there to be declared: each is a capability to be checked.
  "request-metadata": async ({ connect }) => {
    const refuse = async () => {
      throw new Error("this page only declares that it could");
    };
    const mcp = await connect({ handlers: { elicitation, sampling: refuse, roots: async () => [] } });
    await mcp.listTools();
  },

  "sep-2322-client-request-state": requestState,

  "http-standard-headers": async ({ connect }) => {
    const mcp = await connect();
    for (const { name } of (await mcp.listTools()).tools) await mcp.callTool(name).result;
    for (const { uri } of (await mcp.listResources()).resources) await mcp.readResource(uri);
    for (const { name } of (await mcp.listPrompts()).prompts) await mcp.getPrompt(name);
  },

  // The tools have to be listed first: their schemas say which arguments are
  // to be mirrored in headers.
  "http-custom-headers": async ({ connect, context }) => {
    const mcp = await connect();
    await mcp.listTools();
    for (const { name, arguments: args } of context.toolCalls) await mcp.callTool(name, args).result;
  },

  // Every tool that the client has left over is called; the bad ones must be gone.
  "http-invalid-tool-headers": async ({ connect }) => {
    const mcp = await connect();
    for (const { name } of (await mcp.listTools()).tools) await mcp.callTool(name).result;
  },

  "json-schema-ref-no-deref": async ({ connect }) => {
    const mcp = await connect();
    await mcp.listTools();
  },

  "json-schema-2020-12-preservation": async ({ connect }) => {
    const mcp = await connect();
    const { inputSchema } = await toolNamed(mcp, "json_schema_2020_12_tool");
    await mcp.callTool("json_schema_echo", { schema: inputSchema }).result;
  },

  "sep-2640-client-no-prefetch": listSkills,
  "sep-2640-client-verify-digest": loadSkill,
  "sep-2640-client-verify-size": loadSkill,
  "sep-2640-client-verify-frontmatter": loadSkill,

  // The grants in which no person takes part end with a list.
  "auth/client-credentials-basic": list,
  "auth/client-credentials-jwt": list,
  "auth/enterprise-managed-authorization": list,
  "auth/wif-jwt-bearer": list,
};

/** The steps of a scenario. Those of auth are alike: a call that needs a token. */
export function stepsOf(scenario) {
  const found = steps[scenario] ?? (scenario.startsWith("auth/") ? listAndCall : undefined);
  if (!found) throw new Error(`no steps are known for ${scenario}`);
  return found;
}

async function list({ connect }) {
  const mcp = await connect();
  await mcp.listTools();
}

async function listAndCall({ connect }) {
  const mcp = await connect();
  await mcp.listTools();
  await mcp.callTool("test-tool").result;
}

async function toolNamed(mcp, name) {
  const { tools } = await mcp.listTools();
  const tool = tools.find((tool) => tool.name === name);
  if (!tool) throw new Error(`the server has no tool ${name}`);
  return tool;
}
