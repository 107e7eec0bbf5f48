// The official clients as an app has them: both majors, which differ in how handlers and results are named.
import { Client as Client2, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { CreateMessageRequestSchema, ElicitRequestSchema, ListRootsRequestSchema, LoggingMessageNotificationSchema, ResourceUpdatedNotificationSchema, ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";

const REQUESTS = { "elicitation/create": ElicitRequestSchema, "sampling/createMessage": CreateMessageRequestSchema, "roots/list": ListRootsRequestSchema };
const NOTIFICATIONS = {
	"notifications/tools/list_changed": ToolListChangedNotificationSchema,
	"notifications/resources/updated": ResourceUpdatedNotificationSchema,
	"notifications/message": LoggingMessageNotificationSchema,
};

const INFO = { name: "official", version: "1.0.0" };

/** 2.x and 1.x with the same words. */
export const majors = {
	2: {
		make: (options) => new Client2(INFO, options),
		call: (client, params, options) => client.callTool(params, options),
		on: (client, method, handler) => client.setNotificationHandler(method, handler),
		answer: (client, method, handler) => client.setRequestHandler(method, handler),
	},
	1: {
		make: (options) => new Client1(INFO, options),
		call: (client, params, options) => client.callTool(params, undefined, options),
		on: (client, method, handler) => client.setNotificationHandler(NOTIFICATIONS[method], handler),
		answer: (client, method, handler) => client.setRequestHandler(REQUESTS[method], handler),
	},
};
export { StreamableHTTPClientTransport };
