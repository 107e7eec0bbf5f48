/**
 * `holdfast/hub`: several MCP servers as one, with names of tools that do not collide.
 *
 * @module
 */
export {
  hub, type Hub, type HubCalls, type HubEvents, type HubFailure, type HubServer, type HubTool, type HubTools,
} from "./hub.js";
