package coretest

import (
	"strings"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

type mcpPlayer = player[*mcp.Client]

// mcpCommands are those of a script about an MCP server.
var mcpCommands = withCommon(commands[*mcp.Client]{
	"new":       newCommand,       // new [token] [lateheads] [nolisten] [tabs] [scarce] [wall=MS] [revision=R] [answer=MS] [idle=MS] [total=MS]
	"open":      openCommand,      // open [REVISION]: the whole handshake, its effects left out
	"call":      callCommand,      // call [OPTION ...] METHOD [JSON]
	"tools":     toolsCommand,     // tools [JSON]: the facts of tools that the host has listed; none: the list has changed
	"calltool":  callToolCommand,  // calltool [task=yes|no] [OPTION ...] TOOL: a call with the argument region, as a host makes it
	"notify":    notifyCommand,    // notify METHOD [JSON]
	"source":    sourceCommand,    // source xN open | failed | redirected | TYPE DATA
	"answer":    answerCommand,    // answer cN JSON: the responses to a request for input
	"peek":      peekCommand,      // peek cN
	"draft":     draftCommand,     // draft cN KEY [JSON], draft HANDLE [JSON]: what a person has begun
	"subscribe": subscribeCommand, // subscribe JSON: the resources to watch
	"cancel":    cancelCommand,    // cancel cN [REASON]
	"pause":     pauseCommand,     // pause cN
	"unpause":   unpauseCommand,   // unpause cN
	"ack":       ackCommand,       // ack cN [POSITION [TICKET]]: of position 0, all of it
	"handed":    handedCommand,    // handed cN: the outcome was handed to the app
	"hide":      hideCommand,      // the page is being left
	"park":      parkCommand,      // park cN
	"unpark":    unparkCommand,    // unpark cN
	"lease":     leaseCommand,     // lease: the tab may make a new session
	"hold":      holdCommand,      // hold cN: the host has no connection for the call
	"unhold":    unholdCommand,    // unhold cN: it has one
	"scarce":    scarceCommand,    // scarce: the host has few connections from here on
	"ample":     ampleCommand,     // ample: it has as many as there are calls
	"listen":    listenCommand,    // listen [missed]: the tab is the one that listens
	"unlisten":  unlistenCommand,  // unlisten: it is not any more
	"alone":     aloneCommand,     // alone: the tab is awake, and knows of no other one
	"unalone":   unaloneCommand,   // unalone: it knows of one, or is being frozen
})

func newCommand(p *mcpPlayer, args string) {
	var cfg mcp.Config
	for _, arg := range strings.Fields(args) {
		name, value, _ := strings.Cut(arg, "=")
		switch name {
		case "token":
			cfg.HasTokenProvider = true
		case "signin":
			cfg.HasTokenProvider, cfg.SignIn = true, true
		case "nolisten":
			cfg.NoListen = true
		case "revision":
			cfg.Revision = value
		case "tabs":
			cfg.Tabs = true
		case "wall":
			cfg.Wall = p.number(value)
		case "scarce":
			cfg.Scarce = true
		case "limit":
			cfg.Limits.Stored = int(p.number(value))
		case "journal":
			cfg.Journal = true
		case "lateheads":
			cfg.LateHeads = true
		case "eventsource":
			cfg.EventSource = true
		case "handles":
			cfg.Handles = strings.Split(value, ",")
		case "assume":
			cfg.Assume = value
		case "answer":
			cfg.Timeouts.Answer = p.number(value)
		case "idle":
			cfg.Timeouts.Idle = p.number(value)
		case "total":
			cfg.Timeouts.Total = p.number(value)
		default:
			p.t.Fatalf("script: no such option: %s", arg)
		}
	}
	p.world = NewMCP(p.t, cfg).World
}

func openCommand(p *mcpPlayer, args string) {
	if args == "" {
		args = "2025-11-25"
	}
	MCP{p.world}.Handshake(args)
	p.world.Effects = nil
}

// callCommand takes options before the method: durable, readonly, idempotent,
// rerun=always|never, key=NAME, meta=JSON (without spaces).
func callCommand(p *mcpPlayer, args string) {
	var o mcp.CallOptions
	for {
		word, rest, _ := strings.Cut(args, " ")
		key, isKey := strings.CutPrefix(word, "key=")
		switch {
		case isKey:
			o.Key = key
		case strings.HasPrefix(word, "meta="):
			o.Meta = []byte(strings.TrimPrefix(word, "meta="))
		case word == "durable":
			o.Durable = true
		case word == "connected":
			o.Connected = true
		case word == "manual":
			o.Flags |= journal.ManualAck
		case taskWishes[word] != 0:
			o.Wish, o.Task = taskWishes[word], []byte(`{"responseModes":["task"]}`)
		case word == "readonly":
			o.Flags |= journal.ReadOnly
		case word == "idempotent":
			o.Flags |= journal.Idempotent
		case word == "rerun=always":
			o.Flags |= journal.RerunAlways
		case word == "rerun=never":
			o.Flags |= journal.RerunNever
		default:
			MCP{p.world}.Call(word, rest, o)
			return
		}
		args = rest
	}
}

func toolsCommand(p *mcpPlayer, args string) {
	p.world.Input("tools "+args, func(c *mcp.Client, now engine.Time) {
		c.Tools(now, []byte(args))
	})
}

// callToolCommand calls a tool by its name, which may become a task: task=yes and task=no are an app's words for it.
func callToolCommand(p *mcpPlayer, args string) {
	options, name, wish := "", args, "unsaid"
	for {
		word, rest, more := strings.Cut(name, " ")
		if !more {
			break
		}
		if name = rest; word == "task=yes" || word == "task=no" {
			wish = strings.TrimPrefix(word, "task=")
		} else {
			options += word + " "
		}
	}
	callCommand(p, options+"task="+wish+` tools/call {"name":"`+name+`","arguments":{"region":"eu"}}`)
}

// taskWishes are what callCommand takes as a word for that.
var taskWishes = map[string]mcp.TaskWish{
	"task=unsaid": mcp.TaskUnsaid, "task=yes": mcp.TaskWanted, "task=no": mcp.TaskUnwanted,
}

func notifyCommand(p *mcpPlayer, args string) {
	method, params, _ := strings.Cut(args, " ")
	p.world.Input("notify "+args, func(c *mcp.Client, now engine.Time) {
		c.Notify(now, method, []byte(params), mcp.CallOptions{})
	})
}

func cancelCommand(p *mcpPlayer, args string) {
	c, reason, _ := strings.Cut(args, " ")
	p.world.Input("cancel "+args, func(m *mcp.Client, now engine.Time) { m.Cancel(now, p.call(c), reason) })
}

func sourceCommand(p *mcpPlayer, args string) {
	f := strings.SplitN(args, " ", 3)
	p.world.Input("source "+args, func(m *mcp.Client, now engine.Time) {
		switch x := p.exchange(f[0]); {
		case f[1] == "open":
			m.SourceOpened(now, x)
		case f[1] == "failed":
			m.SourceFailed(now, x)
		case f[1] == "redirected":
			m.SourceRedirected(now, x)
		default:
			m.SourceEvent(now, x, []byte(f[1]), []byte(f[2]), nil)
		}
	})
}

func answerCommand(p *mcpPlayer, args string) {
	c, responses, _ := strings.Cut(args, " ")
	p.world.Input("answer "+args, func(m *mcp.Client, now engine.Time) { m.Answer(now, p.call(c), []byte(responses)) })
}

func subscribeCommand(p *mcpPlayer, args string) {
	p.world.Input("subscribe "+args, func(m *mcp.Client, now engine.Time) { m.Subscribe(now, []byte(args)) })
}

func pauseCommand(p *mcpPlayer, args string) { pause(p, args, true) }

func unpauseCommand(p *mcpPlayer, args string) { pause(p, args, false) }

func pause(p *mcpPlayer, args string, paused bool) {
	p.world.Input("pause "+args, func(m *mcp.Client, now engine.Time) { m.Pause(now, p.call(args), paused) })
}

func ackCommand(p *mcpPlayer, args string) {
	words := strings.Fields(args)
	var n [2]int64
	for i := range words[1:] {
		n[i] = p.number(words[1+i])
	}
	p.world.Input("ack "+args, func(m *mcp.Client, now engine.Time) { m.Ack(now, p.call(words[0]), uint32(n[0]), uint32(n[1])) })
}

func handedCommand(p *mcpPlayer, args string) {
	p.world.Input("handed "+args, func(m *mcp.Client, now engine.Time) { m.Handed(now, p.call(args)) })
}

func hideCommand(p *mcpPlayer, _ string) {
	p.world.Input("hide", func(m *mcp.Client, now engine.Time) { m.Hide(now) })
}

func parkCommand(p *mcpPlayer, args string) { park(p, args, true) }

func unparkCommand(p *mcpPlayer, args string) { park(p, args, false) }

func park(p *mcpPlayer, args string, parked bool) {
	p.world.Input("park "+args, func(m *mcp.Client, now engine.Time) { m.Park(now, p.call(args), parked) })
}

func peekCommand(p *mcpPlayer, args string) {
	p.world.Input("peek "+args, func(m *mcp.Client, now engine.Time) { m.Peek(now, p.call(args)) })
}

func draftCommand(p *mcpPlayer, args string) {
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

func leaseCommand(p *mcpPlayer, _ string) { p.world.Input("lease", (*mcp.Client).Handshake) }

func holdCommand(p *mcpPlayer, args string) { hold(p, args, true) }

func unholdCommand(p *mcpPlayer, args string) { hold(p, args, false) }

func hold(p *mcpPlayer, args string, held bool) {
	p.world.Input("hold "+args, func(m *mcp.Client, now engine.Time) { m.Hold(now, p.call(args), held) })
}

func scarceCommand(p *mcpPlayer, _ string) {
	p.world.Input("scarce", func(m *mcp.Client, now engine.Time) { m.Scarce(now, true) })
}

func ampleCommand(p *mcpPlayer, _ string) {
	p.world.Input("ample", func(m *mcp.Client, now engine.Time) { m.Scarce(now, false) })
}

func listenCommand(p *mcpPlayer, args string) {
	p.world.Input("listen", func(m *mcp.Client, now engine.Time) { m.Listen(now, true, args == "missed") })
}

func unlistenCommand(p *mcpPlayer, _ string) {
	p.world.Input("unlisten", func(m *mcp.Client, now engine.Time) { m.Listen(now, false, false) })
}

func aloneCommand(p *mcpPlayer, _ string)   { alone(p, "alone", true) }
func unaloneCommand(p *mcpPlayer, _ string) { alone(p, "unalone", false) }

func alone(p *mcpPlayer, line string, is bool) {
	p.world.Input(line, func(c *mcp.Client, now engine.Time) { c.Alone(now, is) })
}
