package coretest

import (
	"strings"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

func storedCommand(p *player, args string) {
	switch result, why, _ := strings.Cut(args, " "); result {
	case "":
		p.world.Stored(journal.ResultOK, "")
	case "unsealed":
		p.world.Stored(journal.ResultUnsealed, "")
	case "quota":
		p.world.Stored(journal.ResultQuota, "")
	default:
		p.world.Stored(journal.ResultFailed, why)
	}
}

func storeBackCommand(p *player, _ string) { p.world.StoreBack() }

func storeGoneCommand(p *player, args string) {
	p.world.Input("storegone "+args, func(m *mcp.Client, now engine.Time) { m.StoreGone(now, args) })
}

func reloadCommand(p *player, _ string) { p.world.Reload() }

func wallCommand(p *player, args string) { p.world.JumpWall(p.number(args)) }

func ackCommand(p *player, args string) {
	words := strings.Fields(args)
	var n [2]int64
	for i := range words[1:] {
		n[i] = p.number(words[1+i])
	}
	p.world.Input("ack "+args, func(m *mcp.Client, now engine.Time) { m.Ack(now, p.call(words[0]), uint32(n[0]), uint32(n[1])) })
}

func handedCommand(p *player, args string) {
	p.world.Input("handed "+args, func(m *mcp.Client, now engine.Time) { m.Handed(now, p.call(args)) })
}

func hideCommand(p *player, _ string) {
	p.world.Input("hide", func(m *mcp.Client, now engine.Time) { m.Hide(now) })
}

func parkCommand(p *player, args string) { p.park(args, true) }

func unparkCommand(p *player, args string) { p.park(args, false) }

func (p *player) park(args string, parked bool) {
	p.world.Input("park "+args, func(m *mcp.Client, now engine.Time) { m.Park(now, p.call(args), parked) })
}
