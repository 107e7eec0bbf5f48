//go:build js && wasm && mcponly

package main

import "github.com/holdfast-mcp/holdfast/core/engine"

// agent is what no client of a program for MCP alone has.
type agent = *struct{}

func saveDraft(agent, engine.Time, uint32, []byte) {}
