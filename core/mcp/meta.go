package mcp

// Keys of _meta that MCP reserves (2026-07-28 basic/index, _meta).
const (
	metaKey                = "io.modelcontextprotocol/"
	metaProtocolVersion    = metaKey + "protocolVersion"
	metaClientInfo         = metaKey + "clientInfo"
	metaClientCapabilities = metaKey + "clientCapabilities"
)
