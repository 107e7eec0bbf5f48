//go:build js && wasm && mcponly

package main

// agent is what no client of a program for MCP alone has.
type agent = *struct{}

func (c *client) takeAgent(uint32, *input) {}
