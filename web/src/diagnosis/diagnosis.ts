// The chunk that says why a connection failed. It is loaded when one does, and
// imports no more than types from outside of its folder: what it shared with the
// module would become a file of its own, which every page then had to load.
export { findAgentCause } from "./agentdiagnosis.js";
export { findServerCause } from "./serverdiagnosis.js";
export { refusedFields } from "./fields.js";
