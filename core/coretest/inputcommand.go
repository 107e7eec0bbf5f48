package coretest

import (
	"strings"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

func peekCommand(p *player, args string) {
	p.world.Input("peek "+args, func(m *mcp.Client, now engine.Time) { m.Peek(now, p.call(args)) })
}

func draftCommand(p *player, args string) {
	of, rest, _ := strings.Cut(args, " ")
	p.world.Input("draft "+args, func(m *mcp.Client, now engine.Time) {
		if !strings.HasPrefix(of, "c") {
			m.SaveDraft(now, 0, uint32(p.number(of)), "", []byte(rest))
			return
		}
		key, draft, _ := strings.Cut(rest, " ")
		m.SaveDraft(now, p.call(of), 0, key, []byte(draft))
	})
}
