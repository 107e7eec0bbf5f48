// Package recorded is what an MCP call comes to in the journal: its entries, folded in
// their order. What is stored byte by byte says core/journal, which knows no protocol.
package recorded
