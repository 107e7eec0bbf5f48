/**
 * `holdfast/diagnose`: why a page and an MCP server do not find each other, and the lines that help.
 *
 * @module
 */
export { diagnose, type DiagnoseOptions, type ServerDiagnosis } from "./doctor.js";
export type { DiagnosisFinding, FindingCode, Stack } from "./findings.js";
