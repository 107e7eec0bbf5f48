package wire

// MetaPrefix begins the keys of _meta that MCP reserves (2026-07-28 basic/index,
// _meta). Three of them say in each request who asks, and in which revision.
const (
	MetaPrefix             = "io.modelcontextprotocol/"
	MetaProtocolVersion    = MetaPrefix + "protocolVersion"
	MetaClientInfo         = MetaPrefix + "clientInfo"
	MetaClientCapabilities = MetaPrefix + "clientCapabilities"
)
