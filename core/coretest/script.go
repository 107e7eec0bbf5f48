package coretest

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/holdfast-mcp/holdfast/core/acp"
	"github.com/holdfast-mcp/holdfast/core/engine"
	"github.com/holdfast-mcp/holdfast/core/mcp"
)

// RunScript plays a script and returns it with what really happened in place
// of its golden lines. A script is a list of steps:
//
//	chunk x2 id: 7\ndata: {}\n\n
//	----
//	read x2
//
// Lines up to "----" are commands, one input each; the lines after it, up to a
// blank line, are the effects they led to; of a commit also what goes on once it is
// stored. "#" starts a comment. In text, \n \r
// \t \" and \\ stand for themselves as in Go, $c2 for the request id of call
// c2. The commands are those of the tables in command.go, mcpcommand.go and
// acpcommand.go.
func RunScript(t testing.TB, script string) string {
	return run(&player[*mcp.Client]{t: t, commands: mcpCommands}, script)
}

// RunAgentScript is RunScript for a client of an agent.
func RunAgentScript(t testing.TB, script string) string {
	return run(&player[*acp.Client]{t: t, commands: acpCommands}, script)
}

func run[M Client](p *player[M], script string) string {
	var out strings.Builder
	for _, step := range strings.Split(strings.TrimSpace(script), "\n\n") {
		p.lines = nil
		for _, line := range strings.Split(step, "\n") {
			if line == "----" {
				break
			}
			out.WriteString(line + "\n")
			if line != "" && !strings.HasPrefix(line, "#") {
				p.command(line)
			}
		}
		if p.lines != nil || strings.Contains(step, "----") {
			out.WriteString("----\n")
		}
		for _, line := range p.lines {
			out.WriteString(line + "\n")
		}
		out.WriteString("\n")
	}
	return strings.TrimSpace(out.String()) + "\n"
}

// commands are the inputs that a script can give.
type commands[M Client] map[string]func(p *player[M], args string)

type player[M Client] struct {
	t        testing.TB
	commands commands[M]
	world    *World[M]
	lines    []string
	request  map[string]string // c2 -> its request id
	tabs     tabs[M]
}

func (p *player[M]) command(line string) {
	name, rest, _ := strings.Cut(line, " ")
	run, ok := p.commands[name]
	if !ok {
		p.t.Fatalf("script: no such command: %s", name)
	}
	if p.world == nil && name != "new" {
		p.commands["new"](p, "")
	}
	run(p, p.text(rest))
	for _, e := range p.world.Effects {
		p.note(e)
		p.lines = append(p.lines, p.symbolic(p.world.describe(e)))
	}
	p.world.Effects = nil
}

// note books the request id of a call that was sent, as $cN.
func (p *player[M]) note(e engine.Effect) {
	var id string
	switch {
	case e.Kind == engine.Fetch && e.Request.Method == "POST":
		id = RequestID(e.Request)
	case e.Kind == engine.Frame:
		id = messageID(string(e.Data))
	}
	if n, err := strconv.ParseUint(id, 10, 64); err == nil && n >= 1<<24 { // less is a peer's own id
		if p.request == nil {
			p.request = map[string]string{}
		}
		// In a script the epoch never ends, so the counter is the call's id.
		p.request[fmt.Sprintf("$c%d", n&(1<<24-1))] = id
	}
}

// text replaces escapes and request ids in a command.
func (p *player[M]) text(s string) string {
	s = strings.NewReplacer(`\n`, "\n", `\r`, "\r", `\t`, "\t", `\\`, `\`).Replace(s)
	for name, id := range p.request {
		s = replaceName(s, name, id)
	}
	return s
}

// symbolic writes request ids in effects as $cN, so that scripts can be read.
func (p *player[M]) symbolic(s string) string {
	for name, id := range p.request {
		s = strings.ReplaceAll(s, id, name)
	}
	return strings.ReplaceAll(s, "\n", `\n`)
}

// replaceName replaces $c1 but not the $c1 in $c12.
func replaceName(s, name, id string) string {
	var b strings.Builder
	for {
		i := strings.Index(s, name)
		if i < 0 {
			return b.String() + s
		}
		end := i + len(name)
		b.WriteString(s[:i])
		if end < len(s) && s[end] >= '0' && s[end] <= '9' {
			b.WriteString(s[i:end])
		} else {
			b.WriteString(id)
		}
		s = s[end:]
	}
}
