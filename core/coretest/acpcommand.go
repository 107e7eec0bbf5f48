package coretest

import (
	"strings"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/engine"
)

type acpPlayer = player[*acp.Client]

// acpCommands are those of a script about an ACP agent. H is the handle of a session,
// the number of its recall.
var acpCommands = withCommon(commands[*acp.Client]{
	// new [journal] [lateheads] [tabs] [token] [websocket] [version=N] [answer=MS] [idle=MS] [streams=N]
	"new":       newAgentCommand,
	"open":      openAgentCommand,   // open [VERSION]: the whole handshake, its effects left out
	"call":      requestCommand,     // call H METHOD [JSON]; H is 0 for the connection
	"prompt":    promptCommand,      // prompt H TEXT
	"notify":    agentNotifyCommand, // notify H METHOD [JSON]
	"cancel":    agentCancelCommand, // cancel cN
	"draft":     answerDraftCommand, // draft HANDLE JSON: what a person has begun
	"forget":    forgetCommand,      // forget H
	"streams":   streamsCommand,     // streams N: how many of them this tab may hold
	"terminate": terminateCommand,   // terminate: the connection ends, and is deleted
	"socket":    socketCommand,      // socket xN open | message TEXT | closed CODE
})

func newAgentCommand(p *acpPlayer, args string) {
	var cfg acp.Config
	for _, arg := range strings.Fields(args) {
		name, value, _ := strings.Cut(arg, "=")
		switch name {
		case "journal":
			cfg.Journal = true
		case "lateheads":
			cfg.LateHeads = true
		case "tabs":
			cfg.Tabs = true
		case "token":
			cfg.HasTokenProvider = true
		case "signin":
			cfg.HasTokenProvider, cfg.SignIn = true, true
		case "websocket":
			cfg.Transport, cfg.URL = acp.TransportWebSocket, "wss://agent.test/acp"
		case "version":
			cfg.Version = int(p.number(value))
		case "answer":
			cfg.Timeouts.Answer = p.number(value)
		case "idle":
			cfg.Timeouts.Idle = p.number(value)
		case "streams":
			cfg.Limits.Streams = int(p.number(value))
		default:
			p.t.Fatalf("script: no such option: %s", arg)
		}
	}
	p.world = NewACP(p.t, cfg).World
}

func openAgentCommand(p *acpPlayer, args string) {
	if args == "" {
		args = "2"
	}
	ACP{p.world}.Handshake(args)
	p.world.Effects = nil
}

func requestCommand(p *acpPlayer, args string) {
	session, method, params := sessionRequest(p, args)
	ACP{p.world}.Call(session, method, params)
}

func promptCommand(p *acpPlayer, args string) {
	session, text, _ := strings.Cut(args, " ")
	ACP{p.world}.Call(uint32(p.number(session)), "session/prompt",
		`{"prompt":[{"type":"text","text":"`+text+`"}]}`)
}

func agentNotifyCommand(p *acpPlayer, args string) {
	session, method, params := sessionRequest(p, args)
	p.world.Input("notify "+args,
		func(c *acp.Client, now engine.Time) { c.Notify(now, session, method, []byte(params)) })
}

// sessionRequest reads H METHOD [JSON].
func sessionRequest(p *acpPlayer, args string) (session uint32, method, params string) {
	handle, rest, _ := strings.Cut(args, " ")
	method, params, _ = strings.Cut(rest, " ")
	return uint32(p.number(handle)), method, params
}

func agentCancelCommand(p *acpPlayer, args string) {
	p.world.Input("cancel "+args, func(c *acp.Client, now engine.Time) { c.Cancel(now, p.call(args)) })
}

func answerDraftCommand(p *acpPlayer, args string) {
	handle, draft, _ := strings.Cut(args, " ")
	p.world.Input("draft "+args,
		func(c *acp.Client, now engine.Time) { c.SaveDraft(now, uint32(p.number(handle)), []byte(draft)) })
}

func forgetCommand(p *acpPlayer, args string) {
	p.world.Input("forget "+args,
		func(c *acp.Client, now engine.Time) { c.Forget(now, uint32(p.number(args))) })
}

func streamsCommand(p *acpPlayer, args string) {
	p.world.Input("streams "+args,
		func(c *acp.Client, now engine.Time) { c.Streams(now, int(p.number(args))) })
}

func terminateCommand(p *acpPlayer, _ string) { p.world.Input("terminate", (*acp.Client).Terminate) }

func socketCommand(p *acpPlayer, args string) {
	f := strings.SplitN(args, " ", 3)
	x := p.exchange(f[0])
	p.world.Input("socket "+args, func(c *acp.Client, now engine.Time) {
		switch f[1] {
		case "open":
			c.SocketOpened(now, x)
		case "message":
			c.SocketMessage(now, x, []byte(f[2]))
		case "closed":
			p.world.contract.end(x)
			c.SocketClosed(now, x, int(p.number(f[2])), "")
		default:
			p.t.Fatalf("script: no such report of a socket: %s", f[1])
		}
	})
}
