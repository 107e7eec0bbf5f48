package acp

import (
	"bytes"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/jsonrpc"
)

// The MCP servers of a session are the agent's to connect to, with the tokens in
// their headers and environment. Each resume names them again, so they are kept, and
// sealed: the head says only that there are some, and no other tab hears which.

// serversOf returns the MCP servers that params name, a JSON array; nil for none.
func serversOf(params []byte) []byte {
	if servers, ok := jsonrpc.Member(params, "mcpServers"); ok && string(servers) != "[]" {
		return bytes.Clone(servers)
	}
	return nil
}

// setServers takes the servers that a request for the session names, if it does.
func (c *Client) setServers(s *session, params []byte) {
	servers := serversOf(params)
	if _, named := jsonrpc.Member(params, "mcpServers"); !named || bytes.Equal(servers, s.servers) {
		return
	}
	s.servers = servers
	if s.record != nil {
		c.rewriteServers(s)
	}
}

// writeServers writes the MCP servers of the session, in the row after its head.
func (c *Client) writeServers(s *session) {
	if s.servers != nil {
		c.rewriteServers(s)
	}
}

func (c *Client) rewriteServers(s *session) {
	c.writeSecret(s, journal.Entry{Kind: journal.Servers, Data: s.servers})
}

// restoreServers brings them back, or says that there were some: without a cipher
// they end with the page, and the app has to name them again.
func (c *Client) restoreServers(s *session) {
	switch {
	case s.fold.Servers != nil:
		s.servers = s.fold.Servers
		if len(s.servers) == 0 {
			s.servers = nil
		}
	case s.hadServers && s.servers == nil:
		c.integrity(s, "servers_lost")
	}
}

// withServers returns params with the servers of the session, where they name none.
func (s *session) withServers(params []byte) []byte {
	if _, named := jsonrpc.Member(params, "mcpServers"); named {
		return params
	}
	servers := s.servers
	if servers == nil {
		servers = []byte("[]")
	}
	return jsonrpc.AppendObject(nil, params, append([]byte(`"mcpServers":`), servers...))
}

// withoutServers returns params as another tab may have them: the one that carries
// the session has its servers, and they stay as they are. What names others for
// something else is for that tab alone to ask.
func withoutServers(method string, params []byte) ([]byte, *engine.Error) {
	if !methods[method].joins && serversOf(params) != nil {
		return nil, elsewhere(method)
	}
	if _, named := jsonrpc.Member(params, "mcpServers"); named {
		params = jsonrpc.AppendWithout(nil, params, "mcpServers")
	}
	return params, nil
}
