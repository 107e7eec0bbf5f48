import { isObject } from "./patch.js";
import type { Implementation, Open } from "../base/mcp.js";
import type {
  AgentCapabilities, AgentSessionCapabilities, AuthMethod, ConfigOption, McpServer,
} from "./acp.js";

/** The differences between the versions of ACP (spec: protocol/v2/migration). */
export interface Dialect {
  login: string;
  logout: string;
  /** The request for a session that the agent has, with its history where it can tell it. */
  resume(session: AgentSessionCapabilities): { method: string; params: Open };
  info(initialize: Open): Implementation | undefined;
  capabilities(initialize: Open): AgentCapabilities;
  authMethods(methods: readonly Open[]): AuthMethod[];
  /** An MCP server with all that the version wants to have there. */
  server(server: McpServer): Open;
  /** The settings of a session. */
  configOptions(options: readonly Open[]): readonly ConfigOption[];
  /** A value of session/set_config_option. */
  configValue(value: string | boolean): Open;
}

const YES: object = {};

/** Version 2 has the other session methods wherever it has sessions. */
const BASELINE: AgentSessionCapabilities = { list: YES, resume: YES, load: YES, close: YES };

/** The versions that are spoken. */
export const DIALECTS: Readonly<Record<number, Dialect>> = {
  1: {
    login: "authenticate",
    logout: "logout",
    resume: ({ load }) => ({ method: load ? "session/load" : "session/resume", params: {} }),
    info: (initialize) => implementation(initialize["agentInfo"]),
    capabilities: (initialize) => {
      const { promptCapabilities, mcpCapabilities, sessionCapabilities, loadSession, ...rest } =
        object(initialize["agentCapabilities"]);
      const session: AgentSessionCapabilities = {
        mcp: { stdio: YES, ...flags(mcpCapabilities) },
        prompt: flags(promptCapabilities),
        ...object(sessionCapabilities),
        ...(loadSession === true ? { load: YES } : {}),
      };
      return { ...rest, session };
    },
    authMethods: (methods) => methods
      .map(({ id, type, ...rest }) => ({ ...rest, methodId: id, type: type ?? "agent" }) as AuthMethod),
    server: ({ type, ...server }) =>
      server.url === undefined
        ? { args: [], env: [], ...server }
        : { type: type ?? "http", headers: [], ...server },
    configOptions: (options) =>
      options.map(({ id, ...option }) => ({ ...option, configId: id }) as ConfigOption),
    configValue: (value) => (typeof value === "boolean" ? { type: "boolean", value } : { value }),
  },
  2: {
    login: "auth/login",
    logout: "auth/logout",
    resume: () => ({ method: "session/resume", params: { replayFrom: { type: "start" } } }),
    info: (initialize) => implementation(initialize["info"]),
    capabilities: (initialize) => {
      const capabilities = object(initialize["capabilities"]);
      const { session } = capabilities;
      return isObject(session) ? { ...capabilities, session: { ...BASELINE, ...session } } : capabilities;
    },
    authMethods: (methods) => methods as AuthMethod[],
    server: (server) => ({ type: server.url === undefined ? "stdio" : "http", ...server }),
    configOptions: (options) => options as ConfigOption[],
    configValue: (value) => ({ type: typeof value === "boolean" ? "boolean" : "id", value }),
  },
};

function object(value: unknown): Open {
  return isObject(value) ? value : {};
}

function implementation(value: unknown): Implementation | undefined {
  return isObject(value) ? (value as Implementation) : undefined;
}

/** Version 1 has true where version 2 has an object. */
function flags(value: unknown): Open {
  const said = Object.entries(object(value)).filter(([, flag]) => flag !== false);
  return Object.fromEntries(said.map(([name, flag]) => [name, flag === true ? YES : flag]));
}
