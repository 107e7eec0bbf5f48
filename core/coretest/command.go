package coretest

import (
	"maps"
	"strconv"
	"strings"

	"github.com/holdfast-mcp/holdfast/core/durable"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/journal"
)

// withCommon adds to the commands of one protocol those that every script has.
func withCommon[M Client](own commands[M]) commands[M] {
	all := commands[M]{
		"start":     startCommand[M],     // start
		"head":      headCommand[M],      // head xN STATUS [name=value ...]
		"chunk":     chunkCommand[M],     // chunk xN TEXT
		"end":       endCommand[M],       // end xN clean|network|invalid|unreadable
		"fails":     failsCommand[M],     // fails xN: fetch says that there was no answer
		"advance":   advanceCommand[M],   // advance MS
		"deadline":  deadlineCommand[M],  // deadline: prints how far off it is
		"respond":   respondCommand[M],   // respond HANDLE JSON: the result of the peer's request
		"token":     tokenCommand[M],     // token VALUE
		"tokenfail": tokenFailCommand[M], // tokenfail MESSAGE
		"tokenaway": tokenAwayCommand[M], // tokenaway: the provider could not reach the network
		"online":    onlineCommand[M],    // online
		"offline":   offlineCommand[M],   // offline
		"woke":      wokeCommand[M],      // woke GAP_MS
		"visited":   visitedCommand[M],   // visited: a page has come
		"close":     closeCommand[M],     // close
		// stored [unsealed|quota|failed WHY]: the commit under way; a durable.Reason
		"stored":    storedCommand[M],
		"storeback": storeBackCommand[M], // storeback: a store that has failed works again
		"storegone": storeGoneCommand[M], // storegone WHY: a durable.Reason
		"reload":    reloadCommand[M],    // reload: the page goes, and another reads what it has stored
		"wall":      wallCommand[M],      // wall MS: how far the wall clock jumps at the next reload
		"counters":  countersCommand[M],  // counters: prints those that are not 0
		// tab NAME: goes on in that tab; a new one reads the store and follows
		"tab": tabCommand[M],
		// hear: the tab is told what is stored that it does not know, without secrets
		"hear":    hearCommand[M],
		"hearlog": hearLogCommand[M], // hearlog cN: the tab reads the whole log of its call
		"take":    takeCommand[M],    // take cN: the tab takes its call over
	}
	maps.Copy(all, own)
	return all
}

func startCommand[M Client](p *player[M], _ string) { p.world.Start() }

func headCommand[M Client](p *player[M], args string) {
	f := strings.Fields(args)
	var fields []string
	for _, field := range f[2:] {
		name, value, _ := strings.Cut(field, "=")
		fields = append(fields, name, value)
	}
	p.world.Head(p.exchange(f[0]), int(p.number(f[1])), fields...)
}

func chunkCommand[M Client](p *player[M], args string) {
	x, text, _ := strings.Cut(args, " ")
	p.world.Chunk(p.exchange(x), text)
}

func endCommand[M Client](p *player[M], args string) {
	x, how, _ := strings.Cut(args, " ")
	for ending, name := range endings {
		if name == how {
			p.world.End(p.exchange(x), ending)
			return
		}
	}
	p.t.Fatalf("script: no such ending: %s", how)
}

func failsCommand[M Client](p *player[M], args string) { p.world.Fails(p.exchange(args)) }

func advanceCommand[M Client](p *player[M], args string) { p.world.Advance(p.number(args)) }

func deadlineCommand[M Client](p *player[M], _ string) {
	if ms := p.world.NextDeadline(); ms >= 0 {
		p.lines = append(p.lines, "in "+strconv.FormatInt(ms, 10))
	} else {
		p.lines = append(p.lines, "none")
	}
}

func respondCommand[M Client](p *player[M], args string) {
	handle, result, _ := strings.Cut(args, " ")
	p.world.Input("respond "+args, func(m M, now engine.Time) {
		m.Respond(now, uint32(p.number(handle)), true, []byte(result))
	})
}

func tokenCommand[M Client](p *player[M], args string) {
	p.world.Input("token", func(m M, now engine.Time) { m.Token(now, args, nil) })
}

func tokenAwayCommand[M Client](p *player[M], _ string) {
	p.world.Input("tokenaway", func(m M, now engine.Time) {
		m.Token(now, "", &engine.Error{Code: engine.CodeNetwork, Op: "token", Retryable: true,
			Message: "away"})
	})
}

func tokenFailCommand[M Client](p *player[M], args string) {
	p.world.Input("tokenfail", func(m M, now engine.Time) {
		m.Token(now, "", &engine.Error{Code: engine.CodeUnauthorized, Op: "token", Message: args})
	})
}

func onlineCommand[M Client](p *player[M], _ string) { p.world.Input("online", M.Online) }

func visitedCommand[M Client](p *player[M], _ string) { p.world.Input("visited", M.Visited) }

func offlineCommand[M Client](p *player[M], _ string) { p.world.Input("offline", M.Offline) }

func wokeCommand[M Client](p *player[M], args string) {
	p.world.Input("woke "+args, func(m M, now engine.Time) { m.Woke(now, p.number(args)) })
}

func closeCommand[M Client](p *player[M], _ string) { p.world.Input("close", M.Close) }

func countersCommand[M Client](p *player[M], _ string) {
	text := strings.Trim(string(p.world.Client.AppendCounters(nil)), "{}")
	for _, pair := range strings.Split(text, ",") {
		if !strings.HasSuffix(pair, ":0") {
			p.lines = append(p.lines, pair)
		}
	}
}

func storedCommand[M Client](p *player[M], args string) {
	switch result, why, _ := strings.Cut(args, " "); result {
	case "":
		p.world.Stored(journal.ResultOK, 0)
	case "unsealed":
		p.world.Stored(journal.ResultUnsealed, 0)
	case "quota":
		p.world.Stored(journal.ResultQuota, 0)
	default:
		p.world.Stored(journal.ResultFailed, p.reason(why))
	}
}

func storeBackCommand[M Client](p *player[M], _ string) { p.world.StoreBack() }

func storeGoneCommand[M Client](p *player[M], args string) {
	p.world.Input("storegone "+args, func(m M, now engine.Time) { m.StoreGone(now, p.reason(args)) })
}

// reason is the one of that name.
func (p *player[M]) reason(name string) durable.Reason {
	for r := durable.ReasonMissing; r <= durable.ReasonFailed; r++ {
		if r.String() == name {
			return r
		}
	}
	p.t.Fatalf("a store does not fail for the reason %q", name)
	return 0
}

func reloadCommand[M Client](p *player[M], _ string) { p.world.Reload() }

func wallCommand[M Client](p *player[M], args string) { p.world.JumpWall(p.number(args)) }

func (p *player[M]) exchange(s string) engine.ExchangeID {
	return engine.ExchangeID(p.number(strings.TrimPrefix(s, "x")))
}

func (p *player[M]) call(s string) engine.CallID {
	return engine.CallID(p.number(strings.TrimPrefix(s, "c")))
}

func (p *player[M]) number(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		p.t.Fatalf("script: %q is no number", s)
	}
	return n
}
