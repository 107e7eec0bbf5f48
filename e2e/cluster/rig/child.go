package rig

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// A child is a process of the test's own binary: a node, or a server of the store.
type child struct {
	t       testing.TB
	command *exec.Cmd
	ended   chan struct{}
	log     syncBuffer
}

// start starts the process with its orders in an environment variable, and returns the line that it says once
// it serves. It ends with the test.
func (c *child) start(variable string, orders any) string {
	c.t.Helper()
	text, err := json.Marshal(orders)
	if err != nil {
		c.t.Fatal(err)
	}
	c.command = exec.Command(os.Args[0], "-test.run=^$")
	c.command.Env = append(os.Environ(), variable+"="+string(text))
	c.command.Stderr = &c.log
	c.command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} // it does not outlive the test
	out, err := c.command.StdoutPipe()
	if err != nil {
		c.t.Fatal(err)
	}
	if err := c.command.Start(); err != nil {
		c.t.Fatal(err)
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	c.ended = make(chan struct{})
	go func(command *exec.Cmd, ended chan struct{}) { _ = command.Wait(); close(ended) }(c.command, c.ended)
	line = strings.TrimSpace(line)
	c.t.Cleanup(func() {
		c.Kill()
		if c.t.Failed() {
			c.t.Logf("process %s\n%s", line, c.log.String())
		}
	})
	return line
}

// port is that of an address that the process has told; the test fails where it has told none.
func (c *child) port(address string) int {
	c.t.Helper()
	_, text, err := net.SplitHostPort(address)
	if err != nil {
		c.t.Fatalf("the process did not start: %q\n%s", address, c.log.String())
	}
	port, _ := strconv.Atoi(text)
	return port
}

// Kill ends the process without a word.
func (c *child) Kill() { c.end(syscall.SIGKILL) }

// Leave has the process end in order.
func (c *child) Leave() { c.end(syscall.SIGTERM) }

// Stop stops the process until Continue: it does nothing, and does not know it.
func (c *child) Stop() { _ = c.command.Process.Signal(syscall.SIGSTOP) }

// Continue ends a Stop.
func (c *child) Continue() { _ = c.command.Process.Signal(syscall.SIGCONT) }

func (c *child) end(how syscall.Signal) {
	_ = c.command.Process.Signal(how)
	<-c.ended
}

// Log is what the process has said to its operator.
func (c *child) Log() string { return c.log.String() }

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
