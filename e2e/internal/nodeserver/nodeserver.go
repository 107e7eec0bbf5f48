//go:build !js

// Package nodeserver runs test servers that are Node programs, each as a process
// group of its own that ends with the test.
package nodeserver

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-mcp/holdfast/e2e/internal/moduleroot"
	"github.com/holdfast-mcp/holdfast/e2e/internal/processgroup"
)

// startLimit bounds how long a server may take to come up.
const startLimit = 30 * time.Second

// Client uses no connection twice: Node closes one that was idle for 5 s, and a POST
// that is on its way just then fails.
var Client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

// A Process is a server that runs.
type Process struct {
	cmd    *exec.Cmd
	out    *output
	stdin  io.Writer
	lines  chan string
	exited chan error
}

// Start runs node with the given arguments until t ends. extra are environment
// variables, NAME=value. What it printed is logged when t fails.
func Start(t testing.TB, extra []string, args ...string) *Process {
	t.Helper()
	return Run(t, extra, "node", args...)
}

// Run is Start for another program than node.
func Run(t testing.TB, extra []string, program string, args ...string) *Process {
	t.Helper()
	p := &Process{out: new(output), lines: make(chan string, 1), exited: make(chan error, 1)}
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), extra...)
	cmd.Stdout = io.MultiWriter(p.out, &firstLine{to: p.lines})
	cmd.Stderr = p.out
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatalf("nodeserver: %v", err)
	}
	p.stdin = stdin
	// A child that keeps the pipes open must not keep Wait.
	cmd.WaitDelay = time.Second
	processgroup.Own(cmd)
	p.cmd = cmd
	if err := cmd.Start(); err != nil {
		t.Fatalf("nodeserver: cannot run %s: %v", program, err)
	}
	go func() { p.exited <- cmd.Wait() }()
	t.Cleanup(func() {
		processgroup.Kill(cmd)
		<-p.exited
		if t.Failed() {
			t.Logf("the server printed:\n%s", p.out)
		}
	})
	return p
}

// Line returns the first line that the server prints.
func (p *Process) Line() (string, error) {
	limit := time.NewTimer(startLimit)
	defer limit.Stop()
	select {
	case line := <-p.lines:
		return line, nil
	case err := <-p.exited:
		p.exited <- err // the cleanup waits for it as well
		return "", fmt.Errorf("it exited at once: %v", err)
	case <-limit.C:
		return "", fmt.Errorf("it said nothing within %v", startLimit)
	}
}

// Listening returns once somebody accepts connections at the address.
func (p *Process) Listening(address string) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	limit := time.NewTimer(startLimit)
	defer limit.Stop()
	for {
		if c, err := net.Dial("tcp", address); err == nil {
			return c.Close()
		}
		select {
		case <-tick.C:
		case err := <-p.exited:
			p.exited <- err
			return fmt.Errorf("it exited at once: %v", err)
		case <-limit.C:
			return fmt.Errorf("it did not listen within %v", startLimit)
		}
	}
}

// Kill ends the server at once, before its test is over, and waits for its end.
func (p *Process) Kill() {
	processgroup.Kill(p.cmd)
	p.exited <- <-p.exited // the cleanup waits for it as well
}

// Tell writes a line to the server's standard input.
func (p *Process) Tell(line string) error {
	_, err := io.WriteString(p.stdin, line+"\n")
	return err
}

// Output is what the server has printed so far, on both of its outputs.
func (p *Process) Output() string { return p.out.String() }

// Installed returns the path of a file below the module's node_modules.
func Installed(path ...string) (string, error) {
	root, err := moduleroot.Find()
	if err != nil {
		return "", err
	}
	file := filepath.Join(append([]string{root, "node_modules"}, path...)...)
	if _, err := os.Stat(file); err != nil {
		return "", errors.New("the test server is not installed: run `npm ci` (or `make test`) first")
	}
	return file, nil
}

// firstLine hands on the first line that is written to it.
type firstLine struct {
	to   chan string
	part string
	done bool
}

func (f *firstLine) Write(b []byte) (int, error) {
	if !f.done {
		f.part += string(b)
		if line, _, ok := strings.Cut(f.part, "\n"); ok {
			f.done = true
			f.to <- strings.TrimSpace(line)
		}
	}
	return len(b), nil
}
