/**
 * `holdfast/hub`: several MCP servers as one, with names of tools that do not collide.
 *
 * @module
 */
export { hub, type Hub, type HubEvents, type HubServer, type HubTool, type HubTools } from "./hub.js";
