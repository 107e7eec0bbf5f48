/**
 * `holdfast/testing`: a server in the page for an app's unit tests, and the contract of an app's own `fetch`.
 *
 * @module
 */
export {
  testServer, type ReceivedCall, type TestServer, type TestServerOptions, type TestTool,
} from "./testserver.js";
export type { ToolContext } from "./toolrun.js";
export {
  fetchContract, type ContractCase, type ContractOptions, type ContractSetup,
} from "./fetchcontract.js";
