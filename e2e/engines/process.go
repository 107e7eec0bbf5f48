//go:build !js

package engines

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/internal/processgroup"
)

// A process is a program that runs in a process group of its own.
type process struct {
	cmd    *exec.Cmd
	output *output
	gone   chan struct{} // closed at its end
}

// launch starts a program with more variables in its environment.
func launch(env []string, name string, args ...string) (*process, error) {
	p := &process{cmd: exec.Command(name, args...), output: &output{}, gone: make(chan struct{})}
	p.output.changed = sync.NewCond(&p.output.mu)
	p.cmd.Env = append(os.Environ(), env...)
	p.cmd.Stdout, p.cmd.Stderr = p.output, p.output
	// Children that outlive it would keep its output open.
	p.cmd.WaitDelay = 2 * time.Second
	processgroup.Own(p.cmd)
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", name, err)
	}
	go func() {
		_ = p.cmd.Wait() // how it ended is in its output
		p.output.end()
		close(p.gone)
	}()
	return p, nil
}

// says waits until the program has written what a pattern finds, and returns
// the pattern's first group.
func (p *process) says(ctx context.Context, pattern *regexp.Regexp) (string, error) {
	found, err := p.output.find(ctx, pattern)
	if err != nil {
		return "", fmt.Errorf("%s: %w; it wrote: %s", p.cmd.Path, err, p.output.last())
	}
	return found, nil
}

// kill ends the program and all that it has started, and waits for its end.
func (p *process) kill() {
	processgroup.Kill(p.cmd)
	<-p.gone
}

// outputCap is how much of what a program writes is kept, in bytes.
const outputCap = 64 << 10

// output is the last of what a program wrote.
type output struct {
	mu      sync.Mutex
	changed *sync.Cond
	text    []byte
	ended   bool
}

// Write takes more of it.
func (o *output) Write(more []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.text = append(o.text, more...)
	o.text = o.text[max(0, len(o.text)-outputCap):]
	o.changed.Broadcast()
	return len(more), nil
}

func (o *output) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ended = true
	o.changed.Broadcast()
}

func (o *output) last() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return strings.TrimSpace(string(o.text))
}

func (o *output) find(ctx context.Context, pattern *regexp.Regexp) (string, error) {
	defer context.AfterFunc(ctx, func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.changed.Broadcast()
	})()
	o.mu.Lock()
	defer o.mu.Unlock()
	for {
		if m := pattern.FindSubmatch(o.text); m != nil {
			return string(m[1]), nil
		}
		switch {
		case ctx.Err() != nil:
			return "", ctx.Err()
		case o.ended:
			return "", fmt.Errorf("it ended")
		}
		o.changed.Wait()
	}
}
