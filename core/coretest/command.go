package coretest

import (
	"strconv"
	"strings"

	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// commands are the inputs that a script can give.
var commands = map[string]func(p *player, args string){
	"new":       newCommand,       // new [token] [nolisten] [tabs] [scarce] [wall=MS] [revision=R] [answer=MS] [idle=MS] [total=MS]
	"start":     startCommand,     // start
	"open":      openCommand,      // open [REVISION]: the whole handshake, its effects left out
	"call":      callCommand,      // call METHOD [JSON]
	"notify":    notifyCommand,    // notify METHOD [JSON]
	"head":      headCommand,      // head xN STATUS [name=value ...]
	"chunk":     chunkCommand,     // chunk xN TEXT
	"end":       endCommand,       // end xN clean|network|invalid
	"advance":   advanceCommand,   // advance MS
	"deadline":  deadlineCommand,  // deadline: prints how far off it is
	"source":    sourceCommand,    // source xN open | failed | redirected | TYPE DATA
	"answer":    answerCommand,    // answer cN JSON: the responses to a request for input
	"respond":   respondCommand,   // respond HANDLE JSON: the result of a server's request
	"peek":      peekCommand,      // peek cN
	"draft":     draftCommand,     // draft cN KEY [JSON], draft HANDLE [JSON]: what a person has begun
	"subscribe": subscribeCommand, // subscribe JSON: the resources to watch
	"cancel":    cancelCommand,    // cancel cN [REASON]
	"pause":     pauseCommand,     // pause cN
	"unpause":   unpauseCommand,   // unpause cN
	"token":     tokenCommand,     // token VALUE
	"tokenfail": tokenFailCommand, // tokenfail MESSAGE
	"tokenaway": tokenAwayCommand, // tokenaway: the provider could not reach the network
	"online":    onlineCommand,    // online
	"offline":   offlineCommand,   // offline
	"woke":      wokeCommand,      // woke GAP_MS
	"close":     closeCommand,     // close
	"stored":    storedCommand,    // stored [unsealed|quota|failed]: the commit under way
	"storeback": storeBackCommand,
	"storegone": storeGoneCommand, // storegone <why>
	"reload":    reloadCommand,    // reload: the page goes, and another reads what it has stored
	"ack":       ackCommand,       // ack cN [POSITION [TICKET]]: of position 0, all of it
	"handed":    handedCommand,    // handed cN: the outcome was handed to the app
	"hide":      hideCommand,      // the page is being left
	"park":      parkCommand,      // park cN
	"unpark":    unparkCommand,    // unpark cN
	"wall":      wallCommand,      // wall MS: how far the wall clock jumps at the next reload
	"counters":  countersCommand,  // counters: prints those that are not 0
}

func newCommand(p *player, args string) {
	var cfg mcp.Config
	for _, arg := range strings.Fields(args) {
		name, value, _ := strings.Cut(arg, "=")
		switch name {
		case "token":
			cfg.HasTokenProvider = true
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
	p.world = NewWorld(p.t, cfg)
}

func startCommand(p *player, _ string) { p.world.Start() }

func openCommand(p *player, args string) {
	if args == "" {
		args = "2025-11-25"
	}
	p.world.Handshake(args)
	p.world.Effects = nil
}

// callCommand takes options before the method: durable, readonly, idempotent,
// rerun=always|never, key=NAME.
func callCommand(p *player, args string) {
	var o mcp.CallOptions
	for {
		word, rest, _ := strings.Cut(args, " ")
		key, isKey := strings.CutPrefix(word, "key=")
		switch {
		case isKey:
			o.Key = key
		case word == "durable":
			o.Durable = true
		case word == "readonly":
			o.Flags |= journal.ReadOnly
		case word == "idempotent":
			o.Flags |= journal.Idempotent
		case word == "rerun=always":
			o.Flags |= journal.RerunAlways
		case word == "rerun=never":
			o.Flags |= journal.RerunNever
		default:
			p.world.Call(word, rest, o)
			return
		}
		args = rest
	}
}

func notifyCommand(p *player, args string) {
	method, params, _ := strings.Cut(args, " ")
	p.world.Input("notify "+args, func(c *mcp.Client, now engine.Time) {
		c.Notify(now, method, []byte(params), mcp.CallOptions{})
	})
}

func headCommand(p *player, args string) {
	f := strings.Fields(args)
	var fields []string
	for _, field := range f[2:] {
		name, value, _ := strings.Cut(field, "=")
		fields = append(fields, name, value)
	}
	p.world.Head(p.exchange(f[0]), int(p.number(f[1])), fields...)
}

func chunkCommand(p *player, args string) {
	x, text, _ := strings.Cut(args, " ")
	p.world.Chunk(p.exchange(x), text)
}

func endCommand(p *player, args string) {
	x, how, _ := strings.Cut(args, " ")
	for ending, name := range endings {
		if name == how {
			p.world.End(p.exchange(x), ending)
			return
		}
	}
	p.t.Fatalf("script: no such ending: %s", how)
}

func advanceCommand(p *player, args string) { p.world.Advance(p.number(args)) }

func deadlineCommand(p *player, _ string) {
	if ms := p.world.NextDeadline(); ms >= 0 {
		p.lines = append(p.lines, "in "+strconv.FormatInt(ms, 10))
	} else {
		p.lines = append(p.lines, "none")
	}
}

func cancelCommand(p *player, args string) {
	c, reason, _ := strings.Cut(args, " ")
	p.world.Input("cancel "+args, func(m *mcp.Client, now engine.Time) { m.Cancel(now, p.call(c), reason) })
}

func sourceCommand(p *player, args string) {
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

func answerCommand(p *player, args string) {
	c, responses, _ := strings.Cut(args, " ")
	p.world.Input("answer "+args, func(m *mcp.Client, now engine.Time) { m.Answer(now, p.call(c), []byte(responses)) })
}

func respondCommand(p *player, args string) {
	handle, result, _ := strings.Cut(args, " ")
	p.world.Input("respond "+args, func(m *mcp.Client, now engine.Time) {
		m.Respond(now, uint32(p.number(handle)), true, []byte(result))
	})
}

func subscribeCommand(p *player, args string) {
	p.world.Input("subscribe "+args, func(m *mcp.Client, now engine.Time) { m.Subscribe(now, []byte(args)) })
}

func pauseCommand(p *player, args string) { p.pause(args, true) }

func unpauseCommand(p *player, args string) { p.pause(args, false) }

func (p *player) pause(args string, paused bool) {
	p.world.Input("pause "+args, func(m *mcp.Client, now engine.Time) { m.Pause(now, p.call(args), paused) })
}

func tokenCommand(p *player, args string) {
	p.world.Input("token", func(m *mcp.Client, now engine.Time) { m.Token(now, args, nil) })
}

func tokenAwayCommand(p *player, _ string) {
	p.world.Input("tokenaway", func(m *mcp.Client, now engine.Time) {
		m.Token(now, "", &engine.Error{Code: engine.CodeNetwork, Op: "token", Retryable: true, Message: "away"})
	})
}

func tokenFailCommand(p *player, args string) {
	p.world.Input("tokenfail", func(m *mcp.Client, now engine.Time) {
		m.Token(now, "", &engine.Error{Code: engine.CodeUnauthorized, Op: "token", Message: args})
	})
}

func onlineCommand(p *player, _ string) { p.world.Input("online", (*mcp.Client).Online) }

func offlineCommand(p *player, _ string) { p.world.Input("offline", (*mcp.Client).Offline) }

func wokeCommand(p *player, args string) {
	p.world.Input("woke "+args, func(m *mcp.Client, now engine.Time) { m.Woke(now, p.number(args)) })
}

func closeCommand(p *player, _ string) { p.world.Input("close", (*mcp.Client).Close) }

func countersCommand(p *player, _ string) {
	text := strings.Trim(string(p.world.Client.AppendCounters(nil)), "{}")
	for _, pair := range strings.Split(text, ",") {
		if !strings.HasSuffix(pair, ":0") {
			p.lines = append(p.lines, pair)
		}
	}
}

func (p *player) exchange(s string) engine.ExchangeID {
	return engine.ExchangeID(p.number(strings.TrimPrefix(s, "x")))
}

func (p *player) call(s string) engine.CallID {
	return engine.CallID(p.number(strings.TrimPrefix(s, "c")))
}

func (p *player) number(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		p.t.Fatalf("script: %q is no number", s)
	}
	return n
}
